//! A matrix whose rows devices hold, brought to one of them.

use crate::backend::{Extent, Piece};
use crate::dispatch::{Call, Dispatcher, Member, Stored};
use crate::error::Error;
use crate::ntt::Order;
use crate::operation::each::Each;
use crate::work::{Activity, Size};

/// A copy, on the device that holds other data, of the matrix whose rows parts of one extent have: in turn, or in bit-reversed order one run after another. `None` unless the devices read each other's memory.
pub(crate) fn bring_together(
    dispatcher: &Dispatcher,
    other: &Stored,
    parts: &[&Stored],
    of: Extent,
    order: Order,
) -> Option<Result<Stored, Error>> {
    let home = other.member();
    let homes: Vec<usize> = parts.iter().map(|part| part.member()).chain([home]).collect();
    dispatcher.are_peers(&homes).then(|| {
        let together = dispatcher.divided(Each { calls: vec![(home, Together { parts, of, order })] })?;
        Ok(together.into_iter().next().expect("the outcome of one call"))
    })
}

struct Together<'a> {
    parts: &'a [&'a Stored],
    of: Extent,
    order: Order,
}

impl Together<'_> {
    fn words(&self) -> usize {
        self.parts.len() * self.of.words()
    }
}

impl Call for Together<'_> {
    type Output = Stored;

    fn size(&self, _: &Member) -> Size {
        Activity::EXCHANGE.of(self.words(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored, Error> {
        let (Extent { rows, block, .. }, memory) = (self.of, device.memory());
        let run = rows * block;
        // What the parts have of a block of columns.
        let parts = self.parts;
        let pieces =
            |number: usize| parts.iter().map(move |part| Piece::Device(part.contents(), number * run));
        let blocks = 0..self.of.blocks();
        let together = match self.order {
            Order::Natural if parts.len() > 1 => {
                let whole = |number| memory.interleave(&pieces(number).collect::<Vec<_>>(), rows, block, 0);
                let mut whole = blocks.map(whole).collect::<Result<Vec<_>, Error>>()?;
                match whole.len() {
                    1 => whole.swap_remove(0),
                    _ => {
                        let words = self.parts.len() * run;
                        let whole = whole.iter().map(|whole| (Piece::Device(whole, 0), words));
                        memory.join(&whole.collect::<Vec<_>>())?
                    }
                }
            }
            _ => memory.join(&blocks.flat_map(pieces).map(|piece| (piece, run)).collect::<Vec<_>>())?,
        };
        Ok(device.store(together, device.occupy(8 * self.words() as u64)))
    }
}
