//! Which code did some work, for tests: the levels whose vectors were entered, and the hashes computed one by one.
//!
//! Answers alone do not tell: code that silently became scalar is right, and several times slower.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use super::Simd;

thread_local! {
    static ENTERED: RefCell<BTreeSet<Simd>> = const { RefCell::new(BTreeSet::new()) };
    static ALONE: Cell<usize> = const { Cell::new(0) };
}

/// Notes that vectors of a level are entered on this thread.
pub(in crate::backend::cpu) fn enter(simd: Simd) {
    ENTERED.with_borrow_mut(|entered| entered.insert(simd));
}

/// Notes that so many hashes are computed one by one on this thread.
pub(in crate::backend::cpu) fn one_by_one(hashes: usize) {
    ALONE.set(ALONE.get() + hashes);
}

/// Does some work on one thread, and tells the levels that were entered, and the number of hashes that were computed one by one.
fn observe(work: impl FnOnce() + Send) -> (Vec<Simd>, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        ENTERED.take();
        ALONE.set(0);
        work();
        (ENTERED.take().into_iter().collect(), ALONE.get())
    })
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::vectors_of;
    use super::*;
    use crate::backend::cpu::Cpu;
    use crate::backend::testing::{build_heap, hash_columns};
    use crate::backend::{
        AcceleratedField, Combinations, Hashing, Inversion, MatrixView, Programs, Transforms,
    };
    use crate::field::Goldilocks;
    use crate::hash::Hasher;
    use crate::matrix::{Layout, MatrixRef, Shape};
    use crate::merkle::Approach;
    use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
    use crate::program::{Builder, ProgramRows};

    fn elements(len: usize) -> Vec<Goldilocks> {
        (1..=len as u64).map(|i| Goldilocks::new(i * i)).collect()
    }

    /// Does some work with every level of this machine, each of which must enter its vectors of a kind and no others; returns the levels
    /// with the widths of these vectors and the hashes computed one by one.
    fn at_every_level(what: &str, kind: &str, work: impl Fn(&Cpu) + Sync) -> Vec<(Simd, usize, usize)> {
        let at = |simd| {
            let (expected, width) = vectors_of(kind, simd);
            let cpu = Cpu::new(simd).unwrap();
            let (entered, alone) = observe(|| work(&cpu));
            // Hashes of the portable level enter nothing.
            if expected != Simd::Portable || !entered.is_empty() {
                assert_eq!(entered, [expected], "{what} with {simd}: levels whose vectors were entered");
            }
            (simd, width, alone)
        };
        Simd::available().map(at).collect()
    }

    /// A row program of one instruction on each element.
    fn row_programs<F: AcceleratedField>(kind: &str, elements: &[F])
    where
        Cpu: Programs<F>,
    {
        let mut builder = Builder::new();
        let x = builder.column(0, 0, 1);
        let square = builder.mul(x, x);
        builder.output(square);
        let program = builder.finish().unwrap();
        let shape = Shape { rows: elements.len(), columns: 1, layout: Layout::ColumnMajor };
        let rows = ProgramRows { count: elements.len(), stride: 1, order: Order::Natural };
        at_every_level("row programs", kind, |cpu| {
            let (input, mut outputs) = (MatrixRef::new(elements, shape).unwrap(), elements.to_vec());
            cpu.run_program(&program, rows, &[input], &[], &mut outputs).unwrap();
        });
    }

    #[test]
    fn transforms_and_inverses_are_done_in_vectors() {
        let domain = Domain::new(10, Convention::Plonky3).unwrap();
        let coset = domain.coset(Goldilocks::new(7)).unwrap();
        let reversed = Ntt::inverse(coset).with_orders(Order::BitReversed, Order::Natural);
        for (ntt, width) in [(Ntt::forward(domain), 1), (Ntt::forward(coset), 8), (reversed, 3)] {
            at_every_level(&format!("{ntt:?}, width {width}"), "Lanes", |cpu| {
                cpu.ntt(&ntt, &mut elements((2 * width) << 10), width).unwrap();
            });
        }
        let lde = Lde::onto_coset(8, 4, Convention::Winterfell, Goldilocks::new(7)).unwrap();
        for width in [1, 5] {
            at_every_level(&format!("an extension, width {width}"), "Lanes", |cpu| {
                cpu.lde(&lde, &mut elements(width << 8), width, &mut elements(width << 10)).unwrap();
            });
        }
        at_every_level("inverses", "Lanes", |cpu| cpu.invert(&mut elements(1 << 10), false).unwrap());
        row_programs("Lanes", &elements(1 << 10));
    }

    /// Of matrices in both layouts, as many at once as there are forms for: one, two and four.
    fn combinations<F: AcceleratedField>(kind: &str, elements: fn(usize) -> Vec<F>)
    where
        Cpu: Combinations<F>,
    {
        const ROWS: usize = 1 << 8;
        const COLUMNS: usize = 16;
        const MOST: usize = 7;
        let (entries, factors) = (elements(ROWS * COLUMNS), elements(ROWS * MOST));
        for (row_step, column_step) in [(1, ROWS), (COLUMNS, 1)] {
            let matrix =
                MatrixView { elements: &entries, rows: ROWS, columns: COLUMNS, row_step, column_step };
            for count in [1, MOST] {
                let factors = |rows| MatrixView {
                    elements: &factors,
                    rows,
                    columns: count,
                    row_step: count,
                    column_step: 1,
                };
                at_every_level("combinations of columns", kind, |cpu| {
                    let mut combined = elements(ROWS * count);
                    cpu.combine_columns(matrix, factors(COLUMNS), &mut combined).unwrap();
                });
                at_every_level("combinations of rows", kind, |cpu| {
                    let mut sums = elements(COLUMNS * count);
                    cpu.combine_rows(factors(ROWS), matrix, &mut sums).unwrap();
                });
            }
        }
    }

    #[test]
    fn combinations_are_made_in_vectors() {
        combinations("Lanes", elements);
        #[cfg(feature = "bn254")]
        combinations("Quadwords", |len| vec![-crate::bn254::Fr::from(2); len]);
    }

    /// Rows in both layouts, and trees: of 64 rows none is hashed alone, of the nodes only some where the tree is narrow.
    fn hashes<H: Hasher>(kind: &str)
    where
        Cpu: Hashing<H>,
    {
        const ROWS: usize = 64;
        // Where the processor has instructions for a hash, they are better than narrow vectors.
        let by_instructions = |width: usize| {
            #[cfg(target_arch = "x86_64")]
            return H::NAME == "sha256" && width < 16 && is_x86_feature_detected!("sha");
            #[cfg(not(target_arch = "x86_64"))]
            return false && width > 0;
        };
        let check = |what: &str, count: usize, most: usize, runs: Vec<(Simd, usize, usize)>| {
            for (simd, width, alone) in runs {
                let expected =
                    if width == 1 || by_instructions(width) { count..=count } else { 0..=most * width };
                assert!(
                    expected.contains(&alone),
                    "{what} of {} with {simd}: {alone} of {count} hashes one by one, expected {expected:?}",
                    H::NAME
                );
            }
        };
        // Rows of one chunk of BLAKE3, and of three.
        for (width, degree) in [(12, 1), (12, 12), (300, 1), (300, 300)] {
            let runs = at_every_level(H::NAME, kind, |cpu| {
                let mut digests = vec![H::Digest::default(); ROWS];
                hash_columns::<H>(cpu, &elements(width * ROWS), degree, &mut digests).unwrap();
            });
            check("rows", ROWS, 0, runs);
        }
        let runs = at_every_level(H::NAME, kind, |cpu| {
            let mut heap = vec![H::Digest::default(); 16 * ROWS];
            build_heap::<H>(cpu, &mut heap, Approach::Auto).unwrap();
        });
        check("a tree", 8 * ROWS - 1, 2, runs);
    }

    macro_rules! every_hash {
        ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
            #[test]
            fn hashes_are_computed_side_by_side() {
                $(hashes::<crate::hash::$hash>(match $name {
                    "blake3" | "sha256" => "Words32",
                    "keccak256" | "sha3_256" => "Words64",
                    _ => "Doubles",
                });)*
            }
        };
    }
    crate::for_every_hash!(every_hash);

    #[cfg(feature = "bn254")]
    mod over_prime_fields {
        use halo2curves::group::Group;

        use super::*;
        use crate::backend::sums::{BasesView, Msm, ScalarsView};
        use crate::backend::{PointTransforms, Pointwise, PrefixProducts};
        use crate::bn254::Fr;
        use crate::curve::samples::multiples;
        use crate::curve::{Curve, TwoAdicCurve};
        use crate::meter::Meter;
        use crate::{bls12_381, bn254};

        /// Consecutive integers from `first` on, negated.
        fn scalars<F: From<u64> + std::ops::Neg<Output = F>>(first: u64, len: usize) -> Vec<F> {
            (first..first + len as u64).map(|i| -F::from(i)).collect()
        }

        fn sums<C: Curve>()
        where
            Cpu: Msm<C>,
        {
            let (scalars, bases) = (scalars(1, 1 << 10), multiples::<C>(&scalars(2, 1 << 10)));
            at_every_level(&format!("a sum over {}", C::NAME), "Quadwords", |cpu| {
                let (scalars, bases) = (
                    ScalarsView { scalars: &scalars, kept: None },
                    BasesView { points: &bases, kept: None, first: 0 },
                );
                cpu.msm(scalars, bases, &mut [C::Projective::identity()], &Meter::silent()).unwrap();
            });
        }

        /// Coordinates of five limbs of 52 bits and of eight, and pairs of these.
        #[test]
        fn sums_are_made_in_vectors() {
            sums::<bn254::G1Affine>();
            sums::<bn254::G2Affine>();
            sums::<bls12_381::G1Affine>();
            sums::<bls12_381::G2Affine>();
        }

        fn transforms_of_points<C: TwoAdicCurve>(domain: Domain<C::Scalar>)
        where
            Cpu: PointTransforms<C>,
        {
            let points = multiples::<C>(&scalars(1, domain.size()));
            let coset = domain.coset(C::Scalar::from(7)).unwrap();
            for ntt in [Ntt::forward(coset), Ntt::inverse(coset)] {
                at_every_level(&format!("{ntt:?} of points of {}", C::NAME), "Quadwords", |cpu| {
                    cpu.transform_points(&ntt, &mut points.clone()).unwrap();
                });
            }
        }

        #[test]
        fn transforms_of_points_are_done_in_vectors() {
            transforms_of_points::<bn254::G1Affine>(Domain::halo2(4).unwrap());
            transforms_of_points::<bls12_381::G1Affine>(Domain::halo2(4).unwrap());
        }

        #[test]
        fn transforms_inverses_and_products_are_computed_in_vectors() {
            let scalars: Vec<Fr> = scalars(1, 1 << 10);
            let coset = Domain::halo2(10).unwrap().coset(Fr::from(7)).unwrap();
            for ntt in [Ntt::forward(coset), Ntt::inverse(coset)] {
                at_every_level(&format!("{ntt:?}"), "Quadwords", |cpu| {
                    cpu.ntt(&ntt, &mut scalars.clone(), 1).unwrap()
                });
            }
            at_every_level("inverses of scalars", "Quadwords", |cpu| {
                cpu.invert(&mut scalars.clone(), false).unwrap()
            });
            for width in [1, 8] {
                at_every_level("prefix products of scalars", "Quadwords", |cpu| {
                    let (mut products, mut carry) = (scalars.clone(), vec![Fr::from(3); width]);
                    cpu.prefix_products(&scalars, width, &mut products, &mut carry).unwrap();
                });
            }
            for subtrahend in [None, Some(&scalars[..])] {
                at_every_level("products of vectors", "Quadwords", |cpu| {
                    cpu.multiply(&mut scalars.clone(), &scalars, subtrahend).unwrap();
                });
            }
            row_programs("Quadwords", &scalars);
        }
    }
}
