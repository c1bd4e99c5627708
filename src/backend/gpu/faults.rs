//! Operations on devices that fail at every moment.

pub(super) mod peers;
mod resident;
#[cfg(feature = "bn254")]
mod sums;
#[cfg(feature = "bn254")]
mod vectors;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use super::device::{Arg, Device, Launch};
use super::faulty::Faulty;
use super::{DeviceHash, Gpu};
#[cfg(feature = "bn254")]
use crate::backend::AcceleratedPrime;
use crate::backend::reference::Reference;
use crate::backend::testing::{build_heap, hash_columns};
use crate::backend::{
    Backend, BaseField, Hardware, Hashing, Inversion, Levels, MatrixView, Transforms, in_own_memory,
};
#[cfg(feature = "bn254")]
use crate::bn254::{Fr, scalars_mut};
use crate::error::Error;
use crate::faults::{Fault, Faults};
use crate::field::{Goldilocks, MODULUS};
use crate::hash::{Blake3, ElementDigest, Rp64_256};
use crate::matrix::{Layout, MatrixRef, Shape};
use crate::memory::StridedMut;
use crate::merkle::Approach;
use crate::meter::Meter;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
use crate::program::{Builder, Program, ProgramRows};

/// The backend of a device with so many faults after so many calls, and what tells of these.
fn failing(
    device: &Arc<dyn Device>,
    (fault, times): (Fault, u32),
    calls: u32,
    budget: Option<u64>,
) -> (Gpu, Faults) {
    let faults = Faults::new(fault, times).after(calls);
    (Gpu::new(Arc::new(Faulty::new(device, faults.clone())), budget), faults)
}

/// Does `operation` on data of its own with a fault after more and more successful calls, until no call meets it. Each failure is
/// clean: the right error, unchanged data, and a right result of the same backend the next time.
fn survive<T: Clone + PartialEq>(
    failing_after: impl Fn(u32) -> (Gpu, Faults),
    what: &str,
    data: &[T],
    expected: &[T],
    operation: impl Fn(&Gpu, &mut [T]) -> Result<(), Error>,
) {
    for calls in 0.. {
        let ((gpu, faults), mut found) = (failing_after(calls), data.to_vec());
        let fault = faults.fault();
        let result = operation(&gpu, &mut found);
        let unspent = !faults.stop();
        let what = format!("{what}, {faults:?}, {calls} calls before");
        match result {
            Ok(()) => assert!(found == expected, "{what}: a wrong answer"),
            Err(Error::DeviceOutOfMemory { requested, .. }) => assert!(requested > 0),
            Err(Error::DeviceFailed { .. }) => assert_eq!(fault, Fault::Anything),
            // The one error after which an input may be changed; its message says so.
            Err(Error::ResultLost { .. }) => {
                assert_eq!(fault, Fault::Anything);
                found = data.to_vec();
            }
            Err(error) => panic!("{what}: {error}"),
        }
        assert!(!unspent || calls > 0, "{what}: a fault that no call meets");
        if unspent {
            return;
        }
        if found != expected {
            assert!(found == data, "{what}: the input was changed");
            operation(&gpu, &mut found).unwrap();
            assert!(found == expected, "{what}: a wrong answer afterwards");
        }
    }
}

/// An operation on words, in place or with its result copied over them.
#[derive(Clone, Debug)]
enum Operation {
    /// Of columns of so many words a row.
    Transform(Ntt, usize),
    /// Of some columns of rows of so many words.
    TransformOfColumns(Ntt, usize, Range<usize>),
    /// Of the first words, to as many as there are.
    Extension(Lde, usize),
    Inverses,
    RowProgram,
    /// Two combinations of the columns, or of the rows, of a matrix of 32 rows, with factors from the words behind it; row-major or not.
    CombinedColumns(bool),
    CombinedRows(bool),
    /// Of columns of so many rows, in blocks of so many words a row, with a first value that is taken from the last word.
    PrefixProducts(usize, usize),
    /// Of the rows of two lookups, one after another or row-major; all inputs are the first word of a table.
    Lookups(bool),
    /// Of a matrix with so many rows, of which so many words are side by side.
    Digests(usize, usize),
    /// Of 32 leaves, in the upper half of a heap.
    Tree,
    /// Of 32 leaves that are elsewhere, and copied to the heap meanwhile.
    TreeWithCopies,
    /// Of the first words, which are limbs of scalars.
    #[cfg(feature = "bn254")]
    TransformOfScalars(Ntt<Fr>, usize),
    /// Of the first third of the words, limbs of scalars, with the second, less the last.
    #[cfg(feature = "bn254")]
    ProductsOfScalars,
}

