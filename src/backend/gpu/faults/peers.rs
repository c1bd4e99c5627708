//! Devices that read each other's memory, as three do that are one: operations by an exchange between them, and cosets of a commitment.

use std::fmt::Debug;
use std::sync::Arc;

use super::data;
use crate::backend::gpu::faulty::Faulty;
use crate::backend::gpu::{Device, Gpu};
use crate::backend::reference::Reference;
use crate::backend::{AcceleratedField, Transforms};
#[cfg(feature = "bn254")]
use crate::bn254::Fr;
use crate::commit::TraceSpec;
use crate::device::DeviceChoice;
use crate::dispatch::{Dispatcher, Opened, Strategy};
use crate::engine::Engine;
use crate::error::Error;
use crate::faults::{Fault, Faults};
use crate::field::{Goldilocks, MODULUS, TwoAdic};
use crate::hash::Rp64_256;
use crate::matrix::{Layout, Matrix, Shape};
use crate::ntt::{Convention, Direction, Domain, Lde, Ntt, Order};
use crate::operation::{Evaluate, Extend, Points, Transform};
use crate::resident::Cosets;
use crate::work::DeviceWork;

/// Three devices with shares of columns that are no multiples of each other.
fn peers(device: &Arc<dyn Device>, faults: &Faults, budget: Option<u64>) -> Dispatcher {
    peers_with(&[3, 1, 5], device, faults, budget)
}

/// The digits of a transform after the first pass, of fewer points than usual, so that those of 2^[`LOG_IN_STAGES`] points are done in stages.
const IN_STAGES: &[u32] = &[4, 3];
const LOG_IN_STAGES: u32 = 14;

/// Devices with such shares.
fn peers_with(
    weights: &[usize],
    device: &Arc<dyn Device>,
    faults: &Faults,
    budget: Option<u64>,
) -> Dispatcher {
    let opened = |number: usize| {
        let mut gpu = Gpu::new(Arc::new(Faulty::new(device, faults.clone()).among_peers()), budget);
        gpu.choice.digits = Some(IN_STAGES);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let machine = Vec::new();
        Opened {
            backend: Box::new(gpu),
            name: format!("device {number}"),
            machine,
            on_host: false,
            threads: Some(threads),
        }
    };
    let strategy = Strategy::Divide { weights: Some(weights.to_vec()) };
    Dispatcher::new((0..weights.len()).map(opened).collect(), strategy).with_equal_costs()
}

/// An operation on the columns of one block.
#[derive(Clone, Copy, Debug)]
enum Columns {
    Transform(Ntt),
    Extension(Lde),
    /// On as many times as many points as there are coefficients.
    Evaluation(Domain, usize),
}

impl Columns {
    fn all(log: u32) -> Vec<Self> {
        let domain = |log| Domain::new(log, Convention::Plonky3).unwrap();
        let coset = |log| domain(log).coset(Goldilocks::GENERATOR).unwrap();
        let reversed = Ntt::inverse(coset(log)).with_orders(Order::Natural, Order::BitReversed);
        let lde = Lde::onto_coset(log, 4, Convention::Winterfell, Goldilocks::GENERATOR).unwrap();
        vec![
            Self::Transform(Ntt::forward(coset(log))),
            Self::Transform(reversed),
            Self::Extension(lde),
            Self::Extension(lde.with_output_order(Order::BitReversed)),
            Self::Evaluation(coset(log + 1), 2),
        ]
    }

    /// The results, or the data as they are after a failure.
    fn run(self, on: &Dispatcher, data: &[Goldilocks], width: usize) -> (Result<(), Error>, Vec<Goldilocks>) {
        let (mut input, poison) = (data.to_vec(), bytemuck::cast(MODULUS - 3));
        match self {
            Self::Transform(ntt) => {
                let done = on.run(Transform { ntt, data: &mut input, width, unchecked: true });
                (done, input)
            }
            Self::Extension(lde) => {
                let mut output = vec![poison; data.len() * lde.blowup()];
                let extend = Extend { lde, input: &mut input, width, output: &mut output, unchecked: true };
                let done = on.run(extend);
                let found = if done.is_ok() { output } else { input };
                (done, found)
            }
            Self::Evaluation(domain, blowup) => {
                let mut values = vec![poison; data.len() * blowup];
                let points = Points { domain, size: domain.size() / blowup };
                let done = on.run(Evaluate { points, coefficients: data, width, values: &mut values });
                let found = if done.is_ok() { values } else { input };
                (done, found)
            }
        }
    }

