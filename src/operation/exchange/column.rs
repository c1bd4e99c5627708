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
//! 1. Device r copies x[r C + c] for all c from the host.
//! 2. Device e reads q values of c for all r, and computes all y[k'][c] of them.
//! 3. Device d joins y[d][c] for all c, and transforms them to X[d + D k'']. In bit-reversed order that is a run of the result.
//! 4. In natural order, device e interleaves what all devices have of q values of k''.
//! 5. It copies that to the host.
//!
//! From values to coefficients the same is done backwards.

use super::columns::Bring;
use super::{Results, check, modulus, outcome};
use crate::backend::{AcceleratedField, Extent, Memory, Piece, ResidentBackend};
use crate::dispatch::{Call, Member, Peers};
use crate::error::Error;
use crate::ntt::{Direction, Domain, Ntt, Order, reverse_bits};
use crate::work::{Activity, Size};

/// Whether devices can do a transform of a column together.
pub(in crate::operation) fn divides<F: AcceleratedField>(ntt: &Ntt<F>, devices: &[Member]) -> bool {
    devices.len() > 1 && devices.iter().all(Member::reads_peers) && is_possible(ntt, devices.len())
}

/// Whether as many devices can, which read each other's memory.
pub(super) fn is_possible<F: AcceleratedField>(ntt: &Ntt<F>, devices: usize) -> bool {
    let coefficients = match ntt.direction {
        Direction::Forward => ntt.input_order,
        Direction::Inverse => ntt.output_order,
    };
    let divisible = devices.is_power_of_two() && ntt.domain.log_size() >= 2 * devices.trailing_zeros();
    coefficients == Order::Natural && divisible
}

/// A transform of a column by so many devices.
struct Column<'a, F> {
    ntt: Ntt<F>,
    words: &'a [u64],
    modulus: Option<&'static [u64]>,
    devices: usize,
}

/// Words of a device's memory from some word on.
pub(super) type Run = (Memory, usize);

/// As pieces of so many words.
fn pieces<'a>(runs: impl Iterator<Item = &'a Run>, words: usize) -> Vec<(Piece<'a>, usize)> {
    runs.map(|(memory, from)| (Piece::Device(memory, *from), words)).collect()
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
        // What a device has of a step, what it brings together for the next, what it makes of that, and pieces of it.
        let possible = is_possible(&ntt, devices) && self.have_room(|_| 4 * words.len() / devices);
        let column = Column { ntt, words, modulus: modulus::<F>(unchecked), devices };
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

    /// Every device's transforms of D points, over the domain's points to the power of C, with a point from each part.
    fn inner(&self, peers: &Peers<'_>, parts: &[Memory]) -> Result<Vec<Vec<Run>>, Error> {
        let (ntt, (_, run)) = (short(&self.ntt, self.devices)?, self.lengths());
        peers.each((0..self.devices).map(|e| {
            let pieces = parts.iter().map(|part| (Piece::Device(part, e * run), run)).collect();
            Short { pieces, ntt }
        }))
    }

    /// The device whose values are the run of this number in bit-reversed order, and the inverse.
    fn reversed(&self, number: usize) -> usize {
        reverse_bits(number, self.devices.trailing_zeros())
    }

    fn values(&self, peers: &Peers<'_>) -> Result<Results, Error> {
        let ((own, run), devices) = (self.lengths(), 0..self.devices);
        let coefficients = peers.each(self.words.chunks(own).map(|words| {
            let pieces = vec![(Piece::Host(words), own)];
            Joined { pieces, modulus: self.modulus, ntt: None::<Ntt<F>>, activity: Activity::UPLOAD }
        }))?;
        let inner = self.inner(peers, &coefficients)?;
        drop(coefficients);
        let outer = self.joined(peers, |d| (pieces(inner.iter().map(|inner| &inner[d]), run), None))?;
        drop(inner);
        if self.ntt.output_order == Order::BitReversed {
            return Ok(peers.results(outer, devices.map(|run| (self.reversed(run), own)).collect()));
        }
        let width = size_of::<F>() / 8;
        let turns = peers.each(devices.clone().map(|e| {
            let pieces = outer.iter().map(|outer| Piece::Device(outer, e * run)).collect();
            Turns { pieces, rows: run / width, width }
        }))?;
        Ok(peers.results(turns, devices.map(|e| (e, own)).collect()))
    }

    fn coefficients(&self, peers: &Peers<'_>) -> Result<Results, Error> {
        let ((own, run), devices) = (self.lengths(), 0..self.devices);
        let width = size_of::<F>() / 8;
        let columns: Vec<_> = devices.clone().map(|d| d * width..(d + 1) * width).collect();
        let outer = match self.ntt.input_order {
            Order::BitReversed => self.joined(peers, |d| {
                let words = &self.words[self.reversed(d) * own..][..own];
                (vec![(Piece::Host(words), own)], self.modulus)
            })?,
            Order::Natural => {
                let values = peers.each(self.words.chunks(own).map(|rows| {
                    let width = self.devices * width;
                    Bring { rows, width, columns: &columns, modulus: self.modulus }
                }))?;
                let of_device = |d: usize| values.iter().map(move |cut| (Piece::Device(&cut[d], 0), run));
                self.joined(peers, |d| (of_device(d).collect(), None))?
            }
        };
        let inner = self.inner(peers, &outer)?;
        drop(outer);
        let coefficients = peers.each(devices.clone().map(|r| {
            let pieces = pieces(inner.iter().map(|inner| &inner[r]), run);
            Joined { pieces, modulus: None, ntt: None::<Ntt<F>>, activity: Activity::EXCHANGE }
        }))?;
        Ok(peers.results(coefficients, devices.map(|r| (r, own)).collect()))
    }

    /// Every device's transform of C points, of pieces, which are from the host if their elements are yet to be compared with a modulus.
    fn joined<'a>(
        &self,
        peers: &Peers<'_>,
        pieces: impl Fn(usize) -> (Vec<(Piece<'a>, usize)>, Option<&'static [u64]>),
    ) -> Result<Vec<Memory>, Error> {
        let calls = (0..self.devices).map(|d| {
            let ((pieces, modulus), ntt) = (pieces(d), Some(long(&self.ntt, self.devices, d)?));
            Ok(Joined { pieces, modulus, ntt, activity: F::TRANSFORM })
        });
        peers.each(calls.collect::<Result<Vec<_>, Error>>()?.into_iter())
    }
}