impl Operation {
    fn all() -> Vec<Self> {
        let coset = |log| Domain::new(log, Convention::Plonky3).unwrap().coset(Goldilocks::new(7)).unwrap();
        let lde = |blowup| Lde::onto_coset(4, blowup, Convention::Winterfell, Goldilocks::new(7)).unwrap();
        let reversed = Ntt::inverse(coset(4)).with_orders(Order::BitReversed, Order::Natural);
        let mut all = vec![Self::Transform(Ntt::forward(coset(4)), 2), Self::Transform(reversed, 1)];
        all.extend([
            Self::Extension(lde(4), 2),
            Self::Extension(lde(2), 1),
            Self::Inverses,
            Self::RowProgram,
        ]);
        all.extend([true, false].map(Self::CombinedColumns));
        all.extend([true, false].map(Self::CombinedRows));
        all.extend([(384, 1), (32, 1), (32, 12)].map(|(rows, width)| Self::PrefixProducts(rows, width)));
        all.extend([true, false].map(Self::Lookups));
        all.extend([(32, 1), (32, 12), (96, 2), (64, 1)].map(|(rows, block)| Self::Digests(rows, block)));
        all.extend([Self::Tree, Self::TreeWithCopies]);
        #[cfg(feature = "bn254")]
        for (log_size, scalars) in [(3, 40), (5, 32)] {
            let coset = Domain::halo2(log_size).unwrap().coset(Fr::from(7)).unwrap();
            all.push(Self::TransformOfScalars(Ntt::inverse(coset), scalars));
        }
        #[cfg(feature = "bn254")]
        all.push(Self::ProductsOfScalars);
        all
    }