    fn expected(self, data: &[Goldilocks], width: usize) -> Vec<Goldilocks> {
        let mut input = data.to_vec();
        match self {
            Self::Transform(ntt) => {
                Reference.ntt(&ntt, &mut input, width).unwrap();
                input
            }
            Self::Extension(lde) => {
                let mut output = vec![Goldilocks::default(); data.len() * lde.blowup()];
                Reference.lde(&lde, &mut input, width, &mut output).unwrap();
                output
            }
            Self::Evaluation(domain, blowup) => {
                let (mut values, block) =
                    (vec![Goldilocks::default(); data.len() * blowup], (domain.size() / blowup, width));
                Reference.evaluate(&domain, Order::Natural, data, block, &mut values).unwrap();
                values
            }
        }
    }
}

/// Transforms in every direction and order.
fn transforms(log: u32) -> impl Iterator<Item = Ntt> {
    let domain = Domain::new(log, Convention::Winterfell).unwrap();
    transforms_over(domain.coset(Goldilocks::GENERATOR).unwrap())
}

fn transforms_over<F: TwoAdic>(domain: Domain<F>) -> impl Iterator<Item = Ntt<F>> {
    let orders = [Order::Natural, Order::BitReversed];
    let both = orders.into_iter().flat_map(move |input| orders.map(|output| (input, output)));
    both.flat_map(move |(input, output)| {
        [Ntt::forward(domain), Ntt::inverse(domain)].map(|ntt| ntt.with_orders(input, output))
    })
}

/// Whether devices transform a column together: with coefficients in natural order.
fn is_shared<F>(ntt: &Ntt<F>) -> bool {
    let natural = |order| order == Order::Natural;
    if ntt.direction == Direction::Forward { natural(ntt.input_order) } else { natural(ntt.output_order) }
}

/// One column on two devices and on four: of as many points as needed for that and more, and of fewer, with room for it and without.
fn columns(device: &Arc<dyn Device>) {
    let none = Faults::new(Fault::Anything, 1);
    for (weights, least) in [(&[1; 2][..], 2), (&[1; 4], 4)] {
        for (log, budget) in
            [(least - 1, None), (least, None), (least + 1, None), (8, None), (8, Some(8 << 7))]
        {
            let data = &data()[..1 << log];
            for ntt in transforms(log) {
                let (on, operation) = (peers_with(weights, device, &none, budget), Columns::Transform(ntt));
                let what = format!("{ntt:?} on {} devices within {budget:?}", weights.len());
                let (done, found) = operation.run(&on, data, 1);
                expect(&what, done, Ok(()));
                assert!(found == operation.expected(data, 1), "{what}: a wrong answer");
                let items = |work: &DeviceWork| work.of("ntt").map_or(0, |line| line.items);
                let shared = is_shared(&ntt) && log >= least && budget.is_none();
                let own = if shared { (1 << log) / weights.len() as u64 } else { 1 << log };
                expect(&what, on.work().iter().map(items).filter(|&items| items > 0).collect(), {
                    vec![own; if shared { weights.len() } else { 1 }]
                });
            }
        }
    }
}

/// The same over a prime field, of which devices want columns one after another.
#[cfg(feature = "bn254")]
fn columns_of_scalars(device: &Arc<dyn Device>) {
    let (none, weights) = (Faults::new(Fault::Anything, 1), [1; 4]);
    for (log, count) in [(2, 2), (4, 4), (7, 2), (7, 4)] {
        let data: Vec<_> = (0..1 << log).map(|i| Fr::from(i * i + 3)).collect();
        let domain = Domain::<Fr>::halo2(log).unwrap().coset(Fr::from(7)).unwrap();
        for ntt in transforms_over(domain) {
            let on = peers_with(&weights[..count], device, &none, None);
            let (mut found, mut expected) = (data.clone(), data.clone());
            on.run(Transform { ntt, data: &mut found, width: 1, unchecked: true }).unwrap();
            Reference.ntt(&ntt, &mut expected, 1).unwrap();
            assert!(found == expected, "{ntt:?} on {count} devices");
            let items = on.work().iter().map(|work| work.of("fft").map_or(0, |line| line.items)).max();
            let parts = if is_shared(&ntt) { count } else { 1 };
            expect("scalars of a device", items, Some((1 << log) / parts as u64));
        }
    }
}

