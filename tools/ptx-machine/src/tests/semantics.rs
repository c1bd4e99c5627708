//! What single instructions do, where it is subtle; values are worked out by hand or from the definition of PTX.

use super::launch;
use crate::memory::{Memory, Space};

/// The results of instructions on `inputs`, which are in `%rd0`, `%rd1` and so on, and their lower halves in `%r0`, `%r1`; results are `%rd10` and on.
fn results(body: &str, inputs: &[u64], count: usize) -> Vec<u64> {
    let load = |i| format!("ld.global.u64 %rd{i}, [%rd30+{}]; cvt.u32.u64 %r{i}, %rd{i};\n", 8 * i);
    let store = |i| format!("st.global.u64 [%rd30+{}], %rd{};\n", 8 * i, 10 + i);
    let text = format!(
        ".visible .entry test(.param .u64 test_param_0)\n{{\n.reg .pred %p<8>;\n.reg .b16 %rs<4>;\n.reg .b32 %r<32>;\n\
         .reg .f64 %fd<8>;\n.reg .b64 %rd<32>;\nld.param.u64 %rd30, [test_param_0];\n{}{body}\n{}ret;\n}}\n",
        (0..inputs.len()).map(load).collect::<String>(),
        (0..count).map(store).collect::<String>(),
    );
    let memory = Memory::new(8 * inputs.len().max(count));
    for (i, input) in inputs.iter().enumerate() {
        assert!(memory.write(8 * i, &input.to_le_bytes()));
    }
    launch(&text, (1, 1), &[Space::Global.address(0)], &[&memory]).unwrap();
    let word = |i| {
        let mut bytes = [0; 8];
        assert!(memory.read(8 * i, &mut bytes));
        u64::from_le_bytes(bytes)
    };
    (0..count).map(word).collect()
}

/// The result of one instruction without its destination, on words of 32 bits.
fn word(instruction: &str, inputs: &[u32]) -> u32 {
    let (opcode, operands) = instruction.split_once(' ').unwrap();
    let inputs: Vec<_> = inputs.iter().map(|&input| u64::from(input) | 0xdead << 32).collect();
    let found = results(&format!("{opcode} %r20, {operands}; cvt.u64.u32 %rd10, %r20;"), &inputs, 1);
    found[0] as u32
}

/// The same on words of 64 bits.
fn long(instruction: &str, inputs: &[u64]) -> u64 {
    let (opcode, operands) = instruction.split_once(' ').unwrap();
    results(&format!("{opcode} %rd10, {operands};"), inputs, 1)[0]
}

/// Whether a comparison holds.
fn holds(comparison: &str, inputs: &[u64]) -> bool {
    let (opcode, operands) = comparison.split_once(' ').unwrap();
    results(&format!("{opcode} %p1, {operands}; selp.u64 %rd10, 1, 0, %p1;"), inputs, 1)[0] == 1
}

/// Words at the edges of what they can be.
const EDGES: [u64; 8] = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x1234_5678];

#[test]
fn sums_and_differences_carry_over_many_words() {
    let body = "add.cc.u32 %r10, %r0, %r4; addc.cc.u32 %r11, %r1, %r5; addc.cc.u32 %r12, %r2, %r6; addc.u32 %r13, %r3, %r7;\n\
                mov.b64 %rd10, {%r10, %r11}; mov.b64 %rd11, {%r12, %r13};\n\
                sub.cc.u32 %r10, %r0, %r4; subc.cc.u32 %r11, %r1, %r5; subc.cc.u32 %r12, %r2, %r6; subc.u32 %r13, %r3, %r7;\n\
                mov.b64 %rd12, {%r10, %r11}; mov.b64 %rd13, {%r12, %r13};";
    let numbers: Vec<u128> =
        vec![0, 1, u128::MAX, 1 << 32, (1 << 96) - 1, u128::MAX << 64, 0x0123_4567_89ab_cdef << 40];
    for &a in &numbers {
        for &b in &numbers {
            let limbs = |x: u128| (0..4).map(move |i| (x >> (32 * i)) as u64 & 0xffff_ffff);
            let found = results(body, &limbs(a).chain(limbs(b)).collect::<Vec<_>>(), 4);
            let joined = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
            assert_eq!(joined(found[0], found[1]), a.wrapping_add(b), "{a:#x} + {b:#x}");
            assert_eq!(joined(found[2], found[3]), a.wrapping_sub(b), "{a:#x} - {b:#x}");
        }
    }
}

