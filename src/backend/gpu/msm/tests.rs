//! Sums in parts that are chosen by hand, small ones, on the first device of each kind.

use std::ops::Range;

use super::parts::Pace;
use super::{Input, Point};
use crate::backend::gpu::{Device, Gpu};
use crate::backend::{BasesView, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine, affine, sum_of_xyzz};
use crate::curve::Xyzz;
use crate::error::Error;

impl<D: Device> Gpu<D> {
    /// The sum of one row in parts that end there, side by side or one by one.
    pub(in crate::backend::gpu) fn msm_in_parts(
        &self,
        scalars: &[Fr],
        bases: BasesView<'_>,
        ends: &[usize],
        overlapping: bool,
    ) -> Result<G1, Error> {
        let pace = if overlapping { Pace::Overlapping } else { Pace::OneByOne };
        let mut total = [Xyzz::IDENTITY];
        self.add_in_parts(&input(scalars, bases), &(0..1), &parts(ends), pace, &mut total)?;
        Ok(sum_of_xyzz(total[0]))
    }
}

fn input<'a>(scalars: &'a [Fr], bases: BasesView<'a>) -> Input<'a> {
    let kept_bases = bases.kept.and_then(|kept| kept.downcast_ref());
    Input { scalars: ScalarsView { scalars, kept: None }, bases, kept_scalars: None, kept_bases }
}

fn parts(ends: &[usize]) -> Vec<Range<usize>> {
    let starts = std::iter::once(&0).chain(ends);
    starts.zip(ends).map(|(&start, &end)| start..end).collect()
}