/// An engine of so many devices that read each other's memory.
fn engine_of(count: usize, device: &Arc<dyn Device>, faults: &Faults) -> Engine {
    let on = peers_with(&[1; 4][..count], device, faults, None);
    Engine::builder().threads(1).build_on(on, device.info().clone()).unwrap()
}

/// Transforms of a matrix in parts over a field, with columns in both layouts, on two devices and on four: of as many points as needed for an exchange and more, and of fewer; and of those that are done in stages.
fn in_parts_over<F: AcceleratedField>(
    device: &Arc<dyn Device>,
    element: impl Fn(usize) -> F,
    domain: impl Fn(u32) -> Domain<F>,
) {
    let none = Faults::new(Fault::Anything, 1);
    let shapes = [(2, 1, 3), (2, 2, 1), (2, 5, 3), (4, 3, 2), (4, 4, 3), (4, 7, 1)];
    for (count, log, columns) in shapes.into_iter().chain([(2, LOG_IN_STAGES, 1), (4, LOG_IN_STAGES, 2)]) {
        let domain = domain(log).coset(F::of_integer(7)).unwrap();
        for (layout, ntt) in [Layout::RowMajor, Layout::ColumnMajor]
            .into_iter()
            .flat_map(|layout| transforms_over(domain).map(move |ntt| (layout, ntt)))
        {
            let engine = engine_of(count, device, &none);
            let what = format!("{ntt:?} of {columns} columns, {layout:?}, in {count} parts");
            let shape = Shape { rows: 1 << log, columns, layout };
            let matrix = Matrix::new((0..columns << log).map(&element).collect(), shape).unwrap();
            let mut expected = matrix.clone();
            Reference
                .ntt(&ntt, expected.as_mut_slice(), shape.extent::<F>().block * 8 / size_of::<F>())
                .unwrap();
            let mut found = engine.upload_in_parts(&matrix, ntt.input_order).unwrap();
            let before = found.clone();
            engine.ntt(&ntt, &mut found).unwrap();
            expect(&what, (found.parts().len(), found.order()), (count, ntt.output_order));
            expect(&what, in_rows(&found.download().unwrap()), in_rows(&expected));
            expect(&what, in_rows(&before.download().unwrap()), in_rows(&matrix));
            // Otherwise the matrix goes through host memory, where devices may exchange columns.
            if is_shared(&ntt) && 1 << log >= count * count {
                let lines = engine.work();
                let exchanged = lines.iter().filter_map(|work| work.of("exchange")).map(|line| line.items);
                let in_stages =
                    size_of::<F>() == 8 && log == LOG_IN_STAGES && ntt.input_order == Order::Natural;
                let counted = ntt.direction == Direction::Forward || in_stages;
                let words = if counted { columns << log } else { 0 };
                expect(&what, exchanged.sum::<u64>(), (words * size_of::<F>() / 8) as u64);
            }
            for part in found.parts() {
                let together = found.copy_beside(part).unwrap();
                assert!(together.is_beside(part), "{what}: a copy is not where it was asked for");
                expect(&what, together.download().unwrap().as_slice(), found.download().unwrap().as_slice());
                let again = Cosets::from(together).copy_beside(&found.parts()[0]).unwrap();
                expect(&what, again.download().unwrap().as_slice(), found.download().unwrap().as_slice());
            }
        }
    }
}

/// The entries row after row, whatever the layout.
fn in_rows<F: AcceleratedField>(matrix: &Matrix<F>) -> Vec<F> {
    let Shape { rows, columns, .. } = matrix.shape();
    (0..rows * columns).map(|i| matrix.get(i / columns, i % columns)).collect()
}

/// Transforms of matrices in parts.
fn in_parts(device: Arc<dyn Device>) {
    let data = data();
    let domain = |log| Domain::new(log, Convention::Winterfell).unwrap();
    in_parts_over(&device, |i| data[i % data.len()], domain);
    #[cfg(feature = "bn254")]
    in_parts_over(&device, |i| Fr::from((i * i + 3) as u64), |log| Domain::halo2(log).unwrap());
}

