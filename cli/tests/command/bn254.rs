//! `zkaccel msm` and `zkaccel fft`: answers, and matrices of limbs that are none.

use serde_json::json;

use crate::support::{Bench, npy, words};

/// 2^256 modulo r and modulo q: 1 in Montgomery form.
const ONE_R: [u64; 4] = [0xac96341c4ffffffb, 0x36fc76959f60cd29, 0x666ea36f7879462e, 0x0e0a77c19a07df2f];
const ONE_Q: [u64; 4] = [0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f];
/// 2 in Montgomery form modulo q.
const TWO_Q: [u64; 4] = [0xa6ba871b8b1e1b3a, 0x14f1d651eb8e167b, 0xccdd46def0f28c58, 0x1c14ef83340fbe5e];
const R: [u64; 4] = [0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029];
const Q: [u64; 4] = [0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029];

pub(crate) fn small(value: u64) -> [u64; 4] {
    [value, 0, 0, 0]
}

pub(crate) fn rows(rows: &[&[[u64; 4]]]) -> Vec<u8> {
    let limbs: Vec<u64> = rows.iter().flat_map(|row| row.as_flattened()).copied().collect();
    npy(&format!("({}, {})", rows.len(), 4 * rows[0].len()), &limbs)
}

/// Scalars 3, 4 and 0 and bases G, G and the identity, as integers.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)], &[small(0)]]));
    let generator: &[_] = &[small(1), small(2)];
    bench.write("b.npy", &rows(&[generator, generator, &[small(0), small(0)]]));
    bench
}

#[test]
fn seven_times_the_generator() {
    let bench = bench();
    // EIP-196's generator (1, 2) times 7.
    let x = "17072b2ed3bb8d759a5325f477629386cb6fc6ecb801bd76983a6b86abffe078";
    let y = "168ada6cd130dd52017bb54bfa19377aadfe3bf05d18f41b77809f7f60d4af9e";
    for device in ["cpu", "reference"] {
        let arguments = format!("msm --scalars s.npy --bases b.npy --canonical --device {device}");
        let answer = bench.json(&arguments);
        assert_eq!((&answer["x"], &answer["y"]), (&json!(x), &json!(y)), "{device}");
        assert_eq!((&answer["identity"], &answer["pairs"]), (&json!(false), &json!(3)));
        let text = bench.succeed(&arguments);
        assert!(text.starts_with(&format!("x           {x}\ny           {y}\n")), "{text}");
    }
    // The same in Montgomery form: 1 + 1 + ... .
    bench.write("s.npy", &rows(&[&[ONE_R][..]; 7]));
    bench.write("b.npy", &rows(&[&[ONE_Q, TWO_Q][..]; 7]));
    assert_eq!(bench.json("msm --scalars s.npy --bases b.npy")["x"], json!(x));
}

/// EIP-197's generator of G2: x and y, of each c0 before c1.
const G2: [[u64; 4]; 4] = [
    [0x46debd5cd992f6ed, 0x674322d4f75edadd, 0x426a00665e5c4479, 0x1800deef121f1e76],
    [0x97e485b7aef312c2, 0xf1aa493335a9e712, 0x7260bfb731fb5d25, 0x198e9393920d483a],
    [0x4ce6cc0166fa7daa, 0xe3d1e7690c43d37b, 0x4aab71808dcb408f, 0x12c85ea5db8c6deb],
    [0x55acdadcd122975b, 0xbc4b313370b38ef3, 0xec9e99ad690c3395, 0x090689d0585ff075],
];
/// The y of a point of the same curve with x = 1, which is not in the group.
const OUTSIDE: [[u64; 4]; 2] = [
    [0xab4b871c0531f1bb, 0xaadd70e52c9830e9, 0xf8e2728fdb825a51, 0x2869111d5381f072],
    [0x1b7f8da82de048a4, 0x998c7f790cb4d751, 0x36846e70a1934187, 0x0d1271953ed9ea08],
];

