//! Groups and items, their memory and barriers, calls, and what is reported.

use super::launch;
use crate::memory::{Memory, Space};
use crate::parse::Program;

/// A kernel with a buffer in `%rd1`, its item in `%r1`, 8 times that as `%rd2`, and that in the buffer as `%rd3`.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry test(.param .u64 test_param_0)\n{{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n\
         .shared .align 8 .b8 tile[1024];\n.local .align 8 .b8 __local_depot0[16];\n.reg .b64 %SP;\n.reg .b64 %SPL;\n\
         mov.u64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\nld.param.u64 %rd1, [test_param_0];\nmov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\n{body}\nret;\n}}\n"
    )
}

/// The words of a buffer of `count` words after a launch.
fn run(body: &str, grid: (usize, usize), count: usize) -> Result<Vec<u64>, String> {
    let memory = Memory::new(8 * count);
    launch(&kernel(body), grid, &[Space::Global.address(0)], &[&memory])?;
    let mut bytes = vec![0; 8 * count];
    assert!(memory.read(0, &mut bytes));
    Ok(bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect())
}

fn refused(body: &str, grid: (usize, usize), expected: &[&str]) {
    let error = run(body, grid, 4).unwrap_err();
    assert!(expected.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn items_know_which_they_are() {
    let body = "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %tid.z;\n\
                mad.lo.s32 %r6, %r2, %r3, %r1; mul.lo.u32 %r7, %r3, %r4; add.s32 %r7, %r7, %r5; mul.wide.u32 %rd4, %r6, 8;\n\
                add.s64 %rd5, %rd1, %rd4; mov.b64 %rd6, {%r6, %r7}; st.global.u64 [%rd5], %rd6;";
    let found = run(body, (3, 5), 15).unwrap();
    assert_eq!(found, (0..15).map(|i| i | 15 << 32).collect::<Vec<u64>>());
}

/// Each item writes what the one behind it in a ring has left.
#[test]
fn barriers_wait_for_the_group() {
    let body = |barrier| {
        format!(
            "mov.u64 %rd10, tile; add.s64 %rd11, %rd10, %rd2; st.shared.u64 [%rd11], %rd2;\n{barrier}\n\
             mov.u32 %r3, %ntid.x; add.s32 %r4, %r1, 1; rem.u32 %r5, %r4, %r3; mul.wide.u32 %rd12, %r5, 8; add.s64 %rd13, %rd10, %rd12;\n\
             ld.shared.u64 %rd14, [%rd13]; st.global.u64 [%rd3], %rd14;"
        )
    };
    for group in [1, 2, 32, 33, 64, 100] {
        let expected: Vec<u64> = (0..group).map(|i| 8 * ((i + 1) % group)).collect();
        assert_eq!(run(&body("bar.sync 0;"), (1, group as usize), group as usize), Ok(expected.clone()));
        // Within a warp its own barrier is enough; without one it is seen, whichever item comes first.
        for (barrier, enough) in [("bar.warp.sync -1;", group <= 32), ("", group == 1)] {
            match run(&body(barrier), (1, group as usize), group as usize) {
                Ok(found) => assert_eq!(found == expected, enough, "{group}"),
                Err(error) => assert!(!enough && error.contains("no barrier is between"), "{group}: {error}"),
            }
        }
    }
}

/// Accesses of several items or groups to one word, in either order.
#[test]
fn races_are_reported() {
    let other = "mov.u64 %rd10, tile; xor.b32 %r2, %r1, 1; mul.wide.u32 %rd12, %r2, 8; add.s64 %rd13, %rd10, %rd12;\n\
                 add.s64 %rd11, %rd10, %rd2; st.shared.u64 [%rd11], 1; bar.sync 0;\n";
    let race = |body: &str, grid| {
        let result = run(&format!("{other}{body}"), grid, 128);
        result.map_err(|error| assert!(error.contains("no barrier is between"), "{error}")).is_err()
    };
    // One item reads and another writes, in the same stretch.
    assert!(race("ld.shared.u64 %rd4, [%rd13]; st.shared.u64 [%rd11], 2;", (1, 2)));
    assert!(race("st.shared.u64 [%rd11], 2; ld.shared.u64 %rd4, [%rd13];", (1, 2)));
    let begun = "st.global.u64 [%rd3], 1; bar.sync 0; ";
    assert!(race(
        &(begun.to_owned()
            + "st.global.u64 [%rd3], 2; add.s64 %rd5, %rd1, %rd12; ld.global.u64 %rd4, [%rd5];"),
        (1, 2)
    ));
    assert!(!race("ld.shared.u64 %rd4, [%rd13]; bar.sync 0; st.shared.u64 [%rd11], 2;", (1, 2)));
    assert!(!race("ld.shared.u64 %rd4, [%rd13]; bar.warp.sync -1; st.shared.u64 [%rd11], 2;", (1, 2)));
    assert!(!race("st.shared.u64 [%rd11], 2; ld.shared.u64 %rd4, [%rd11];", (1, 2)));
    // Several write one word: the same, which is none; not the same; and in turn.
    assert!(!race("st.shared.u64 [%rd10], 3;", (2, 64)));
    assert!(race("st.shared.u64 [%rd10], %rd2;", (1, 2)));
    assert!(!race(
        "setp.eq.s32 %p1, %r1, 0; @%p1 bra $L_NEXT; st.shared.u64 [%rd10], 3;\n$L_NEXT:\nbar.sync 0; @!%p1 bra $L_END;\n\
                   st.shared.u64 [%rd10], 4;\n$L_END:",
        (1, 2)
    ));
    // Atomic operations do not race with each other, but with what makes the word ready.
    assert!(!race("red.shared.add.u32 [%rd10], 1; bar.sync 0; ld.shared.u64 %rd4, [%rd10];", (1, 64)));
    assert!(race("st.shared.u64 [%rd10], 0; red.shared.add.u32 [%rd10], 1;", (1, 2)));
    // Nothing orders groups.
    assert!(race(
        "mov.u32 %r3, %ctaid.x; cvt.u64.u32 %rd6, %r3; st.global.u64 [%rd3], %rd6; ld.global.u64 %rd4, [%rd1];",
        (2, 1)
    ));
    assert!(!race(
        "mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd6, %r3, 8; add.s64 %rd7, %rd3, %rd6; st.global.u64 [%rd7], %rd6; ld.global.u64 %rd4, [%rd7];",
        (2, 1)
    ));
}

#[test]
fn a_barrier_does_not_wait_for_items_that_have_ended() {
    let body = "setp.gt.u32 %p1, %r1, 36; @%p1 bra $L_END; st.global.u64 [%rd3], 0; bar.sync 0; bar.warp.sync -1; bar.sync 0;\n\
                ld.global.u64 %rd4, [%rd1+288]; add.s64 %rd4, %rd4, 1; st.global.u64 [%rd3], %rd4;\n$L_END:";
    let found = run(body, (1, 70), 70).unwrap();
    // The last of them may count its own.
    assert!(found[..36].iter().all(|&count| count == 1 || count == 2), "{found:?}");
    assert!(found[37..].iter().all(|&word| word == 0xa5a5_a5a5_a5a5_a5a5));
}

#[test]
fn votes_are_of_a_warp() {
    let body = "shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; setp.eq.s32 %p1, %r3, 3; setp.eq.s32 %p2, %r2, 1; and.pred %p3, %p1, %p2;\n\
                setp.eq.s32 %p4, %r3, 9; @%p4 bra $L_END; vote.sync.any.pred %p5, %p3, -1; selp.u64 %rd4, 1, 0, %p5;\n\
                st.global.u64 [%rd3], %rd4;\n$L_END:";
    let found = run(body, (1, 96), 96).unwrap();
    for (i, word) in found.into_iter().enumerate() {
        let expected = if i % 32 == 9 { 0xa5a5_a5a5_a5a5_a5a5 } else { u64::from(i / 32 == 1) };
        assert_eq!(word, expected, "{i}");
    }
    let partial = "setp.gt.u32 %p1, %r1, 3; setp.eq.s32 %p3, %r1, 7; @%p1 bra $L_END; vote.sync.any.pred %p3, %p3, 15;\n$L_END:\n\
                   selp.u64 %rd4, 1, 0, %p3; st.global.u64 [%rd3], %rd4;";
    assert_eq!(run(partial, (1, 8), 8).unwrap(), [0, 0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn items_that_wait_at_different_places_are_reported() {
    let body = "setp.eq.s32 %p1, %r1, 0; @%p1 bra $L_OTHER; bar.sync 0; bra.uni $L_END;\n$L_OTHER:\nbar.warp.sync -1;\n$L_END:";
    refused(body, (1, 4), &["item 0 of group 0", "bar.warp.sync", "another barrier"]);
    let body = "setp.eq.s32 %p1, %r1, 2; @!%p1 bra $L_VOTE; bar.sync 0; bra.uni $L_END;\n$L_VOTE:\nvote.sync.any.pred %p1, %p1, -1;\n$L_END:";
    refused(body, (1, 4), &["item 0 of group 0", "vote.sync", "another barrier"]);
    refused("$L_AGAIN:\nbra.uni $L_AGAIN;", (1, 1), &["bra.uni", "does not end"]);
}

#[test]
fn items_add_to_one_word() {
    let body = "st.global.u64 [%rd1], 0; st.global.u64 [%rd1+8], 4294967295; mov.u64 %rd10, tile; st.shared.u64 [%rd10], 0; bar.sync 0;\n\
                add.s32 %r2, %r1, 1; atom.global.add.u32 %r3, [%rd1], %r2; red.global.add.u32 [%rd1+4], 1; red.global.min.u32 [%rd1+8], %r2;\n\
                red.global.max.u32 [%rd1+12], %r2; atom.shared.add.u32 %r4, [%rd10], 2; red.shared.add.u32 [%rd10+4], 3;\n\
                mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5+24], %r3; bar.sync 0;\n\
                ld.shared.u64 %rd6, [%rd10]; st.global.u64 [%rd1+16], %rd6; setp.eq.s32 %p1, %r1, 0; @!%p1 bra $L_END;\n\
                atom.global.cas.b32 %r5, [%rd1], 9, 1; st.global.u32 [%rd1+56], %r5; atom.global.cas.b32 %r5, [%rd1], 10, 7;\n\
                st.global.u32 [%rd1+60], %r5;\n$L_END:";
    let found = run(body, (1, 4), 8).unwrap();
    assert_eq!(found[..3], [7 | 4 << 32, 1 | 4 << 32, 8 | 12 << 32]);
    // The sums so far, in the order from the last item to the first.
    assert_eq!(found[3..5], [9 | 7 << 32, 4]);
    assert_eq!(found[7], 10 | 10 << 32);
}

#[test]
fn local_memory_is_the_items_own() {
    let body = "st.local.u64 [%SPL], %rd2; st.u32 [%SP+8], %r1;\nbar.sync 0;\nld.u64 %rd4, [%SP]; ld.local.u32 %r2, [%SPL+8]; cvt.u64.u32 %rd5, %r2;\n\
                add.s64 %rd6, %rd4, %rd5; st.global.u64 [%rd3], %rd6;";
    assert_eq!(run(body, (1, 40), 40).unwrap(), (0..40).map(|i| 9 * i).collect::<Vec<u64>>());
    // Nothing of another item, or of the group before, is left in it or in memory of the group.
    let body = "ld.local.u64 %rd4, [%SPL]; st.local.u64 [%SPL], 1; mov.u64 %rd10, tile; ld.shared.u64 %rd5, [%rd10+8]; bar.sync 0;\n\
                st.shared.u64 [%rd10+8], 2; add.s64 %rd4, %rd4, %rd5; st.global.u64 [%rd3], %rd4;";
    assert_eq!(run(body, (2, 2), 2).unwrap(), [0x4b4b_4b4b_4b4b_4b4a; 2]);
    // What nobody has written is a pattern.
    assert_eq!(run("", (1, 1), 1).unwrap(), [0xa5a5_a5a5_a5a5_a5a5]);
}

const CALLS: &str = "\
.const .align 4 .b8 TABLE[12] = {1, 0, 0, 0, 255, 255, 255, 255, 5};
.global .align 8 .u64 unused = 35;
.func  (.param .align 4 .b8 func_retval0[8]) swap(
\t.param .align 4 .b8 swap_param_0[8],
\t.param .b64 swap_param_1
)
{
\t.reg .b32 \t%r<5>;
\t.reg .b64 \t%rd<4>;
\tmov.b64 %rd1, swap_param_0; cvta.local.u64 %rd2, %rd1; cvta.to.local.u64 %rd2, %rd2;
\tld.local.u32 %r1, [%rd2]; ld.local.u32 %r2, [%rd2+4];
\tld.param.u64 %rd3, [swap_param_1]; cvt.u32.u64 %r3, %rd3; add.s32 %r2, %r2, %r3;
\tst.param.b32 [func_retval0+0], %r2;
\tst.param.b32 [func_retval0+4], %r1;
\tret;
}
.func note(.param .b64 note_param_0, .param .b32 note_param_1)
{
\t.reg .b32 \t%r<2>;
\t.reg .b64 \t%rd<2>;
\tld.param.u64 %rd1, [note_param_0]; ld.param.u32 %r1, [note_param_1];
\tst.global.u32 [%rd1], %r1;
\tret;
}
.visible .entry test(
\t.param .u64 test_param_0
)
.maxntid 32, 1, 1
.minnctapersm 2
{
\t.reg .b32 \t%r<9>;
\t.reg .b64 \t%rd<9>;
\t.pragma \"nounroll\";
\tld.param.u64 %rd1, [test_param_0];
\tmov.u64 %rd2, TABLE; ld.const.u32 %r1, [%rd2+4]; ld.const.u32 %r2, [TABLE+8];
\t{ // callseq 0, 0
\t.reg .b32 temp_param_reg;
\t.param .align 4 .b8 param0[8];
\tst.param.b32 [param0+0], %r1;
\tst.param.b32 [param0+4], %r2;
\t.param .b64 param1;
\tst.param.b64 [param1+0], 100;
\t.param .align 4 .b8 retval0[8];
\tcall.uni (retval0),
\tswap,
\t(
\tparam0,
\tparam1
\t);
\tld.param.b32 %r3, [retval0+0];
\tld.param.b32 %r4, [retval0+4];
\t} // callseq 0
\tst.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4;
\tadd.s64 %rd3, %rd1, 8;
\t{ // callseq 1, 0
\t.param .b64 param0; st.param.b64 [param0+0], %rd3; .param .b32 param1; st.param.b32 [param1+0], %r4;
\tcall.uni
\tnote,
\t(
\tparam0,
\tparam1
\t);
\t}
\tret;
}
";

#[test]
fn functions_are_called() {
    let memory = Memory::new(12);
    launch(CALLS, (2, 3), &[Space::Global.address(0)], &[&memory]).unwrap();
    let mut found = [0; 12];
    assert!(memory.read(0, &mut found));
    assert_eq!(found, [105, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(Program::parse(CALLS).unwrap().kernels["test"].largest_group, Some(32));
}

#[test]
fn accesses_outside_are_reported() {
    // The fourth item is the first behind the end of the buffer of four words, from the front or from the back.
    refused(
        "st.global.u64 [%rd3+8], 0;",
        (1, 4),
        &["item 3 of group 0", "st.global.u64 [%rd3+8]", "at 32", "32 bytes"],
    );
    refused("ld.global.u64 %rd4, [%rd3+-8];", (1, 4), &["item 0 of group 0", "ld.global.u64", "no memory"]);
    refused("ld.global.u64 %rd4, [%rd3+4];", (1, 1), &["8 bytes at 4"]);
    refused("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3+8];", (1, 1), &["16 bytes at 8"]);
    refused("st.global.v4.u32 [%rd1+24], {%r1, %r1, %r1, %r1};", (1, 1), &["16 bytes at 24"]);
    refused("red.global.add.u32 [%rd1+32], 1;", (1, 1), &["4 bytes at 32"]);
    refused("ld.global.u32 %r2, [%rd2];", (1, 1), &["where there is no memory"]);
    refused("mov.u64 %rd4, tile; ld.shared.u64 %rd5, [%rd4+1024];", (1, 1), &["at 1024", "Shared"]);
    refused("ld.local.u32 %r2, [%SPL+16];", (1, 1), &["at 16", "Local"]);
    refused("ld.u32 %r2, [%SP+16];", (1, 1), &["at 16", "Local"]);
    // A pointer of one kind is none of another.
    refused("ld.shared.u32 %r2, [%rd1];", (1, 1), &["Global", "as Shared"]);
    refused("ld.global.u32 %r2, [%SPL];", (1, 1), &["Local", "as Global"]);
    refused("div.u32 %r2, %r1, 0;", (1, 1), &["div.u32", "division by zero"]);
}

#[test]
fn what_is_not_known_is_named() {
    let refused = |text: &str, expected: &str| {
        let error = Program::parse(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    for (body, expected) in [
        ("nonsense;", "unknown opcode nonsense"),
        ("add.f32 %r1, %r1, %r1;", "unknown opcode add.f32"),
        ("ld.global.u8 %r1, [%rd1];", "unknown opcode ld.global.u8"),
        ("ld.volatile.u32 %r1, [%rd1];", "unknown opcode ld.volatile.u32"),
        ("atom.global.add.u64 %rd1, [%rd1], %rd2;", "unknown opcode atom.global.add.u64"),
        ("bar.sync 1;", "unknown opcode bar.sync"),
        ("vote.sync.all.pred %p1, %p1, -1;", "unknown opcode vote.sync.all.pred"),
        ("mov.u32 %r1, %laneid;", "no register %laneid"),
        ("mov.u32 %r1, %r32;", "no register %r32"),
        ("bra $L_NOWHERE;", "no label $L_NOWHERE"),
        ("@%p1 mov.u32 %r1, 0;", "a guard of something else"),
        ("add.s32 %r1, %r1;", "expected 2 operands"),
        ("mov.u32 %r1, 0q;", "is no number"),
        (".maxnreg 3;", "unknown directive .maxnreg"),
        ("call.uni elsewhere, (a);", "no function elsewhere"),
        // A flag that nothing has set, or that is not of this block, of this chain, or has the other sense.
        ("addc.u32 %r1, %r1, %r1;", "carry flag"),
        ("add.cc.u32 %r1, %r1, %r1;\n$L_HERE:\naddc.u32 %r1, %r1, %r1;", "carry flag"),
        ("sub.cc.u32 %r1, %r1, %r1; addc.u32 %r1, %r1, %r1;", "carry flag"),
        ("add.cc.u32 %r1, %r1, %r1; subc.u32 %r1, %r1, %r1;", "carry flag"),
    ] {
        refused(&kernel(body), expected);
    }
    refused(".weak .entry f() {}", "unknown directive .weak");
    refused(&kernel("").replace("\nret;\n}", ""), "without an end");
    refused(&CALLS.replace("swap,", "other,"), "no function other");
    refused(&CALLS.replace(".param .align 4 .b8 param0[8]", ".param .align 4 .b8 param0[4]"), "no such word");
}