#[test]
fn the_flag_outlives_other_instructions_and_says_borrow() {
    // Instructions without .cc leave the flag; so do those that only read it.
    let body = "add.cc.u32 %r10, %r0, %r1; add.u32 %r11, %r0, %r0; xor.b32 %r12, %r0, %r1; addc.u32 %r13, 0, 0; addc.u32 %r14, 0, 0;\n\
                cvt.u64.u32 %rd10, %r13; cvt.u64.u32 %rd11, %r14;";
    assert_eq!(results(body, &[u32::MAX.into(), 1], 2), [1, 1]);
    assert_eq!(results(body, &[u32::MAX.into(), 0], 2), [0, 0]);
    let body = "sub.cc.u64 %rd10, %rd0, %rd1; subc.u32 %r10, 0, 0; cvt.u64.u32 %rd11, %r10;";
    assert_eq!(results(body, &[1 << 40, 1], 2), [(1 << 40) - 1, 0]);
    assert_eq!(results(body, &[1, 1 << 40], 2), [1_u64.wrapping_sub(1 << 40), u32::MAX.into()]);
    // A sum of three terms carries one at most.
    let body = "add.cc.u32 %r10, -1, 1; addc.cc.u32 %r11, %r0, %r1; addc.u32 %r12, 0, 0;\n\
                cvt.u64.u32 %rd10, %r11; cvt.u64.u32 %rd11, %r12;";
    assert_eq!(results(body, &[u32::MAX.into(); 2], 2), [u32::MAX.into(), 1]);
}

#[test]
fn products_are_added_in_chains() {
    // A product of two words by two, the way that kernels write it.
    let body = "mul.wide.u32 %rd20, %r0, %r2; mul.wide.u32 %rd21, %r0, %r3; mov.b64 {%r10, %r11}, %rd20; mov.b64 {%r12, %r13}, %rd21;\n\
                mad.lo.cc.u32 %r12, %r1, %r2, %r12; madc.hi.cc.u32 %r13, %r1, %r2, %r13; addc.u32 %r14, 0, 0;\n\
                add.cc.u32 %r11, %r11, %r12; madc.lo.cc.u32 %r13, %r1, %r3, %r13; madc.hi.u32 %r14, %r1, %r3, %r14;\n\
                mov.b64 %rd10, {%r10, %r11}; mov.b64 %rd11, {%r13, %r14};";
    // And the forms that do not pass the flag on.
    let other = "add.cc.u32 %r10, %r3, %r3; madc.lo.u32 %r11, %r0, %r1, %r2; cvt.u64.u32 %rd10, %r11;\n\
                 mad.lo.cc.u32 %r10, %r0, %r1, %r2; addc.u32 %r12, 0, 0; mov.b64 %rd11, {%r10, %r12};\n\
                 add.cc.u32 %r10, %r3, %r3; madc.hi.cc.u32 %r11, %r0, %r1, %r2; addc.u32 %r12, 0, 0; mov.b64 %rd12, {%r11, %r12};";
    for a in EDGES {
        for b in EDGES {
            for (c, d) in EDGES.iter().flat_map(|&c| EDGES.map(|d| (c, d))) {
                let found = results(body, &[a, b, c, d], 2);
                let product = u128::from(a | b << 32) * u128::from(c | d << 32);
                assert_eq!(found, [product as u64, (product >> 64) as u64], "{a:#x} {b:#x} {c:#x} {d:#x}");
                let found = results(other, &[a, b, c, d], 3);
                let flag = (d + d) >> 32;
                let (low, high) = ((a * b) & 0xffff_ffff, (a * b) >> 32);
                assert_eq!(found, [(low + c + flag) & 0xffff_ffff, low + c, high + c + flag]);
            }
        }
    }
}