    fn run(&self, backend: &dyn Backend, data: &mut [Goldilocks]) -> Result<(), Error> {
        match self {
            Self::Transform(ntt, width) => backend.ntt(ntt, data, *width)?,
            Self::TransformOfColumns(ntt, width, columns) => {
                let mut columns = StridedMut::new(Goldilocks::words_mut(data), *width, columns.clone());
                let by_itself = backend.ntt_columns(ntt, columns.reborrow());
                let apart = |data: &mut [Goldilocks], width| backend.ntt(ntt, data, width);
                by_itself.unwrap_or_else(|| in_own_memory(columns, apart))?;
            }
            Self::Inverses => backend.invert(data, false)?,
            Self::RowProgram => {
                let (program, rows) =
                    (squares_of_the_next(), ProgramRows { count: 32, stride: 1, order: Order::Natural });
                let (input, mut outputs) = (&data[..32], vec![Goldilocks::new(0); 64]);
                let shape = Shape { rows: 32, columns: 1, layout: Layout::ColumnMajor };
                let input = MatrixRef::new(input, shape)?;
                let constants = program.constants(&[Goldilocks::new(5)]);
                backend.run_program(&program, rows, &[input], &constants, &mut outputs)?;
                data[32..96].copy_from_slice(&outputs);
            }
            Self::CombinedColumns(row_major) => {
                let mut combined = [Goldilocks::default(); 64];
                let factors = view(&data[32 * 6..], 6, 2, true);
                backend.combine_columns(view(data, 32, 6, *row_major), factors, &mut combined)?;
                data[..64].copy_from_slice(&combined);
            }
            Self::CombinedRows(row_major) => {
                let mut sums = [Goldilocks::default(); 12];
                let factors = view(&data[32 * 6..], 32, 2, true);
                backend.combine_rows(factors, view(data, 32, 6, *row_major), &mut sums)?;
                data[..12].copy_from_slice(&sums);
            }
            Self::PrefixProducts(rows, width) => {
                let (mut products, mut carry) = (data.to_vec(), vec![data[383]; data.len() / rows]);
                backend.prefix_products(data, *width, &mut products, &mut carry)?;
                data.copy_from_slice(&products);
                data[..carry.len()].copy_from_slice(&carry);
            }
            Self::Lookups(row_major) => {
                let (mut elements, mut permuted) = (data[..96 * 4].to_vec(), vec![data[0]; 96 * 4]);
                let (row_step, column_step) = if *row_major { (4, 1) } else { (1, 96) };
                for i in (0..96).flat_map(|row| [0, 2].map(|input| (row, input))) {
                    let table = elements[(i.1 + 1) * column_step];
                    elements[i.0 * row_step + i.1 * column_step] = table;
                }
                let matrix = MatrixView { elements: &elements, rows: 96, columns: 4, row_step, column_step };
                backend.permute_lookups(matrix, 90, &mut permuted)?;
                data[..96 * 4].copy_from_slice(&permuted);
            }
            Self::Extension(lde, width) => {
                let mut input = data[..data.len() / lde.blowup()].to_vec();
                let mut output = data.to_vec();
                backend.lde(lde, &mut input, *width, &mut output)?;
                data.copy_from_slice(&output);
            }
            Self::Digests(rows, block) => {
                let mut digests = vec![ElementDigest::default(); *rows];
                hash_columns::<Rp64_256>(backend, data, *block, &mut digests)?;
                data[..4 * rows].copy_from_slice(bytemuck::cast_slice(&digests));
            }
            Self::Tree => {
                let mut heap = data[..256].to_vec();
                build_heap::<Rp64_256>(backend, bytemuck::cast_slice_mut(&mut heap), Approach::Auto)?;
                data[4..256].copy_from_slice(&heap[4..]);
            }
            Self::TreeWithCopies => {
                let leaves: &[ElementDigest] = bytemuck::cast_slice(&data[128..256]);
                let mut heap = vec![ElementDigest::default(); 2 * leaves.len()];
                let (inner, copies) = heap.split_at_mut(leaves.len());
                let mut beside = || {
                    copies.copy_from_slice(leaves);
                    Ok(())
                };
                let levels = Levels::Heap(inner);
                Hashing::<Rp64_256>::build_tree(backend, leaves, levels, Approach::Auto, &mut beside)?;
                data[4..256].copy_from_slice(bytemuck::cast_slice(&heap[1..]));
            }
            #[cfg(feature = "bn254")]
            Self::TransformOfScalars(ntt, scalars) => {
                let limbs: &mut [[u64; 4]] = bytemuck::cast_slice_mut(&mut data[..4 * scalars]);
                backend.ntt(ntt, scalars_mut(limbs).expect("limbs of scalars"), 1)?;
            }
            #[cfg(feature = "bn254")]
            Self::ProductsOfScalars => {
                let scalars = scalars_mut(bytemuck::cast_slice_mut(data)).expect("limbs of scalars");
                let (a, factors) = scalars.split_at_mut(scalars.len() / 3);
                let (b, c) = factors.split_at(a.len());
                Fr::pointwise(backend).multiply(a, b, Some(c))?;
            }
        }
        Ok(())
    }
}

/// Of every row the square of the entry in the next, plus a value, and the product of that with 3.
fn squares_of_the_next() -> Program<Goldilocks> {
    let mut builder = Builder::new();
    let (next, value) = (builder.column(0, 0, 1), builder.value(0));
    let square = builder.mul(next, next);
    let sum = builder.add(square, value);
    let three = builder.constant(Goldilocks::new(3));
    let product = builder.mul(sum, three);
    builder.output(sum);
    builder.output(product);
    builder.finish().unwrap()
}

