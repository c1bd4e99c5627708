//! Whole proofs beside the stock prover and verifier.

#[path = "../../../example/src/circuit.rs"]
mod circuit;
mod faults;
mod page;
mod random;
mod setup;

use circuit::Chain;
use ff::Field;
use halo2_axiom::circuit::{Layouter, SimpleFloorPlanner};
use halo2_axiom::halo2curves::bn256::Fr;
use halo2_axiom::plonk::{Circuit, ConstraintSystem, Error};
use proptest::prelude::*;
use proptest::test_runner::Config as Cases;
use random::{Random, SMALL, Shape, Wrong, use_shape};
use setup::{Gwc, Instances, Scheme, Setup, Shplonk, engine};
use zkaccel::Engine;
use zkaccel_halo2::{ProveError, Prover};

/// A circuit without a column.
#[derive(Clone, Copy)]
struct Nothing;

impl Circuit<Fr> for Nothing {
    type Config = ();
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        *self
    }

    fn configure(_: &mut ConstraintSystem<Fr>) {}

    fn synthesize(&self, (): (), _: impl Layouter<Fr>) -> Result<(), Error> {
        Ok(())
    }
}

/// Random circuits of a shape, with different witnesses, and their public values.
fn circuits(shape: Shape, count: u64) -> (Vec<Random>, Instances) {
    use_shape(shape);
    let circuits: Vec<_> = (0..count).map(|_| Random::new(shape, None)).collect();
    let instances = circuits.iter().map(|circuit| vec![circuit.instances()]).collect();
    (circuits, instances)
}

/// A proof is accepted for its public values, and made again it is the same; its first commitments, before anything that the stock prover draws from elsewhere, are those of the stock prover.
fn check<S: Scheme>(prover: &Prover, shape: Shape, count: u64) -> Vec<u8> {
    let (circuits, instances) = circuits(shape, count);
    let setup = Setup::new(shape.k, &circuits[0]);
    let proof = setup.prove::<S, _>(prover, &circuits, &instances).unwrap();
    let stock = setup.stock::<S, _>(&circuits, &instances).unwrap();
    assert_eq!(proof.len(), stock.len());
    // Of several circuits the stock prover absorbs public values in an order that its verifier has not.
    let stock_order = count == 1 || !shape.instances;
    assert_eq!(setup.accepts::<S>(&instances, &stock), stock_order, "{shape:?}");
    if shape.lookups == 0 && stock_order {
        let system = setup.key.get_vk().cs();
        let (columns, set) = (system.permutation().get_columns().len(), system.degree() - 2);
        let points = count as usize * (system.num_advice_columns() + columns.div_ceil(set));
        assert_eq!(proof[..32 * points], stock[..32 * points], "{shape:?}");
    }
    assert!(setup.accepts::<S>(&instances, &proof), "{shape:?}");
    assert_eq!(setup.prove::<S, _>(prover, &circuits, &instances).unwrap(), proof, "the same again");
    if shape.instances {
        let mut others = instances;
        others[0][0][1] += Fr::ONE;
        assert!(!setup.accepts::<S>(&others, &proof), "{shape:?}");
    }
    proof
}

/// Circuits with one part more than the small one each.
fn shapes() -> Vec<Shape> {
    vec![
        SMALL,
        Shape { copies: 0, instances: false, ..SMALL },
        // Two sets and more of the permutation.
        Shape { inputs: 7, ..SMALL },
        Shape { factors: 4, inputs: 5, ..SMALL },
        Shape { lookups: 1, ..SMALL },
        Shape { lookups: 3, factors: 3, k: 6, ..SMALL },
        Shape { second_phase: true, lookups: 2, ..SMALL },
        // More pairs of a matrix and a rotation, and more gates, than one program has room for.
        Shape { gates: 40, inputs: 9, factors: 3, k: 6, ..SMALL },
    ]
}

#[test]
fn every_shape_by_both_schemes() {
    let prover = Prover::with_engine(&engine());
    for shape in shapes() {
        check::<Shplonk>(&prover, shape, 1);
        check::<Gwc>(&prover, shape, 1);
    }
}

#[test]
fn several_circuits() {
    let prover = Prover::with_engine(&engine());
    for shape in [SMALL, Shape { instances: false, ..SMALL }, Shape { lookups: 2, inputs: 6, ..SMALL }] {
        check::<Shplonk>(&prover, shape, 2);
        check::<Gwc>(&prover, shape, 5);
    }
}

#[test]
fn a_circuit_without_columns() {
    let setup = Setup::new(3, &Nothing);
    let prover = Prover::with_engine(&engine());
    let proof = setup.prove::<Shplonk, _>(&prover, &[Nothing, Nothing], &vec![vec![], vec![]]);
    let stock = setup.stock::<Shplonk, _>(&[Nothing, Nothing], &vec![vec![], vec![]]);
    // A commitment to the quotient, which is zero, is a point that transcripts do not take.
    assert_eq!(proof.is_ok(), stock.is_ok());
    if let Ok(proof) = proof {
        assert!(setup.accepts::<Shplonk>(&vec![vec![], vec![]], &proof));
    }
}

