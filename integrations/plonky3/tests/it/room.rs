//! Extensions that the device has no room for, through the whole scheme. In a process of its own, for the engine is the process's.

use p3_blake3::Blake3;
use p3_commit::{Mmcs, Pcs};
use p3_dft::Radix2DitParallel;
use p3_field::PrimeCharacteristicRing;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_fri::TwoAdicFriPcs;
use p3_matrix::dense::RowMajorMatrix;
use zkaccel::Engine;
use zkaccel::work::items;

use crate::child::{elsewhere, is_child};
use crate::config::{ByteChallenger, CAP_HEIGHT, Challenge, Val, parameters, stock_mmcs};

#[test]
fn extensions_larger_than_the_device_may_hold() {
    elsewhere("room::child_with_little_room", &[]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_with_little_room() {
    if !is_child() {
        return;
    }
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into()).parse().unwrap();
    let engine = Engine::builder().device(device).device_memory(256 << 10).build().unwrap();
    Engine::make_global(engine.clone()).unwrap();
    let mmcs = zkaccel_plonky3::Mmcs::new(Blake3, CAP_HEIGHT);
    let ours = zkaccel_plonky3::FriPcs::new(mmcs.clone(), parameters(mmcs));
    let mmcs = stock_mmcs(Blake3, CAP_HEIGHT);
    let stock = TwoAdicFriPcs::new(Radix2DitParallel::default(), mmcs.clone(), parameters(mmcs));
    // With the extension by two 24 KiB, 480 KiB and, for the last, more than can come to the device at once.
    for (log_rows, columns) in [(7, 8), (10, 20), (12, 30)] {
        let values = (0..columns << log_rows).map(Val::from_usize).collect();
        let matrix = RowMajorMatrix::new(values, columns);
        let domain = TwoAdicMultiplicativeCoset::new(Val::ONE, log_rows).unwrap();
        let inputs = [(domain, matrix)];
        let before = items(&engine.work(), "lde");
        let (commitment, data) = Pcs::<Challenge, ByteChallenger>::commit(&ours, inputs.clone()).unwrap();
        assert!(items(&engine.work(), "lde") > before, "the engine extends");
        let (expected, stock_data) = Pcs::<Challenge, ByteChallenger>::commit(&stock, inputs).unwrap();
        assert_eq!(commitment, expected, "2^{log_rows} x {columns}");
        let mmcs = (zkaccel_plonky3::Mmcs::new(Blake3, 0), stock_mmcs(Blake3, 0));
        assert_eq!(mmcs.0.get_matrices(&data), mmcs.1.get_matrices(&stock_data), "2^{log_rows} x {columns}");
    }
}
