//! Files of the cache on disk, and the cost curves in them: what does not match its digest is not believed, and what a curve says is a time.

use std::time::Duration;

use zkaccel::fuzzing::{cost_curve, seal_cache, unseal_cache};

use crate::draw::Draw;

const NAME: &str = "0123abcd.curve";

/// Amounts of work, rising.
const WORK: [f64; 8] = [0.0, 1.0, 31.0, 1e3, 1e6, 1e9, 1e12, 1e15];

fn curve(points: &[[f64; 2]]) -> Vec<u8> {
    let numbers = points.iter().flatten().flat_map(|number| number.to_le_bytes());
    (points.len() as u64).to_le_bytes().into_iter().chain(numbers).collect()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let curve = curve(&[[160.0, 300.0], [2048.0, 1500.0], [22528.0, 9000.0]]);
    let sealed = seal_cache(NAME, &curve);
    vec![[vec![0], curve.clone()].concat(), [vec![1], sealed].concat(), [vec![2], curve].concat()]
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(3) {
        0 => check_curve(draw.rest()),
        1 => {
            let bytes = draw.rest();
            if let Some(contents) = unseal_cache(NAME, bytes) {
                assert_eq!(seal_cache(NAME, contents), bytes);
                check_curve(contents);
            }
        }
        _ => {
            let contents = draw.bytes(200);
            let sealed = seal_cache(NAME, contents);
            let found = unseal_cache(NAME, &sealed);
            assert_eq!(found, Some(contents).filter(|contents| !contents.is_empty()));
            assert_eq!(unseal_cache("other.curve", &sealed), None);
            let mut changed = sealed.clone();
            draw.mutate(&mut changed);
            assert_eq!(unseal_cache(NAME, &changed).is_some(), changed == sealed && !contents.is_empty());
        }
    }
}

fn check_curve(bytes: &[u8]) {
    // The warnings of what is refused would be kept.
    drop(zkaccel::cache::warnings());
    let Some((encoded, times)) = cost_curve(bytes, &WORK) else { return };
    assert_eq!(encoded, bytes);
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.iter().all(|ns| Duration::try_from_secs_f64(ns / 1e9).is_ok()), "{times:?}");
}
