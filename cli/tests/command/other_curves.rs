//! `zkaccel msm` and `zkaccel fft` over the other fields and curves.

use serde_json::json;

use crate::bn254::{rows, small};
use crate::support::{Bench, npy, words};

/// Over the fields of Pasta, by their names and by those of the curves whose scalars they are.
#[test]
fn transforms_over_other_fields() {
    let bench = Bench::new();
    let (p, q) = (
        [0x992d_30ed_0000_0001, 0x2246_98fc_094c_f91b, 0, 1 << 62],
        [0x8c46_eb21_0000_0001, 0x2246_98fc_0994_a8dd, 0, 1 << 62],
    );
    // 1 + 2 x at 1 and at -1.
    bench.write("in.npy", &rows(&[&[small(1)], &[small(2)]]));
    for (names, modulus) in [(["pasta-fp", "vesta"], p), (["pasta-fq", "pallas"], q)] {
        for name in names {
            let options = format!("--canonical --field {name}");
            bench.succeed(&format!("fft in.npy out.npy {options}"));
            let minus_one = [modulus[0] - 1, modulus[1], modulus[2], modulus[3]];
            assert_eq!(words(&bench.read("out.npy")), (vec![2, 4], [small(3), minus_one].concat()), "{name}");
            bench.succeed(&format!("fft out.npy back.npy --inverse --root arkworks --coset 1 {options}"));
            assert_eq!(words(&bench.read("back.npy")), words(&bench.read("in.npy")), "{name}");
        }
    }
    bench.write("large.npy", &rows(&[&[small(1)], &[q]]));
    bench.fail("fft large.npy no.npy --field pasta-fq", "large.npy: scalar 1 is 0x40000000");
    bench.fail("fft large.npy no.npy --field pasta-fp", "large.npy: scalar 1 is 0x40000000");
    let refused = bench.run("fft in.npy no.npy --field bn254-fq");
    assert_eq!(refused.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(
        stderr.contains("[possible values: bn254-fr, pasta-fp, pasta-fq, bls12-381-fr, bls12-377-fr]"),
        "{stderr}"
    );
    assert_eq!(bench.list("."), ["back.npy", "in.npy", "large.npy", "out.npy"]);
}

/// Sums over Pallas and Vesta: (-1, 2) twice, as integers, and points that are on neither curve.
#[test]
fn sums_over_pasta() {
    let bench = Bench::new();
    let p = [0x992d_30ed_0000_0001, 0x2246_98fc_094c_f91b, 0, 1 << 62];
    let q = [0x8c46_eb21_0000_0001, 0x2246_98fc_0994_a8dd, 0, 1 << 62];
    let files = "msm --scalars s.npy --bases b.npy --canonical";
    for (curve, coordinates, scalars) in [("pallas", p, q), ("vesta", q, p)] {
        let minus_one = |modulus: [u64; 4]| [modulus[0] - 1, modulus[1], modulus[2], modulus[3]];
        let generator = [minus_one(coordinates), small(2)];
        bench.write("b.npy", &rows(&[&generator, &generator]));
        // 3 G - 2 G.
        let minus_two = [scalars[0] - 2, scalars[1], scalars[2], scalars[3]];
        bench.write("s.npy", &rows(&[&[small(3)], &[minus_two]]));
        let answer = bench.json(&format!("{files} --curve {curve}"));
        let hex = |limbs: [u64; 4]| limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect::<String>();
        assert_eq!((&answer["x"], &answer["y"]), (&json!(hex(generator[0])), &json!(hex(generator[1]))));
        bench.write("b.npy", &rows(&[&generator, &[small(1), small(1)]]));
        bench.fail(&format!("{files} --curve {curve}"), "point 1 is not on the curve");
        bench.write("b.npy", &rows(&[&[coordinates, small(2)], &generator]));
        bench.fail(&format!("{files} --curve {curve}"), "x of point 0");
        bench.write("b.npy", &rows(&[&generator, &generator]));
        bench.write("s.npy", &rows(&[&[small(3)], &[scalars]]));
        bench.fail(&format!("{files} --curve {curve}"), "s.npy: scalar 1 is 0x40000000");
    }
}

/// Sums over BLS12-381's G1, whose coordinates have six limbs: 3 G + 4 G, and points that are not in the group or not on the curve.
#[test]
fn sums_over_bls12_381() {
    let bench = Bench::new();
    let x = [
        0xfb3af00adb22c6bb,
        0x6c55e83ff97a1aef,
        0xa14e3a3f171bac58,
        0xc3688c4f9774b905,
        0x2695638c4fa9ac0f,
        0x17f1d3a73197d794,
    ];
    let y = [
        0x0caa232946c5e7e1,
        0xd03cc744a2888ae4,
        0x00db18cb2c04b3ed,
        0xfcf5e095d5d00af6,
        0xa09e30ed741d8ae4,
        0x08b3f481e3aaa0f1,
    ];
    let four = [4, 0, 0, 0, 0, 0];
    // 4^3 + 4 is a square.
    let root_of_68 = [
        0x5ea93e354abe706c,
        0x6346b8ed00e1de5d,
        0xda9dd85e92848344,
        0xc760f988c9926b26,
        0xb33cffc3f3763e9b,
        0x0a989badd40d6212,
    ];
    let points = |points: &[[[u64; 6]; 2]]| {
        let words: Vec<u64> = points.iter().flat_map(|point| point.concat()).collect();
        npy(&format!("({}, 12)", points.len()), &words)
    };
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)]]));
    bench.write("b.npy", &points(&[[x, y], [x, y]]));
    let files = "msm --scalars s.npy --bases b.npy --canonical";
    for options in
        ["--curve bls12-381", "--curve bls12-381-g1 --device reference", "--curve bls12-381 --group g1"]
    {
        let answer = bench.json(&format!("{files} {options}"));
        let x = "1928f3beb93519eecf0145da903b40a4c97dca00b21f12ac0df3be9116ef2ef27b2ae6bcd4c5bc2d54ef5a70627efcb7";
        let y = "108dadbaa4b636445639d5ae3089b3c43a8a1d47818edd1839d7383959a41c10fdc66849cfa1b08c5a11ec7e28981a1c";
        assert_eq!((&answer["x"], &answer["y"]), (&json!(x), &json!(y)), "{options}");
    }
    bench.fail(files, "found 12 columns, expected 8, the limbs of a point");
    bench.fail(&format!("{files} --curve bls12-381 --group g2"), "found 12 columns, expected 24");
    bench.write("b.npy", &points(&[[x, y], [x, four]]));
    bench.fail(&format!("{files} --curve bls12-381"), "point 1 is not on the curve");
    bench.write("b.npy", &points(&[[x, y], [four, root_of_68]]));
    let outside = "point 1 is on the curve but not in the group of the scalars' order";
    bench.fail(&format!("{files} --curve bls12-381"), outside);
    bench.write("b.npy", &points(&[[x, y], [[u64::MAX; 6], y]]));
    bench.fail(&format!("{files} --curve bls12-381"), "x of point 1 is 0xffffffffffffffff");
}

