//! Circuits by a generator: gates with random polynomials, lookups, copies, instances, a second phase.

use std::cell::RefCell;

use ff::Field;
use halo2_axiom::circuit::{Layouter, SimpleFloorPlanner, Value};
use halo2_axiom::halo2curves::bn256::Fr;
use halo2_axiom::plonk::{
    Advice, Challenge, Circuit, Column, ConstraintSystem, Error, Expression, FirstPhase, Fixed, Instance,
    SecondPhase,
};
use halo2_axiom::poly::Rotation;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Rows of gates begin here, and rotations reach back to the first.
const FIRST: usize = 2;

/// Rotations reach from -2 to so far.
const FURTHEST: i32 = 2;

/// What a circuit has.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub seed: u64,
    pub k: u32,
    /// Columns of free values.
    pub inputs: usize,
    /// Gates, of which each has a column of its own.
    pub gates: usize,
    /// The most factors of a term beside the selector.
    pub factors: usize,
    pub lookups: usize,
    pub copies: usize,
    pub instances: bool,
    pub second_phase: bool,
}

/// The small circuit from which others are made.
pub const SMALL: Shape = Shape {
    seed: 1,
    k: 5,
    inputs: 3,
    gates: 2,
    factors: 2,
    lookups: 0,
    copies: 4,
    instances: true,
    second_phase: false,
};

/// What is wrong with a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Gate,
    Copy,
    Lookup,
}

/// A factor: a column of inputs, or behind them the fixed one, and a rotation.
type Factor = (usize, i32);

thread_local! {
    /// The shape of the circuits that this thread configures.
    static SHAPE: RefCell<Shape> = const { RefCell::new(SMALL) };
}

/// Circuits of this thread have this shape from now on.
pub fn use_shape(shape: Shape) {
    SHAPE.with(|current| *current.borrow_mut() = shape);
}

impl Shape {
    fn rows(&self) -> usize {
        (1 << self.k) - 12 - FIRST
    }

    /// The terms of each gate: a constant and factors.
    fn gates(&self) -> Vec<Vec<(Fr, Vec<Factor>)>> {
        let mut rng = StdRng::seed_from_u64(self.seed ^ 0x9a7e);
        let factor = |rng: &mut StdRng| {
            let column = rng.gen_range(0..=self.inputs);
            let rotation = if column < self.inputs { rng.gen_range(-2..=FURTHEST) } else { 0 };
            (column, rotation)
        };
        (0..self.gates)
            .map(|_| {
                (0..rng.gen_range(1..4))
                    .map(|_| {
                        let count = rng.gen_range(1..=self.factors);
                        let factors = (0..count).map(|_| factor(&mut rng)).collect();
                        (Fr::from(rng.gen_range(0..5_u64)) - Fr::from(2), factors)
                    })
                    .collect()
            })
            .collect()
    }
}

/// A circuit with its witness.
#[derive(Clone)]
pub struct Random {
    shape: Shape,
    inputs: Vec<Vec<Fr>>,
    outputs: Vec<Vec<Fr>>,
    fixed: Vec<Fr>,
    /// Pairs of cells of inputs that are equal: columns and rows.
    copies: Vec<[(usize, usize); 2]>,
}

#[derive(Clone)]
pub struct Config {
    inputs: Vec<Column<Advice>>,
    outputs: Vec<Column<Advice>>,
    second: Option<(Column<Advice>, Challenge)>,
    selector: Column<Fixed>,
    fixed: Column<Fixed>,
    tables: Vec<[Column<Fixed>; 2]>,
    instance: Column<Instance>,
}

/// The table of a lookup has the squares of these.
fn entry(row: usize) -> Fr {
    Fr::from((row % 11) as u64)
}

impl Random {
    pub fn new(shape: Shape, wrong: Option<Wrong>) -> Self {
        let mut rng = StdRng::seed_from_u64(shape.seed);
        let height = shape.rows() + FIRST + FURTHEST as usize + 1;
        let mut inputs: Vec<Vec<Fr>> = (0..shape.inputs)
            .map(|column| {
                let is_looked_up = column < shape.lookups;
                (0..height)
                    .map(|row| match is_looked_up {
                        true => entry(rng.gen_range(0..11)),
                        false if row % 5 == 0 => Fr::from(row as u64),
                        false => Fr::random(&mut rng),
                    })
                    .collect()
            })
            .collect();
        let fixed: Vec<Fr> = (0..height).map(|row| Fr::from((row * row) as u64 + 1)).collect();
        // Copies among columns of one kind, so that what is looked up stays in the table.
        let free = shape.lookups.min(shape.inputs - 1)..shape.inputs;
        let mut copies = Vec::new();
        for _ in 0..shape.copies {
            let cells = [(); 2].map(|()| (rng.gen_range(free.clone()), rng.gen_range(0..height)));
            copies.push(cells);
        }
        // In the end all cells of a chain of copies have one value.
        for _ in 0..shape.copies {
            for [from, to] in &copies {
                let value = inputs[from.0][from.1].min(inputs[to.0][to.1]);
                inputs[from.0][from.1] = value;
                inputs[to.0][to.1] = value;
            }
        }
        match wrong {
            Some(Wrong::Copy) => {
                let (column, row) = copies[0][1];
                assert_ne!(copies[0][0], copies[0][1]);
                inputs[column][row] += Fr::ONE;
            }
            Some(Wrong::Lookup) => inputs[0][FIRST] = Fr::from(1234),
            _ => {}
        }
        let mut outputs: Vec<Vec<Fr>> = shape
            .gates()
            .iter()
            .map(|terms| {
                let value = |row: usize| {
                    let value = |&(column, rotation): &Factor| match column < shape.inputs {
                        true => inputs[column][(row as i32 + rotation) as usize],
                        false => fixed[row],
                    };
                    let term = |(constant, factors): &(Fr, Vec<Factor>)| {
                        *constant * factors.iter().map(value).product::<Fr>()
                    };
                    terms.iter().map(term).sum()
                };
                (0..height)
                    .map(|row| if row < FIRST || row >= FIRST + shape.rows() { Fr::ZERO } else { value(row) })
                    .collect()
            })
            .collect();
        if wrong == Some(Wrong::Gate) {
            outputs[0][FIRST + 1] += Fr::ONE;
        }
        Self { shape, inputs, outputs, fixed, copies }
    }

