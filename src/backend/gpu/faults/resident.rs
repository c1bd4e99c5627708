//! Faults in operations on data that stay on the device, and within commitments.

use std::sync::Arc;

use super::squares_of_the_next;
use crate::backend::Backend;
use crate::backend::gpu::faulty::Faulty;
use crate::backend::gpu::{Device, Gpu};
use crate::backend::reference::Reference;
use crate::commit::{Commitment, TraceSpec};
use crate::device::DeviceChoice;
use crate::dispatch::{Dispatcher, Opened, Strategy};
use crate::engine::Engine;
use crate::error::Error;
use crate::faults::{Fault, Faults};
use crate::field::Goldilocks;
use crate::hash::Rp64_256;
use crate::matrix::{Layout, Matrix, Shape};
use crate::ntt::{Ntt, Order};
use crate::program::ProgramRows;
use crate::resident::DeviceMatrix;

/// What fails, and how often in a row. A device that is out of memory may stay so.
const FAULTS: [(Fault, u32); 6] = [
    (Fault::Memory, 1),
    (Fault::Memory, 2),
    (Fault::Memory, 5),
    (Fault::Memory, u32::MAX),
    (Fault::Anything, 1),
    (Fault::Anything, 2),
];

fn trace() -> Matrix<Goldilocks> {
    let entries = (0..5 * 32).map(|i| Goldilocks::new(i * i + 3)).collect();
    Matrix::new(entries, Shape { rows: 32, columns: 5, layout: Layout::ColumnMajor }).unwrap()
}

/// A lookup: its input are some rows of its table.
fn lookup() -> Matrix<Goldilocks> {
    let table = |i: u64| Goldilocks::new(i * i % 100);
    let entries = (0..256).map(|i| table(i * 7 % 250)).chain((0..256).map(table));
    Matrix::from_columns(entries.collect(), 256, 2).unwrap()
}

/// Coefficients for its columns.
fn factors(trace: &Matrix<Goldilocks>) -> Matrix<Goldilocks> {
    Matrix::from_rows(trace.as_slice()[..10].to_vec(), 5, 2).unwrap()
}

fn ntt() -> Ntt {
    Ntt::inverse(TraceSpec::default().lde(32).unwrap().from())
}

/// A row program on what stays.
fn run(engine: &Engine, matrix: &DeviceMatrix<Goldilocks>) -> Result<Matrix<Goldilocks>, Error> {
    let rows = ProgramRows { count: 32, stride: 4, order: Order::Natural };
    let made = engine.run_program(&squares_of_the_next(), rows, &[matrix], &[Goldilocks::new(9)])?;
    engine.download(&made)
}

/// An engine on a device without faults yet.
fn engine(device: &Arc<dyn Device>, faults: &Faults) -> Engine {
    Engine::builder().threads(1).build_on_device(Arc::new(Faulty::new(device, faults.clone()))).unwrap()
}

/// An engine on such a device beside the reference, which has half of what is divided.
fn engine_of_two(device: &Arc<dyn Device>, faults: &Faults) -> Engine {
    let faulty = Faulty::new(device, faults.clone());
    let info = faulty.info().clone();
    let opened = |backend: Box<dyn Backend>, name: &str, on_host| {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        Opened { backend, name: name.into(), machine: Vec::new(), on_host, threads: Some(threads) }
    };
    let devices = vec![
        opened(Box::new(Gpu::new(Arc::new(faulty), None)), "a test's device", false),
        opened(Box::new(Reference), "reference", true),
    ];
    let strategy = Strategy::Divide { weights: Some(vec![1, 1]) };
    let dispatcher = Dispatcher::new(devices, strategy).with_equal_costs();
    Engine::builder().threads(1).build_on(dispatcher, info).unwrap()
}

/// An operation of an engine on a resident trace and on the same in host memory.
type Operation<T> = fn(&Engine, &mut DeviceMatrix<Goldilocks>, &Matrix<Goldilocks>) -> Result<T, Error>;

/// Does `operation` with a fault at every moment. A failure is one of the errors expected, leaves both traces as they were, and
/// an engine on which the operation succeeds the next time.
fn survive<T>(device: &Arc<dyn Device>, fault: (Fault, u32), operation: Operation<T>, check: impl Fn(&T)) {
    survive_on(engine, device, fault, operation, check);
}

/// The same of engines that are made of a device.
fn survive_on<T>(
    engine: fn(&Arc<dyn Device>, &Faults) -> Engine,
    device: &Arc<dyn Device>,
    (fault, times): (Fault, u32),
    operation: Operation<T>,
    check: impl Fn(&T),
) {
    let trace = trace();
    for calls in 0.. {
        let faults = Faults::new(fault, times);
        let engine = engine(device, &faults);
        let mut resident = engine.upload(&trace).unwrap();
        faults.at(calls);
        let result = operation(&engine, &mut resident, &trace);
        let unspent = !faults.stop();
        match result {
            Ok(result) => check(&result),
            Err(Error::DeviceOutOfMemory { requested, .. }) => assert!(requested > 0),
            Err(Error::DeviceFailed { .. }) => assert_eq!(fault, Fault::Anything),
            Err(error) => panic!("{fault:?} x {times} after {calls} calls: {error}"),
        }
        assert!(!unspent || calls > 0, "a fault that no call meets");
        if unspent {
            return;
        }
        let kept = engine.upload(&trace).unwrap();
        check(&operation(&engine, &mut kept.clone(), &trace).unwrap());
        assert_eq!(engine.download(&kept).unwrap(), trace);
    }
}

