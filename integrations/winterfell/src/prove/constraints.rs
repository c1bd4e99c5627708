//! Recorded constraints on their coset, where the devices have the trace.

use winter_air::{Air, AuxRandElements, ConstraintCompositionCoefficients};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::ntt::Lde;
use zkaccel::resident::{Cosets, DeviceMatrix};

use super::domains::{Domains, identity, subgroup};
use super::record::Recorded;
use super::segment::Segment;
use super::{composition, periodic};
use crate::extension::Given;
use crate::hashes::Accelerated;

/// A trace on the coset of the constraints or, where it is whole, on the larger one that is committed to. If it is in parts, so is all of it, and in as many.
pub(super) struct Trace {
    pub(super) main: Cosets<Element>,
    pub(super) auxiliary: Option<Cosets<Element>>,
    /// The powers of the root of unity whose order is the number of points, from the zeroth on.
    pub(super) roots: Cosets<Element>,
}

impl Trace {
    pub(super) fn new<H: Accelerated>(
        domains: &Domains<'_>,
        main: &Segment<H>,
        auxiliary: Option<&Segment<H>>,
    ) -> Result<Self, Error> {
        let on_coset = |segment: &Segment<H>| match segment.extension().whole() {
            Some(_) => Ok(segment.extension().clone()),
            None => segment.extension().smaller_coset(1 << domains.log_constraints),
        };
        let main = on_coset(main)?;
        let auxiliary = auxiliary.map(on_coset).transpose()?;
        let roots = match main.whole() {
            Some(_) => domains.memory.among_wide(&domains.roots)?.into(),
            None => {
                let lde = Lde::new(subgroup(1)?, subgroup(domains.log_constraints)?)?;
                domains.extend_beside(&main, lde, Given::Values, identity()?)?
            }
        };
        Ok(Self { main, auxiliary, roots })
    }

    /// The values of the composition: a column for each coordinate.
    pub(super) fn composition<E, A>(
        &self,
        domains: &Domains<'_>,
        air: &A,
        recorded: &Recorded,
        periodic_columns: &[Vec<BaseElement>],
        random: Option<&AuxRandElements<E>>,
        coefficients: &ConstraintCompositionCoefficients<E>,
    ) -> Result<DeviceMatrix<Element>, Error>
    where
        E: FieldElement<BaseField = BaseElement>,
        A: Air<BaseField = BaseElement>,
    {
        let table = periodic::table(domains, &self.main, periodic_columns)?;
        let elements = random.map_or(&[][..], |random| random.rand_elements());
        let values = recorded.values(elements, &coefficients.transition);
        let inputs = [&self.main, table.as_ref().unwrap_or(&self.main)];
        let inputs: Vec<_> = inputs.into_iter().chain(&self.auxiliary).collect();
        // An AIR that reads none of the last inputs does without.
        let inputs = &inputs[..recorded.program.inputs().len()];
        let (engine, rows) = (domains.memory.engine, domains.constraint_rows());
        let transition = engine.run_program(&recorded.program, rows, inputs, &values)?;
        let divisor = air.get_transition_constraints::<E>(&coefficients.transition);
        let boundary = air.get_boundary_constraints(random, &coefficients.boundary);
        composition::compose(domains, self, &transition, divisor.divisor(), &boundary)
    }
}
