//! What operations ask of a device, counted: launches, bytes copied each way, and memory. A plan that launches other kernels than it should, copies
//! what is there already, or makes a table again gives the right answer all the same.

use std::collections::BTreeSet;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex};

use super::device::{Arg, Buffer, Device, Launch, Limits, Queue};
use super::{DeviceHash, Gpu, session::Region, tree};
use crate::backend::testing::build_heap;
use crate::backend::{
    Combinations, Extent, Hardware, Inversion, Lookups, MatrixView, Memory, PrefixProducts, Programs,
    Resident, ResidentCombinations, ResidentHashing, ResidentInversion, ResidentLookups,
    ResidentPrefixProducts, ResidentPrograms, ResidentTransforms, Transforms,
};
use crate::device::DeviceInfo;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Blake3, Rp64_256};
use crate::matrix::{Layout, MatrixRef, Shape};
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
use crate::pinned::Locked;
use crate::program::{Builder, PART, Program, ProgramRows};

/// What a device was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Traffic {
    kernels: Vec<&'static str>,
    /// The numbers that kernels which fill tables are given.
    fills: Vec<Vec<u64>>,
    bytes_in: usize,
    bytes_out: usize,
    /// Copied from one region of its memory to another.
    bytes_within: usize,
    allocations: usize,
}

/// A device that counts.
struct Counted {
    device: Arc<dyn Device>,
    traffic: Arc<Mutex<Traffic>>,
}

impl Counted {
    fn count(&self, count: impl FnOnce(&mut Traffic)) {
        count(&mut self.traffic.lock().unwrap());
    }
}

impl Device for Counted {
    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }
    fn limits(&self) -> Limits {
        self.device.limits()
    }
    fn queue(&self) -> Result<Queue, Error> {
        self.device.queue()
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, Error> {
        self.count(|traffic| traffic.allocations += 1);
        self.device.allocate(bytes)
    }
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.device.lock(bytes)
    }
    fn copies_directly(&self, data: &[u8]) -> bool {
        self.device.copies_directly(data)
    }
    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error> {
        self.count(|traffic| traffic.bytes_in += data.len());
        self.device.upload(queue, data, to, at)
    }
    fn download(&self, queue: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error> {
        self.count(|traffic| traffic.bytes_out += data.len());
        self.device.download(queue, from, at, data)
    }
    fn copy(
        &self,
        queue: &mut Queue,
        from: (&Buffer, usize),
        to: (&Buffer, usize),
        bytes: usize,
    ) -> Result<(), Error> {
        self.count(|traffic| traffic.bytes_within += bytes);
        self.device.copy(queue, from, to, bytes)
    }
    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error> {
        let words = |launch: &Launch<&Buffer>| {
            let word = |arg: &Arg<_>| match arg {
                Arg::Word(word) => Some(*word),
                Arg::Buffer(..) => None,
            };
            launch.args.iter().filter_map(word).collect()
        };
        self.count(|traffic| {
            traffic.kernels.extend(launches.iter().map(|launch| launch.kernel));
            traffic
                .fills
                .extend(launches.iter().filter(|launch| launch.kernel.ends_with("_fill")).map(words));
        });
        self.device.launch(queue, launches)
    }
    fn replays(&self) -> Option<u64> {
        self.device.replays()
    }
    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error> {
        self.device.finish(queue)
    }
}

/// The backend of such a device.
struct Counting {
    gpu: Gpu,
    traffic: Arc<Mutex<Traffic>>,
}

impl Deref for Counting {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

fn counting(device: Arc<dyn Device>) -> Counting {
    let traffic = Arc::default();
    Counting { gpu: Gpu::new(Arc::new(Counted { device, traffic: Arc::clone(&traffic) }), None), traffic }
}

/// What an operation asks for.
fn of<R>(gpu: &Counting, operation: impl FnOnce(&Gpu) -> Result<R, Error>) -> (R, Traffic) {
    *lock_of(gpu) = Traffic::default();
    let made = operation(gpu).unwrap();
    let traffic = lock_of(gpu).clone();
    (made, traffic)
}

fn lock_of(gpu: &Counting) -> std::sync::MutexGuard<'_, Traffic> {
    gpu.traffic.lock().unwrap()
}

fn elements(len: usize) -> Vec<Goldilocks> {
    (1..=len as u64).map(|i| Goldilocks::new(i * i)).collect()
}