#[test]
fn products_of_other_widths() {
    assert_eq!(word("mul.lo.s32 %r0, %r1", &[u32::MAX, 7]), 7_u32.wrapping_neg());
    assert_eq!(word("mad.lo.s32 %r0, -2, %r1", &[5, 3]), 7_u32.wrapping_neg());
    assert_eq!(long("mul.wide.u32 %r0, %r1", &[u64::MAX, u64::MAX]), 0xffff_fffe_0000_0001);
    assert_eq!(long("mul.wide.s32 %r0, %r1", &[u64::MAX, 5]), 5_u64.wrapping_neg());
    assert_eq!(long("mul.wide.s32 %r0, -4", &[0x8000_0000]), 1 << 33);
    assert_eq!(long("mul.lo.s64 %rd0, %rd1", &[u64::MAX, 9]), 9_u64.wrapping_neg());
    assert_eq!(long("mul.hi.u64 %rd0, %rd1", &[u64::MAX, u64::MAX]), u64::MAX - 1);
    assert_eq!(
        long("mad.wide.u32 %r0, %r1, %rd2", &[0xffff_ffff, 0xffff_ffff, u64::MAX]),
        0xffff_fffe_0000_0000
    );
    assert_eq!(long("max.u64 %rd0, -17", &[3]), 17_u64.wrapping_neg());
    assert_eq!(word("min.u32 %r0, -17", &[3]), 3);
    assert_eq!(word("abs.s32 %r0", &[0x8000_0000]), 0x8000_0000);
    assert_eq!(word("abs.s32 %r0", &[u32::MAX]), 1);
    assert_eq!(word("neg.s32 %r0", &[1]), u32::MAX);
    assert_eq!([word("div.u32 %r0, %r1", &[7, 2]), word("rem.u32 %r0, %r1", &[7, 4])], [3, 3]);
    assert_eq!(
        [long("div.u64 %rd0, 10", &[u64::MAX]), long("rem.u64 %rd0, 10", &[u64::MAX])],
        [u64::MAX / 10, 5]
    );
}

#[test]
fn shifts_end_at_the_width() {
    let x = 0x8765_4321_u32;
    for (by, left, right, signed) in [
        (0, x, x, x),
        (1, x << 1, x >> 1, x >> 1 | 1 << 31),
        (31, 1 << 31, 1, u32::MAX),
        (32, 0, 0, u32::MAX),
        (33, 0, 0, u32::MAX),
        (u32::MAX, 0, 0, u32::MAX),
    ] {
        assert_eq!(word("shl.b32 %r0, %r1", &[x, by]), left, "{by}");
        assert_eq!(word("shr.u32 %r0, %r1", &[x, by]), right, "{by}");
        assert_eq!(word("shr.s32 %r0, %r1", &[x, by]), signed, "{by}");
        assert_eq!(word("shr.s32 %r0, %r1", &[x >> 1, by]), if by < 32 { x >> 1 >> by } else { 0 }, "{by}");
    }
    let x = 0x8765_4321_0fed_cba9_u64;
    for by in [0_u32, 1, 32, 63, 64, 65, u32::MAX] {
        let inputs = [x, by.into()];
        assert_eq!(long("shl.b64 %rd0, %r1", &inputs), x.checked_shl(by).unwrap_or(0), "{by}");
        assert_eq!(long("shr.u64 %rd0, %r1", &inputs), x.checked_shr(by).unwrap_or(0), "{by}");
        assert_eq!(long("shr.b64 %rd0, %r1", &inputs), x.checked_shr(by).unwrap_or(0), "{by}");
        assert_eq!(long("shr.s64 %rd0, %r1", &inputs), (x as i64 >> by.min(63)) as u64, "{by}");
    }
    // The distances of funnels count modulo the width.
    for by in [0_u32, 1, 8, 31, 32, 33, 40] {
        let (low, high) = (0x8765_4321_u32, 0x0fed_cba9_u32);
        let pair = u64::from(high) << 32 | u64::from(low);
        assert_eq!(
            word("shf.r.wrap.b32 %r0, %r1, %r2", &[low, high, by]),
            (pair >> (by % 32)) as u32,
            "{by}"
        );
        assert_eq!(
            word("shf.l.wrap.b32 %r0, %r1, %r2", &[low, high, by]),
            (pair << (by % 32) >> 32) as u32,
            "{by}"
        );
        assert_eq!(word("shf.r.wrap.b32 %r0, %r0, %r2", &[low, high, by]), low.rotate_right(by), "{by}");
    }
}

