//! A device for tests: the CPU under another name, which fails, waits for others, or returns wrong answers on request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[cfg(feature = "bn254")]
use halo2curves::group::Group;

use crate::backend::cpu::Cpu;
use crate::backend::{
    AcceleratedField, BaseField, Beside, Combinations, Extent, Hardware, Hashing, Inversion, Levels, Lookups,
    MatrixView, PrefixProducts, Programs, Transforms,
};
#[cfg(feature = "bn254")]
use crate::backend::{
    BasesView, KeepScalars, Memory, Msm, PointTransforms, Pointwise, ScalarsView, Sparse, SparseView,
};
use crate::checks;
#[cfg(feature = "bn254")]
use crate::curve::Curve;
use crate::device::{Bandwidths, ProductRates};
use crate::error::Error;
use crate::field::Goldilocks;
#[cfg(feature = "bn254")]
use crate::field::{MontgomeryField, ScalarField, TwoAdic};
use crate::hash::Hasher;
use crate::lock::lock;
use crate::matrix::MatrixRef;
use crate::merkle::Approach;
use crate::meter::Meter;
use crate::ntt::Ntt;
use crate::program::{Program, ProgramRows};
use crate::sync::{Arc, Condvar, Mutex};

/// The behaviour of a test's device before it computes and with its answer.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    pub(crate) name: &'static str,
    pub(crate) cpu: Cpu,
    /// Whether it fails.
    pub(crate) broken: Arc<AtomicBool>,
    /// The point at which its operations wait for those of others.
    pub(crate) meeting: Option<Arc<Meeting>>,
    /// Whether it changes the last element of each answer.
    pub(crate) lies: bool,
    /// What prefix products and permutations of lookups are instead of what they should be, if it is anything.
    pub(crate) instead: &'static [u64],
    /// A number that its statistics are made of, if it has any.
    pub(crate) statistics: Option<u64>,
}

/// A point at which so many operations must be at the same time.
pub(crate) struct Meeting {
    expected: usize,
    here: Mutex<usize>,
    changed: Condvar,
}

impl Meeting {
    pub(crate) fn of(expected: usize) -> Arc<Self> {
        Arc::new(Self { expected, here: Mutex::new(0), changed: Condvar::new() })
    }

    fn join(&self) -> bool {
        let mut here = lock(&self.here);
        *here += 1;
        self.changed.notify_all();
        let waited =
            self.changed.wait_timeout_while(here, Duration::from_secs(20), |here| *here < self.expected);
        !waited.unwrap().1.timed_out()
    }
}

impl Fake {
    /// The error of a broken device.
    pub(crate) fn failure(name: &str) -> Error {
        Error::DeviceFailed { device: name.into(), operation: "a test", message: "injected".into() }
    }

    fn begin(&self) -> Result<(), Error> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(Self::failure(self.name));
        }
        match self.meeting.as_ref().is_none_or(|meeting| meeting.join()) {
            true => Ok(()),
            false => Err(Error::DeviceFailed {
                device: self.name.into(),
                operation: "a test",
                message: "alone after 20 seconds".into(),
            }),
        }
    }

    fn end<T>(&self, answer: &mut [T], change: impl FnOnce(&mut T)) {
        if self.lies {
            answer.last_mut().map(change);
        }
    }
}

/// Writes these elements over an answer.
fn replace<F: AcceleratedField>(answer: &mut [F], words: &[u64]) {
    answer.iter_mut().zip(words).for_each(|(element, &word)| *element = F::of_integer(word));
}

/// Seconds, launches, and so many bytes or products a second, each a different multiple of the number.
impl Hardware for Fake {
    fn device_time(&self) -> Option<Duration> {
        self.statistics.map(Duration::from_secs)
    }

    fn replays(&self) -> Option<u64> {
        self.statistics.map(|number| 2 * number)
    }

    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        let of = |number: u64| Bandwidths {
            copy: 3.0 * number as f64,
            upload: 4.0 * number as f64,
            download: 5.0 * number as f64,
        };
        Ok(self.statistics.map(of))
    }

    fn product_rates(&self) -> Result<Option<ProductRates>, Error> {
        let of = |number: u64| ProductRates {
            goldilocks: 6.0 * number as f64,
            bn254: number.is_multiple_of(2).then_some(7.0 * number as f64),
        };
        Ok(self.statistics.map(of))
    }
}

impl Transforms<Goldilocks> for Fake {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.ntt_checked(ntt, data, width, false, &Meter::silent())
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        unchecked: bool,
        meter: &Meter<'_>,
    ) -> Result<(), Error> {
        checks::if_unchecked(data, unchecked)?;
        self.begin()?;
        self.cpu.ntt_checked(ntt, data, width, false, meter)?;
        self.end(data, |word| *word += Goldilocks::new(1));
        Ok(())
    }
}

impl<F: AcceleratedField> Inversion<F> for Fake
where
    Cpu: Inversion<F>,
{
    fn invert(&self, elements: &mut [F], unchecked: bool) -> Result<(), Error> {
        self.begin()?;
        self.cpu.invert(elements, unchecked)?;
        self.end(elements, |element| *element = *element + F::ONE);
        Ok(())
    }
}

