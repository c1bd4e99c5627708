//! Transforms over BN254's scalars as transforms over any field: columns one after another.

use super::{AcceleratedField, Backend, Fft, Transforms, evaluate_padded};
use crate::bn254::Fr;
use crate::error::Error;
use crate::memory;
use crate::ntt::{Domain, Ntt, Order};
use crate::work::Activity;

impl AcceleratedField for Fr {
    const NAME: &'static str = "bn254-fr";
    const TRANSFORM: Activity = Activity::FFT;
    const EXTENSION: Activity = Activity::FFT;

    fn transforms(backend: &dyn Backend) -> &dyn Transforms<Self> {
        backend
    }

    /// Always `Ok`: limbs become scalars by a function that looks at them.
    fn check_all(_: &[Self]) -> Result<(), Error> {
        Ok(())
    }

    fn zeros(len: usize) -> Result<Vec<Self>, Error> {
        memory::filled(len, Self::zero())
    }

    fn some_domain(log_size: u32) -> Result<Domain<Self>, Error> {
        Domain::halo2(log_size)
    }
}

/// Columns side by side, which the transforms here do not take.
fn expect_columns_apart(width: usize) -> Result<(), Error> {
    match width {
        1 => Ok(()),
        _ => Err(Error::Unsupported {
            operation: "transforms of row-major matrices over this field",
            device: "this one".into(),
        }),
    }
}

macro_rules! by_polynomials {
    ($backend:ty $(, $device:ident)?) => {
        impl$(<$device: super::gpu::Device>)? Transforms<Fr> for $backend {
            fn ntt(&self, ntt: &Ntt<Fr>, data: &mut [Fr], width: usize) -> Result<(), Error> {
                expect_columns_apart(width)?;
                Fft::fft(self, ntt, data)
            }

            fn evaluate(
                &self,
                domain: &Domain<Fr>,
                order: Order,
                coefficients: &[Fr],
                (size, width): (usize, usize),
                values: &mut [Fr],
            ) -> Result<(), Error> {
                expect_columns_apart(width)?;
                match order {
                    Order::Natural => Fft::fft_of_padded(self, domain, coefficients, size, values),
                    _ => evaluate_padded(self, domain, order, coefficients, (size, width), values),
                }
            }
        }
    };
}
by_polynomials!(super::cpu::Cpu);
by_polynomials!(super::gpu::Gpu<D>, D);
#[cfg(feature = "providers")]
by_polynomials!(super::provider::External);