#[test]
fn the_hash_chain() {
    let (k, prover) = (9, Prover::with_engine(&engine()));
    let message: Vec<u8> = (0..circuit::length(k)).map(|i| (i * i) as u8).collect();
    let instances = vec![vec![vec![circuit::start(), circuit::end(&message)]]];
    let setup = Setup::new(k, &Chain { k, message: None });
    let chain = [Chain { k, message: Some(message) }];
    let proof = setup.prove::<Shplonk, _>(&prover, &chain, &instances).unwrap();
    assert!(setup.accepts::<Shplonk>(&instances, &proof));
    let wrong = vec![vec![vec![circuit::start(), Fr::ONE]]];
    assert!(!setup.accepts::<Shplonk>(&wrong, &proof));
    // The copy of the last value to the public ones does not hold.
    let refused = setup.prove::<Shplonk, _>(&prover, &chain, &wrong);
    assert!(matches!(refused, Err(ProveError::NotSatisfied)), "{refused:?}");
}

#[test]
fn wrong_witnesses_have_no_proof() {
    let prover = Prover::with_engine(&engine());
    let shape = Shape { lookups: 1, ..SMALL };
    use_shape(shape);
    for wrong in [Wrong::Gate, Wrong::Copy, Wrong::Lookup] {
        let circuit = Random::new(shape, Some(wrong));
        let instances = vec![vec![circuit.instances()]];
        let setup = Setup::new(shape.k, &circuit);
        let refused = setup.prove::<Shplonk, _>(&prover, &[circuit], &instances).unwrap_err();
        match wrong {
            Wrong::Lookup => {
                assert!(matches!(&refused, ProveError::NotInTable { lookup, row: 2 } if lookup == "squares"));
            }
            _ => assert!(matches!(refused, ProveError::NotSatisfied), "{wrong:?}: {refused}"),
        }
        // The same prover goes on.
        check::<Shplonk>(&prover, SMALL, 1);
        use_shape(shape);
    }
}

#[test]
fn errors_before_anything_is_written() {
    let prover = Prover::with_engine(&engine());
    let (circuits, instances) = circuits(SMALL, 2);
    let setup = Setup::new(SMALL.k, &circuits[0]);
    let message = |circuits: &[Random], instances: &Instances, setup: &Setup| {
        setup.prove::<Shplonk, _>(&prover, circuits, instances).unwrap_err().to_string()
    };
    let one = vec![instances[0].clone()];
    assert_eq!(message(&circuits, &one, &setup), "Provided instances do not match the circuit");
    assert_eq!(message(&circuits[..1], &vec![vec![]], &setup), "Provided instances do not match the circuit");
    let long = vec![vec![vec![Fr::ONE; 1 << SMALL.k]]];
    assert_eq!(message(&circuits[..1], &long, &setup), "Instance vectors are larger than the circuit");
    assert_eq!(message(&[], &vec![], &setup), "not supported: a proof of no circuit");
    let other = Setup { srs: Setup::new(6, &Nothing).srs, key: setup.key.clone() };
    let expected = "parameters for 2^6 rows, expected those of the key, for 2^5";
    assert_eq!(message(&circuits[..1], &one, &other), expected);
    let phases = Shape { second_phase: true, ..SMALL };
    let (circuits, instances) = self::circuits(phases, 2);
    let setup = Setup::new(phases.k, &circuits[0]);
    let expected = "not supported: 2 circuits with challenges, expected one: those of a phase are drawn when all circuits have come to its end";
    assert_eq!(message(&circuits, &instances, &setup), expected);
}

#[test]
fn proofs_at_once_and_keys_in_turn() {
    let prover = Prover::with_engine(&engine());
    let shapes = [SMALL, Shape { seed: 5, ..SMALL }, Shape { lookups: 1, seed: 6, ..SMALL }];
    let expected: Vec<_> = shapes.iter().map(|&shape| check::<Shplonk>(&prover, shape, 1)).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (prover, expected) = (&prover, &expected);
            scope.spawn(move || {
                for round in 0..4 {
                    let index = (thread + round) % shapes.len();
                    let (circuits, instances) = circuits(shapes[index], 1);
                    let setup = Setup::new(shapes[index].k, &circuits[0]);
                    let proof = setup.prove::<Shplonk, _>(prover, &circuits, &instances).unwrap();
                    assert_eq!(proof, expected[index]);
                }
            });
        }
    });
}

/// Where the device's budget has no room for a proof, or for its key, it is the same.
#[test]
fn budgets() {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    let shape = Shape { lookups: 1, k: 8, ..SMALL };
    let expected = check::<Shplonk>(&Prover::with_engine(&engine()), shape, 1);
    for budget in [1 << 19, 1 << 20, 3 << 20] {
        let engine = Engine::builder().device(device.parse().unwrap()).device_memory(budget);
        let prover = Prover::with_engine(&engine.build().unwrap());
        assert_eq!(check::<Shplonk>(&prover, shape, 1), expected, "{budget} bytes");
    }
}

proptest! {
    #![proptest_config(Cases { cases: 12, failure_persistence: None, ..Cases::default() })]

    #[test]
    fn random_circuits(
        seed in any::<u64>(),
        inputs in 2_usize..9,
        gates in 1_usize..8,
        factors in 1_usize..5,
        lookups in 0_usize..3,
        copies in 0_usize..20,
        instances in any::<bool>(),
        second_phase in any::<bool>(),
    ) {
        let shape = Shape {
            seed, k: 5, inputs, gates, factors, lookups: lookups.min(inputs), copies, instances, second_phase,
        };
        let prover = Prover::with_engine(&engine());
        if seed % 2 == 0 {
            check::<Shplonk>(&prover, shape, 1);
        } else {
            check::<Gwc>(&prover, shape, 1);
        }
    }
}