impl<F: AcceleratedField> Programs<F> for Fake
where
    Cpu: Programs<F>,
{
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, F>],
        constants: &[F],
        outputs: &mut [F],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.run_program(program, rows, inputs, constants, outputs)?;
        self.end(outputs, |output| *output = *output + F::ONE);
        Ok(())
    }
}

impl<F: AcceleratedField> Combinations<F> for Fake
where
    Cpu: Combinations<F>,
{
    fn combine_columns(
        &self,
        matrix: MatrixView<'_, F>,
        coefficients: MatrixView<'_, F>,
        combined: &mut [F],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.combine_columns(matrix, coefficients, combined)?;
        self.end(combined, |element| *element = *element + F::ONE);
        Ok(())
    }

    fn combine_rows(
        &self,
        weights: MatrixView<'_, F>,
        matrix: MatrixView<'_, F>,
        sums: &mut [F],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.combine_rows(weights, matrix, sums)?;
        self.end(sums, |element| *element = *element + F::ONE);
        Ok(())
    }
}

impl<F: AcceleratedField> PrefixProducts<F> for Fake
where
    Cpu: PrefixProducts<F>,
{
    fn prefix_products(
        &self,
        input: &[F],
        width: usize,
        products: &mut [F],
        carry: &mut [F],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.prefix_products(input, width, products, carry)?;
        replace(products, self.instead);
        self.end(products, |product| *product = *product + F::ONE);
        Ok(())
    }
}

impl<F: AcceleratedField> Lookups<F> for Fake
where
    Cpu: Lookups<F>,
{
    fn permute_lookups(
        &self,
        matrix: MatrixView<'_, F>,
        used: usize,
        permuted: &mut [F],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.permute_lookups(matrix, used, permuted)?;
        replace(permuted, self.instead);
        self.end(permuted, |value| *value = *value + F::ONE);
        Ok(())
    }
}

impl<H: Hasher> Hashing<H> for Fake
where
    Cpu: Hashing<H>,
{
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        extent: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.begin()?;
        Hashing::<H>::hash_rows(&self.cpu, matrix, extent, from, digests)?;
        self.end(digests, |digest| *digest = Default::default());
        Ok(())
    }

    fn build_tree(
        &self,
        leaves: &[H::Digest],
        levels: Levels<'_, H::Digest>,
        approach: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        self.begin()?;
        let mut levels = levels.apart();
        let own = levels.iter_mut().map(|level| &mut **level).collect();
        Hashing::<H>::build_tree(&self.cpu, leaves, Levels::Apart(own), approach, beside)?;
        if let Some(root) = levels.first_mut() {
            self.end(root, |root| *root = Default::default());
        }
        Ok(())
    }
}

#[cfg(feature = "bn254")]
impl<F: ScalarField> KeepScalars<F> for Fake {
    fn keep_scalars(&self, scalars: &[F]) -> Result<Option<Memory>, Error> {
        self.begin()?;
        self.cpu.keep_scalars(scalars)
    }
}

#[cfg(feature = "bn254")]
impl<C: Curve> Msm<C> for Fake
where
    Cpu: Msm<C>,
{
    fn keep_bases(&self, points: &[C], table_bytes: u64) -> Result<Option<Memory>, Error> {
        self.begin()?;
        self.cpu.keep_bases(points, table_bytes)
    }

    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
        meter: &Meter<'_>,
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.msm(scalars, bases, sums, meter)?;
        self.end(sums, |sum| *sum += C::Projective::generator());
        Ok(())
    }
}

#[cfg(feature = "bn254")]
impl<C: Curve> PointTransforms<C> for Fake
where
    Cpu: PointTransforms<C>,
{
    fn transform_points(&self, ntt: &Ntt<C::Scalar>, points: &mut [C]) -> Result<(), Error> {
        self.begin()?;
        self.cpu.transform_points(ntt, points)?;
        self.end(points, |point| *point = if *point == C::default() { C::generator() } else { -*point });
        Ok(())
    }
}

#[cfg(feature = "bn254")]
impl<F: MontgomeryField> Pointwise<F> for Fake {
    fn multiply(&self, a: &mut [F], b: &[F], c: Option<&[F]>) -> Result<(), Error> {
        self.begin()?;
        self.cpu.multiply(a, b, c)?;
        self.end(a, |product| *product += F::ONE);
        Ok(())
    }
}

#[cfg(feature = "bn254")]
impl<F: MontgomeryField> Sparse<F> for Fake {
    fn sparse_product(
        &self,
        matrix: SparseView<'_, F>,
        kept: Option<&Memory>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.sparse_product(matrix, kept, vector, product)?;
        self.end(product, |element| *element += F::ONE);
        Ok(())
    }
}

#[cfg(feature = "bn254")]
impl<F: MontgomeryField + TwoAdic + BaseField> Transforms<F> for Fake {
    fn ntt(&self, ntt: &Ntt<F>, data: &mut [F], width: usize) -> Result<(), Error> {
        self.begin()?;
        self.cpu.ntt(ntt, data, width)?;
        self.end(data, |scalar| *scalar += <F as TwoAdic>::ONE);
        Ok(())
    }
}
