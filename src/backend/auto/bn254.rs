//! BN254: on the CPU, for no GPU offers it yet and so there is nothing to weigh. The count of what the CPU did has it. A
//! provider that offers it is used where it is asked for by name.

use super::{Auto, Counted, lock};
use crate::backend::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

impl Auto {
    /// The CPU, which the count shows.
    fn only_host(&self) -> &Counted {
        lock(&self.choices).on_cpu += 1;
        &self.host
    }
}

impl Msm for Auto {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        self.host.keep_bases(points, table_bytes)
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        self.host.keep_scalars(scalars)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        self.only_host().msm(scalars, bases, sums)
    }
}

impl Fft for Auto {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        self.only_host().fft(fft, values)
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        self.only_host().fft_of_padded(domain, coefficients, size, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Clock;
    use crate::backend::cpu::Cpu;
    use crate::backend::reference::Reference;

    /// The CPU does it whatever stands beside it, and is counted once an operation.
    #[test]
    fn the_cpu_does_it_and_is_counted() {
        let auto = Auto::new(Cpu::default(), Box::new(Reference), "other".into(), Vec::new());
        let (scalars, points) = ([Fr::from(2), Fr::from(3)], [G1Affine::generator(); 2]);
        let mut sum = [G1::default()];
        let views = (
            ScalarsView { scalars: &scalars, kept: None },
            BasesView { points: &points, kept: None, first: 0 },
        );
        auto.msm(views.0, views.1, &mut sum).unwrap();
        assert_eq!(sum[0], G1::generator() * Fr::from(5));
        // Values of 2 + 3 X at 1 and -1, and back.
        let domain = Domain::halo2(1).unwrap();
        let mut values = scalars;
        auto.fft(&Ntt::forward(domain), &mut values).unwrap();
        assert_eq!(values, [Fr::from(5), -Fr::from(1)]);
        auto.fft_of_padded(&domain, &scalars, 2, &mut values).unwrap();
        assert_eq!(values, [Fr::from(5), -Fr::from(1)]);
        let choices = auto.choices().unwrap();
        assert_eq!((choices.on_cpu, choices.on_device, choices.last.len()), (3, 0, 0));
    }
}
