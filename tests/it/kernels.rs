//! The PTX that the crate carries was made from the kernels that it carries.

use zkaccel::kernels::{DeviceHash, programs};

#[test]
fn embedded_ptx_is_not_stale() {
    let recorded = include_str!("../../kernels/ptx/made-from.txt");
    let current: String =
        programs().map(|program| format!("{} {}\n", program.name, program.ptx_key())).collect();
    assert!(
        recorded == current,
        "kernels or constants have changed since kernels/ptx was made; run tools/make-ptx.sh"
    );
}

#[test]
fn constants_come_from_rust() {
    use zkaccel::hash::rescue_constants::{ARK1, ARK2, MDS_2021, ROUNDS};
    let source = <zkaccel::hash::Rp64_256V2021 as DeviceHash>::PROGRAM.source();
    // The matrix is scaled by 2^64, for the reduction of its sums.
    let scaled = (u128::from(MDS_2021[11][0]) << 64) % u128::from(zkaccel::field::MODULUS);
    for word in [ARK1[0][0], ARK1[ROUNDS - 1][11], ARK2[3][5], scaled as u64] {
        assert!(source.contains(&format!("{word:#x}UL")), "{word} is not in the source");
    }
}
