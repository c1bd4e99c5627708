//! Parsers of files that only this crate reads, and engines that divide all work, for the targets in `fuzz/`, which are compiled with `--cfg fuzzing`.

use std::path::Path;

use crate::builder::EngineBuilder;
use crate::cache;
use crate::dispatch::Curve;

/// The contents of a cache file of this name, if the bytes are those of one.
pub fn unseal_cache<'a>(name: &str, bytes: &'a [u8]) -> Option<&'a [u8]> {
    cache::unseal(Path::new(name), bytes)
}

/// The bytes of a cache file of this name.
pub fn seal_cache(name: &str, contents: &[u8]) -> Vec<u8> {
    cache::seal(Path::new(name), contents)
}

/// What a kept cost curve says: its bytes again, and the nanoseconds that it expects of amounts of work.
pub fn cost_curve(bytes: &[u8], work: &[f64]) -> Option<(Vec<u8>, Vec<f64>)> {
    let curve = Curve::decode(bytes)?;
    Some((curve.encode(), work.iter().map(|&work| curve.at(work)).collect()))
}

/// An engine of several devices that divides every operation in proportion to weights, however small it is.
pub fn dividing(builder: EngineBuilder, weights: Vec<usize>) -> EngineBuilder {
    builder.weights(weights)
}