/// The kernels of a plan.
fn planned<H: DeviceHash>(limits: Limits, approach: Approach, leaves: usize) -> Vec<&'static str> {
    let launches = tree::plan::<H>(approach, limits, Region::nowhere(8 * leaves), leaves);
    launches.iter().map(|launch| launch.kernel).collect()
}

/// Each approach launches the kernels of its plan, and copies the leaves to the device and the nodes back, once.
fn trees(device: Arc<dyn Device>) {
    fn check<H: DeviceHash>(gpu: &Counting, approach: Approach) {
        const LEAVES: usize = 1 << 6;
        let limits = gpu.device.limits();
        let expected = planned::<H>(limits, approach, LEAVES);
        let mut heap = vec![H::Digest::default(); 2 * LEAVES];
        let (_, traffic) = of(gpu, |gpu| build_heap::<H>(gpu, &mut heap, approach));
        assert_eq!((traffic.kernels, traffic.bytes_within), (expected.clone(), 0), "{approach}");
        assert_eq!((traffic.bytes_in, traffic.bytes_out), (32 * LEAVES, 32 * (LEAVES - 1)), "{approach}");
        let stored = gpu.upload(&vec![7; 8 * LEAVES]).unwrap();
        let (_, traffic) = of(gpu, |gpu| ResidentHashing::<H>::build_tree(gpu, &stored, LEAVES, approach));
        assert_eq!(traffic, Traffic { kernels: expected, bytes_out: 32, ..Traffic::default() }, "{approach}");
    }
    let gpu = counting(device);
    for approach in Approach::ALL {
        check::<Rp64_256>(&gpu, approach);
    }
    check::<Blake3>(&gpu, Approach::Auto);
    // Approaches differ, or nothing is told by this.
    let of = |approach| planned::<Rp64_256>(gpu.device.limits(), approach, 1 << 6);
    assert!(of(Approach::Level).iter().all(|&kernel| kernel == "merge_level"));
    assert!(of(Approach::Local).iter().all(|&kernel| kernel == "merge_local"));
    assert!(of(Approach::Group).contains(&"merge_group"));
}

