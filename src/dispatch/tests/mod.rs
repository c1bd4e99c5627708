//! The dispatcher on devices that are made for tests, whose curves are pretended.

#[cfg(feature = "bn254")]
mod bn254;
mod choice;
mod failures;
mod progress;
mod sharing;
#[cfg(feature = "opencl")]
mod staying;
mod vocabulary;

use std::sync::atomic::Ordering;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::curve::Curve;
use super::fake::{Fake, Meeting};
use super::{Call, Cost, Demand, Dispatcher, Kind, LARGE, Member, Opened, Share, Strategy};
use crate::backend::cpu::Cpu;
use crate::backend::testing::build_heap;
use crate::backend::{Backend, Combinations, Extent, MatrixView, PrefixProducts, Transforms};
use crate::error::Error;
use crate::field::{Goldilocks, powers};
use crate::hash::*;
use crate::lock::lock;
use crate::merkle::Approach;
use crate::meter::PIECES;
use crate::ntt::{Convention, Domain, Lde, Ntt};
use crate::operation::{
    Combine, Combined, Each, Extend, HashRows, Invert, PermuteLookups, Prefix, Transform, Tree, extend_kind,
    rows_kind, transform_kind, tree_kind,
};
use crate::sync::Mutex;
use crate::work::{Activity, Size};

impl Dispatcher {
    /// Curves as if they were measured.
    fn measured(self, kinds: &[Kind], curves: &[Curve]) -> Self {
        for kind in kinds {
            let curves = (0..self.members.len()).map(|i| Some(curves[i % curves.len()].clone()));
            self.curves.pretend(kind, curves.collect());
        }
        self
    }

    /// What devices that fail on purpose are tested with: one costs as much as the other, so that nothing is measured, which would meet the failure instead of an operation. Where
    /// other programs take the processor measurements are not kept.
    pub(crate) fn with_equal_costs(self) -> Self {
        self.measured(&kinds::<Rp64_256>(), &[line()])
    }
}

/// A unit of work a nanosecond.
fn line() -> Curve {
    Curve::through(vec![[1.0, 1.0], [1e12, 1e12]])
}

fn kinds<H: Accelerated>() -> Vec<Kind> {
    vec![
        transform_kind::<Goldilocks>(),
        extend_kind::<Goldilocks>(),
        rows_kind::<H>(),
        tree_kind::<H>(),
        #[cfg(feature = "bn254")]
        crate::operation::sum_kind::<crate::bn254::G1Affine>(),
        #[cfg(feature = "bn254")]
        transform_kind::<crate::bn254::Fr>(),
    ]
}

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().unwrap()
}

fn opened(name: &str, backend: impl Backend + 'static, on_host: bool) -> Opened {
    let (backend, name, machine) = (Box::new(backend), name.to_owned(), vec![name.to_owned()]);
    Opened { backend, name, machine, on_host, threads: Some(pool()) }
}

/// Two devices, `left` and `right`.
fn several(fakes: [Fake; 2], weights: Option<Vec<usize>>) -> Dispatcher {
    let fakes = ["left", "right"].into_iter().zip(fakes);
    let devices = fakes.map(|(name, fake)| opened(name, Fake { name, ..fake }, true));
    let strategy = Strategy::Divide { weights };
    Dispatcher::new(devices.collect(), strategy).measured(&kinds::<Blake3>(), &[line()])
}

fn words(len: usize) -> Vec<Goldilocks> {
    powers(Goldilocks::GENERATOR).take(len).collect()
}

fn domain(log: u32) -> Domain {
    Domain::new(log, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR).unwrap()
}

fn ntt(on: &Dispatcher, ntt: Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
    on.run(Transform { ntt, data, width, unchecked: true })
}

fn lde(
    on: &Dispatcher,
    lde: Lde,
    input: &mut [Goldilocks],
    width: usize,
    output: &mut [Goldilocks],
) -> Result<(), Error> {
    on.run(Extend { lde, input, width, output, unchecked: true })
}

/// Builds the tree over leaves that are copied into a heap.
fn tree<H: Accelerated>(on: &Dispatcher, leaves: &[H::Digest], heap: &mut [H::Digest]) -> Result<(), Error> {
    let (inner, copies) = heap.split_at_mut(leaves.len());
    on.run(Tree::<H> { leaves, inner, copies: Some(copies), approach: Approach::Auto })
}

/// Items of a kind of operation that each device has done.
fn items(on: &Dispatcher, operation: &str) -> Vec<u64> {
    on.work().iter().map(|work| work.of(operation).map_or(0, |line| line.items)).collect()
}

/// Two devices of which the first is the CPU: 10 ns a unit of work, against 1000 ns for up to 1000 units and a nanosecond for each from
/// there on.
fn auto(prefer_second: bool) -> Dispatcher {
    let devices = vec![opened("cpu", Fake::default(), true), opened("other", Fake::default(), false)];
    let curves = [Curve::through(vec![[1.0, 10.0]]), Curve::through(vec![[1000.0, 1000.0]])];
    Dispatcher::new(devices, Strategy::Choose { prefer_second }).measured(&kinds::<Blake3>(), &curves)
}