fn view(elements: &[Goldilocks], rows: usize, columns: usize, row_major: bool) -> MatrixView<'_, Goldilocks> {
    let (row_step, column_step) = if row_major { (columns, 1) } else { (1, rows) };
    MatrixView { elements: &elements[..rows * columns], rows, columns, row_step, column_step }
}

fn data() -> Vec<Goldilocks> {
    (1..=12 * 32).map(Goldilocks::new).collect()
}

/// Every operation with a fault at every moment.
fn every_operation(failing_after: &impl Fn(u32) -> (Gpu, Faults)) {
    each(Operation::all(), failing_after);
}

fn each(operations: Vec<Operation>, failing_after: &impl Fn(u32) -> (Gpu, Faults)) {
    for operation in operations {
        let mut expected = data();
        operation.run(&Reference, &mut expected).unwrap();
        let run = |gpu: &Gpu, data: &mut [_]| operation.run(gpu, data);
        survive(failing_after, &format!("{operation:?}"), &data(), &expected, run);
    }
}

fn at_once(device: Arc<dyn Device>) {
    // A first refusal of memory is met by releasing the pool; a second one is returned to the caller.
    for fault in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Anything, 1), (Fault::Anything, 2)] {
        every_operation(&|calls| failing(&device, fault, calls, None));
    }
}

/// Where memory is short: a block of 16 rows by 2 at a time, or 16 leaves. A polynomial of 32 scalars alone exceeds the budget, and
/// is tried.
fn in_parts(device: Arc<dyn Device>) {
    let failing_after = |calls| failing(&device, (Fault::Anything, 1), calls, Some(8 * 150));
    let mut operations = Operation::all();
    // Its rows are divided before it comes here, and its code alone exceeds the budget.
    operations.retain(|operation| !matches!(operation, Operation::RowProgram));
    each(operations, &failing_after);
    refused(&failing_after(u32::MAX).0);
}

/// With enough memory for three parts of a block or two.
fn side_by_side(device: Arc<dyn Device>) {
    let failing_after = |calls| {
        let (gpu, faults) = failing(&device, (Fault::Anything, 1), calls, Some(1 << 13));
        (Gpu { overlap_from: 0, host_checks: 0, ..gpu }, faults)
    };
    every_operation(&failing_after);
    refused(&failing_after(u32::MAX).0);
}