#[test]
fn bytes_are_permuted_and_fields_inserted() {
    let pair = [0x8302_0180, 0x07f6_8504];
    for (selector, expected) in [
        (0x3210, 0x8302_0180),
        (0x7654, 0x07f6_8504),
        (0x5410, 0x8504_0180),
        (0x7632, 0x07f6_8302),
        (0x0123, 0x8001_0283),
        (0x4444, 0x0404_0404),
        // The sign of a byte: of 0x80, 0x01, 0x83, and 0x85.
        (0x89bd, 0xff00_ffff),
        // Only sixteen bits count.
        (0xabc_3210, 0x8302_0180),
    ] {
        let inputs = [pair[0], pair[1], selector];
        assert_eq!(word("prmt.b32 %r0, %r1, %r2", &inputs), expected, "{selector:#x}");
    }
    for (at, len, expected) in [
        (0, 32, 0xffff_0000),
        (4, 8, 0x1234_5008),
        (4, 0, 0x1234_5678),
        (28, 8, 0x0234_5678),
        (32, 4, 0x1234_5678),
        (0, 16, 0x1234_0000),
        (16, 32, 0x0000_5678),
        // Eight bits of each count.
        (256, 256 + 16, 0x1234_0000),
    ] {
        let inputs = [0xffff_0000, 0x1234_5678, at, len];
        assert_eq!(word("bfi.b32 %r0, %r1, %r2, %r3", &inputs), expected, "{at} {len}");
    }
    let inputs = [0x1_ffff_fffe, 0x1234_5678_9abc_def0];
    assert_eq!(long("bfi.b64 %rd0, %rd1, 32, 32", &inputs), 0xffff_fffe_9abc_def0);
    assert_eq!(long("bfi.b64 %rd0, %rd1, 0, 64", &inputs), inputs[0]);
    assert_eq!(long("bfi.b64 %rd0, %rd1, 60, 64", &inputs), 0xe234_5678_9abc_def0);
    assert_eq!(long("bfi.b64 %rd0, %rd1, 64, 1", &inputs), inputs[1]);
    assert_eq!(
        [word("brev.b32 %r0", &[0x1]), word("brev.b32 %r0", &[0x8000_1000])],
        [0x8000_0000, 0x0008_0001]
    );
    assert_eq!([0, 1, 0x00ff_0000, u32::MAX].map(|x| word("clz.b32 %r0", &[x])), [32, 31, 8, 0]);
}

