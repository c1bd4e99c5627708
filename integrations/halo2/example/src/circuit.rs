//! The knowledge of a message of bytes with a given hash. The hash is a chain in the manner of MiMC (Albrecht, Grassi, Rechberger, Roy,
//! Tiessen, ASIACRYPT 2016): a byte m of the message takes x to (x + c_i + m)^5.
//!
//! A row holds x, m, the square t^2 and the fourth power t^4 of t = x + c_i + m, and the next row's x is t^4 t: three gates of degree
//! three. That m is a byte is a lookup in a table of 256 rows. Start and end of the chain are public.

use halo2_axiom::circuit::{Layouter, SimpleFloorPlanner, Value};
use halo2_axiom::halo2curves::bn256::Fr;
use halo2_axiom::plonk::{
    Advice, Circuit, Column, ConstraintSystem, Error, Fixed, Instance, Selector, TableColumn,
};
use halo2_axiom::poly::Rotation;
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
    square: Column<Advice>,
    fourth: Column<Advice>,
    constant: Column<Fixed>,
    round: Selector,
    bytes: TableColumn,
    ends: Column<Instance>,
}

/// Where chains start.
pub fn start() -> Fr {
    Fr::from(1 << 20)
}

fn constant(round: usize) -> Fr {
    Fr::from(round as u64 * round as u64 + 7)
}

/// Bytes of the message of a chain of 2^k rows.
pub fn length(k: u32) -> usize {
    (1 << k) - LEFT
}

/// The message of 2^k rows that a number stands for, k at least 9. It has every byte, so that no row of the lookup's table is left over but those that fill it up, whose order is of no matter.
#[allow(dead_code, reason = "not every program has such messages")]
pub fn message(k: u32, number: u64) -> Vec<u8> {
    let mut message = vec![0; length(k)];
    StdRng::seed_from_u64(number).fill_bytes(&mut message);
    message.iter_mut().zip(0..=u8::MAX).for_each(|(byte, value)| *byte = value);
    message
}

/// The hash of a message.
pub fn end(message: &[u8]) -> Fr {
    message.iter().enumerate().fold(start(), |x, (round, &byte)| {
        let t = x + constant(round) + Fr::from(u64::from(byte));
        t.square().square() * t
    })
}

impl Circuit<Fr> for Chain {
    type Config = Config;
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        Self { message: None, ..*self }
    }

    fn configure(system: &mut ConstraintSystem<Fr>) -> Config {
        let config = Config {
            x: system.advice_column(),
            byte: system.advice_column(),
            square: system.advice_column(),
            fourth: system.advice_column(),
            constant: system.fixed_column(),
            round: system.selector(),
            bytes: system.lookup_table_column(),
            ends: system.instance_column(),
        };
        system.enable_equality(config.x);
        system.enable_equality(config.ends);
        system.create_gate("a round", |cells| {
            let round = cells.query_selector(config.round);
            let [byte, square, fourth] = [config.byte, config.square, config.fourth]
                .map(|column| cells.query_advice(column, Rotation::cur()));
            let [x, next] = [Rotation::cur(), Rotation::next()].map(|row| cells.query_advice(config.x, row));
            let t = x + cells.query_fixed(config.constant, Rotation::cur()) + byte;
            [
                round.clone() * (t.clone() * t.clone() - square.clone()),
                round.clone() * (square.clone() * square - fourth.clone()),
                round * (fourth * t - next),
            ]
        });
        system
            .lookup("a byte", |cells| vec![(cells.query_advice(config.byte, Rotation::cur()), config.bytes)]);
        config
    }

    fn synthesize(&self, config: Config, mut layouter: impl Layouter<Fr>) -> Result<(), Error> {
        layouter.assign_table(
            || "bytes",
            |mut table| {
                (0..256_usize).try_for_each(|byte| {
                    table.assign_cell(|| "", config.bytes, byte, || Value::known(Fr::from(byte as u64)))
                })
            },
        )?;
        let value = |known: Option<Fr>| known.map_or(Value::unknown(), Value::known);
        let (first, last) = layouter.assign_region(
            || "rounds",
            |mut region| {
                let mut x = self.message.as_ref().map(|_| start());
                let first = region.assign_advice(config.x, 0, value(x)).cell();
                let mut last = first;
                for round in 0..length(self.k) {
                    let byte = self.message.as_ref().map(|message| Fr::from(u64::from(message[round])));
                    let t = x.zip(byte).map(|(x, byte)| x + constant(round) + byte);
                    let square = t.map(|t| t.square());
                    let fourth = square.map(|square| square.square());
                    config.round.enable(&mut region, round)?;
                    region.assign_fixed(config.constant, round, constant(round));
                    region.assign_advice(config.byte, round, value(byte));
                    region.assign_advice(config.square, round, value(square));
                    region.assign_advice(config.fourth, round, value(fourth));
                    x = t.zip(fourth).map(|(t, fourth)| t * fourth);
                    last = region.assign_advice(config.x, round + 1, value(x)).cell();
                }
                Ok((first, last))
            },
        )?;
        layouter.constrain_instance(first, config.ends, 0);
        layouter.constrain_instance(last, config.ends, 1);
        Ok(())
    }
}