#[test]
fn seven_times_the_generator_of_g2() {
    let bench = bench();
    bench.write("b.npy", &rows(&[&G2, &G2, &[[0; 4]; 4]]));
    // By the textbook's formulas, in another program.
    let x = [
        "224bdc5d4327fcf8ed702e01de1c2f1657a253ba75e32a89c390142aaa28b308",
        "2903ba015a9abde26a5d081e84551e63be0fd4516e46ee6d593edeba46362455",
    ];
    let y = [
        "1d92fff52a265017eeccb372e37d7a7bd431800eca28dfd82e21e8054114233f",
        "03c8b7cda6b2dedb7aeeaf5fda464ad17036bea1c4e6f7adbaed1ebe0335e0d8",
    ];
    for device in ["cpu", "reference"] {
        for curve in ["--group g2", "--curve bn254-g2"] {
            let arguments =
                format!("msm {curve} --scalars s.npy --bases b.npy --canonical --device {device}");
            let answer = bench.json(&arguments);
            assert_eq!((&answer["x"], &answer["y"]), (&json!(x), &json!(y)), "{device}");
            let text = bench.succeed(&arguments);
            assert!(text.starts_with(&format!("x           {}  {}\ny           ", x[0], x[1])), "{text}");
        }
    }
    let files = "msm --scalars s.npy --bases b.npy --canonical";
    bench.fail(files, "found 16 columns, expected 8, the limbs of a point");
    let [y0, y1] = OUTSIDE;
    bench.write("b.npy", &rows(&[&G2, &[small(1), small(0), y0, y1], &G2]));
    bench.fail(
        &format!("{files} --group g2"),
        "point 1 is on the curve but not in the group of the scalars' order",
    );
    bench.write("b.npy", &rows(&[&G2, &G2, &[small(1), small(0), y0, small(0)]]));
    bench.fail(&format!("{files} --group g2"), "point 2 is not on the curve");
    bench.write("b.npy", &rows(&[&G2, &G2, &[small(1), Q, y0, y1]]));
    bench.fail(&format!("{files} --group g2"), "x of point 2");
    let refused = bench.run(&format!("{files} --group g3"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("[possible values: g1, g2]"));
    let refused = bench.run(&format!("{files} --curve bn254-g3"));
    assert_eq!(refused.status.code(), Some(2));
    let names = "[possible values: bn254-g1, grumpkin, bn254-g2, pallas, vesta, bls12-381-g1, bls12-381-g2, bls12-377-g1, bls12-377-g2, bw6-761-g1]";
    assert!(String::from_utf8_lossy(&refused.stderr).contains(names));
    bench.fail(&format!("{files} --curve pallas --group g2"), "pallas has no such group");
}

#[test]
fn the_identity_has_a_name() {
    let bench = Bench::new();
    bench.write("s.npy", &rows(&[&[ONE_R]]));
    bench.write("b.npy", &rows(&[&[small(0), small(0)]]));
    let answer = bench.json("msm --scalars s.npy --bases b.npy");
    assert_eq!(answer["identity"], json!(true));
    assert!(answer.get("x").is_none() && answer.get("y").is_none());
    assert!(bench.succeed("msm --scalars s.npy --bases b.npy").starts_with("identity\n"));
}

#[test]
fn sums_that_are_refused() {
    let bench = bench();
    let files = "msm --scalars s.npy --bases b.npy";
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)]]));
    bench.fail(files, "s.npy: found 2 scalars, expected 3, as many as there are bases in b.npy");
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)], &[R]]));
    for form in ["", " --canonical"] {
        bench
            .fail(&format!("{files}{form}"), "s.npy: scalar 2 is 0x30644e72e131a029b85045b68181585d2833e848");
    }
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)], &[small(5)]]));
    bench.write("b.npy", &rows(&[&[small(1), small(2)], &[small(1), Q], &[small(1), small(2)]]));
    for form in ["", " --canonical"] {
        bench.fail(
            &format!("{files}{form}"),
            "b.npy: y of point 1 is 0x30644e72e131a029b85045b68181585d97816a9",
        );
    }
    bench.write("b.npy", &rows(&[&[small(1), small(2)], &[small(0), small(0)], &[small(1), small(3)]]));
    bench.fail(&format!("{files} --canonical"), "b.npy: point 2 is not on the curve");
    // Without the form, integers are taken for Montgomery form, in which these are no points.
    bench.fail(files, "b.npy: point 0 is not on the curve");
    bench.fail("msm --scalars s.npy --bases b.npy --memory 64", "needs 96 bytes of host memory");
    bench.fail(
        "msm --scalars b.npy --bases b.npy",
        "b.npy: found 8 columns, expected 4, the limbs of a scalar",
    );
    bench.fail(
        "msm --scalars s.npy --bases s.npy",
        "s.npy: found 4 columns, expected 8, the limbs of a point",
    );
    bench.fail("msm --scalars none.npy --bases b.npy", "cannot open none.npy");
}

/// Every file that the reader refuses for other commands is refused here, with the same words, and nothing is written.
#[test]
fn files_that_are_no_matrices_of_limbs() {
    let bench = Bench::new();
    let whole = rows(&[&[small(1)], &[small(2)]]);
    let points = rows(&[&[small(1), small(2)], &[small(1), small(2)]]);
    for (bytes, expected) in [
        (whole[..5].to_vec(), "found a file of 5 bytes"),
        (whole[..whole.len() - 1].to_vec(), "calls for 64 bytes of data, found 63"),
        ([&whole[..], &[0]].concat(), "calls for 64 bytes of data, found 65"),
        (npy("(0, 4)", &[]), "expected at least one row and one column"),
        (npy("(8,)", &[0; 8]), "expected two dimensions"),
        (npy("(2, 2, 2)", &[0; 8]), "expected two dimensions"),
        (npy("(4611686018427387904, 4)", &[]), "has more entries than any file"),
        (npy("(1, 8)", &[0; 8]), "found 8 columns, expected 4"),
        (npy("(8, 1)", &[0; 8]), "found 1 columns, expected 4"),
        (b"PK\x03\x04 is an archive".to_vec(), "expected a .npy file"),
    ] {
        bench.write("in.npy", &bytes);
        bench.write("b.npy", &points);
        bench.fail("fft in.npy out.npy", expected);
        bench.fail("msm --scalars in.npy --bases b.npy", expected);
        assert_eq!(bench.list("."), ["b.npy", "in.npy"]);
    }
}

