//! A transform of one column.
//!
//! # Mathematical description
//!
//! Let D devices, a power of two, transform n coefficients x to the values X on the coset { s w^k }. With C = n / D, write i = r C + c and k = k' + D k'', where r and k' are
//! below D. Then, since w^(r C D) = 1,
//!
//! ```text
//! X[k' + D k''] = sum over c of y[k'][c] (s w^k')^c (w^D)^(c k''),    y[k'][c] = sum over r of x[r C + c] (s^C)^r (w^C)^(r k').
//! ```
//!
//! The inner sums are transforms of D points on the coset { s^C (w^C)^k' }, the outer ones transforms of C points on the cosets { s w^k' (w^D)^k'' } of the domain. So what are twiddle
//! factors between the two in Bailey's algorithm ("FFTs in external or hierarchical memory", 1990) are shifts of cosets here, which transforms have anyway. With q = C / D:
//!
//! 1. Device e copies x[r C + c] for q values of c and all r, D runs of host memory, and computes all y[k'][c] of them.
//! 2. Device d joins y[d][c] for all c, and transforms them to X[d + D k'']. In bit-reversed order that is one run of the result.
//! 3. In natural order, device e interleaves what all devices have of q values of k''.
//! 4. It copies that to the host.
//!
//! From values to coefficients the same is done backwards.

use super::columns::Bring;
use super::{Results, check, outcome};
use crate::backend::{AcceleratedField, Extent, Memory, Piece};
use crate::dispatch::{Call, Member, Peers};
use crate::error::Error;
use crate::ntt::{Direction, Domain, Ntt, Order, reverse_bits};
use crate::work::{Activity, Size};

/// Whether devices can do a transform of a column together.
pub(in crate::operation) fn divides<F: AcceleratedField>(ntt: &Ntt<F>, devices: &[Member]) -> bool {
    devices.len() > 1 && devices.iter().all(Member::reads_peers) && is_possible(ntt, devices.len())
}

/// Whether as many devices can, which read each other's memory.
fn is_possible<F: AcceleratedField>(ntt: &Ntt<F>, devices: usize) -> bool {
    let coefficients = match ntt.direction {
        Direction::Forward => ntt.input_order,
        Direction::Inverse => ntt.output_order,
    };
    let divisible = devices.is_power_of_two() && ntt.domain.log_size() >= 2 * devices.trailing_zeros();
    F::ROW_MAJOR && coefficients == Order::Natural && divisible
}

/// A transform of a column by so many devices.
struct Column<'a, F> {
    ntt: Ntt<F>,
    words: &'a [u64],
    modulus: Option<&'static [u64]>,
    devices: usize,
}

impl Peers<'_> {
    /// The transform of a column, some of it on each device. `None` where the devices do not read each other's memory or have no room for it, where they are not as many as a
    /// power of two whose square divides the number of points, and for coefficients in bit-reversed order.
    pub(in crate::operation) fn column<F: AcceleratedField>(
        &self,
        ntt: Ntt<F>,
        data: &[F],
        unchecked: bool,
    ) -> Option<Result<Results, Error>> {
        let (words, devices) = (F::words(data), self.shares.len());
        // What a device has of a step and makes of it in the next, with its pieces of that.
        let possible = is_possible(&ntt, devices) && self.have_room(|_| 4 * words.len() / devices);
        let column = Column { ntt, words, modulus: unchecked.then_some(F::MODULUS), devices };
        let steps = || match ntt.direction {
            Direction::Forward => column.values(self),
            Direction::Inverse => column.coefficients(self),
        };
        possible.then(|| outcome(steps(), data))?
    }
}

