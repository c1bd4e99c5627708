//! The account of sums and transforms over BN254. Handles that the backend keeps in a form of its own do not move again.

use super::Counted;
use crate::backend::{BasesView, Fft, Kept, Msm, ResidentFft, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};
use crate::work::Operation;

impl Msm for Counted {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        let size = Operation::KEEP_BASES.of(points.len(), size_of_val(points), 0);
        self.ledger.count(size, || self.backend.keep_bases(points, table_bytes))
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        let size = Operation::KEEP_SCALARS.of(scalars.len(), size_of_val(scalars), 0);
        self.ledger.count(size, || self.backend.keep_scalars(scalars))
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        let moved = |bytes: usize, kept: bool| if kept { 0 } else { bytes };
        let bytes_in = moved(size_of_val(scalars.scalars), scalars.kept.is_some())
            + moved(size_of_val(bases.points), bases.kept.is_some());
        let size = Operation::MSM.of(bases.points.len() * sums.len(), bytes_in, size_of_val(sums));
        self.ledger.count(size, || self.backend.msm(scalars, bases, sums))
    }
}

impl Fft for Counted {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        let size = Operation::FFT.of(values.len(), size_of_val(values), size_of_val(values));
        self.ledger.count(size, || self.backend.fft(fft, values))
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        let counted = Operation::FFT.of(values.len(), size_of_val(coefficients), size_of_val(values));
        self.ledger.count(counted, || self.backend.fft_of_padded(domain, coefficients, size, values))
    }

    fn resident_fft(&self) -> Option<&dyn ResidentFft> {
        self.backend.resident_fft().map(|_| self as &dyn ResidentFft)
    }
}

impl Counted {
    /// The backend's own; whoever calls these has asked [`resident_fft`](Fft::resident_fft) before.
    fn own_fft(&self) -> &dyn ResidentFft {
        self.backend.resident_fft().expect("scalars stay only where a backend has memory of its own")
    }
}

impl ResidentFft for Counted {
    fn kept_len(&self, scalars: &Kept) -> usize {
        self.own_fft().kept_len(scalars)
    }

    fn fft_kept(&self, fft: &Ntt<Fr>, scalars: &Kept) -> Result<Kept, Error> {
        let size = Operation::FFT.of(self.kept_len(scalars), 0, 0);
        self.ledger.count(size, || self.own_fft().fft_kept(fft, scalars))
    }

    fn fft_of_padded_kept(
        &self,
        domain: &Domain<Fr>,
        coefficients: &Kept,
        size: usize,
    ) -> Result<Kept, Error> {
        let scalars = self.kept_len(coefficients) / size * domain.size();
        let counted = Operation::FFT.of(scalars, 0, 0);
        self.ledger.count(counted, || self.own_fft().fft_of_padded_kept(domain, coefficients, size))
    }

    fn read_kept(&self, scalars: &Kept, values: &mut [Fr]) -> Result<(), Error> {
        let size = Operation::READ_SCALARS.of(values.len(), 0, size_of_val(values));
        self.ledger.count(size, || self.own_fft().read_kept(scalars, values))
    }
}