/// A fault at every moment of a transform in parts leaves the matrix as it was, and the devices succeed the next time.
fn in_parts_at_every_moment(device: Arc<dyn Device>) {
    let in_stages = |ntt: &Ntt| ntt.direction == Direction::Forward && ntt.output_order == Order::Natural;
    let all = transforms(4).map(|ntt| (ntt, 3));
    for (ntt, columns) in all.chain(transforms(LOG_IN_STAGES).filter(in_stages).map(|ntt| (ntt, 1))) {
        if !is_shared(&ntt) {
            continue;
        }
        let rows = ntt.domain.size();
        let entries = data().into_iter().cycle().take(rows * columns).collect();
        let matrix = Matrix::from_rows(entries, rows, columns).unwrap();
        let mut expected = matrix.clone();
        Reference.ntt(&ntt, expected.as_mut_slice(), columns).unwrap();
        for fault in [Fault::Memory, Fault::Anything] {
            for calls in 0.. {
                let faults = Faults::new(fault, 1);
                let engine = engine_of(2, &device, &faults);
                let mut parts = engine.upload_in_parts(&matrix, ntt.input_order).unwrap();
                faults.at(calls);
                let done = engine.ntt(&ntt, &mut parts);
                let unspent = !faults.stop();
                let what = format!("{ntt:?}, {fault:?} after {calls} calls");
                match done {
                    // What is refused once is asked for again.
                    Ok(()) => {}
                    Err(Error::DeviceOutOfMemory { .. } | Error::DeviceFailed { .. }) => {
                        expect(&what, parts.download().unwrap().as_slice(), matrix.as_slice());
                        engine.ntt(&ntt, &mut parts).unwrap();
                    }
                    Err(ref error) => panic!("{what}: {error}"),
                }
                expect(&what, parts.download().unwrap().as_slice(), expected.as_slice());
                assert!(!unspent || calls > 0, "{what}: a fault that no call meets");
                if unspent {
                    break;
                }
            }
        }
    }
}

/// Words that the devices exchanged.
fn exchanged(on: &Dispatcher) -> u64 {
    on.work().iter().filter_map(|work| work.of("exchange")).map(|line| line.items).sum()
}

fn expect<T: PartialEq + Debug>(what: &str, found: T, expected: T) {
    assert!(found == expected, "{what}: {found:?} instead of {expected:?}");
}

/// Operations, then commitments.
pub fn answers(device: Arc<dyn Device>) {
    exchanges(&device);
    columns(&device);
    #[cfg(feature = "bn254")]
    columns_of_scalars(&device);
    commitments(&device);
}

/// Each device makes two of eight cosets or more, and subtrees over digests of all.
fn commitments(device: &Arc<dyn Device>) {
    let oracle = Engine::builder().device(DeviceChoice::Reference).build().unwrap();
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        let trace = Matrix::new(data(), Shape { rows: 16, columns: 24, layout }).unwrap();
        let expected = oracle.commit::<Rp64_256>(&TraceSpec::default(), &trace).unwrap();
        let on = peers(device, &Faults::new(Fault::Anything, 1), None);
        let engine = Engine::builder().threads(1).build_on(on, device.info().clone()).unwrap();
        let found = engine.commit::<Rp64_256>(&TraceSpec::default(), &trace).unwrap();
        assert!(found.resident_extension().parts().len() == 8);
        assert_eq!(found.root(), expected.root());
        assert_eq!(found.open(&[127, 3, 77]).unwrap(), expected.open(&[127, 3, 77]).unwrap());
        assert_eq!(found.extension().unwrap().as_slice(), expected.extension().unwrap().as_slice());
        assert_eq!(found.tree().unwrap(), expected.tree().unwrap());
        // Of the piece of the last device.
        let (mut wrong, value) = (data(), MODULUS + 1);
        wrong[350] = bytemuck::cast(value);
        let refused = engine.commit::<Rp64_256>(
            &TraceSpec::default(),
            Matrix::new(wrong, Shape { rows: 16, columns: 24, layout }).unwrap(),
        );
        assert_eq!(refused.err(), Some(Error::NotCanonical { index: 350, value }));
    }
}