impl<F: AcceleratedField> Column<'_, F> {
    /// Words of C elements, and of q.
    fn lengths(&self) -> (usize, usize) {
        let of_device = self.words.len() / self.devices;
        (of_device, of_device / self.devices)
    }

    /// Transforms of D points, over the domain's points to the power of C.
    fn short(&self) -> Result<Ntt<F>, Error> {
        let domain = self.ntt.domain;
        Ok(over(domain.powers(domain.size() / self.devices)?, self.ntt.direction))
    }

    /// The transform of C points, over every D-th point of the domain.
    fn long(&self, number: usize) -> Result<Ntt<F>, Error> {
        let Ntt { domain, direction, input_order, output_order } = self.ntt;
        Ok(over(domain.every(self.devices, number)?, direction).with_orders(input_order, output_order))
    }

    /// The device whose values are the run of this number in bit-reversed order, and the inverse.
    fn reversed(&self, number: usize) -> usize {
        reverse_bits(number, self.devices.trailing_zeros())
    }

    fn values(&self, peers: &Peers<'_>) -> Result<Results, Error> {
        let ((own, run), devices, short) = (self.lengths(), 0..self.devices, self.short()?);
        let inner = peers.each(devices.clone().map(|e| {
            let piece = |r: usize| (Piece::Host(&self.words[r * own + e * run..][..run]), run);
            let pieces = devices.clone().map(piece).collect();
            Step { pieces, modulus: self.modulus, ntt: short, activity: Activity::UPLOAD }
        }))?;
        let outer = devices.clone().map(|d| {
            let pieces = inner.iter().map(|inner| (Piece::Device(inner, d * run), run)).collect();
            Ok(Step { pieces, modulus: None, ntt: self.long(d)?, activity: F::TRANSFORM })
        });
        let outer = peers.each(outer.collect::<Result<Vec<_>, Error>>()?.into_iter())?;
        drop(inner);
        if self.ntt.output_order == Order::BitReversed {
            let runs = devices.map(|run| (self.reversed(run), own)).collect();
            return Ok(peers.results(outer, runs));
        }
        let width = size_of::<F>() / 8;
        let turns = peers.each(devices.clone().map(|e| {
            let pieces = outer.iter().map(|outer| Piece::Device(outer, e * run)).collect();
            Turns { pieces, rows: run / width, width }
        }))?;
        Ok(peers.results(turns, devices.map(|e| (e, own)).collect()))
    }

    fn coefficients(&self, peers: &Peers<'_>) -> Result<Results, Error> {
        let ((own, run), devices, short) = (self.lengths(), 0..self.devices, self.short()?);
        let width = size_of::<F>() / 8;
        let columns: Vec<_> = devices.clone().map(|d| d * width..(d + 1) * width).collect();
        let cut = match self.ntt.input_order {
            Order::BitReversed => Vec::new(),
            Order::Natural => peers.each(devices.clone().map(|e| {
                let rows = &self.words[e * own..(e + 1) * own];
                Bring { rows, width: self.devices * width, columns: &columns, modulus: self.modulus }
            }))?,
        };
        let outer = devices.clone().map(|d| {
            let (pieces, modulus) = match self.ntt.input_order {
                Order::BitReversed => {
                    (vec![(Piece::Host(&self.words[self.reversed(d) * own..][..own]), own)], self.modulus)
                }
                Order::Natural => (cut.iter().map(|cut| (Piece::Device(&cut[d], 0), run)).collect(), None),
            };
            Ok(Step { pieces, modulus, ntt: self.long(d)?, activity: F::TRANSFORM })
        });
        let outer = peers.each(outer.collect::<Result<Vec<_>, Error>>()?.into_iter())?;
        drop(cut);
        let inner = peers.each(devices.clone().map(|e| {
            let pieces = outer.iter().map(|outer| (Piece::Device(outer, e * run), run)).collect();
            Step { pieces, modulus: None, ntt: short, activity: Activity::EXCHANGE }
        }))?;
        let runs = devices.clone().flat_map(|_| devices.clone().map(|e| (e, run))).collect();
        Ok(peers.results(inner, runs))
    }
}

/// A transform in natural order.
fn over<F: AcceleratedField>(domain: Domain<F>, direction: Direction) -> Ntt<F> {
    match direction {
        Direction::Forward => Ntt::forward(domain),
        Direction::Inverse => Ntt::inverse(domain),
    }
}

/// Joins pieces of so many words to the rows of a matrix and transforms its columns.
struct Step<'a, F> {
    pieces: Vec<(Piece<'a>, usize)>,
    modulus: Option<&'static [u64]>,
    ntt: Ntt<F>,
    activity: Activity,
}

impl<F: AcceleratedField> Call for Step<'_, F> {
    type Output = Memory;

    fn size(&self, _: &Member) -> Size {
        let words = self.pieces.iter().map(|(_, words)| words).sum();
        let from_host = matches!(self.pieces[..], [(Piece::Host(_), _), ..]);
        self.activity.of(words, if from_host { 8 * words } else { 0 }, 0)
    }

    fn run(self, device: &Member) -> Result<Memory, Error> {
        let (memory, rows) = (device.memory(), self.ntt.domain.size());
        let joined = memory.join(&self.pieces)?;
        check(memory, &joined, self.modulus)?;
        let width = self.pieces.iter().map(|(_, words)| words).sum::<usize>() / rows;
        F::resident_transforms(memory).ntt(&self.ntt, &joined, Extent { rows, width, block: width })
    }
}

/// Interleaves elements of pieces.
struct Turns<'a> {
    pieces: Vec<Piece<'a>>,
    rows: usize,
    width: usize,
}

impl Call for Turns<'_> {
    type Output = Memory;

    fn size(&self, _: &Member) -> Size {
        Activity::EXCHANGE.of(self.pieces.len() * self.rows * self.width, 0, 0)
    }

    fn run(self, device: &Member) -> Result<Memory, Error> {
        device.memory().interleave(&self.pieces, self.rows, self.width, 0)
    }
}
