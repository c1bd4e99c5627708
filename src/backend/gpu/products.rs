//! How many products a device computes in a second (`kernels/products.cl`), against which the arithmetic of its kernels is judged.

use std::time::Duration;

use super::Gpu;
use super::bandwidth::median;
use super::device::{Arg, Launch};
use super::program::{DeviceField, Name, Program};
use super::session::Session;
#[cfg(feature = "bn254")]
use crate::bn254::Fr;
use crate::device::ProductRates;
use crate::error::Error;
use crate::field::Goldilocks;

const KERNELS: &[&str] =
    &[include_str!("../../../kernels/element.h"), include_str!("../../../kernels/products.cl")];

/// The program over a field.
const fn program<F: DeviceField>() -> &'static Program {
    const { &Program::over::<F>(const { &Name::new("products", F::SUFFIX) }, KERNELS) }
}

/// The programs of both fields.
pub(super) static PROGRAMS: &[&Program] = &[
    program::<Goldilocks>(),
    #[cfg(feature = "bn254")]
    program::<Fr>(),
];

/// Elements raised to a power at once: several for each of the items that the largest devices run side by side.
const ELEMENTS: usize = 1 << 20;

/// Products of a step of the kernel.
const STEP: usize = 8;

/// A launch that is measured takes at least this long on the device.
const LONG_ENOUGH: Duration = Duration::from_millis(5);

impl Gpu {
    /// Medians of several launches.
    pub(super) fn measure_products(&self) -> Result<ProductRates, Error> {
        Ok(ProductRates {
            goldilocks: self.measure_powers::<Goldilocks>()?,
            #[cfg(feature = "bn254")]
            bn254: Some(self.measure_powers::<Fr>()?),
            #[cfg(not(feature = "bn254"))]
            bn254: None,
        })
    }

    /// Products a second over a field.
    fn measure_powers<F: DeviceField>(&self) -> Result<f64, Error> {
        let words = F::WORDS;
        let count = ELEMENTS.min((self.limit / 4) as usize / (8 * words)).max(1);
        // Any elements do, which are below both primes.
        let elements: Vec<u64> = (0..count * words).map(|i| 3 + i as u64).collect();
        let mut session = Session::new(self)?;
        let from = session.upload_new(bytemuck::cast_slice(&elements))?;
        let to = session.allocate(elements.len())?;
        let mut run = |steps: usize| {
            let args = vec![
                Arg::Buffer(from, 0),
                Arg::Buffer(to, 0),
                Arg::Word(count as u64),
                Arg::Word(steps as u64),
            ];
            // SAFETY: powers reads and writes `count` elements, as many as both regions have, which are not the same.
            let launch = unsafe { Launch::new(program::<F>(), "powers", session.limits().grid(count), args) };
            session.launch(&[launch])?;
            session.finish()
        };
        run(1)?;
        let mut steps = 1;
        while run(steps)? < LONG_ENOUGH {
            steps *= 2;
        }
        let time = median(|| run(steps))?;
        Ok((count * steps * STEP) as f64 / time.as_secs_f64())
    }
}

#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
pub(super) mod tests {
    use super::*;
    use crate::field::Field;

    #[cfg(feature = "opencl")]
    #[test]
    fn powers_and_rates() {
        let Ok(device) = super::super::opencl::OpenCl::required() else { return };
        let gpu = Gpu::new(std::sync::Arc::new(device), None);
        powers(&gpu);
        let rates = gpu.measure_products().unwrap();
        assert!(rates.goldilocks > rates.bn254.unwrap() && rates.bn254.unwrap() > 1e6, "{rates:?}");
    }

    /// The kernels compute the powers that they say they compute.
    pub(in crate::backend::gpu) fn powers(gpu: &Gpu) {
        let elements: Vec<_> = (0..100).map(|i| Goldilocks::new(u64::MAX - i)).collect();
        powers_over(gpu, &elements, Goldilocks::pow);
        #[cfg(feature = "bn254")]
        {
            use halo2curves::ff::Field;
            let elements: Vec<_> = (0..100).map(|i| Fr::from(i) - Fr::from(50)).collect();
            powers_over(gpu, &elements, |x, exponent| x.pow_vartime([exponent]));
        }
    }

    fn powers_over<F: DeviceField>(gpu: &Gpu, elements: &[F], power: impl Fn(F, u64) -> F) {
        let (words, count, steps) = (F::words(elements), elements.len(), 5);
        let mut session = Session::new(gpu).unwrap();
        let from = session.upload_new(bytemuck::cast_slice(words)).unwrap();
        let to = session.allocate(words.len()).unwrap();
        let args = vec![Arg::Buffer(from, 0), Arg::Buffer(to, 0), Arg::Word(count as u64), Arg::Word(steps)];
        // SAFETY: both regions have `count` elements.
        let launch = unsafe { Launch::new(program::<F>(), "powers", session.limits().grid(count), args) };
        session.launch(&[launch]).unwrap();
        let mut found = vec![0_u64; words.len()];
        session.download(to, 0, bytemuck::cast_slice_mut(&mut found)).unwrap();
        let expected: Vec<_> = elements.iter().map(|&x| power(x, 8 * steps + 1)).collect();
        assert!(F::words(&expected) == found, "{}", program::<F>().name);
    }
}