#[test]
fn seven_times_the_generator_of_bls12_381_g2() {
    let bench = Bench::new();
    let [x, y] = [
        [
            0xd48056c8c121bdb8,
            0x0bac0326a805bbef,
            0xb4510b647ae3d177,
            0xc6e47ad4fa403b02,
            0x260805272dc51051,
            0x024aa2b2f08f0a91,
            0xe5ac7d055d042b7e,
            0x334cf11213945d57,
            0xb5da61bbdc7f5049,
            0x596bd0d09920b61a,
            0x7dacd3a088274f65,
            0x13e02b6052719f60,
        ],
        [
            0xe193548608b82801,
            0x923ac9cc3baca289,
            0x6d429a695160d12c,
            0xadfd9baa8cbdd3a7,
            0x8cc9cdc6da2e351a,
            0x0ce5d527727d6e11,
            0xaaa9075ff05f79be,
            0x3f370d275cec1da1,
            0x267492ab572e99ab,
            0xcb3e287e85a763af,
            0x32acd2b02bc28b99,
            0x0606c4a02ea734cc,
        ],
    ];
    // The point with x = 2.
    let outside_x = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let outside_y = [
        0xa1a365b95bfcec38,
        0x4173830420cd476b,
        0x247438372716284a,
        0x6425a7bc6aeb7c75,
        0xa64203ffefb96630,
        0x18c6b864ae17dc9d,
        0xd6d0fcfbf3bf3d5c,
        0xfe291a1924e65db0,
        0xca014006b7c40a2c,
        0xda2f0f4a063119ab,
        0xa7d5071b6b6f5de0,
        0x172e93db764a8400,
    ];
    let points = |points: &[[[u64; 12]; 2]]| {
        let words: Vec<u64> = points.iter().flat_map(|point| point.concat()).collect();
        npy(&format!("({}, 24)", points.len()), &words)
    };
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)]]));
    bench.write("b.npy", &points(&[[x, y], [x, y]]));
    let files = "msm --scalars s.npy --bases b.npy --canonical --curve bls12-381";
    for options in ["--group g2", "--group g2 --device reference"] {
        let answer = bench.json(&format!("{files} {options}"));
        let x = [
            "049cd1dbb2d2c3581e54c088135fef36505a6823d61b859437bfc79b617030dc8b40e32bad1fa85b9c0f368af6d38d3c",
            "0d0273f6bf31ed37c3b8d68083ec3d8e20b5f2cc170fa24b9b5be35b34ed013f9a921f1cad1644d4bdb14674247234c8",
        ];
        let y = [
            "08b7ae4dbf802c17a6648842922c9467e460a71c88d393ee7af356da123a2f3619e80c3bdcc8e2b1da52f8cd9913ccdd",
            "05ecf93654b7a1885695aaeeb7caf41b0239dc45e1022be55d37111af2aecef87799638bec572de86a7437898efa7020",
        ];
        assert_eq!((&answer["x"], &answer["y"]), (&json!(x), &json!(y)), "{options}");
    }
    bench.fail(files, "found 24 columns, expected 12");
    bench.write("b.npy", &points(&[[x, y], [outside_x, outside_y]]));
    let outside = "point 1 is on the curve but not in the group of the scalars' order";
    bench.fail(&format!("{files} --group g2"), outside);
    bench.write("b.npy", &points(&[[x, y], [x, [u64::MAX; 12]]]));
    bench.fail(&format!("{files} --group g2"), "y of point 1 is 0xffffffffffffffff");
}

