//! A circuit in the manner of halo2-lib: columns of cells with a vertical gate of four, a + b c = d, and columns of their own for lookups in a range.

use ff::Field;
use halo2_axiom::circuit::{Layouter, SimpleFloorPlanner, Value};
use halo2_axiom::halo2curves::bn256::Fr;
use halo2_axiom::plonk::{Advice, Circuit, Column, ConstraintSystem, Error, Fixed, Instance, TableColumn};
use halo2_axiom::poly::Rotation;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Columns with gates.
const GATES: usize = 20;

/// Columns that are looked up.
const LOOKUPS: usize = 10;

/// Rows of 2^k that are left alone.
const LEFT: usize = 16;

#[derive(Clone)]
pub struct Wide {
    k: u32,
    /// Of each column with gates, the cells.
    cells: Vec<Vec<Fr>>,
    looked_up: Vec<Vec<Fr>>,
}

#[derive(Clone)]
pub struct Config {
    gates: Vec<(Column<Advice>, Column<Fixed>)>,
    lookups: Vec<Column<Advice>>,
    range: TableColumn,
    _public: Column<Instance>,
}

impl Wide {
    /// Random cells; the first of each four after the first is a copy of the last one before. What is looked up are the factors of gates.
    pub fn new(k: u32) -> Self {
        let (rows, bound) = (((1 << k) - LEFT) / 4 * 4, 1_u64 << (k - 1));
        let mut rng = StdRng::seed_from_u64(3);
        let cells: Vec<Vec<Fr>> = (0..GATES)
            .map(|_| {
                let mut last = Fr::from(rng.gen_range(0..bound));
                let mut column = Vec::with_capacity(rows);
                for _ in 0..rows / 4 {
                    let [b, c] = [(); 2].map(|()| Fr::from(rng.gen_range(0..bound)));
                    let d = last + b * c;
                    column.extend([last, b, c, d]);
                    last = d;
                }
                column
            })
            .collect();
        let looked_up = (0..LOOKUPS).map(|column| {
            let factors = cells[column].chunks(4).chain(cells[column + LOOKUPS].chunks(4));
            factors.flat_map(|four| [four[1], four[2]]).collect()
        });
        Self { k, looked_up: looked_up.collect(), cells }
    }
}

impl Circuit<Fr> for Wide {
    type Config = Config;
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        self.clone()
    }

    fn configure(system: &mut ConstraintSystem<Fr>) -> Config {
        let public = system.instance_column();
        let gates: Vec<_> = (0..GATES)
            .map(|_| {
                let (column, selector) = (system.advice_column(), system.fixed_column());
                system.enable_equality(column);
                system.create_gate("a + b c = d", |cells| {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|row| cells.query_advice(column, Rotation(row)));
                    vec![cells.query_fixed(selector, Rotation::cur()) * (a + b * c - d)]
                });
                (column, selector)
            })
            .collect();
        let range = system.lookup_table_column();
        let lookups: Vec<_> = (0..LOOKUPS)
            .map(|_| {
                let column = system.advice_column();
                system.enable_equality(column);
                system.lookup("a range", |cells| vec![(cells.query_advice(column, Rotation::cur()), range)]);
                column
            })
            .collect();
        Config { gates, lookups, range, _public: public }
    }

    fn synthesize(&self, config: Config, mut layouter: impl Layouter<Fr>) -> Result<(), Error> {
        layouter.assign_table(
            || "a range",
            |mut table| {
                (0..1_usize << (self.k - 1)).try_for_each(|row| {
                    table.assign_cell(|| "", config.range, row, || Value::known(Fr::from(row as u64)))
                })
            },
        )?;
        layouter.assign_region(
            || "all",
            |mut region| {
                let mut factors: Vec<Vec<_>> = vec![Vec::new(); LOOKUPS];
                for (index, ((column, selector), cells)) in config.gates.iter().zip(&self.cells).enumerate() {
                    let mut last = None;
                    for (row, &value) in cells.iter().enumerate() {
                        let cell = region.assign_advice(*column, row, Value::known(value)).cell();
                        match row % 4 {
                            0 => {
                                region.assign_fixed(*selector, row, Fr::ONE);
                                if let Some(last) = last {
                                    region.constrain_equal(last, cell);
                                }
                            }
                            1 | 2 => factors[index % LOOKUPS].push(cell),
                            _ => last = Some(cell),
                        }
                    }
                }
                for ((column, values), factors) in config.lookups.iter().zip(&self.looked_up).zip(&factors) {
                    for ((row, &value), &factor) in values.iter().enumerate().zip(factors) {
                        let cell = region.assign_advice(*column, row, Value::known(value)).cell();
                        region.constrain_equal(cell, factor);
                    }
                }
                Ok(())
            },
        )
    }
}
