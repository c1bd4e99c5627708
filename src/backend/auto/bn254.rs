//! BN254: sums and transforms by the expected time, as other operations. Bases and scalars are kept where sums over all of them
//! are expected to end first, and used from there.

use super::{Auto, cost};
use crate::backend::{Backend, BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

/// What one of both keeps.
struct Owned {
    on_device: bool,
    kept: Kept,
}

impl Owned {
    /// What the device keeps, or what the CPU keeps.
    fn of(kept: Option<&Kept>, on_device: bool) -> Option<&Kept> {
        let owned = kept.and_then(|kept| kept.downcast_ref::<Self>());
        owned.filter(|owned| owned.on_device == on_device).map(|owned| &owned.kept)
    }
}

impl Auto {
    /// Keeps inputs of sums of so many scalars.
    fn keep(
        &self,
        scalars: usize,
        keep: impl FnOnce(&dyn Backend) -> Result<Option<Kept>, Error>,
    ) -> Result<Option<Kept>, Error> {
        let on_device = self.prefers_device || {
            let [host, device] = self.cost(&cost::MSM)?.expect([scalars as f64; 2]);
            device < host
        };
        let kept = keep(if on_device { &self.device } else { &self.host })?;
        Ok(kept.map(|kept| Box::new(Owned { on_device, kept }) as Kept))
    }
}

impl Msm for Auto {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        self.keep(points.len(), |backend| backend.keep_bases(points, table_bytes))
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        self.keep(scalars.len(), |backend| backend.keep_scalars(scalars))
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        let pairs = bases.points.len() * sums.len();
        let on_device = self.is_for_device(&cost::MSM, pairs, [pairs as f64; 2])?;
        let scalars = ScalarsView { kept: Owned::of(scalars.kept, on_device), ..scalars };
        let bases = BasesView { kept: Owned::of(bases.kept, on_device), ..bases };
        match on_device {
            true => self.device.msm(scalars, bases, sums),
            false => self.host.msm(scalars, bases, sums),
        }
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
    use super::super::lock;
    use super::*;
    use crate::backend::Clock;
    use crate::backend::cost::{Cost, Curve, FFT, MSM};
    use crate::backend::cpu::Cpu;
    use crate::backend::reference::Reference;

    /// Each operation goes to where it should end first, and is counted once.
    #[test]
    fn who_does_what() {
        let auto = Auto::new(Cpu::default(), Box::new(Reference), "other".into(), Vec::new());
        let scalars = [Fr::from(2), Fr::from(3)];
        // 10 ns a scalar, against 100 ns whatever there are: equal at ten.
        let (host, device) = (vec![[1.0, 10.0]], vec![[1.0, 100.0], [1e9, 100.0]]);
        let cost = Cost { host: Curve::through(host), device: Curve::through(device) };
        lock(&auto.costs).insert((MSM.name, MSM.hash), cost);
        for (count, device, before) in [(2, "cpu", (0, 0)), (20, "other", (1, 0)), (3, "cpu", (1, 1))] {
            let scalars: Vec<_> = (0..count).map(Fr::from).collect();
            let points = vec![G1Affine::generator(); scalars.len()];
            let mut sum = [G1::default()];
            let (kept_bases, kept) =
                (auto.keep_bases(&points, 0).unwrap(), auto.keep_scalars(&scalars).unwrap());
            let bases = BasesView { points: &points, kept: kept_bases.as_ref(), first: 0 };
            let choices = auto.choices().unwrap();
            assert_eq!((choices.on_cpu, choices.on_device), before);
            auto.msm(ScalarsView { scalars: &scalars, kept: kept.as_ref() }, bases, &mut sum).unwrap();
            assert_eq!(sum[0], G1::generator() * Fr::from(count * (count - 1) / 2));
            assert_eq!(auto.choices().unwrap().last[0].chosen.0, device);
        }
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
        assert_eq!((choices.on_cpu, choices.on_device, choices.last.len()), (3, 2, 2));
        assert_eq!((choices.last[1].chosen.0.as_str(), choices.last[1].amount), ("other", 16));
    }
}
