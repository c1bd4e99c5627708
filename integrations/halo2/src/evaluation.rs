//! The values of the quotient in place of halo2's `evaluate_h`.
//!
//! halo2's function has the values of all polynomials on each of the cosets that its extended domain is made of, combines them by the circuit's constraints, and adds these up by powers
//! of a challenge. Here coefficients go to the engine once, and what comes back is the sum on each coset: transforms, and the row programs that whole proofs have, on data that stay.

use std::any::Any;

use ff::Field;
use rayon::prelude::*;
use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix as Entries;
use zkaccel::ntt::{Ntt, Order};
use zkaccel::program::ProgramRows;
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use crate::constraints::layout::{CIRCUIT, Scalars};
use crate::constraints::{Constraints, Recorded, System};
use crate::transforms::subgroup;
use crate::types::{self, Bn254};
use crate::{done, engine};

/// Rows that a thread copies at a time.
const ROWS: usize = 1 << 10;

/// The coefficients of the polynomials of a circuit, in their order: of advice, of public values; the permuted input and table of each lookup; grand products, those of
/// the permutation before those of lookups.
pub type CircuitPolynomials<'a, F> = [Vec<&'a [F]>; 4];

/// What halo2's `evaluate_h` is asked for.
#[derive(Clone, Debug)]
pub struct Quotient<'a, F> {
    /// The coefficients of a key: fixed columns, permutations, and the polynomials that are one in the first row, in the last one that is used, and in those before.
    pub key: Vec<&'a [F]>,
    /// Those of each circuit.
    pub circuits: Vec<CircuitPolynomials<'a, F>>,
    /// The challenges of the circuits.
    pub challenges: &'a [F],
    /// theta, beta, gamma, y.
    pub scalars: [F; 4],
    /// The root of unity of the rows, that of the extended domain, and the shift of the latter.
    pub domain: [F; 3],
}

/// The values of a quotient's numerator on the extended domain, by the engine of the process: that of row i on coset number j of `count` is at i `count` + j.
///
/// `false`, with the values as they were, for other types than the fork's scalars and constraint systems, few rows, no constraints, constraints for which devices have no room, and where the
/// device has none for the polynomials. Other errors of the engine are a panic with its words. [`evaluate_h!`](crate::evaluate_h!) asks it.
pub fn evaluate_h<C: Bn254, S: System + 'static, F: Copy + 'static>(
    system: &dyn Any,
    quotient: &Quotient<'_, F>,
    values: &mut [F],
) -> bool {
    let found = (system.downcast_ref::<S>(), quotient.own::<C>(), types::scalars_mut::<C, F>(values));
    let (Some(system), Some(quotient), Some(values)) = found else { return false };
    match evaluate(&engine(), system, &quotient, values) {
        Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => false,
        result => done(result),
    }
}

impl<'a, F: Copy + 'static> Quotient<'a, F> {
    /// The same of the library's scalars, if these are BN254's.
    fn own<C: Bn254>(&self) -> Option<Quotient<'a, Fr>> {
        let columns = |columns: &[&'a [F]]| {
            columns.iter().map(|column| types::scalars::<C, F>(column)).collect::<Option<Vec<_>>>()
        };
        let circuits = self.circuits.iter().map(|[advice, instances, permuted, products]| {
            Some([columns(advice)?, columns(instances)?, columns(permuted)?, columns(products)?])
        });
        Some(Quotient {
            key: columns(&self.key)?,
            circuits: circuits.collect::<Option<_>>()?,
            challenges: types::scalars::<C, F>(self.challenges)?,
            scalars: types::scalars::<C, F>(&self.scalars)?.try_into().ok()?,
            domain: types::scalars::<C, F>(&self.domain)?.try_into().ok()?,
        })
    }
}

