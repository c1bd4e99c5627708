//! The knowledge of a message of bytes with a given hash over a field of Pasta: a byte m of the message takes x to (x + c_i + m)^3.
//!
//! A row holds x, m and c_i, and one gate says that the next row's x is the power. That m is a byte is a lookup in a table of 256 rows. Start and end of the
//! chain are public.

use halo2_proofs::circuit::{Layouter, SimpleFloorPlanner, Value};
use halo2_proofs::pasta::Fp;
use halo2_proofs::pasta::group::ff::Field;
use halo2_proofs::plonk::{
    Advice, Circuit, Column, ConstraintSystem, Error, Fixed, Instance, Selector, TableColumn,
};
use halo2_proofs::poly::Rotation;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

/// Rows of 2^k that the chain leaves alone: its own last, and those that halo2 fills with randomness.
const LEFT: usize = 16;

/// A message, unknown where keys are made.
#[derive(Clone)]
pub struct Chain {
    pub k: u32,
    pub message: Option<Vec<u8>>,
}

#[derive(Clone)]
pub struct Config {
    x: Column<Advice>,
    byte: Column<Advice>,
    constant: Column<Fixed>,
    round: Selector,
    bytes: TableColumn,
    ends: Column<Instance>,
}

/// Where chains start.
pub fn start() -> Fp {
    Fp::from(1 << 20)
}

/// What a round adds to x, with its byte.
fn term(round: usize, byte: u8) -> Fp {
    constant(round) + Fp::from(u64::from(byte))
}

fn constant(round: usize) -> Fp {
    Fp::from(round as u64 * round as u64 + 7)
}

/// The message of 2^k rows that a number stands for, k at least 9.
pub fn message(k: u32, number: u64) -> Vec<u8> {
    let mut message = vec![0; (1 << k) - LEFT];
    StdRng::seed_from_u64(number).fill_bytes(&mut message);
    message
}

/// Start, values between and end of the chain of a message.
pub fn chain(message: &[u8]) -> Vec<Fp> {
    let mut values = vec![start()];
    for (round, &byte) in message.iter().enumerate() {
        let t = values[round] + term(round, byte);
        values.push(t.square() * t);
    }
    values
}

impl Circuit<Fp> for Chain {
    type Config = Config;
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        Self { message: None, ..*self }
    }

    fn configure(system: &mut ConstraintSystem<Fp>) -> Config {
        let config = Config {
            x: system.advice_column(),
            byte: system.advice_column(),
            constant: system.fixed_column(),
            round: system.selector(),
            bytes: system.lookup_table_column(),
            ends: system.instance_column(),
        };
        system.enable_equality(config.x);
        system.enable_equality(config.ends);
        system.create_gate("a round", |cells| {
            let round = cells.query_selector(config.round);
            let [x, next] = [Rotation::cur(), Rotation::next()].map(|row| cells.query_advice(config.x, row));
            let byte = cells.query_advice(config.byte, Rotation::cur());
            let t = x + cells.query_fixed(config.constant) + byte;
            [round * (t.clone() * t.clone() * t - next)]
        });
        system.lookup(|cells| vec![(cells.query_advice(config.byte, Rotation::cur()), config.bytes)]);
        config
    }

    fn synthesize(&self, config: Config, mut layouter: impl Layouter<Fp>) -> Result<(), Error> {
        layouter.assign_table(
            || "bytes",
            |mut table| {
                (0..256_usize).try_for_each(|byte| {
                    table.assign_cell(|| "", config.bytes, byte, || Value::known(Fp::from(byte as u64)))
                })
            },
        )?;
        let values = self.message.as_deref().map(chain);
        let value = |known: Option<Fp>| known.map_or(Value::unknown(), Value::known);
        let x = |row: usize| value(values.as_ref().map(|values| values[row]));
        let ends = layouter.assign_region(
            || "rounds",
            |mut region| {
                let first = region.assign_advice(|| "x", config.x, 0, || x(0))?.cell();
                let mut last = first;
                for round in 0..(1 << self.k) - LEFT {
                    let byte = self.message.as_ref().map(|message| Fp::from(u64::from(message[round])));
                    config.round.enable(&mut region, round)?;
                    region.assign_fixed(|| "c", config.constant, round, || Value::known(constant(round)))?;
                    region.assign_advice(|| "m", config.byte, round, || value(byte))?;
                    last = region.assign_advice(|| "x", config.x, round + 1, || x(round + 1))?.cell();
                }
                Ok([first, last])
            },
        )?;
        (0..).zip(ends).try_for_each(|(row, cell)| layouter.constrain_instance(cell, config.ends, row))
    }
}
