//! Small sums in parts chosen by hand, on the first device of each kind, over every curve.

use std::ops::Range;

use super::parts::Pace;
use super::programs::DeviceCurve;
use super::{Input, Point};
use crate::backend::gpu::Gpu;
use crate::backend::{BasesView, Memory, ScalarsView};
use crate::curve::samples::{bases, multiples, scalars, sum, wide};
use crate::curve::{Xyzz, projective};
use crate::error::Error;
use halo2curves::ff::Field;

impl Gpu {
    /// The sum of one row in parts that end there, side by side or one by one.
    pub(in crate::backend::gpu) fn msm_in_parts<C: DeviceCurve>(
        &self,
        scalars: &[C::Scalar],
        bases: BasesView<'_, C>,
        ends: &[usize],
        overlapping: bool,
    ) -> Result<C::Projective, Error> {
        let pace = if overlapping { Pace::Overlapping } else { Pace::OneByOne };
        let mut total = [Xyzz::IDENTITY];
        self.add_in_parts(&input(scalars, bases), &(0..1), &parts(ends), pace, &mut total)?;
        Ok(projective::<C>(total[0]))
    }

    fn kept_bases<C: DeviceCurve>(&self, points: &[C]) -> Option<Memory> {
        self.device_bases(points, u64::MAX).unwrap().map(Memory::new)
    }
}

fn input<'a, C: DeviceCurve>(scalars: &'a [C::Scalar], bases: BasesView<'a, C>) -> Input<'a, C> {
    let kept_bases = bases.kept.and_then(|kept| kept.downcast_ref());
    Input { scalars: ScalarsView { scalars, kept: None }, bases, kept_scalars: None, kept_bases }
}

fn parts(ends: &[usize]) -> Vec<Range<usize>> {
    let starts = std::iter::once(&0).chain(ends);
    starts.zip(ends).map(|(&start, &end)| start..end).collect()
}

/// Any parts, some of them empty, give the sum. What parts do is the same for every curve: one has all bases and scalars, others some, one for each form of coordinates, for which OpenCL compiles anew.
fn any_parts<C: DeviceCurve>(gpu: &Gpu) {
    let (n, some) = match C::NAME {
        "bn254-g1" => (40, 1),
        "bn254-g2" | "bls12-381-g1" | "bls12-377-g2" | "bw6-761-g1" => (40, 3),
        _ => return,
    };
    for (bases_name, factors) in bases(n).into_iter().step_by(some) {
        let points = multiples::<C>(&factors);
        let kept = gpu.kept_bases(&points);
        for (name, scalars) in scalars(n).into_iter().step_by(some) {
            let expected = sum::<C>(&scalars, &factors);
            for kept in [None, kept.as_ref()] {
                let bases = BasesView { points: &points, kept, first: 0 };
                let ends = [&[1, 2, 13, 40][..], &[10, 40], &[0, 20, 20, 40, 40], &[40]];
                for ends in ends.into_iter().step_by(some) {
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
    let factors: Vec<C::Scalar> = (0..700).map(|i| wide(11 * i)).collect();
    let points = multiples::<C>(&factors);
    let kept = gpu.kept_bases(&points);
    for scalar in [C::Scalar::ONE, -C::Scalar::ONE, wide(1)] {
        let scalars = vec![scalar; 600];
        let bases = BasesView { points: &points[50..650], kept: kept.as_ref(), first: 50 };
        for (ends, overlapping) in [([200, 600], true), ([300, 600], false)] {
            let found = gpu.msm_in_parts(&scalars, bases, &ends, overlapping).unwrap();
            assert_eq!(found, sum::<C>(&scalars, &factors[50..]), "{scalar:?}, {ends:?}");
        }
    }
}

/// Parts share buckets where their digits have the same shape; otherwise earlier buckets are reduced.
fn sharing<C: DeviceCurve>(gpu: &Gpu) {
    let n = 64;
    let factors: Vec<C::Scalar> = (0..n).map(|i| wide(5 * i + 2)).collect();
    let points = multiples::<C>(&factors);
    let kept = gpu.kept_bases(&points);
    for (name, scalars) in scalars(n) {
        for kept in [None, kept.as_ref()] {
            let input = input(&scalars, BasesView { points: &points, kept, first: 0 });
            let mut total: [Point<C>; 1] = [Xyzz::IDENTITY];
            let mut buckets = None;
            for part in [0..n / 4, n / 4..n] {
                buckets = gpu
                    .accumulate(&input, (0..1, part.clone()), n - part.start, buckets, &mut total)
                    .unwrap();
            }
            let first = match name {
                "bits, then wide" => sum::<C>(&scalars[..n / 4], &factors),
                "wide" | "wide, then bits" | "equal" | "ones" => C::Projective::default(),
                _ => continue,
            };
            assert_eq!(
                projective::<C>(total[0]),
                first,
                "what was reduced before the end: {name}, {}",
                kept.is_some()
            );
            buckets.unwrap().end(&mut total).unwrap();
            assert_eq!(projective::<C>(total[0]), sum::<C>(&scalars, &factors), "{name}");
        }
    }
}

macro_rules! curves {
    ($($curve:path, $name:literal;)*) => {
        on_the_first_devices! {
            sums_in_any_parts: |device| { let gpu = Gpu::new(device, None); $(any_parts::<$curve>(&gpu);)* },
            sums_that_share_buckets: |device| { let gpu = Gpu::new(device, None); $(sharing::<$curve>(&gpu);)* },
        }
    };
}
crate::for_every_curve!(curves);