/// `false`, with the values as they were, for what is left to halo2.
fn evaluate<S: System>(
    engine: &Engine,
    system: &S,
    quotient: &Quotient<'_, Fr>,
    values: &mut [Fr],
) -> Result<bool, Error> {
    let layout = system.layout();
    let [omega, step, mut shift] = quotient.domain;
    let n = quotient.key[0].len();
    let recorded = Recorded::new(&Constraints { system, layout: &layout });
    let (Some(subgroup), Ok(recorded)) = (subgroup(n, omega), recorded) else { return Ok(false) };
    if recorded.is_empty() {
        return Ok(false);
    }
    let [theta, beta, gamma, y] = quotient.scalars;
    let mut scalars = Scalars::new(&layout, quotient.challenges);
    scalars.set_theta(&layout, theta);
    scalars.set_beta_and_gamma(&layout, beta, gamma);
    let weights = recorded.weights(y, quotient.circuits.len());

    let bring = |columns: &[&[Fr]]| engine.upload(Entries::from_columns(columns.concat(), n, columns.len())?);
    let x: Vec<Fr> = (0..n).map(|index| if index == 1 { Fr::ONE } else { Fr::ZERO }).collect();
    let (of_circuit, lagrange) = quotient.key.split_at(quotient.key.len() - 3);
    let key = bring(&[of_circuit, &[&x], lagrange].concat())?;
    let circuits = quotient.circuits.iter().map(|circuit| {
        let mut matrices = [const { None }; CIRCUIT.len()];
        for (matrix, columns) in matrices.iter_mut().zip(circuit).filter(|(_, columns)| !columns.is_empty()) {
            *matrix = Some(bring(columns)?);
        }
        Ok(matrices)
    });
    let circuits = circuits.collect::<Result<Vec<[Option<DeviceMatrix<Fr>>; CIRCUIT.len()]>, Error>>()?;

    let zero = engine.upload(Entries::from_column(vec![Fr::ZERO])?)?;
    let rows = ProgramRows { count: n, stride: 1, order: Order::Natural };
    let count = values.len() / n;
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let ntt = Ntt::forward(subgroup.coset(shift)?);
        shift *= step;
        let on_coset = |coefficients: &DeviceMatrix<Fr>| {
            let mut values = coefficients.clone();
            engine.ntt(&ntt, &mut values).map(|()| values)
        };
        let key = on_coset(&key)?;
        let mut sum = zero.clone();
        for (number, circuit) in circuits.iter().enumerate() {
            let mut values = [const { None }; CIRCUIT.len()];
            for (values, matrix) in values.iter_mut().zip(circuit) {
                *values = matrix.as_ref().map(on_coset).transpose()?;
            }
            sum = recorded.added(engine, rows, sum, &key, (number, &values), &scalars, &weights)?;
        }
        parts.push(engine.download(&sum)?);
    }
    values.par_chunks_mut(ROWS * count).enumerate().for_each(|(number, piece)| {
        for (row, values) in (number * ROWS..).zip(piece.chunks_exact_mut(count)) {
            values.iter_mut().zip(&parts).for_each(|(value, part)| *value = part.as_slice()[row]);
        }
    });
    Ok(true)
}

/// Asks [`evaluate_h`](crate::evaluate_h()) in the function of that name of a copy of halo2, whose arguments follow what [`bn254!`](crate::bn254) made and the module `plonk`, for which there has to be
/// [`constraint_system!`](crate::constraint_system): the quotient's numerator, or `None`.
#[macro_export]
macro_rules! evaluate_h {
    ($bn254:ty, $($module:ident)::+, $pk:ident, $advice:ident, $instances:ident, $challenges:ident, $y:ident, $beta:ident, $gamma:ident, $theta:ident,
        $lookups:ident, $permutations:ident) => {{
        let domain = &$pk.vk.domain;
        let lagrange = [&$pk.l0, &$pk.l_last, &$pk.l_active_row];
        let key = $pk.fixed_polys.iter().chain($pk.permutation.polys.iter()).chain(lagrange);
        let circuits = $advice.iter().zip($instances).zip($lookups).zip($permutations);
        let circuits = circuits.map(|(((advice, instances), lookups), permutation)| {
            let permuted = lookups
                .iter()
                .flat_map(|lookup| [lookup.permuted_input_poly.values(), lookup.permuted_table_poly.values()]);
            let sets = permutation.sets.iter().map(|set| set.permutation_product_poly.values());
            [
                advice.iter().map(|polynomial| polynomial.values()).collect(),
                instances.iter().map(|polynomial| polynomial.values()).collect(),
                permuted.collect(),
                sets.chain(lookups.iter().map(|lookup| lookup.product_poly.values())).collect(),
            ]
        });
        let quotient = $crate::Quotient {
            key: key.map(|polynomial| polynomial.values()).collect(),
            circuits: circuits.collect(),
            challenges: $challenges,
            scalars: [$theta, $beta, $gamma, $y],
            domain: [domain.omega, domain.extended_omega, domain.g_coset],
        };
        let mut values = domain.empty_extended();
        let asked = $crate::evaluate_h::<
            $bn254,
            $($module)::+::ConstraintSystem<<$bn254 as $crate::CurveTypes>::Scalar>,
            _,
        >(&$pk.vk.cs, &quotient, values.values_mut());
        asked.then_some(values)
    }};
}