/// Of as many rows as devices and more, and of fewer, which are not exchanged; with a budget for the exchange and without.
fn exchanges(device: &Arc<dyn Device>) {
    let none = Faults::new(Fault::Anything, 1);
    for (log, width) in [(0, 4), (1, 9), (2, 3), (2, 1), (4, 24), (5, 5)] {
        for operation in Columns::all(log) {
            // No limit, and one that has room for the block alone.
            for budget in [None, Some(8 * (width << log) as u64)] {
                let (on, data) = (peers(device, &none, budget), &data()[..width << log]);
                let what = format!("{operation:?} of {width} columns within {budget:?}");
                let (done, found) = operation.run(&on, data, width);
                expect(&what, done, Ok(()));
                let expected = operation.expected(data, width);
                assert!(found == expected, "{what}: a wrong answer");
                // Two devices have a column of three, the last one has the only one.
                let devices = if width == 3 { 2 } else { 3 };
                let fits = width > 1 && 1 << log >= devices && budget.is_none();
                expect(&what, exchanged(&on), if fits { expected.len() as u64 } else { 0 });
            }
        }
    }
}

/// A refused word is named by its place among all, wherever it is, and the data are unchanged.
fn refused(device: Arc<dyn Device>) {
    let none = Faults::new(Fault::Anything, 1);
    let on = peers(&device, &none, None);
    for operation in Columns::all(4).into_iter().take(4) {
        for index in [0, 200, 16 * 24 - 1] {
            let mut data = data();
            data[index] = bytemuck::cast(MODULUS);
            let (done, found) = operation.run(&on, &data, 24);
            expect("a refused word", done, Err(Error::NotCanonical { index, value: MODULUS }));
            assert!(found == data);
        }
    }
    assert!(exchanged(&on) == 0);
    let on = peers_with(&[1, 1], &device, &none, None);
    for ntt in transforms(8).filter(is_shared) {
        for index in [0, 100, 255] {
            let mut data = data()[..256].to_vec();
            data[index] = bytemuck::cast(MODULUS);
            let (done, found) = Columns::Transform(ntt).run(&on, &data, 1);
            expect("a refused word of a column", done, Err(Error::NotCanonical { index, value: MODULUS }));
            assert!(found == data);
        }
    }
}

/// A fault at every moment ends in one of the errors expected, with the data as they were, unless the error says that they are lost, and the devices succeed the next time.
fn every_moment(device: Arc<dyn Device>) {
    let data = data();
    for (fault, times) in
        [(Fault::Memory, 2), (Fault::Memory, u32::MAX), (Fault::Anything, 1), (Fault::Anything, 3)]
    {
        let columns = Columns::all(4).into_iter().map(|operation| (operation, 24, &[3, 1, 5][..]));
        let column = transforms(8).filter(is_shared);
        let column = column.map(|ntt| (Columns::Transform(ntt), 1, &[1, 1][..]));
        for (operation, width, weights) in columns.chain(column) {
            let data = if width == 1 { &data[..256] } else { &data };
            let expected = operation.expected(data, width);
            for calls in 0.. {
                let faults = Faults::new(fault, times);
                let on = peers_with(weights, &device, &faults, None);
                faults.at(calls);
                let (done, found) = operation.run(&on, data, width);
                let unspent = !faults.stop();
                let what = format!("{operation:?}, {fault:?} x {times} after {calls} calls");
                let whole = match done {
                    Ok(()) => found == expected,
                    Err(Error::DeviceOutOfMemory { requested, .. }) => requested > 0 && found == data,
                    Err(Error::DeviceFailed { .. }) => fault == Fault::Anything && found == data,
                    Err(Error::ResultLost { .. }) => {
                        fault == Fault::Anything && matches!(operation, Columns::Transform(_))
                    }
                    Err(ref error) => panic!("{what}: {error}"),
                };
                assert!(whole, "{what}: {done:?}");
                let (again, found) = operation.run(&on, data, width);
                expect(&what, again, Ok(()));
                assert!(found == expected, "{what}: a wrong answer afterwards");
                assert!(!unspent || calls > 0, "{what}: a fault that no call meets");
                if unspent {
                    break;
                }
            }
        }
    }
}

on_the_first_devices! {
    peers_answers: answers,
    peers_refuse_words: refused,
    peers_at_every_moment: every_moment,
    parts_of_peers: in_parts,
    parts_of_peers_at_every_moment: in_parts_at_every_moment,
}
