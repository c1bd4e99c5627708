//! Proofs that are submitted: all of them true, no more at once than the queue takes, and given up when dropped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zkaccel_groth16::{Bn254, Error, ProverOptions};

use crate::support::{prover, verifier, witness};

/// Waits for something, for at most a minute.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for this: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn no_more_than_the_queue_takes() {
    let (prover, witness) = (
        prover::<Bn254>("multiplier", ProverOptions { queue: 3, ..Default::default() }),
        witness::<Bn254>("multiplier"),
    );
    let verifier = verifier::<Bn254>("multiplier");
    let most = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let pending = prover.submit(witness.clone());
                    most.fetch_max(prover.pending(), Ordering::Relaxed);
                    let proof = pending.wait().unwrap();
                    verifier.verify(&proof, prover.public(&witness).unwrap()).unwrap();
                }
            });
        }
    });
    let most = most.load(Ordering::Relaxed);
    assert!((1..=3).contains(&most), "{most} at once");
    assert_eq!((prover.pending(), prover.account().proofs), (0, 40));
}

#[test]
fn a_full_queue_gives_the_witness_back() {
    let (prover, witness) = (
        prover::<Bn254>("membership", ProverOptions { queue: 2, ..Default::default() }),
        witness::<Bn254>("membership"),
    );
    let pending: Vec<_> = (0..2).map(|_| prover.submit(witness.clone())).collect();
    // They may be done by now, which makes room.
    let mut accepted = Vec::new();
    let given_back = loop {
        match prover.try_submit(witness.clone()) {
            Ok(more) => accepted.push(more),
            Err(given_back) => break given_back,
        }
    };
    assert_eq!(given_back, witness);
    for pending in pending.into_iter().chain(accepted) {
        pending.wait().unwrap();
    }
    let error = prover.submit(witness[1..].to_vec()).wait().unwrap_err();
    assert!(matches!(error, Error::OtherCircuit { .. }), "{error}");
    assert_eq!(prover.pending(), 0, "an error makes room too");
}

#[test]
fn what_is_dropped_is_given_up() {
    let (prover, witness) = (
        prover::<Bn254>("membership", ProverOptions { queue: 30, ..Default::default() }),
        witness::<Bn254>("membership"),
    );
    let dropped: Vec<_> = (0..29).map(|_| prover.submit(witness.clone())).collect();
    let wanted = prover.submit(witness.clone());
    drop(dropped);
    let proof = futures(wanted).unwrap();
    verifier::<Bn254>("membership").verify(&proof, prover.public(&witness).unwrap()).unwrap();
    wait_until("places of proofs that were given up", || prover.pending() == 0);
    // Most had not begun.
    let made = prover.account().proofs;
    assert!((1..20).contains(&made), "{made} proofs were made");
    prover.submit(witness).wait().unwrap();
}

/// The result of a future, on an executor that knows nothing of the engine.
fn futures<F: Future>(future: F) -> F::Output {
    struct Wake(std::thread::Thread);
    impl std::task::Wake for Wake {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Wake(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