fn faults(device: Arc<dyn Device>) {
    let device = &device;
    let oracle = Engine::builder().device(DeviceChoice::Reference).build().unwrap();
    let spec = TraceSpec::default();
    let expected = oracle.commit::<Rp64_256>(&spec, trace()).unwrap();
    let rows = [255, 3, 77];
    let opening = expected.open(&rows).unwrap();
    let right = |commitment: &Commitment<Rp64_256>| {
        assert_eq!(commitment.root(), expected.root());
        assert_eq!(commitment.open(&rows).unwrap(), opening);
        assert_eq!(commitment.extension().unwrap().as_slice(), expected.extension().unwrap().as_slice());
        assert_eq!(commitment.tree().unwrap(), expected.tree().unwrap());
    };
    let mut values = trace();
    oracle.ntt(&ntt(), values.view_mut()).unwrap();
    let mut inverses = trace();
    oracle.invert(&mut inverses).unwrap();
    let outputs = run(&oracle, &oracle.upload(trace()).unwrap()).unwrap();
    let combined = oracle.combine_columns(&trace(), &factors(&trace())).unwrap();
    let sums = oracle.combine_rows(&trace(), &trace()).unwrap();
    let products = oracle.prefix_products(&trace(), &[]).unwrap();
    let permuted = oracle.permute_lookups(&lookup(), 250).unwrap();

    for fault in FAULTS {
        survive(device, fault, |engine, _, trace| engine.commit(&TraceSpec::default(), trace), right);
        if [1, u32::MAX].contains(&fault.1) {
            let in_cosets: Operation<_> = |engine, _, trace| engine.commit(&TraceSpec::default(), trace);
            survive_on(engine_of_two, device, fault, in_cosets, right);
        }
        survive(device, fault, |engine, trace, _| engine.commit(&TraceSpec::default(), &*trace), right);
        survive(
            device,
            fault,
            |engine, _, trace| engine.commit(&TraceSpec::default(), trace)?.open(&[255, 3, 77]),
            |found| assert_eq!(*found, opening),
        );
        survive(
            device,
            fault,
            |engine, matrix, trace| {
                let shared = matrix.clone();
                let transformed = engine.ntt(&ntt(), &mut *matrix);
                // A transform that failed has changed nothing. Reading may fail as well.
                for unchanged in [Some(shared), transformed.is_err().then(|| matrix.clone())] {
                    if let Some(Ok(found)) = unchanged.map(|matrix| engine.download(&matrix)) {
                        assert_eq!(found, *trace);
                    }
                }
                transformed.and_then(|()| engine.download(matrix))
            },
            |found| assert_eq!(*found, values),
        );
        survive(
            device,
            fault,
            |engine, matrix, trace| {
                let inverted = engine.invert(&mut *matrix);
                if let (Err(_), Ok(found)) = (&inverted, engine.download(matrix)) {
                    assert_eq!(found, *trace);
                }
                inverted.and_then(|()| engine.download(matrix))
            },
            |found| assert_eq!(*found, inverses),
        );
        survive(device, fault, |engine, matrix, _| run(engine, matrix), |found| assert_eq!(*found, outputs));
        survive(
            device,
            fault,
            |engine, matrix, trace| engine.download(&engine.combine_columns(&*matrix, &factors(trace))?),
            |found| assert_eq!(*found, combined),
        );
        survive(
            device,
            fault,
            |engine, matrix, trace| engine.combine_rows(&engine.upload(trace)?, &*matrix),
            |found| assert_eq!(*found, sums),
        );
        survive(
            device,
            fault,
            |engine, matrix, _| {
                let (products, all) = engine.prefix_products(&*matrix, &[])?;
                Ok((engine.download(&products)?, all))
            },
            |found| assert_eq!(*found, products),
        );
        survive(
            device,
            fault,
            |engine, _, _| engine.download(&engine.permute_lookups(engine.upload(lookup())?, 250)?),
            |found| assert_eq!(*found, permuted),
        );
        survive(
            device,
            fault,
            |engine, matrix, _| engine.hash_rows::<Rp64_256, _>(&*matrix),
            |digests| {
                assert_eq!(*digests, oracle.hash_rows::<Rp64_256, _>(trace().view()).unwrap());
            },
        );
    }
}

/// Memory returns to the pool when the last clone of what lies in it is dropped, and not before.
fn returns(device: Arc<dyn Device>) {
    let faults = Faults::new(Fault::Memory, u32::MAX);
    let engine = engine(&device, &faults);
    let first = engine.upload(trace()).unwrap();
    let clone = first.clone();
    drop(first);
    // From now on only the pool's memory is available.
    faults.at(0);
    assert!(matches!(engine.upload(trace()), Err(Error::DeviceOutOfMemory { .. })));
    assert_eq!(engine.download(&clone).unwrap(), trace());
    drop(clone);
    let again = engine.upload(trace()).unwrap();
    assert_eq!(engine.download(&again).unwrap(), trace());
    // What outlives its engine's other handles is still whole.
    faults.stop();
    drop(engine);
    assert_eq!(again.read_rows(&[7]).unwrap(), [trace().row(7)]);
}

on_the_first_devices! {
    every_moment: faults,
    memory_returns: returns,
}