#[test]
fn comparisons_are_signed_or_not() {
    let (minus, one) = (u64::MAX, 1);
    assert!(holds("setp.lt.s32 %r0, %r1", &[minus, one]) && !holds("setp.lt.u32 %r0, %r1", &[minus, one]));
    assert!(holds("setp.gt.s32 %r0, -1", &[0]) && !holds("setp.gt.u32 %r0, -1", &[0]));
    assert!(!holds("setp.gt.s32 %r0, -1", &[0x8000_0000]) && holds("setp.gt.u32 %r0, 31", &[0x8000_0000]));
    assert!(holds("setp.gt.u64 %rd0, -4294967296", &[0xffff_ffff_0000_0001]));
    assert!(!holds("setp.gt.u64 %rd0, -4294967296", &[0xffff_ffff_0000_0000]));
    // Only the lower half is compared, whatever sign a number has that it is compared with.
    assert!(holds("setp.eq.s32 %r0, -1", &[0xffff_ffff]) && !holds("setp.ne.s32 %r0, -1", &[0xffff_ffff]));
    assert!(holds("setp.ge.u32 %r0, %r1", &[5, 5]) && holds("setp.le.u32 %r0, %r1", &[5, 5]));
    assert!(
        !holds("setp.ge.u64 %rd0, %rd1", &[5, 1 << 33]) && holds("setp.le.u64 %rd0, %rd1", &[5, 1 << 33])
    );
    assert!(
        holds("setp.ne.s64 %rd0, %rd1", &[5, 5 | 1 << 33])
            && holds("setp.eq.s32 %r0, %r1", &[5, 5 | 1 << 33])
    );
    let halves = |comparison: &str, x| {
        let body = format!("cvt.u16.u32 %rs1, %r0; {comparison} %p1, %rs1, 3; selp.u64 %rd10, 1, 0, %p1;");
        results(&body, &[x], 1)[0] == 1
    };
    assert!(halves("setp.eq.s16", 0x1_0003) && !halves("setp.ne.s16", 0x1_0003));
    assert!(halves("setp.gt.s16", 4) && !halves("setp.gt.s16", 0x8000));
    let logic = "setp.eq.s32 %p1, %r0, 1; setp.eq.s32 %p2, %r1, 1; and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2;\n\
                 xor.pred %p5, %p1, %p2; not.pred %p6, %p1; mov.pred %p7, -1; selp.u64 %rd10, 1, 0, %p3; selp.u64 %rd11, 1, 0, %p4;\n\
                 selp.u64 %rd12, 1, 0, %p5; selp.u64 %rd13, 1, 0, %p6; selp.u64 %rd14, 1, 0, %p7;";
    assert_eq!(results(logic, &[1, 0], 5), [0, 1, 1, 0, 1]);
    assert_eq!(results(logic, &[1, 1], 5), [1, 1, 0, 0, 1]);
    assert_eq!(results(logic, &[0, 0], 5), [0, 0, 0, 1, 1]);
}

#[test]
fn words_are_cut_to_their_width() {
    assert_eq!(long("cvt.u64.u32 %r0", &[u64::MAX]), u64::from(u32::MAX));
    let body = "not.b32 %r10, %r0; cvt.u64.u32 %rd10, %r10; or.b32 %r11, %r0, -16; cvt.u64.u32 %rd11, %r11;\n\
                xor.b32 %r12, %r0, -1; add.s32 %r13, %r0, -1; mov.u32 %r14, -1; selp.b32 %r15, -1, 0, %p0; mov.b64 %rd12, {%r12, %r13};\n\
                mov.b64 %rd13, {%r14, %r14}; not.b64 %rd14, %rd0; neg.s64 %rd15, %rd0; sub.s32 %r16, 0, 1; mov.b64 %rd16, {%r16, %r0};";
    let found = results(body, &[0], 7);
    let all = u64::MAX;
    assert_eq!(found, [0xffff_ffff, 0xffff_fff0, all, all, all, 0, 0xffff_ffff]);
    assert_eq!(
        results(
            "mov.b64 {%r10, %r11}, %rd0; cvt.u64.u32 %rd10, %r11; mov.b64 %rd11, {%r11, %r10};",
            &[0x1234_5678_9abc_def0],
            2
        ),
        [0x1234_5678, 0x9abc_def0_1234_5678]
    );
}