/// Sums over both groups of BLS12-377, 3 G + 4 G, and the point (-1, 0) of the curve of G1, which has order 2; a transform over its scalars.
#[test]
fn sums_and_transforms_over_bls12_377() {
    let bench = Bench::new();
    bench.write("s.npy", &rows(&[&[small(3)], &[small(4)]]));
    let files = "msm --scalars s.npy --bases b.npy --canonical";
    let points =
        |points: &[Vec<u64>]| npy(&format!("({}, {})", points.len(), points[0].len()), &points.concat());
    let g1: Vec<u64> = vec![
        0xeab9b16eb21be9ef,
        0xd5481512ffcd394e,
        0x188282c8bd37cb5c,
        0x85951e2caa9d41bb,
        0xc8fc6225bf87ff54,
        0x008848defe740a67,
        0xfd82de55559c8ea6,
        0xc2fe3d3634a9591a,
        0x6d182ad44fb82305,
        0xbd7fb348ca3e52d9,
        0x1f674f5d30afeec4,
        0x01914a69c5102eff,
    ];
    bench.write("b.npy", &points(&[g1.clone(), g1.clone()]));
    for options in ["--curve bls12-377", "--curve bls12-377 --group g1 --device reference"] {
        let answer = bench.json(&format!("{files} {options}"));
        let x = "00916932fceb94ad7b80fcf492aa5ee0e120410017cc6d17c8962ba2eb799260d022c3de5a103e6edbb5ee9135c7f0fa";
        let y = "018efb7c0b6e083030a858e3e8b4d1db5857a3f6c60f01691eb9783f6a1f1064069da2e220952121c771f276888d5137";
        assert_eq!((&answer["x"], &answer["y"]), (&json!(x), &json!(y)), "{options}");
    }
    let g2: Vec<u64> = vec![
        0x74e3e48f7c005196,
        0x71889f52bb535402,
        0x7ea501f557db6b9b,
        0xc565f071203e5031,
        0xc89630a2a3841d01,
        0x018480be71c785fe,
        0xb26bfefa6ea16afe,
        0x5cf89984bff76fe6,
        0xe7223ece0799c9de,
        0x532777ee6651cecb,
        0x70dc5a51b1b140d5,
        0x00ea6040e7004031,
        0xf094094409fd4ddf,
        0xf2cf88886d8c7c2e,
        0xe458c282f832d204,
        0xde03ed7274b49a58,
        0xd960736bcbb2efb4,
        0x00690d665d446f7b,
        0xd9a1cdd185eb8f93,
        0x4279b83f5e52270b,
        0x2463b01acee304c2,
        0x61ef11ac3d591bf1,
        0x9e549da3151a70aa,
        0x00f8169fd2835518,
    ];
    bench.write("b.npy", &points(&[g2.clone(), g2]));
    for options in ["--curve bls12-377 --group g2", "--curve bls12-377-g2 --device reference"] {
        let answer = bench.json(&format!("{files} {options}"));
        let x = [
            "0140f206987ef5eaaf9698aa46ecda04e79abbcbf4179d039224f78a14b59894f3218e0565fc9bd57bc06707f828e729",
            "018c1f631463ba7a011c2487841e341a50c4c47be271fd206347e1a6b19da6707f25723da99b827267b226bb6a8ec2dc",
        ];
        let y = [
            "016e1f5c9a922f928dc069601cf988df26e766a3f64f472bae97cc99dacd0cd593e0269b5c16b773e5ea4cc652c4f4bc",
            "00af3a712608d508f1adb1c63264a1ba1dd87fe094b643c2c88177a45828a33d8a223ea2c154c247444a010bbfd57311",
        ];
        assert_eq!((&answer["x"], &answer["y"]), (&json!(x), &json!(y)), "{options}");
    }
    // q - 1.
    let minus_one = [
        0x8508c00000000000,
        0x170b5d4430000000,
        0x1ef3622fba094800,
        0x1a22d9f300f5138f,
        0xc63b05c06ca1493b,
        0x01ae3a4617c510ea,
    ];
    bench.write("b.npy", &points(&[g1, [minus_one, [0; 6]].concat()]));
    let outside = "point 1 is on the curve but not in the group of the scalars' order";
    bench.fail(&format!("{files} --curve bls12-377"), outside);
    // 1 + 2 x at 1 and at -1.
    bench.write("in.npy", &rows(&[&[small(1)], &[small(2)]]));
    bench.succeed("fft in.npy out.npy --canonical --field bls12-377");
    let minus_one = [0x0a11800000000000, 0x59aa76fed0000001, 0x60b44d1e5c37b001, 0x12ab655e9a2ca556];
    assert_eq!(words(&bench.read("out.npy")).1, [small(3), minus_one].concat());
}