/// A scalar as wide as they are.
fn wide(i: usize) -> Fr {
    Fr::from_raw([1, 2, 3, 4].map(|limb| (i as u64 + limb).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Factors of the generator.
fn multiples(factors: &[Fr]) -> Vec<G1Affine> {
    affine(&factors.iter().map(|factor| G1::generator() * factor).collect::<Vec<_>>())
}

/// Bases as factors of the generator: different ones, and those that meet themselves, their negatives and nothing in a bucket.
fn bases(n: usize) -> [(&'static str, Vec<Fr>); 5] {
    let zero = Fr::from(0);
    [
        ("different bases", (0..n).map(|i| wide(7 * i + 1)).collect()),
        ("one base", vec![wide(3); n]),
        (
            "a base, its negative behind it",
            (0..n).map(|i| if i < n / 2 { wide(3) } else { -wide(3) }).collect(),
        ),
        (
            "every third base an identity",
            (0..n).map(|i| if i.is_multiple_of(3) { zero } else { wide(i) }).collect(),
        ),
        ("identities", vec![zero; n]),
    ]
}

/// Scalars of which parts are alike, or not at all.
fn scalars(n: usize) -> Vec<(&'static str, Vec<Fr>)> {
    let of = |scalar: &dyn Fn(usize) -> Fr| (0..n).map(scalar).collect::<Vec<_>>();
    let bit = |i: usize| Fr::from((((i * i) >> 1) & 1) as u64);
    let zero = Fr::from(0);
    vec![
        ("wide", of(&wide)),
        ("bits", of(&bit)),
        ("bits, then wide", of(&|i| if i < n / 4 { bit(i) } else { wide(i) })),
        ("wide, then bits", of(&|i| if i < n / 4 { wide(i) } else { bit(i) })),
        ("zeros, then wide", of(&|i| if i < n / 2 { zero } else { wide(i) })),
        ("wide, then zeros", of(&|i| if i < n / 4 { wide(i) } else { zero })),
        ("one wide among zeros", of(&|i| if i == n / 3 { wide(i) } else { zero })),
        ("equal", vec![wide(5); n]),
        ("a scalar, its negative behind it", of(&|i| if i < n / 2 { wide(5) } else { -wide(5) })),
        ("ones", vec![Fr::from(1); n]),
        ("minus ones", vec![-Fr::from(1); n]),
        ("zeros", vec![zero; n]),
    ]
}

fn sum(scalars: &[Fr], factors: &[Fr]) -> G1 {
    G1::generator() * scalars.iter().zip(factors).map(|(scalar, factor)| scalar * factor).sum::<Fr>()
}

/// Any parts, some of them empty, give the sum.
fn any_parts<D: Device>(device: Result<D, Error>) {
    // Where the device must be present, the conformance tests say that it is not.
    let Ok(device) = device else { return };
    let gpu = Gpu::new(device, None);
    let n = 40;
    for (bases_name, factors) in bases(n) {
        let points = multiples(&factors);
        let kept = gpu.keep_bases(&points, u64::MAX).unwrap();
        for (name, scalars) in scalars(n) {
            let expected = sum(&scalars, &factors);
            for kept in [None, kept.as_ref()] {
                let bases = BasesView { points: &points, kept, first: 0 };
                for ends in [&[40][..], &[10, 40], &[0, 20, 20, 40, 40], &[1, 2, 13, 40]] {
                    for overlapping in [true, false] {
                        let found = gpu.msm_in_parts(&scalars, bases, ends, overlapping).unwrap();
                        let tables = kept.is_some();
                        assert_eq!(
                            found, expected,
                            "{bases_name}, {name}, {ends:?}, {overlapping}, {tables}"
                        );
                    }
                }
            }
        }
    }
    // Buckets with more heads than one item adds up, begun by another part; and a range of the kept bases.
    let factors: Vec<_> = (0..700).map(|i| wide(11 * i)).collect();
    let points = multiples(&factors);
    let kept = gpu.keep_bases(&points, u64::MAX).unwrap();
    for scalar in [Fr::from(1), -Fr::from(1), wide(1)] {
        let scalars = vec![scalar; 600];
        let bases = BasesView { points: &points[50..650], kept: kept.as_ref(), first: 50 };
        for (ends, overlapping) in [([200, 600], true), ([300, 600], false)] {
            let found = gpu.msm_in_parts(&scalars, bases, &ends, overlapping).unwrap();
            assert_eq!(found, sum(&scalars, &factors[50..]), "{scalar:?}, {ends:?}");
        }
    }
}

/// Parts share buckets where their digits are alike, and else those before are weighed.
fn sharing<D: Device>(device: Result<D, Error>) {
    let Ok(device) = device else { return };
    let gpu = Gpu::new(device, None);
    let n = 64;
    let factors: Vec<_> = (0..n).map(|i| wide(5 * i + 2)).collect();
    let points = multiples(&factors);
    let kept = gpu.keep_bases(&points, u64::MAX).unwrap();
    for (name, scalars) in scalars(n) {
        for kept in [None, kept.as_ref()] {
            let input = input(&scalars, BasesView { points: &points, kept, first: 0 });
            let mut total: [Point; 1] = [Xyzz::IDENTITY];
            let mut buckets = None;
            for part in [0..n / 4, n / 4..n] {
                buckets =
                    gpu.fill(&input, (0..1, part.clone()), n - part.start, buckets, &mut total).unwrap();
            }
            let first = match name {
                "bits, then wide" => sum(&scalars[..n / 4], &factors),
                "wide" | "wide, then bits" | "equal" | "ones" => G1::default(),
                _ => continue,
            };
            assert_eq!(
                sum_of_xyzz(total[0]),
                first,
                "what was weighed before the end: {name}, {}",
                kept.is_some()
            );
            buckets.unwrap().end(&mut total).unwrap();
            assert_eq!(sum_of_xyzz(total[0]), sum(&scalars, &factors), "{name}");
        }
    }
}

#[cfg(feature = "opencl")]
#[test]
fn any_parts_on_opencl() {
    any_parts(crate::backend::gpu::opencl::OpenCl::open(0));
}

#[cfg(feature = "cuda")]
#[test]
fn any_parts_on_cuda() {
    any_parts(crate::backend::gpu::cuda::Cuda::open(0));
}

#[cfg(feature = "opencl")]
#[test]
fn sharing_on_opencl() {
    sharing(crate::backend::gpu::opencl::OpenCl::open(0));
}

#[cfg(feature = "cuda")]
#[test]
fn sharing_on_cuda() {
    sharing(crate::backend::gpu::cuda::Cuda::open(0));
}