/// An operation on data of the host copies them once each way, and again makes no table and allocates nothing.
fn on_host_data(device: Arc<dyn Device>) {
    let gpu = counting(device);
    let ntt = Ntt::forward(Domain::new(9, Convention::Plonky3).unwrap());
    let lde = Lde::onto_coset(8, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    let run = |what: &str, bytes: (usize, usize), operation: &dyn Fn(&Gpu) -> Result<(), Error>| {
        let (_, first) = of(&gpu, operation);
        let (_, again) = of(&gpu, operation);
        assert_eq!((again.bytes_in, again.bytes_out), bytes, "{what}");
        assert_eq!((again.bytes_within, again.allocations), (0, 0), "{what}");
        assert!(!again.kernels.is_empty() && again.fills.is_empty(), "{what}: {again:?}");
        let tables: BTreeSet<_> = first.fills.iter().collect();
        assert_eq!(tables.len(), first.fills.len(), "{what}: a table is made once, {:?}", first.fills);
        let passes: Vec<_> = first.kernels.into_iter().filter(|kernel| !kernel.ends_with("_fill")).collect();
        assert_eq!(again.kernels, passes, "{what}");
    };
    run("a transform", (8 << 10, 8 << 10), &|gpu| Transforms::ntt(gpu, &ntt, &mut elements(2 << 9), 2));
    run("an extension", (8 << 8, 8 << 9), &|gpu| {
        Transforms::lde(gpu, &lde, &mut elements(1 << 8), 1, &mut elements(1 << 9))
    });
    run("inverses", (8 * 500, 8 * 500), &|gpu| Inversion::invert(gpu, &mut elements(500), false));
    let (program, rows) = (doubled_sums(), ProgramRows { count: 512, stride: 1, order: Order::Natural });
    let shape = Shape { rows: 512, columns: 3, layout: Layout::RowMajor };
    run("a row program", (8 * (3 * 512 + OF_A_PROGRAM), 8 * 512), &|gpu| {
        let (elements, mut outputs) = (elements(3 * 512), elements(512));
        let input = MatrixRef::new(&elements, shape)?;
        Programs::run_program(gpu, &program, rows, &[input], &program.constants(&[]), &mut outputs)
    });
    let (matrix, factors) = (elements(500), elements(300));
    let view =
        |elements, rows, columns| MatrixView { elements, rows, columns, row_step: columns, column_step: 1 };
    run("combinations of columns", (8 * (500 + 15), 8 * 300), &|gpu| {
        let (matrix, coefficients) = (view(&matrix, 100, 5), view(&factors[..15], 5, 3));
        Combinations::combine_columns(gpu, matrix, coefficients, &mut elements(300))
    });
    run("combinations of rows", (8 * (500 + 300), 8 * 15), &|gpu| {
        let (matrix, weights) = (view(&matrix, 100, 5), view(&factors, 100, 3));
        Combinations::combine_rows(gpu, weights, matrix, &mut elements(15))
    });
    // With what columns begin and end with, which is a word each.
    run("prefix products", (8 * (2 * 5000 + 2), 8 * (2 * 5000 + 2)), &|gpu| {
        let (input, mut products) = (elements(2 * 5000), elements(2 * 5000));
        PrefixProducts::prefix_products(gpu, &input, 1, &mut products, &mut elements(2))
    });
    // With two random words, and a number for each lookup.
    run("lookups", (8 * (4 * 500 + 2), 8 * 4 * 500 + 4 * 2), &|gpu| {
        let (input, mut permuted) = (elements(500).repeat(4), elements(4 * 500));
        let matrix = MatrixView { elements: &input, rows: 500, columns: 4, row_step: 1, column_step: 500 };
        Lookups::permute_lookups(gpu, matrix, 490, &mut permuted)
    });
    #[cfg(feature = "bn254")]
    {
        use crate::backend::Pointwise;
        use crate::bn254::Fr;
        run("products", (3 * 32 * 500, 32 * 500), &|gpu| {
            let vector = [Fr::from(5); 500];
            gpu.multiply(&mut vector.clone(), &vector, Some(&vector))
        });
        let ntt = Ntt::forward(Domain::halo2(9).unwrap());
        run("a transform of scalars", (32 << 9, 32 << 9), &|gpu| {
            Transforms::ntt(gpu, &ntt, &mut vec![Fr::from(5); 1 << 9], 1)
        });
    }
}

/// Words that go to the device for a short program: its code, filled up to a part, two on its one piece, and seven on its one way of reading a matrix.
const OF_A_PROGRAM: usize = PART + 2 + 7;

/// Twice the sum of two columns.
fn doubled_sums() -> Program<Goldilocks> {
    let mut builder = Builder::new();
    let (x, y) = (builder.column(0, 0, 0), builder.column(0, 1, 0));
    let (sum, two) = (builder.add(x, y), builder.constant(Goldilocks::new(2)));
    let doubled = builder.mul(sum, two);
    builder.output(doubled);
    builder.finish().unwrap()
}

/// Operations on data that stay move nothing but what they are asked for.
fn on_resident_data(device: Arc<dyn Device>) {
    const ROWS: usize = 1 << 8;
    let gpu = counting(device);
    let extent = |rows| Extent { rows, width: 3, block: 3 };
    let (matrix, traffic) = of(&gpu, |gpu| gpu.upload(bytemuck::cast_slice(&elements(3 * ROWS))));
    assert_eq!((traffic.bytes_in, traffic.bytes_out, traffic.kernels.len()), (24 * ROWS, 0, 0));
    let ntt = Ntt::forward(Domain::new(8, Convention::Plonky3).unwrap());
    let lde = Lde::onto_coset(8, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    type Operation<'a> = (&'a str, &'a dyn Fn(&Gpu) -> Result<Memory, Error>);
    let operations: [Operation<'_>; 4] = [
        ("a transform", &|gpu| ResidentTransforms::<Goldilocks>::ntt(gpu, &ntt, &matrix, extent(ROWS))),
        ("an extension", &|gpu| ResidentTransforms::<Goldilocks>::lde(gpu, &lde, &matrix, extent(ROWS))),
        ("inverses", &|gpu| ResidentInversion::<Goldilocks>::invert(gpu, &matrix, extent(ROWS))),
        ("digests", &|gpu| ResidentHashing::<Rp64_256>::hash_rows(gpu, &matrix, extent(ROWS))),
    ];
    for (what, operation) in operations {
        // The first time tables are made, for which a transform may copy a list of roots.
        of(&gpu, operation);
        let (_, again) = of(&gpu, operation);
        assert_eq!((again.bytes_in, again.bytes_out, again.bytes_within), (0, 0, 0), "{what}");
        assert!(!again.kernels.is_empty() && again.allocations == 0, "{what}: {again:?}");
        assert!(again.fills.is_empty(), "{what}: {again:?}");
        // Nothing is left but what stays.
        gpu.release_memory();
        let (_, anew) = of(&gpu, operation);
        assert!(anew.allocations > 0, "{what}: {anew:?}");
        assert_eq!(of(&gpu, operation).1.allocations, 0, "{what}");
    }
    // A program itself goes there.
    let (program, rows) = (doubled_sums(), ProgramRows { count: ROWS, stride: 1, order: Order::Natural });
    let shape = Shape { rows: ROWS, columns: 3, layout: Layout::RowMajor };
    let constants = program.constants(&[]);
    let inputs = [(&matrix, shape)];
    let run = |gpu: &Gpu| ResidentPrograms::run_program(gpu, &program, rows, &inputs, &constants);
    of(&gpu, run);
    let (_, again) = of(&gpu, run);
    assert_eq!((again.bytes_in, again.bytes_out, again.bytes_within), (8 * OF_A_PROGRAM, 0, 0));
    assert_eq!((again.kernels, again.allocations), (vec!["run_program"], 0));
    let coefficients = elements(3 * 2);
    let view = MatrixView { elements: &coefficients, rows: 3, columns: 2, row_step: 2, column_step: 1 };
    let combine = |gpu: &Gpu| ResidentCombinations::combine_columns(gpu, (&matrix, extent(ROWS)), ROWS, view);
    of(&gpu, combine);
    let (combined, again) = of(&gpu, combine);
    assert_eq!((again.bytes_in, again.bytes_out, again.allocations), (8 * 3 * 2, 0, 0), "{again:?}");
    let scan = |gpu: &Gpu| {
        ResidentPrefixProducts::<Goldilocks>::prefix_products(gpu, &matrix, extent(ROWS), &mut elements(3))
    };
    of(&gpu, scan);
    let (_, again) = of(&gpu, scan);
    assert_eq!((again.bytes_in, again.bytes_out, again.allocations), (8 * 3, 8 * 3, 0), "{again:?}");
    let pair = gpu.upload(bytemuck::cast_slice(&elements(ROWS).repeat(2))).unwrap();
    let extent_of_pair = Extent { rows: ROWS, width: 2, block: 1 };
    let permute =
        |gpu: &Gpu| ResidentLookups::<Goldilocks>::permute_lookups(gpu, &pair, extent_of_pair, ROWS);
    of(&gpu, permute);
    let (_, again) = of(&gpu, permute);
    assert_eq!((again.bytes_in, again.bytes_out, again.allocations), (8 * 2, 4, 0), "{again:?}");
    let weights = (&combined, Extent { rows: ROWS, width: 2, block: 1 });
    let sum = |gpu: &Gpu| {
        ResidentCombinations::combine_rows(gpu, weights, (&matrix, extent(ROWS)), &mut elements(3 * 2))
    };
    of(&gpu, sum);
    let (_, again) = of(&gpu, sum);
    assert_eq!((again.bytes_in, again.bytes_out, again.allocations), (0, 8 * 3 * 2, 0), "{again:?}");
    let rows = [3, 200, 3];
    let mut found = vec![0_u8; 24 * rows.len()];
    let (_, traffic) = of(&gpu, |gpu| gpu.gather(&matrix, extent(ROWS), &rows, &mut found));
    assert_eq!((traffic.bytes_in, traffic.bytes_out, traffic.kernels.len()), (8 * 3, 24 * 3, 1));
    let all = elements(3 * ROWS);
    let expected: Vec<_> = rows.iter().flat_map(|row| &all[3 * row..][..3]).copied().collect();
    assert!(found == bytemuck::cast_slice::<Goldilocks, u8>(&expected));
}

/// Bases that stay are not copied for a sum, nor are scalars that stay; and sums of both launch the same.
#[cfg(feature = "bn254")]
fn sums(device: Arc<dyn Device>) {
    use halo2curves::group::Group;

    use crate::backend::sums::{BasesView, KeepScalars, Msm, ScalarsView};
    use crate::bn254::{Fr, G1, G1Affine};
    use crate::meter::Meter;

    const COUNT: usize = 1 << 8;
    let gpu = counting(device);
    let points = vec![G1Affine::generator(); COUNT];
    let scalars: Vec<_> = (1..=COUNT as u64).map(|i| -Fr::from(i)).collect();
    let (bases, traffic) = of(&gpu, |gpu| gpu.keep_bases(&points, 0));
    assert!(traffic.bytes_in >= 64 * COUNT, "{traffic:?}");
    let (kept, traffic) = of(&gpu, |gpu| gpu.keep_scalars(&scalars));
    assert_eq!((traffic.bytes_in, traffic.bytes_out), (32 * COUNT, 0));
    let moved = |bases: Option<&Memory>, kept: Option<&Memory>| {
        let (sum, traffic) = of(&gpu, |gpu| {
            let mut sum = [G1::identity()];
            let scalars = ScalarsView { scalars: &scalars, kept };
            gpu.msm(
                scalars,
                BasesView { points: &points, kept: bases, first: 0 },
                &mut sum,
                &Meter::silent(),
            )?;
            Ok(sum[0])
        });
        assert_eq!(sum, G1::generator() * scalars.iter().sum::<Fr>());
        traffic
    };
    let (bases, kept) = (bases.unwrap(), kept.unwrap());
    // What a sum needs beside its operands: a few words for plans, and the bases of nothing.
    let little = 8 << 10;
    let [all, with_bases, with_both] =
        [moved(None, None), moved(Some(&bases), None), moved(Some(&bases), Some(&kept))]
            .map(|traffic| traffic.bytes_in);
    assert!((96 * COUNT..96 * COUNT + little).contains(&all), "{all} bytes for bases and scalars");
    assert!((32 * COUNT..32 * COUNT + little).contains(&with_bases), "{with_bases} bytes for scalars");
    assert!(with_both < little, "{with_both} bytes for nothing");
    let [first, again] = [0, 1].map(|_| moved(Some(&bases), Some(&kept)));
    assert_eq!(first, again);
    assert_eq!(again.allocations, 0);
}

on_the_first_devices! {
    launches_and_copies_of_trees: trees,
    operations_on_host_data_copy_once: on_host_data,
    operations_on_resident_data_copy_nothing: on_resident_data,
}

/// A sparse matrix that stays is not copied for a product, nor is a vector that stays.
#[cfg(feature = "bn254")]
fn sparse(device: Arc<dyn Device>) {
    use crate::backend::{BaseField, ResidentPointwise, ResidentSparse, Sparse};
    use crate::bn254::Fr;
    use crate::sparse::SparseMatrix;

    const COUNT: usize = 1 << 8;
    let gpu = counting(device);
    let vector: Vec<_> = (1..=COUNT as u64).map(Fr::from).collect();
    let row = |row: usize| (0..if row == 5 { 100 } else { 3 }).map(move |i| ((row + i) % COUNT, Fr::from(2)));
    let matrix = SparseMatrix::from_rows(COUNT, (0..COUNT).map(row)).unwrap();
    let (kept, traffic) = of(&gpu, |gpu| Sparse::<Fr>::keep_sparse(gpu, matrix.view()));
    assert!(traffic.bytes_in >= 8 * (matrix.entries() + 2 * COUNT) && traffic.bytes_out == 0, "{traffic:?}");
    let kernels = vec!["sum_entries", "sum_partial"];
    let mut product = vector.clone();
    for time in 0..2 {
        let (_, traffic) =
            of(&gpu, |gpu| Sparse::sparse_product(gpu, matrix.view(), kept.as_ref(), &vector, &mut product));
        let kernels = kernels.clone();
        let expected = Traffic { kernels, bytes_in: 32 * COUNT, bytes_out: 32 * COUNT, ..Traffic::default() };
        assert!(time == 0 || traffic == expected, "{traffic:?}");
    }
    let x = gpu.upload(Fr::words(&vector)).unwrap();
    for time in 0..2 {
        let (y, traffic) =
            of(&gpu, |gpu| ResidentSparse::<Fr>::sparse_product(gpu, kept.as_ref().unwrap(), &x));
        assert!(
            time == 0 || traffic == Traffic { kernels: kernels.clone(), ..Traffic::default() },
            "{traffic:?}"
        );
        let (_, traffic) = of(&gpu, |gpu| ResidentPointwise::<Fr>::multiply(gpu, COUNT, &x, &y, Some(&x)));
        let expected = Traffic { kernels: vec!["multiply_subtract"], ..Traffic::default() };
        assert!(time == 0 || traffic == expected, "{traffic:?}");
    }
}

#[cfg(feature = "bn254")]
on_the_first_devices! {
    sparse_products_copy_no_operand_that_stays: sparse,
    sums_copy_no_operand_that_stays: sums,
}
