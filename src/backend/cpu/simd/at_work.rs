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
    #[cfg(feature = "bn254")]
    use crate::backend::PrefixProducts;
    use crate::backend::cpu::Cpu;
    use crate::backend::testing::{build_heap, hash_columns};
    use crate::backend::{Hashing, Inversion, Programs, Transforms};
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
        let mut builder = Builder::new();
        let x = builder.column(0, 0, 1);
        let square = builder.mul(x, x);
        builder.output(square);
        let (program, elements) = (builder.finish().unwrap(), elements(1 << 10));
        let shape = Shape { rows: 1 << 10, columns: 1, layout: Layout::ColumnMajor };
        let rows = ProgramRows { count: 1 << 10, stride: 1, order: Order::Natural };
        at_every_level("row programs", "Lanes", |cpu| {
            let (input, mut outputs) = (MatrixRef::new(&elements, shape).unwrap(), elements.clone());
            cpu.run_program(&program, rows, &[input], &[], &mut outputs).unwrap();
        });
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
    #[test]
    fn sums_transforms_and_inverses_over_prime_fields_are_done_in_vectors() {
        use halo2curves::group::{Curve, Group};

        use crate::backend::sums::{BasesView, Msm, ScalarsView};
        use crate::bn254::{Fr, G1, G1Affine};
        use crate::meter::Meter;

        let scalars: Vec<_> = (1..=1 << 10).map(|i| -Fr::from(i)).collect();
        let points: Vec<_> = std::iter::successors(Some(G1::generator()), |point| Some(point.double()))
            .take(1 << 10)
            .collect();
        let mut bases = vec![G1Affine::default(); points.len()];
        G1::batch_normalize(&points, &mut bases);
        at_every_level("a sum", "Quadwords", |cpu| {
            let (scalars, bases) = (
                ScalarsView { scalars: &scalars, kept: None },
                BasesView { points: &bases, kept: None, first: 0 },
            );
            cpu.msm(scalars, bases, &mut [G1::identity()], &Meter::silent()).unwrap();
        });
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
    }
}
