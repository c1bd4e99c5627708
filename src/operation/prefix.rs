//! Prefix products: blocks are independent.

use super::{cut, powers, random_element};
use crate::backend::{AcceleratedField, Backend};
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::work::{Activity, Size};

/// Prefix products of columns in host memory, as [`PrefixProducts`](crate::backend::PrefixProducts) have them.
pub(crate) struct Prefix<'a, F> {
    pub(crate) input: &'a [F],
    pub(crate) width: usize,
    pub(crate) products: &'a mut [F],
    pub(crate) carry: &'a mut [F],
}

/// The kind of prefix products.
pub(super) const fn kind<F: AcceleratedField>() -> Kind {
    Kind { name: Activity::PREFIX_PRODUCTS.name, variant: F::NAME, sample: sample::<F> }
}

/// Of one column.
fn sample<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    let input = powers(F::of_integer(7), 1 << log);
    let (mut products, mut carry) = (vec![F::ZERO; input.len()], [F::ONE]);
    let run = || F::prefix_products(backend).prefix_products(&input, 1, &mut products, &mut carry);
    timed(run, [input.len() as f64; 2])
}

impl<F> Prefix<'_, F> {
    /// Elements of a block.
    fn block(&self) -> usize {
        self.input.len() / self.carry.len() * self.width
    }
}

impl<F: AcceleratedField> Call for Prefix<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        let [elements, first] = [size_of_val(self.input), size_of_val(self.carry)];
        Activity::PREFIX_PRODUCTS.of(self.input.len(), elements + first, elements + first)
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        let Self { input, width, products, carry } = self;
        F::prefix_products(device.backend()).prefix_products(input, width, products, carry)
    }
}

impl<F: AcceleratedField> Operation for Prefix<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<F>(), work: [self.input.len() as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// Every column begins with what was carried into it, and the sum of r^i (z_(i+1) - z_i x_i) over all entries is zero for a random r, where z is what
    /// is carried out behind the last one.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let (block, Self { input, width, products, carry }) = (self.block(), self);
        let first = carry.to_vec();
        untested.run(Prefix { input, width, products: &mut *products, carry: &mut *carry })?;
        let (r, mut sum, mut passes) = (random_element::<F>(), F::ZERO, true);
        for (i, (&x, &product)) in input.iter().zip(&*products).enumerate() {
            let (number, at) = (i / block, i % block);
            let column = number * width + at % width;
            passes &= at >= width || product == first[column];
            let next = if at + width < block { products[i + width] } else { carry[column] };
            sum = sum * r + next - product * x;
        }
        untested.expect(passes && sum == F::ZERO, "the check of prefix products")
    }
}

impl<'a, F: AcceleratedField> Divisible for Prefix<'a, F> {
    type Outcome = ();
    type Part<'p>
        = Prefix<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.carry.len() / self.width
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Prefix<'_, F>>, Error> {
        let (block, input, width) = (self.block(), self.input, self.width);
        let lengths = |len: usize| shares.iter().map(move |share| share.items.len() * len);
        let outputs = cut(self.products, lengths(block)).zip(cut(self.carry, lengths(width)));
        let part = |(share, (products, carry)): (&Share, (_, _))| {
            let input = &input[share.items.start * block..share.items.end * block];
            Prefix { input, width, products, carry }
        };
        Ok(shares.iter().zip(outputs).map(part).collect())
    }

    fn join(self, _: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        outcomes.into_iter().collect()
    }
}
