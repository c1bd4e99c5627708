//! Commitment to traces: known answers and winterfell's own commitment.

use winter_air::{PartitionOptions, TraceInfo};
use winter_crypto::{MerkleTree as WinterTree, hashers::Rp64_256 as WinterRescue};
use winter_math::fields::f64::BaseElement;
use winter_prover::{DefaultTraceLde, StarkDomain, TraceLde, matrix::ColMatrix};
use zkaccel::Engine;
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{ElementDigest, Rp64_256};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::Convention;

fn counting(rows: usize, columns: usize) -> Matrix<Goldilocks> {
    let entries = (0..(rows * columns) as u64).map(Goldilocks::new).collect();
    Matrix::from_rows(entries, rows, columns).unwrap()
}

#[test]
fn known_answers() {
    let engine = Engine::new().unwrap();
    for (convention, root) in [
        (Convention::Winterfell, "762feef5db869ab155942e70f42b974e32a629a7fef821f058bd66523c6cb727"),
        (Convention::Plonky3, "d3ebb55201cb5799c48aa494c164e6102ecded56ad292545bc568c0c2a17b67e"),
    ] {
        let spec = TraceSpec { convention, ..TraceSpec::default() };
        let commitment = engine.commit::<Rp64_256>(&spec, counting(16, 5)).unwrap();
        assert_eq!(commitment.root().to_string(), root);
    }
}

/// The root that winterfell's prover commits to for the same trace.
fn winterfell_root(trace: &Matrix<Goldilocks>, blowup: usize) -> ElementDigest {
    let shape = trace.shape();
    let columns = (0..shape.columns)
        .map(|j| (0..shape.rows).map(|i| BaseElement::new(trace.get(i, j).as_u64())).collect())
        .collect();
    let trace_info = TraceInfo::new(shape.columns, shape.rows);
    let domain = StarkDomain::from_twiddles(
        winter_math::fft::get_twiddles(shape.rows),
        blowup,
        <BaseElement as winter_math::StarkField>::GENERATOR,
    );
    type Lde = DefaultTraceLde<BaseElement, WinterRescue, WinterTree<WinterRescue>>;
    let (lde, _) = Lde::new(&trace_info, &ColMatrix::new(columns), &domain, PartitionOptions::new(1, 1));
    let root: [BaseElement; 4] = lde.get_main_trace_commitment().as_elements().try_into().unwrap();
    ElementDigest(root.map(|word| Goldilocks::new(word.as_int())))
}

#[test]
fn equals_winterfell() {
    let engine = Engine::new().unwrap();
    for (rows, columns, blowup) in [(8, 1, 2), (16, 5, 8), (64, 8, 4), (256, 20, 16), (1024, 3, 8)] {
        let mut entry = Goldilocks::new(columns as u64);
        let entries = std::iter::repeat_with(|| {
            entry = entry * entry + Goldilocks::new(3);
            entry
        });
        let trace = Matrix::from_rows(entries.take(rows * columns).collect(), rows, columns).unwrap();
        let spec = TraceSpec { blowup: blowup as u64, ..TraceSpec::default() };
        let commitment = engine.commit::<Rp64_256>(&spec, &trace).unwrap();
        assert_eq!(
            commitment.root(),
            winterfell_root(&trace, blowup),
            "{rows} x {columns}, blow-up {blowup}"
        );
    }
}
