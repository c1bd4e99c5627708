//! The commitment to a trace.

use winter_air::{PartitionOptions, TraceInfo};
use winter_crypto::{MerkleTree as WinterTree, hashers::Rp64_256 as WinterRescue};
use winter_math::fields::f64::BaseElement;
use winter_prover::{DefaultTraceLde, StarkDomain, TraceLde, matrix::ColMatrix};
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{ElementDigest, Rp64_256};
use zkaccel::matrix::Matrix;

use super::{from_digest, to_winter};
use crate::inputs::{cpu, random};

/// The root that winterfell's prover commits to.
fn theirs(trace: &Matrix<Goldilocks>, blowup: usize) -> ElementDigest {
    let shape = trace.shape();
    let columns =
        (0..shape.columns).map(|j| (0..shape.rows).map(|i| to_winter(trace.get(i, j))).collect()).collect();
    let trace_info = TraceInfo::new(shape.columns, shape.rows);
    let domain = StarkDomain::from_twiddles(
        winter_math::fft::get_twiddles(shape.rows),
        blowup,
        <BaseElement as winter_math::StarkField>::GENERATOR,
    );
    type Lde = DefaultTraceLde<BaseElement, WinterRescue, WinterTree<WinterRescue>>;
    let (lde, _) = Lde::new(&trace_info, &ColMatrix::new(columns), &domain, PartitionOptions::new(1, 1));
    from_digest(lde.get_main_trace_commitment())
}

#[test]
fn roots() {
    let engine = cpu();
    for (rows, columns, blowup) in [(8, 1, 2), (16, 5, 8), (64, 8, 4), (256, 20, 16), (1024, 3, 8)] {
        let trace = Matrix::from_rows(random(columns as u64, rows * columns), rows, columns).unwrap();
        let spec = TraceSpec { blowup: blowup as u64, ..TraceSpec::default() };
        let commitment = engine.commit::<Rp64_256>(&spec, &trace).unwrap();
        assert_eq!(commitment.root(), theirs(&trace, blowup), "{rows} x {columns}, blow-up {blowup}");
    }
}