#[test]
fn doubles_are_rounded_as_the_instruction_says() {
    let double = |opcode: &str, a: f64, b: f64| {
        let body = format!(
            "mov.b64 %fd1, %rd0; mov.b64 %fd2, %rd1; {opcode} %fd3, %fd1, %fd2; mov.b64 %rd10, %fd3;"
        );
        f64::from_bits(results(&body, &[a.to_bits(), b.to_bits()], 1)[0])
    };
    let tiny = f64::from_bits(1);
    let half = f64::EPSILON / 2.0;
    // The sum, then the sum towards minus and plus infinity.
    for (a, b, nearest, down, up) in [
        (1.0, 2.0, 3.0, 3.0, 3.0),
        (1.0, half, 1.0, 1.0, 1.0 + f64::EPSILON),
        (1.0, half * 1.5, 1.0 + f64::EPSILON, 1.0, 1.0 + f64::EPSILON),
        (1.0, tiny, 1.0, 1.0, 1.0 + f64::EPSILON),
        (1.0, -tiny, 1.0, 1.0 - half, 1.0),
        (-1.0, tiny, -1.0, -1.0, -1.0 + half),
        (-1.0, -tiny, -1.0, -1.0 - f64::EPSILON, -1.0),
        (
            9_007_199_254_740_992.0,
            1.0,
            9_007_199_254_740_992.0,
            9_007_199_254_740_992.0,
            9_007_199_254_740_994.0,
        ),
        (
            9_007_199_254_740_994.0,
            1.0,
            9_007_199_254_740_996.0,
            9_007_199_254_740_994.0,
            9_007_199_254_740_996.0,
        ),
        (tiny, tiny, 2.0 * tiny, 2.0 * tiny, 2.0 * tiny),
        (f64::MAX, f64::MAX, f64::INFINITY, f64::MAX, f64::INFINITY),
        (-f64::MAX, -f64::MAX, f64::NEG_INFINITY, f64::NEG_INFINITY, -f64::MAX),
        (f64::MAX, 1.0, f64::MAX, f64::MAX, f64::INFINITY),
        (f64::INFINITY, 1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY),
    ] {
        for (a, b) in [(a, b), (b, a)] {
            assert_eq!(double("add.f64", a, b), nearest, "{a:e} + {b:e}");
            assert_eq!(double("add.rm.f64", a, b), down, "{a:e} + {b:e}");
            assert_eq!(double("add.rp.f64", a, b), up, "{a:e} + {b:e}");
        }
    }
    let zero = |opcode, a: f64, b: f64| double(opcode, a, b).to_bits();
    assert_eq!(zero("add.rm.f64", 1.0, -1.0), (-0.0_f64).to_bits());
    assert_eq!(zero("add.rp.f64", 1.0, -1.0), 0);
    assert_eq!(zero("add.rm.f64", 0.0, 0.0), 0);
    assert_eq!(double("sub.f64", 1.0, half / 2.0), 1.0);
    let body = "cvt.rn.f64.u32 %fd1, %r0; mov.f64 %fd2, 0d3ff0000000000000; neg.f64 %fd3, %fd2; fma.rn.f64 %fd4, %fd1, %fd1, %fd3;\n\
                mov.b64 %rd10, %fd1; mov.b64 %rd11, %fd4; mov.b64 %rd12, %fd3;";
    let found = results(body, &[0xffff_ffff], 3).into_iter().map(f64::from_bits).collect::<Vec<_>>();
    // (2^32 - 1)^2 - 1 has too many bits, and the product alone too: rounded once.
    assert_eq!(found, [4_294_967_295.0, ((1_u128 << 64) - (1 << 33)) as f64, -1.0]);
}

#[test]
fn inner_scopes_have_registers_of_their_own() {
    let body = "mov.u64 %rd20, 5;\n{ .reg .u64 %rd20, m; .reg .u32 t; mov.u64 %rd20, 7; mov.u64 m, 9; { .reg .u64 m; mov.u64 m, 11; }\n\
                add.u64 %rd10, %rd20, m; }\n{.reg .u64 q; mov.u64 q, 1; add.u64 %rd11, %rd20, q;}";
    assert_eq!(results(body, &[], 2), [16, 6]);
}

#[test]
fn vectors_are_loaded_and_stored() {
    let body = "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd30]; ld.global.nc.v2.u64 {%rd20, %rd21}, [%rd30+16];\n\
                st.global.v4.u32 [%rd30+16], {%r13, %r12, %r11, %r10}; mov.b64 %rd10, {%r12, %r13};\n\
                ld.global.u64 %rd11, [%rd30+24]; mov.u64 %rd12, %rd20; mov.u64 %rd13, %rd21;";
    let (a, b) = (0x1111_1111_2222_2222, 0x3333_3333_4444_4444);
    assert_eq!(results(body, &[a, b, 5, 6 << 40], 4), [b, 0x2222_2222_1111_1111, 5, 6 << 40]);
}
