//! The recorded constraints beside those that the AIR evaluates: they have to agree on random rows.

use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{ExtensionField, PrimeCharacteristicRing};
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix as _;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use zkaccel::Engine;
use zkaccel::ntt::reverse_bits;
use zkaccel::resident::Cosets;
use zkaccel_proofs::{Memory, Placement, Words};

use super::columns::Columns;
use super::error::ProveError;
use super::extended::Sizes;
use super::extension::element;
use super::record::Recorded;
use super::{periodic, quotient};
use crate::elements::{from_engine, matrix};

/// What constraints are evaluated on, where a domain's size is that of the trace and a coset's that of the quotient.
pub(super) struct Rows<EF> {
    pub(super) domain: TwoAdicMultiplicativeCoset<Goldilocks>,
    pub(super) coset: TwoAdicMultiplicativeCoset<Goldilocks>,
    pub(super) trace: RowMajorMatrix<Goldilocks>,
    pub(super) preprocessed: Option<RowMajorMatrix<Goldilocks>>,
    pub(super) permutation: Option<RowMajorMatrix<Goldilocks>>,
    pub(super) public_values: Vec<Goldilocks>,
    pub(super) challenges: Vec<EF>,
    pub(super) terminals: Vec<EF>,
    pub(super) alpha: EF,
}

/// Compares the quotients of random rows, with those that `expected` evaluates.
pub(super) fn check<EF: ExtensionField<Goldilocks>>(
    engine: &Engine,
    recorded: &Recorded,
    periodic_columns: &[Vec<Goldilocks>],
    sizes: Sizes,
    expected: impl FnOnce(&Rows<EF>) -> Vec<EF>,
) -> Result<(), ProveError> {
    let Sizes { log_rows, log_chunks, .. } = sizes;
    let (layout, log_size) = (recorded.layout, sizes.log_quotient());
    let mut words = Words::default();
    let mut take = |count| words.by_ref().take(count).map(from_engine).collect::<Vec<Goldilocks>>();
    let trace = RowMajorMatrix::new(take(layout.main_width << log_size), layout.main_width);
    let width = layout.preprocessed_width;
    let preprocessed = (width > 0).then(|| RowMajorMatrix::new(take(width << log_size), width));
    let width = layout.permutation_width * EF::DIMENSION;
    let permutation = (width > 0).then(|| RowMajorMatrix::new(take(width << log_size), width));
    let public_values = take(layout.num_public_values);
    let mut extended = |count| EF::reconstitute_from_base(take(count * EF::DIMENSION));
    let coset = |shift, log_size| TwoAdicMultiplicativeCoset::new(shift, log_size).expect("a small domain");
    let rows = Rows {
        domain: coset(Goldilocks::ONE, log_rows),
        coset: coset(<Goldilocks as p3_field::Field>::GENERATOR, log_size),
        trace,
        preprocessed,
        permutation,
        public_values,
        challenges: extended(layout.num_permutation_challenges),
        terminals: extended(layout.num_permutation_values),
        alpha: extended(1)[0],
    };

    // From the host's memory, so that nothing has to fit in the device's.
    let memory = Memory::new(engine, Placement::Host, 0);
    let upload = |rows: &RowMajorMatrix<Goldilocks>| {
        memory.wide(matrix(rows.as_view().bit_reverse_rows().to_row_major_matrix())).map(Cosets::from)
    };
    let trace = upload(&rows.trace)?;
    let preprocessed = rows.preprocessed.as_ref().map(upload).transpose()?;
    let permutation = rows.permutation.as_ref().map(upload).transpose()?;
    let periodic = periodic::table(memory, periodic_columns, log_rows, log_chunks)?.map(Cosets::from);
    let others: Vec<_> = preprocessed.iter().chain(&periodic).chain(&permutation).collect();
    let columns = Columns::new(memory, sizes)?;
    let values =
        recorded.values(rows.alpha, &rows.public_values, &[&rows.challenges[..], &rows.terminals].concat());
    let found = quotient::quotient(memory, recorded, &columns, &trace, &others, &values)?;
    let found = engine.download(&found)?;

    let of_row = |row| element::<EF>(found.row(reverse_bits(row, log_size as u32)).into_iter());
    match expected(&rows).into_iter().enumerate().find(|&(row, expected)| of_row(row) != expected) {
        None => Ok(()),
        Some((row, _)) => Err(ProveError::Recorded { row }),
    }
}
