//! What stays between the proofs of a key: its columns and bases in the engine's memory, and its programs.

use std::sync::{Arc, Mutex};

use ff::Field;
use halo2_axiom::halo2curves::bn256::{self, Bn256};
use halo2_axiom::plonk::ProvingKey;
use halo2_axiom::poly::commitment::ParamsProver;
use halo2_axiom::poly::kzg::commitment::ParamsKZG;
use zkaccel::bn254::Fr;
use zkaccel::msm::{Bases, BasesInput, BasesOptions};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use super::arguments;
use super::convert::{concatenated, points, slice};
use super::domain::{Domain, powers};
use super::error::ProveError;
use super::residence::Residence;
use crate::constraints::Constraints;
use crate::constraints::layout::{Layout, Matrix};
use crate::constraints::programs::Programs;
use crate::constraints::{Recorded, System};
use crate::lock;

/// Keys that are kept for later proofs by one engine.
const KEPT: usize = 2;

/// A key in an engine's memory.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) layout: Layout,
    pub(super) domain: Domain,
    /// Columns in all rows: fixed, permutations, X, the mask.
    pub(super) values: DeviceMatrix<Fr>,
    /// Coefficients: fixed, permutations, X, and three Lagrange polynomials.
    pub(super) coefficients: DeviceMatrix<Fr>,
    /// The latter on each coset, if the budget has room for them.
    cosets: Vec<DeviceMatrix<Fr>>,
    /// The powers of the secret, unless the device has no memory for them.
    bases: Option<Bases>,
    /// The compressed inputs and tables of lookups.
    pub(super) compression: Programs,
    /// Quotients of grand products: denominators, and numerators times their inverses.
    pub(super) quotients: [Programs; 2],
    /// What makes the columns of grand products of the products.
    pub(super) finish: Programs,
    /// The constraints.
    pub(super) constraints: Recorded,
    identity: Identity,
    _residences: Vec<Residence>,
}

/// What tells keys with their parameters apart: the representative in transcripts, which is a hash of all commitments, and some of the powers of the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    representative: bn256::Fr,
    powers: [bn256::G1Affine; 3],
    size: usize,
}

impl Identity {
    fn of(params: &ParamsKZG<Bn256>, key: &ProvingKey<bn256::G1Affine>) -> Self {
        let powers = params.get_g();
        let last = powers.len() - 1;
        Self {
            representative: key.get_vk().transcript_repr(),
            powers: [powers[0], powers[last.min(1)], powers[last]],
            size: powers.len(),
        }
    }
}

impl Key {
    /// Brings a key to an engine.
    pub(super) fn new(
        engine: &Engine,
        params: &ParamsKZG<Bn256>,
        key: &ProvingKey<bn256::G1Affine>,
    ) -> Result<Self, ProveError> {
        let (vk, secret_powers) = (key.get_vk(), params.get_g());
        let domain = Domain::new(vk.get_domain())?;
        let (n, found) = (domain.size(), secret_powers.len());
        if n != found {
            return Err(ProveError::Parameters { expected: n.ilog2(), found: found.ilog2() });
        }
        let layout = vk.cs().layout();
        let constraints = Constraints { system: vk.cs(), layout: &layout };
        let recorded = Recorded::new(&constraints)
            .map_err(|(name, error)| ProveError::Unsupported(format!("{name}: {error}")))?;
        let compression = arguments::compression(&constraints)?;
        let quotients = arguments::quotients(&constraints)?;
        let finish = arguments::finish(&layout)?;

        let columns = layout.columns(Matrix::Key);
        let residence = Residence::of(engine, 2 * columns, n);
        let mut values = concatenated(key.fixed_values());
        values.extend(concatenated(key.permutation().permutations()));
        let root = domain.subgroup.root();
        values.extend(powers(root).take(n));
        values.extend((0..n).map(|row| if row < n - layout.blinding { Fr::ONE } else { Fr::ZERO }));
        let values = residence.bring_columns(values, n)?;
        let mut coefficients = concatenated(key.fixed_polys());
        coefficients.extend(concatenated(key.permutation().polys()));
        coefficients.extend((0..n).map(|index| if index == 1 { Fr::ONE } else { Fr::ZERO }));
        for polynomial in [key.l0(), key.l_last(), key.l_active_row()] {
            coefficients.extend(slice(polynomial.values()));
        }
        let coefficients = residence.bring_columns(coefficients, n)?;

        let mut residences = vec![residence];
        let mut cosets = Vec::new();
        let room = columns * domain.cosets.len();
        let residence = Residence::exactly(engine, room, n).filter(|_| residences[0].is_on_device());
        if let Some(residence) = residence {
            for &coset in &domain.cosets {
                cosets.push(residence.on_coset(coset, &coefficients)?);
            }
            residences.push(residence);
        }
        let bases = match engine.bases(points(secret_powers).to_vec(), BasesOptions::default()) {
            Ok(bases) => Some(bases),
            Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            values,
            coefficients,
            cosets,
            bases,
            compression,
            quotients,
            finish,
            constraints: recorded,
            identity: Identity::of(params, key),
            _residences: residences,
            layout,
            domain,
        })
    }

    /// The powers of the secret as bases.
    pub(super) fn bases<'a>(&'a self, powers: &'a [bn256::G1Affine]) -> BasesInput<'a> {
        match &self.bases {
            Some(bases) => bases.into(),
            None => BasesInput::Slice(points(powers)),
        }
    }

    /// The columns on a coset.
    pub(super) fn on_coset(&self, residence: &Residence, index: usize) -> Result<DeviceMatrix<Fr>, Error> {
        match self.cosets.get(index) {
            Some(values) => Ok(values.clone()),
            None => residence.on_coset(self.domain.cosets[index], &self.coefficients),
        }
    }
}

/// The keys that an engine keeps, the last used first.
#[derive(Debug, Default)]
pub(super) struct Keys(Mutex<Vec<Arc<Key>>>);

impl Keys {
    /// The key in the engine's memory: the kept one, or a new one that is kept from now on.
    pub(super) fn get(
        &self,
        engine: &Engine,
        params: &ParamsKZG<Bn256>,
        key: &ProvingKey<bn256::G1Affine>,
    ) -> Result<Arc<Key>, ProveError> {
        let identity = Identity::of(params, key);
        {
            let mut keys = lock(&self.0);
            if let Some(index) = keys.iter().position(|kept| kept.identity == identity) {
                let found = keys.remove(index);
                keys.insert(0, found.clone());
                return Ok(found);
            }
            // Before there is memory for another one.
            keys.truncate(KEPT - 1);
        }
        let made = Arc::new(Key::new(engine, params, key)?);
        let mut keys = lock(&self.0);
        keys.insert(0, made.clone());
        keys.truncate(KEPT);
        Ok(made)
    }
}