/// Sums over BW6-761's G1, whose scalars have six limbs and coordinates twelve: 3 G + 4 G, and the point (1, 0) of its curve, which has order 2.
#[test]
fn sums_over_bw6_761() {
    let bench = Bench::new();
    let scalars = |scalars: [u64; 2]| npy("(2, 6)", &scalars.map(|low| [low, 0, 0, 0, 0, 0]).concat());
    let points = |points: [Vec<u64>; 2]| npy("(2, 24)", &points.concat());
    let generator: Vec<u64> = vec![
        0x4088f3af66e5b43d,
        0x055928aca6af603f,
        0x6750dd0356133e82,
        0x03758f9a280ca27f,
        0x5bd71fa0c9ea0971,
        0xa17a54ce47729b90,
        0x11dbfcd294c2e746,
        0x79017ffac15520ac,
        0xee05c54b85f56fc7,
        0xe6a0cfb7551b27f0,
        0xb277ce98a477beae,
        0x01075b020ea190c8,
        0xbafc8f2db4e95363,
        0xad1cb2be0b20d2a1,
        0xb2b08119cad0fb93,
        0x9f9df141b3053253,
        0xbe3fb90b6fc2cdd4,
        0xcc685d31717a4c55,
        0xc5b8fa1771b5b806,
        0x265909f1af7e0dba,
        0x1a7348d2a2e573a3,
        0x0f952589884c9ec6,
        0xe6fd637b45cc2a42,
        0x0058b84e0a6fc574,
    ];
    bench.write("s.npy", &scalars([3, 4]));
    bench.write("b.npy", &points([generator.clone(), generator.clone()]));
    let files = "msm --scalars s.npy --bases b.npy --canonical";
    for options in ["--curve bw6-761", "--curve bw6-761 --group g1 --device reference"] {
        let answer = bench.json(&format!("{files} {options}"));
        let x = [
            "007f2f07e665658a6419a44b48c9ac18d4398a606ac4fe2eda658a98d145cd070bee43f8821c728a541ac0b25eb9a91c",
            "6d50ba5284a2931ba0cc01f0f8f000dc94884becf8cadb2e3f59473530cb82b3026eaaa9512d0aed257d191631623388",
        ];
        let y = [
            "00428a454e6e91f1d5caa9eaa789cc771f02f4cbd7a3a5fa82efef0c6c99d8ecc826399ffa7680136467fec87405b631",
            "ee5cc1f12d5ddb5966b947f030c04908371108c363a9a6aeaed0417cfb47de04d04933d1b3aa58d63da622e547240ea0",
        ];
        assert_eq!((&answer["x"], &answer["y"]), (&json!(x.concat()), &json!(y.concat())), "{options}");
    }
    bench.fail(files, "found 6 columns, expected 4, the limbs of a scalar");
    let mut of_order_two = vec![0; 24];
    of_order_two[0] = 1;
    bench.write("b.npy", &points([generator.clone(), of_order_two]));
    let outside = "point 1 is on the curve but not in the group of the scalars' order";
    bench.fail(&format!("{files} --curve bw6-761"), outside);
    bench.write("b.npy", &points([generator.clone(), [&generator[..12], &[u64::MAX; 12]].concat()]));
    bench.fail(&format!("{files} --curve bw6-761"), "y of point 1 is 0xffffffffffffffff");
}