/// With enough memory for three parts of the columns of the only block.
fn columns_side_by_side(device: Arc<dyn Device>) {
    let failing_after = |calls| {
        let (gpu, faults) = failing(&device, (Fault::Anything, 1), calls, Some(1 << 15));
        (Gpu { overlap_from: 0, host_checks: 0, ..gpu }, faults)
    };
    let domain = Domain::new(3, Convention::Plonky3).unwrap();
    let reversed = Ntt::inverse(domain).with_orders(Order::BitReversed, Order::Natural);
    let lde = Lde::onto_coset(2, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    let operations = vec![
        Operation::Transform(Ntt::forward(domain), 48),
        Operation::Transform(reversed, 48),
        Operation::Extension(lde, 48),
        // One run of columns, which do not overlap, and two.
        Operation::TransformOfColumns(Ntt::forward(domain), 48, 3..35),
        Operation::TransformOfColumns(reversed, 48, 1..48),
    ];
    each(operations, &failing_after);
    // The device sees that a word is bad, and the host which one it is.
    let (gpu, mut found, mut output) =
        (failing_after(u32::MAX).0, data(), vec![Goldilocks::default(); 2 * 12 * 32]);
    found[200] = bytemuck::cast(MODULUS);
    let (before, expected) = (found.clone(), Err(Error::NotCanonical { index: 200, value: MODULUS }));
    let ntt = Ntt::forward(domain);
    assert_eq!(gpu.ntt_checked(&ntt, &mut found, 48, true, &Meter::silent()), expected);
    assert!(found == before);
    let lde = Lde::onto_coset(3, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    assert_eq!(gpu.lde_checked(&lde, &mut found, 48, &mut output, true, &Meter::silent()), expected);
}

/// Each part checks its own words; the error names the first bad word in all data, which are unchanged.
fn refused(gpu: &Gpu) {
    let expected = Err(Error::NotCanonical { index: 200, value: MODULUS });
    let (mut found, mut output) = (data(), vec![Goldilocks::default(); 2 * 12 * 32]);
    found[200] = bytemuck::cast(MODULUS);
    let before = found.clone();
    let ntt = Ntt::forward(Domain::new(4, Convention::Plonky3).unwrap());
    let lde = Lde::onto_coset(4, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    for width in [1, 2, 24] {
        assert_eq!(gpu.ntt_checked(&ntt, &mut found, width, true, &Meter::silent()), expected);
        assert_eq!(gpu.lde_checked(&lde, &mut found, width, &mut output, true, &Meter::silent()), expected);
    }
    assert_eq!(gpu.invert(&mut found, true), expected);
    assert!(found == before);
}

/// A device cannot have been busy for longer than has passed, on however many parts at once it worked.
fn busy_no_longer_than_it_took(device: Arc<dyn Device>) {
    let gpu = Gpu { overlap_from: 0, ..Gpu::new(device, None) };
    let domain = Domain::new(16, Convention::Plonky3).unwrap();
    let mut data = vec![Goldilocks::new(3); 64 << 16];
    // Programs are compiled by the first call.
    gpu.ntt(&Ntt::forward(domain), &mut data, 1).unwrap();
    let (start, before) = (Instant::now(), gpu.device_time().unwrap());
    for _ in 0..4 {
        gpu.ntt(&Ntt::forward(domain), &mut data, 1).unwrap();
    }
    let (busy, elapsed) = (gpu.device_time().unwrap() - before, start.elapsed());
    assert!(!busy.is_zero() && busy <= elapsed, "busy for {busy:?} of {elapsed:?}");
}

/// Repeated launches over different data build the right tree each time; a device that replays lists does so from the second time
/// on; and the device reports a time.
fn repeats(device: Arc<dyn Device>) {
    let leaves = 32;
    let mut queue = device.queue().unwrap();
    let memory = device.allocate(2 * 8 * 4 * leaves).unwrap();
    let levels = [16usize, 8, 4, 2, 1].map(|parents| {
        let args = vec![Arg::Buffer(&memory, 0), Arg::Word(parents as u64)];
        // SAFETY: merge_level(heap, parents), and the heap is that of 32 leaves.
        unsafe { Launch::new(Blake3::PROGRAM, "merge_level", device.limits().grid(parents), args) }
    });
    for time in 0..4 {
        let mut found: Vec<_> = (0..8 * leaves as u64).map(|i| Goldilocks::new(i * i + time)).collect();
        let mut expected = found.clone();
        let before = device.replays();
        device.upload(&mut queue, bytemuck::cast_slice(&found), &memory, 0).unwrap();
        device.launch(&mut queue, &levels).unwrap();
        assert!(device.finish(&mut queue).unwrap().iter().any(|interval| !interval.is_empty()));
        device.download(&mut queue, &memory, 0, bytemuck::cast_slice_mut(&mut found)).unwrap();
        let heap = bytemuck::cast_slice_mut(&mut expected);
        build_heap::<Blake3>(&Reference, heap, Approach::Level).unwrap();
        assert!(found[4..] == expected[4..]);
        let replayed = device.replays().zip(before).map(|(after, before)| after - before);
        assert!(replayed.is_none_or(|replayed| replayed == u64::from(time > 0)), "{time}: {replayed:?}");
    }
}

on_the_first_devices! {
    faults_at_once: at_once,
    faults_in_parts: in_parts,
    faults_side_by_side: side_by_side,
    faults_in_columns: columns_side_by_side,
    time_at_work: busy_no_longer_than_it_took,
    repeated_launches: repeats,
}
