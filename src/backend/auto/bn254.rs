//! BN254: transforms by the expected time, as other operations; sums on the CPU, for no GPU offers them yet and so there is
//! nothing to weigh. The count of what the CPU did has them. A provider that offers them is used where it is asked for by name.

use super::{Auto, Cpu, cost, lock};
use crate::backend::{Backend, BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

impl Auto {
    /// The CPU, which the count shows.
    fn only_host(&self) -> &Cpu {
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

impl Auto {
    /// The backend for transforms of so many scalars in all, of which 2^`layers` go through all layers of butterflies together.
    fn for_fft(&self, scalars: usize, layers: u32) -> Result<&dyn Backend, Error> {
        self.choose(&cost::FFT, scalars, cost::transform_work(scalars, layers))
    }
}

impl Fft for Auto {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        self.for_fft(values.len(), fft.domain.log_size())?.fft(fft, values)
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        // The first layers of padded polynomials are copies.
        self.for_fft(values.len(), size.ilog2())?.fft_of_padded(domain, coefficients, size, values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::{Cost, Curve, FFT};
    use super::*;
    use crate::backend::Clock;
    use crate::backend::reference::Reference;

    /// Sums are the CPU's whatever stands beside it; transforms go to where they should end first. Each is counted once.
    #[test]
    fn who_does_what() {
        let auto = Auto::new(Cpu::default(), Box::new(Reference), "other".into(), Vec::new());
        let (scalars, points) = ([Fr::from(2), Fr::from(3)], [G1Affine::generator(); 2]);
        let mut sum = [G1::default()];
        let views = (
            ScalarsView { scalars: &scalars, kept: None },
            BasesView { points: &points, kept: None, first: 0 },
        );
        auto.msm(views.0, views.1, &mut sum).unwrap();
        assert_eq!(sum[0], G1::generator() * Fr::from(5));
        // 10 ns a point and layer, against 100 ns whatever there is: equal at five points of two layers.
        let (host, device) = (vec![[1.0, 10.0]], vec![[1.0, 100.0], [1e9, 100.0]]);
        let cost = Cost { host: Curve::through(host), device: Curve::through(device) };
        lock(&auto.costs).insert((FFT.name, FFT.hash), cost);
        // Values of 2 + 3 X at 1 and -1, and padded at the powers of the fourth root.
        let domain = Domain::halo2(1).unwrap();
        let mut values = scalars;
        auto.fft(&Ntt::forward(domain), &mut values).unwrap();
        assert_eq!(values, [Fr::from(5), -Fr::from(1)]);
        let mut values = [Fr::from(0); 16];
        auto.fft_of_padded(&Domain::halo2(4).unwrap(), &scalars, 2, &mut values).unwrap();
        assert_eq!([values[0], values[8]], [Fr::from(5), -Fr::from(1)]);
        let choices = auto.choices().unwrap();
        assert_eq!((choices.on_cpu, choices.on_device, choices.last.len()), (2, 1, 1));
        assert_eq!((choices.last[0].chosen.0.as_str(), choices.last[0].amount), ("other", 16));
    }
}
