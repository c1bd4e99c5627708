//! Another backend's answers, each put to a cheap random test before it is believed.
//!
//! | answer | test | what passes though it is wrong |
//! |---|---|---|
//! | transform, extension | `polynomial.rs`: both sides, as one random combination of the columns, at a random point | one in about 2^64 / n |
//! | digests of rows | rows at random places, hashed again | an error in rows not drawn |
//! | tree | every node on the way from random leaves to the root | an error in nodes not on the way |
//! | sums | `sums.rs`: a sample summed again, and the same sums with a few scalars changed | an error that does not show in either |
//!
//! Only the first is a proof. The others find a backend that is wrong often, not one that is wrong once. A transform costs
//! two more passes over its data and one for the inverses; a sum costs another sum.

mod polynomial;
#[cfg(feature = "bn254")]
mod sums;

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use super::{Accelerated, Backend, Clock, Hashing, HostMemory, Residence, Transforms};
use crate::choice::Choices;
use crate::device::Bandwidths;
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
use crate::hash::Hasher;
use crate::merkle::Approach;
use crate::ntt::{Direction, Lde, Ntt};
use crate::pinned::Locked;
use crate::work::DeviceWork;
use polynomial::{combine, value_of_coefficients, value_of_values};

/// Rows and leaves that are looked at.
const SAMPLE: usize = 8;

/// A backend whose answers are tested.
pub struct Checked {
    backend: Box<dyn Backend>,
    device: String,
}

impl Checked {
    /// Tests the answers of a backend; errors name the device.
    pub(crate) fn new(backend: Box<dyn Backend>, device: String) -> Self {
        Self { backend, device }
    }

    fn expect(&self, passes: bool, operation: &'static str) -> Result<(), Error> {
        match passes {
            true => Ok(()),
            false => Err(Error::CheckFailed { device: self.device.clone(), operation }),
        }
    }
}

/// A word that nobody can foresee: the keys of the standard library's hash are random.
fn random_word() -> u64 {
    RandomState::new().hash_one(0)
}

fn random_element<F: TwoAdic>() -> F {
    F::of_integer(random_word())
}

/// Some of the indices below `len`.
fn random_indices(len: usize) -> impl Iterator<Item = usize> {
    let draws = if len == 0 { 0 } else { SAMPLE };
    (0..draws).map(move |_| (random_word() % len as u64) as usize)
}

impl Clock for Checked {
    fn device_time(&self) -> Option<Duration> {
        self.backend.device_time()
    }

    fn choices(&self) -> Option<Choices> {
        self.backend.choices()
    }

    fn replays(&self) -> Option<u64> {
        self.backend.replays()
    }

    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        self.backend.bandwidths()
    }

    fn work(&self) -> Vec<DeviceWork> {
        self.backend.work()
    }
}

impl HostMemory for Checked {
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.backend.lock(bytes)
    }
}

/// None: an answer that stayed on the device could not be tested, so data stay in host memory.
impl Residence for Checked {}

impl Transforms for Checked {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        let block = ntt.domain.size() * width;
        let (weight, point) = (random_element(), random_element());
        let value = |data: &[Goldilocks], order, is_values| {
            let column = combine(data, width, weight, order);
            match is_values {
                true => value_of_values(&ntt.domain, &column, point),
                false => Some(value_of_coefficients(&column, point)),
            }
        };
        let inverse = ntt.direction == Direction::Inverse;
        let before: Vec<_> = data.chunks(block).map(|data| value(data, ntt.input_order, inverse)).collect();
        let mut answer = data.to_vec();
        self.backend.ntt(ntt, &mut answer, width)?;
        let mut after = answer.chunks(block).map(|data| value(data, ntt.output_order, !inverse));
        self.expect(before.iter().all(|before| after.next() == Some(*before)), "the check of a transform")?;
        data.copy_from_slice(&answer);
        Ok(())
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        let (weight, point) = (random_element(), random_element());
        let value = |domain, data: &[Goldilocks], order| {
            value_of_values(domain, &combine(data, width, weight, order), point)
        };
        let (from, to) = (lde.from(), lde.to());
        let before: Vec<_> =
            input.chunks(from.size() * width).map(|data| value(&from, data, Default::default())).collect();
        self.backend.lde(lde, input, width, output)?;
        let mut after = output.chunks(to.size() * width).map(|data| value(&to, data, lde.output_order()));
        self.expect(before.iter().all(|before| after.next() == Some(*before)), "the check of an extension")
    }
}

impl<H: Accelerated> Hashing<H> for Checked {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        H::hashing(&*self.backend).hash_rows(matrix, width, digests)?;
        let mut rows = random_indices(digests.len());
        let right = rows.all(|i| digests[i] == H::hash_elements(&matrix[i * width..][..width]));
        self.expect(right, "the check of digests of rows")
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        H::hashing(&*self.backend).hash_columns(matrix, degree, digests)?;
        let column = digests.len() * degree;
        let row = |i: usize| -> Vec<_> {
            matrix.chunks(column).flat_map(|column| &column[i * degree..][..degree]).copied().collect()
        };
        let right = random_indices(digests.len()).all(|i| digests[i] == H::hash_elements(&row(i)));
        self.expect(right, "the check of digests of rows")
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        let leaves = heap.len() / 2;
        let before: Vec<_> = random_indices(leaves).map(|i| (leaves + i, heap[leaves + i])).collect();
        H::hashing(&*self.backend).build_tree(heap, approach)?;
        let right = before.into_iter().all(|(position, leaf)| {
            let ancestors = std::iter::successors(Some(position / 2), |node| Some(node / 2));
            heap[position] == leaf
                && ancestors.take_while(|&node| node > 0).all(|node| is_parent::<H>(heap, node))
        });
        self.expect(right, "the check of a tree")
    }
}

/// Whether a node is what its children make.
fn is_parent<H: Hasher>(heap: &[H::Digest], node: usize) -> bool {
    heap[node] == H::merge(&[heap[2 * node], heap[2 * node + 1]])
}

#[cfg(test)]
mod tests;
