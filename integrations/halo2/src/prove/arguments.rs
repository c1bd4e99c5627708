//! The arguments of permutation and lookups: permuted columns and grand products.

use ff::Field;
use halo2_axiom::halo2curves::bn256;
use rand_core::RngCore;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix as Entries;
use zkaccel::program::{Builder, Node};
use zkaccel::resident::DeviceMatrix;

use super::convert::ours;
use super::error::ProveError;
use super::key::Key;
use super::residence::Residence;
use super::synthesis::{Columns, Witness};
use crate::constraints::layout::{Layout, MATRICES_OF_CONSTRAINTS, Matrix, Scalars};
use crate::constraints::programs::{Programs, divided, run};
use crate::constraints::{Algebra, Constraints, Recorder, System, shifted_product};

/// Behind a circuit's matrices among the inputs of programs.
const COMPRESSED: usize = MATRICES_OF_CONSTRAINTS;
const INVERSES: usize = COMPRESSED + 1;

/// Random rows of the permuted columns of lookups, which stand in the compressed ones until these are permuted.
const TAILS: usize = COMPRESSED;

/// Programs for the compressed input and table of every lookup. Behind the rows that are permuted they have the random rows of the permuted columns: grand products are past their last factor there.
pub(super) fn compression<S: System>(constraints: &Constraints<'_, S>) -> Result<Programs, ProveError> {
    let layout = constraints.layout;
    let outputs = |builder: &mut Builder<Fr>, lookup: usize| {
        let compressed = constraints.compressed(&mut Recorder { builder, layout }, lookup);
        let mask = layout.mask().column;
        // The permuted columns have one random row more than grand products.
        let masks = [0, 1].map(|offset| builder.column(Matrix::Key as usize, mask, offset));
        let mask = builder.mul(masks[0], masks[1]);
        let columns = compressed.into_iter().zip(2 * lookup..);
        columns
            .map(|(value, column)| {
                let tail = builder.column(TAILS, column, 0);
                masked(builder, mask, value, tail)
            })
            .collect()
    };
    divided(0..layout.lookups, &outputs).map_err(|(lookup, error)| {
        let name = constraints.system.lookup_name(lookup);
        ProveError::Unsupported(format!("the lookup `{name}`: {error}"))
    })
}

/// Programs for the quotients of grand products, those of sets before those of lookups: of their denominators, and of their numerators times the inverses of these.
pub(super) fn quotients<S: System>(constraints: &Constraints<'_, S>) -> Result<[Programs; 2], ProveError> {
    let layout = constraints.layout;
    let sets = layout.sets();
    let denominator = |builder: &mut Builder<Fr>, product: usize| {
        let mut recorder = Recorder { builder, layout };
        vec![match product.checked_sub(sets) {
            None => constraints.set_factors(&mut recorder, product).0,
            Some(lookup) => constraints.lookup_denominator(&mut recorder, lookup),
        }]
    };
    let quotient = |builder: &mut Builder<Fr>, product: usize| {
        let inverse = builder.column(INVERSES, product, 0);
        let mut recorder = Recorder { builder, layout };
        let numerator = match product.checked_sub(sets) {
            None => constraints.set_factors(&mut recorder, product).1,
            Some(lookup) => {
                let [input, table] =
                    [0, 1].map(|side| recorder.builder.column(COMPRESSED, 2 * lookup + side, 0));
                shifted_product(&mut recorder, input, table)
            }
        };
        vec![recorder.mul(numerator, inverse)]
    };
    let unsupported = |(product, error): (usize, zkaccel::Error)| {
        ProveError::Unsupported(format!("grand product {product}: {error}"))
    };
    let all = 0..layout.columns(Matrix::Products);
    Ok([
        divided(all.clone(), &denominator).map_err(unsupported)?,
        divided(all, &quotient).map_err(unsupported)?,
    ])
}

/// Programs for the columns of grand products: from the products of quotients, each times the value of its index, and from random rows where the mask has a zero.
pub(super) fn finish(layout: &Layout) -> Result<Programs, ProveError> {
    let finish = |builder: &mut Builder<Fr>, column| {
        let mask = builder.column(0, layout.mask().column, 0);
        let (product, tail) = (builder.column(1, column, 0), builder.column(2, column, 0));
        let factor = builder.value(column);
        let scaled = builder.mul(product, factor);
        vec![masked(builder, mask, scaled, tail)]
    };
    Ok(divided(0..layout.columns(Matrix::Products), &finish).map_err(|(_, error)| error)?)
}

/// A value where the mask has a one, and a random one where it has a zero.
fn masked(builder: &mut Builder<Fr>, mask: Node, value: Node, tail: Node) -> Node {
    let difference = builder.sub(value, tail);
    let masked = builder.mul(mask, difference);
    builder.add(masked, tail)
}

/// So many random scalars, as halo2 draws them.
pub(super) fn random(rng: &mut impl RngCore, count: usize) -> Vec<Fr> {
    (0..count).map(|_| ours(&<bn256::Fr as Field>::random(&mut *rng))).collect()
}

