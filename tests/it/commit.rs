//! Commitment to traces: known answers. `tests/oracles` compares it with winterfell's own commitment.

use zkaccel::Engine;
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Rp64_256;
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
