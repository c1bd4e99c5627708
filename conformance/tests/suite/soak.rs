//! Random work for a while: what is compared, and that a wrong answer is found.

use zkaccel::device::DeviceChoice;
use zkaccel::hash::{Blake3, Hasher};
use zkaccel::{Engine, Error};
#[cfg(target_os = "linux")]
use zkaccel_conformance::soak::resident_memory;
use zkaccel_conformance::soak::{Kind, LOG_LARGEST, LOG_SMALL, PIECES, Piece, Soak, answer};

/// Every number is a piece of work that the reference does; all kinds and sizes occur.
#[test]
fn numbers_are_pieces_of_work() {
    let pieces: Vec<_> = (0..PIECES).map(Piece::of).collect();
    for &kind in Kind::ALL {
        for log in 0..=LOG_LARGEST {
            let is_there = pieces.iter().any(|piece| piece.kind == kind && piece.log == log);
            assert!(is_there, "{kind:?} of 2^{log}");
        }
    }
}

#[test]
fn a_wrong_answer_is_found() {
    let engine = Engine::builder().device(DeviceChoice::Cpu).threads(1).build().unwrap();
    let soak = Soak::new([engine.clone(), engine.clone(), engine.clone()]);
    let number = (0..PIECES).find(|&number| Piece::of(number).log == LOG_SMALL).unwrap();
    let found = answer(&engine, number);
    assert_eq!(soak.compare(number, 0, found.clone()), Ok(()));
    let wrong = Ok(Blake3::hash(b"another answer"));
    assert!(soak.compare(number, 0, wrong).unwrap_err().contains("the answer has the digest"));
    // Refusals are the business of the engine that is short of memory.
    let refused = || Err(Error::OverBudget { required: 2, budget: 1 });
    assert!(soak.compare(number, 0, refused()).is_err());
    assert_eq!(soak.compare(number, 2, refused()), Ok(()));
    let counts = soak.counts();
    assert_eq!((counts.with_reference, counts.refused), (2, 1));
    assert_eq!(soak.quiet(), Ok(()));
}

#[cfg(target_os = "linux")]
#[test]
fn the_system_tells_of_the_memory_of_this_process() {
    let held = vec![1_u8; 32 << 20];
    let resident = resident_memory().unwrap();
    assert!(held.iter().all(|&byte| byte == 1));
    assert!(resident > 32 << 20 && resident < 1 << 50, "{resident} bytes");
}