/// The transforms of D points of a transform by D devices, over the domain's points to the power of C.
pub(super) fn short<F: AcceleratedField>(ntt: &Ntt<F>, devices: usize) -> Result<Ntt<F>, Error> {
    Ok(over(ntt.domain.powers(ntt.domain.size() / devices)?, ntt.direction))
}

/// The transform of C points, over every D-th point of the domain from one on.
pub(super) fn long<F: AcceleratedField>(ntt: &Ntt<F>, devices: usize, from: usize) -> Result<Ntt<F>, Error> {
    let Ntt { domain, direction, input_order, output_order } = *ntt;
    Ok(over(domain.every(devices, from)?, direction).with_orders(input_order, output_order))
}

/// A transform in natural order.
fn over<F: AcceleratedField>(domain: Domain<F>, direction: Direction) -> Ntt<F> {
    match direction {
        Direction::Forward => Ntt::forward(domain),
        Direction::Inverse => Ntt::inverse(domain),
    }
}

/// Joins pieces of so many words, and transforms what they are together.
struct Joined<'a, F> {
    pieces: Vec<(Piece<'a>, usize)>,
    modulus: Option<&'static [u64]>,
    ntt: Option<Ntt<F>>,
    activity: Activity,
}

impl<F: AcceleratedField> Call for Joined<'_, F> {
    type Output = Memory;

    fn size(&self, _: &Member) -> Size {
        let words: usize = self.pieces.iter().map(|(_, words)| words).sum();
        let from_host = matches!(self.pieces[..], [(Piece::Host(_), _), ..]);
        let items = if self.ntt.is_some() { words * 8 / size_of::<F>() } else { words };
        self.activity.of(items, if from_host { 8 * words } else { 0 }, 0)
    }

    fn run(self, device: &Member) -> Result<Memory, Error> {
        let memory = device.memory();
        let joined = memory.join(&self.pieces)?;
        check(memory, &joined, self.modulus)?;
        let Some(ntt) = self.ntt else { return Ok(joined) };
        let width = size_of::<F>() / 8;
        let extent = Extent { rows: ntt.domain.size(), width, block: width };
        F::resident_transforms(memory).ntt(&ntt, &joined, extent)
    }
}

/// Transforms of few points, of which each piece has the same one for many of them.
struct Short<'a, F> {
    pieces: Vec<(Piece<'a>, usize)>,
    ntt: Ntt<F>,
}

impl<F: AcceleratedField> Call for Short<'_, F> {
    /// As many runs again.
    type Output = Vec<Run>;

    fn size(&self, _: &Member) -> Size {
        Activity::EXCHANGE.of(self.pieces.iter().map(|(_, words)| words).sum(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Vec<Run>, Error> {
        let run = self.pieces[0].1;
        let runs = self.pieces.iter().map(|(piece, _)| *piece).collect();
        across(device.memory(), &self.ntt, Points::Runs(runs), run)
    }
}

/// The points of short transforms: all words of some memory, run after run, or runs of it.
pub(super) enum Points<'a> {
    Whole(&'a Memory),
    Runs(Vec<Piece<'a>>),
}

/// Transforms of few points, of as many runs of so many words, each of which has a point of every transform. The results are in as many runs again.
pub(super) fn across<F: AcceleratedField>(
    memory: &dyn ResidentBackend,
    ntt: &Ntt<F>,
    points: Points<'_>,
    run: usize,
) -> Result<Vec<Run>, Error> {
    let (rows, of_element) = (ntt.domain.size(), size_of::<F>() / 8);
    let transforms = F::resident_transforms(memory);
    if F::ROW_MAJOR {
        let extent = Extent { rows, width: run, block: run };
        let made = match points {
            Points::Whole(whole) => transforms.ntt(ntt, whole, extent)?,
            Points::Runs(runs) => {
                let runs: Vec<_> = runs.into_iter().map(|piece| (piece, run)).collect();
                transforms.ntt(ntt, &memory.join(&runs)?, extent)?
            }
        };
        return Ok((0..rows).map(|row| (made.clone(), row * run)).collect());
    }
    let runs = match points {
        Points::Whole(whole) => (0..rows).map(|row| Piece::Device(whole, row * run)).collect(),
        Points::Runs(runs) => runs,
    };
    let points = memory.interleave(&runs, run / of_element, of_element, 0)?;
    let made = transforms.ntt(ntt, &points, Extent { rows, width: run, block: of_element })?;
    drop(points);
    let row = |row: usize| memory.columns(&made, rows * of_element, row * of_element..(row + 1) * of_element);
    (0..rows).map(|number| Ok((row(number)?, 0))).collect()
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
