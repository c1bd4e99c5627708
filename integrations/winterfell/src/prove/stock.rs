//! Constraints that cannot be recorded: the prover's own evaluator computes them from extensions that are copied to the host.

use winter_air::{Air, AuxRandElements, ConstraintCompositionCoefficients};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::{CompositionPolyTrace, ConstraintEvaluator, Prover, StarkDomain};
use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::Matrix;
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::Memory;

use super::extension::{from_engine, to_engine};
use super::segment::Segment;
use crate::columns::Extension;
use crate::hashes::Accelerated;
use crate::trace::TraceLde;
use crate::tree::Tree;

/// The values of the composition: a column for each coordinate.
pub(super) fn evaluate<E, P>(
    memory: Memory<'_>,
    prover: &P,
    air: &P::Air,
    main: &Segment<P::HashFn>,
    auxiliary: Option<&Segment<P::HashFn>>,
    random: Option<AuxRandElements<E>>,
    coefficients: ConstraintCompositionCoefficients<E>,
) -> Result<DeviceMatrix<Element>, Error>
where
    E: FieldElement<BaseField = BaseElement>,
    P: Prover<BaseField = BaseElement>,
    P::HashFn: Accelerated,
{
    let (info, options) = (air.trace_info().clone(), air.options());
    let main = on_host(main)?;
    let auxiliary = auxiliary.map(on_host).transpose()?;
    let trace = TraceLde::<E, P::HashFn>::of_segments(info, options, main, auxiliary);
    let domain = StarkDomain::new(air);
    let composition: CompositionPolyTrace<E> =
        prover.new_evaluator(air, random, coefficients).evaluate(&trace, &domain);
    let values = composition.into_inner();
    let words = E::slice_as_base_elements(&values).iter().map(|&word| to_engine(word));
    let by_rows = Matrix::from_rows(words.collect(), values.len(), E::EXTENSION_DEGREE)?;
    memory.narrow(by_rows)
}

/// A segment's extension and tree in host memory.
fn on_host<H: Accelerated>(segment: &Segment<H>) -> Result<(Extension, Tree<H>), Error> {
    let extension = segment.extension().download()?;
    let width = extension.shape().columns;
    let values = (0..extension.shape().rows).flat_map(|row| extension.row(row)).map(from_engine);
    Ok((Extension::new(values.collect(), width), segment.commitment.host_tree()?))
}