/// Any one byte of a small file changed: an answer or one line of error, never a panic, and no output with an error.
#[test]
fn any_byte_changed() {
    let whole = rows(&[&[small(1)], &[small(2)]]);
    let bench = Bench::new();
    for at in (0..whole.len()).step_by(3) {
        for bit in [1, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            bench.write("in.npy", &bytes);
            let output = bench.run("fft in.npy out.npy --canonical");
            let stderr = String::from_utf8(output.stderr).unwrap();
            match output.status.code() {
                Some(0) => {
                    assert!(stderr.is_empty(), "{stderr}");
                    std::fs::remove_file(bench.path("out.npy")).unwrap();
                }
                Some(2) => {
                    assert!(stderr.starts_with("error: ") && stderr.lines().count() == 1, "{stderr}");
                    assert_eq!(bench.list("."), ["in.npy"]);
                }
                other => panic!("byte {at}: {other:?}, {stderr}"),
            }
        }
    }
}

#[test]
fn transforms() {
    let bench = Bench::new();
    // 1 + 2 x at 1 and at -1.
    bench.write("in.npy", &rows(&[&[small(1)], &[small(2)]]));
    let answer = bench.json("fft in.npy out.npy --canonical");
    assert_eq!((&answer["scalars"], &answer["transform"]), (&json!(2), &json!("forward")));
    let minus_one = [R[0] - 1, R[1], R[2], R[3]];
    let values = [small(3), minus_one].concat();
    assert_eq!(words(&bench.read("out.npy")), (vec![2, 4], values));
    bench.succeed("fft out.npy back.npy --inverse --canonical");
    assert_eq!(words(&bench.read("back.npy")), words(&bench.read("in.npy")));

    // Cosets, roots and forms; there and back gives the file again.
    let matrix: Vec<[u64; 4]> = (0..64).map(|i| [i * i, 7 * i, 1, i]).collect();
    let matrix: Vec<&[[u64; 4]]> = matrix.iter().map(std::slice::from_ref).collect();
    bench.write("in.npy", &rows(&matrix));
    for options in ["", "--coset 7", "--coset zeta", "--coset 0x1ff --root arkworks", "--canonical --coset 5"]
    {
        bench.succeed(&format!("fft in.npy out.npy {options}"));
        assert_ne!(words(&bench.read("out.npy")), words(&bench.read("in.npy")));
        bench.succeed(&format!("fft out.npy back.npy --inverse {options}"));
        assert_eq!(words(&bench.read("back.npy")), words(&bench.read("in.npy")), "{options}");
        bench.succeed(&format!("fft in.npy slow.npy --device reference {options}"));
        assert_eq!(bench.read("slow.npy"), bench.read("out.npy"), "{options}");
    }
    // The form changes nothing about a linear map but its meaning: Montgomery form transforms like integers.
    bench.succeed("fft in.npy out.npy");
    bench.succeed("fft in.npy same.npy --canonical");
    assert_eq!(bench.read("out.npy"), bench.read("same.npy"));
}

#[test]
fn transforms_that_are_refused() {
    let bench = Bench::new();
    bench.write("in.npy", &rows(&[&[small(1)], &[small(2)], &[small(3)]]));
    bench.fail("fft in.npy out.npy", "rows of the matrix: found 3, expected a power of two");
    bench.write("in.npy", &rows(&[&[small(1)], &[R]]));
    for form in ["", " --canonical"] {
        bench.fail(&format!("fft in.npy out.npy{form}"), "in.npy: scalar 1 is 0x30644e72");
    }
    bench.write("in.npy", &rows(&[&[small(1)], &[small(2)]]));
    bench.fail("fft in.npy out.npy --coset 0", "the coset shift is 0");
    bench.fail("fft in.npy out.npy --coset x", "\"x\" is no scalar");
    bench.fail("fft in.npy out.npy --root 5", "is no root of unity of order exactly 2^1");
    bench.fail("fft in.npy out.npy --root plonky3", "\"plonky3\" is no scalar");
    bench.fail("fft in.npy out.npy --memory 63", "needs 64 bytes of host memory");
    assert_eq!(bench.list("."), ["in.npy"]);
}
