//! How much of the device's memory a proof takes.

use std::collections::BTreeSet;

use winter_air::Air;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel_proofs::Required;

/// The most elements in the device's memory of a proof over an extension. Wide are the matrices of segments, of periodic columns, of assertions, and of the inverses of divisors.
pub(super) fn required<E, A>(air: &A, periodic_columns: &[Vec<BaseElement>]) -> Required
where
    E: FieldElement<BaseField = BaseElement>,
    A: Air<BaseField = BaseElement>,
{
    let (info, context, degree) = (air.trace_info(), air.context(), E::EXTENSION_DEGREE as u64);
    let [rows, constrained, committed] =
        [air.trace_length(), air.ce_domain_size(), air.lde_domain_size()].map(|size| size as u64);
    let (main, auxiliary) = (info.main_trace_width(), info.get_aux_segment_width());
    let composition = context.num_constraint_composition_columns();
    let segments = 1 + info.num_aux_segments() as u64;

    // The divisors of main assertions are those of their steps. Of auxiliary ones no more is known before the trace is committed to than how many there are.
    let assertions = air.get_assertions();
    let steps: BTreeSet<_> = assertions.iter().map(|one| (one.stride(), one.first_step())).collect();
    let others = context.num_assertions().saturating_sub(assertions.len()) as u64;
    let divisors = 1 + steps.len() as u64 + others;
    let sequences = assertions.iter().filter(|assertion| assertion.is_sequence()).count() as u64;
    let polynomials = sequences + others * degree;
    let period = periodic_columns.iter().map(Vec::len).max().unwrap_or(0) as u64;

    // What is extended, its coefficients, extensions, copies of partitions, and trees.
    let wide = (main as u64 + auxiliary as u64 * degree) * (2 * rows + committed)
        + (partition::<BaseElement, A>(air, main) + partition::<E, A>(air, auxiliary)) * committed
        + 8 * segments * committed
        // Periodic columns, the same of assertions, inverses with what they are made of, and the sum of transition constraints.
        + periodic_columns.len() as u64 * period * (2 + constrained / rows)
        + polynomials * (2 * rows + constrained)
        + (2 * divisors + degree) * constrained;
    let columns = composition as u64 * degree;
    // Points, the composition with its coefficients, its columns and their tree; out of domain inverses, weights and combinations; FRI's polynomials, layers and trees.
    let narrow = committed
        + 3 * degree * constrained
        + columns * (2 * rows + committed)
        + (partition::<E, A>(air, composition) + 8) * committed
        + (4 + 7 * degree) * rows
        + degree * (2 * rows + 3 * committed)
        + 8 * committed;
    Required { wide, narrow }
}

/// The words of a row that are hashed together, if they are not all of it.
fn partition<E, A>(air: &A, columns: usize) -> u64
where
    E: FieldElement<BaseField = BaseElement>,
    A: Air<BaseField = BaseElement>,
{
    let partition = air.options().partition_options().partition_size::<E>(columns);
    if partition == columns { 0 } else { (partition.min(columns) * E::EXTENSION_DEGREE) as u64 }
}