/// The random rows of the permuted columns of lookups: of each the input's, the table's. Blinds of commitments are drawn, too, which KZG does not use.
pub(super) fn permuted_tails(layout: &Layout, rng: &mut impl RngCore) -> Vec<Vec<Fr>> {
    let lookups = (0..layout.lookups).flat_map(|_| {
        let tails = [(); 2].map(|()| random(rng, layout.blinding + 1));
        random(rng, 2);
        tails
    });
    lookups.collect()
}

/// The random rows of so many grand products, and blinds.
pub(super) fn product_tails(layout: &Layout, products: usize, rng: &mut impl RngCore) -> Vec<Vec<Fr>> {
    let products = (0..products).map(|_| {
        let tail = random(rng, layout.blinding);
        random(rng, 1);
        tail
    });
    products.collect()
}

/// The last of n rows of columns, as many of each, in a matrix of few rows: repeated, it has them where they belong, and a mask says which are taken.
fn repeated(n: usize, tails: &[Vec<Fr>]) -> Entries<Fr> {
    let len = tails[0].len();
    let height = len.next_power_of_two();
    let mut repeated = vec![Fr::ZERO; height * tails.len()];
    for (column, tail) in repeated.chunks_exact_mut(height).zip(tails) {
        for (row, &value) in (n - len..n).zip(tail) {
            column[row % height] = value;
        }
    }
    Entries::from_columns(repeated, height, tails.len()).expect("columns of one length")
}

/// The lookups of a circuit: compressed columns and permuted ones.
pub(super) struct Lookups {
    compressed: DeviceMatrix<Fr>,
    pub(super) permuted: Columns,
}

impl Lookups {
    /// `None` without lookups.
    pub(super) fn new(
        (key, residence): (&Key, &Residence),
        names: &[String],
        witness: &Witness,
        scalars: &Scalars,
        tails: &[Vec<Fr>],
    ) -> Result<Option<Self>, ProveError> {
        if names.is_empty() {
            return Ok(None);
        }
        let (engine, rows, n) = (&residence.engine, key.domain.rows, key.domain.size());
        let tails = residence.bring(repeated(n, tails))?;
        let inputs = [Some(&key.values), witness.advice(), witness.instances(), None, None, Some(&tails)];
        let parts = key.compression.iter();
        let parts = parts.map(|(_, program)| run(engine, program, rows, &inputs, scalars.as_slice()));
        let compressed = residence.beside(rows, parts.collect::<Result<_, _>>()?)?;
        let usable = n - (key.layout.blinding + 1);
        let values = engine.permute_lookups(&compressed, usable).map_err(|error| match error {
            Error::NotInTable { lookup, row } => {
                ProveError::NotInTable { lookup: names[lookup].clone(), row }
            }
            error => error.into(),
        })?;
        let coefficients = residence.coefficients(&key.domain, &values)?;
        Ok(Some(Self { compressed, permuted: Columns { values, coefficients } }))
    }
}

/// The grand products of a circuit, `None` without any. The tails are those of all its products.
pub(super) fn products(
    (key, residence): (&Key, &Residence),
    witness: &Witness,
    lookups: Option<&Lookups>,
    scalars: &Scalars,
    tails: &[Vec<Fr>],
) -> Result<Option<DeviceMatrix<Fr>>, ProveError> {
    let layout = &key.layout;
    let count = layout.columns(Matrix::Products);
    if count == 0 {
        return Ok(None);
    }
    let (engine, rows, n) = (&residence.engine, key.domain.rows, key.domain.size());
    let permuted = lookups.map(|lookups| &lookups.permuted.values);
    let compressed = lookups.map(|lookups| &lookups.compressed);
    let all = |programs: &Programs, inverses| {
        let (advice, instances) = (witness.advice(), witness.instances());
        let inputs = [Some(&key.values), advice, instances, permuted, None, compressed, inverses];
        let parts = programs.iter();
        let parts = parts.map(|(_, program)| run(engine, program, rows, &inputs, scalars.as_slice()));
        residence.beside(rows, parts.collect::<Result<_, _>>()?)
    };
    let mut inverses = all(&key.quotients[0], None)?;
    engine.invert(&mut inverses)?;
    let quotients = all(&key.quotients[1], Some(&inverses))?;
    drop(inverses);
    let (products, _) = engine.prefix_products(&quotients, &[])?;
    drop(quotients);

    // A set begins with what the one before it has in the last row that is used.
    let sets = layout.sets();
    let ends = products.read_rows(&[n - layout.blinding - 1])?.pop().expect("one row");
    let mut factors: Vec<Fr> = ends[..sets]
        .iter()
        .scan(Fr::ONE, |factor, end| Some(std::mem::replace(factor, *factor * end)))
        .collect();
    factors.resize(count, Fr::ONE);

    let tails = residence.bring(repeated(n, tails))?;
    let inputs = [Some(&key.values), Some(&products), Some(&tails)];
    let parts = key.finish.iter().map(|(_, program)| run(engine, program, rows, &inputs, &factors));
    let products = residence.beside(rows, parts.collect::<Result<_, _>>()?)?;
    Ok(Some(products))
}