    /// The public values.
    pub fn instances(&self) -> Vec<Fr> {
        if self.shape.instances { self.inputs[self.shape.inputs - 1][..3].to_vec() } else { Vec::new() }
    }
}

impl Circuit<Fr> for Random {
    type Config = Config;
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        self.clone()
    }

    fn configure(system: &mut ConstraintSystem<Fr>) -> Config {
        let shape = SHAPE.with(|shape| *shape.borrow());
        let inputs: Vec<_> = (0..shape.inputs).map(|_| system.advice_column()).collect();
        let outputs: Vec<_> = (0..shape.gates).map(|_| system.advice_column()).collect();
        let (selector, fixed) = (system.fixed_column(), system.fixed_column());
        let instance = system.instance_column();
        if shape.copies > 0 || shape.instances {
            inputs.iter().for_each(|&column| system.enable_equality(column));
        }
        if shape.instances {
            system.enable_equality(instance);
        }
        for (terms, &output) in shape.gates().iter().zip(&outputs) {
            system.create_gate("a polynomial", |cells| {
                let mut sum = Expression::Constant(Fr::ZERO);
                for (constant, factors) in terms {
                    let mut product = Expression::Constant(Fr::ONE);
                    for &(column, rotation) in factors {
                        product = product
                            * match column < shape.inputs {
                                true => cells.query_advice(inputs[column], Rotation(rotation)),
                                false => cells.query_fixed(fixed, Rotation::cur()),
                            };
                    }
                    sum = sum + product * *constant;
                }
                let output = cells.query_advice(output, Rotation::cur());
                vec![cells.query_fixed(selector, Rotation::cur()) * (sum - output)]
            });
        }
        let tables = (0..shape.lookups)
            .map(|lookup| {
                let table = [(); 2].map(|()| system.fixed_column());
                system.lookup_any("squares", |cells| {
                    let input = cells.query_advice(inputs[lookup % shape.inputs], Rotation::cur());
                    let [root, square] = table.map(|column| cells.query_fixed(column, Rotation::cur()));
                    vec![(input.clone(), root), (input.clone() * input, square)]
                });
                table
            })
            .collect();
        let second = shape.second_phase.then(|| {
            let challenge = system.challenge_usable_after(FirstPhase);
            let column = system.advice_column_in(SecondPhase);
            system.create_gate("a combination", |cells| {
                let challenge = cells.query_challenge(challenge);
                let [a, b] = [0, 1].map(|column| cells.query_advice(inputs[column], Rotation::cur()));
                let found = cells.query_advice(column, Rotation::cur());
                vec![cells.query_fixed(selector, Rotation::cur()) * (a * challenge + b - found)]
            });
            (column, challenge)
        });
        Config { inputs, outputs, second, selector, fixed, tables, instance }
    }

    fn synthesize(&self, config: Config, mut layouter: impl Layouter<Fr>) -> Result<(), Error> {
        let shape = self.shape;
        let public = layouter.assign_region(
            || "everything",
            |mut region| {
                let mut cells = Vec::new();
                for (column, values) in config.inputs.iter().zip(&self.inputs) {
                    let assign =
                        |(row, &value)| region.assign_advice(*column, row, Value::known(value)).cell();
                    cells.push(values.iter().enumerate().map(assign).collect::<Vec<_>>());
                }
                for (column, values) in config.outputs.iter().zip(&self.outputs) {
                    for (row, &value) in values.iter().enumerate() {
                        region.assign_advice(*column, row, Value::known(value));
                    }
                }
                for row in FIRST..FIRST + shape.rows() {
                    region.assign_fixed(config.selector, row, Fr::ONE);
                }
                for (row, &value) in self.fixed.iter().enumerate() {
                    region.assign_fixed(config.fixed, row, value);
                    for table in &config.tables {
                        region.assign_fixed(table[0], row, entry(row));
                        region.assign_fixed(table[1], row, entry(row) * entry(row));
                    }
                }
                for [from, to] in &self.copies {
                    region.constrain_equal(cells[from.0][from.1], cells[to.0][to.1]);
                }
                if let Some((column, challenge)) = config.second {
                    region.next_phase();
                    let challenge = region.get_challenge(challenge);
                    for row in FIRST..FIRST + shape.rows() {
                        let value = challenge.map(|r| self.inputs[0][row] * r + self.inputs[1][row]);
                        region.assign_advice(column, row, value);
                    }
                }
                Ok(cells[shape.inputs - 1][..3].to_vec())
            },
        )?;
        if shape.instances {
            for (row, cell) in public.into_iter().enumerate() {
                layouter.constrain_instance(cell, config.instance, row);
            }
        }
        Ok(())
    }
}
