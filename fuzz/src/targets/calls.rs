//! One call of any function of the C interface on any handles, pointers, lengths and flags: a status of the list, and after an error memory as it was.

use zkaccel::provider::HASHES;
use zkaccel_capi::status::ZKA_OK;
use zkaccel_capi::tests::case::{Case, FIXTURE, FUNCTIONS, Fixture, Memory, WORDS, is_possible};

use crate::draw::Draw;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let Fixture { engine, gone, tree, options, bases, grumpkin, matrix, scalars, prover, program, sparse } =
        *FIXTURE;
    let handles = [
        engine,
        engine,
        matrix,
        scalars,
        bases,
        grumpkin,
        prover,
        program,
        sparse,
        tree,
        options,
        gone,
        0,
        8,
        usize::MAX,
    ];
    let handle = |draw: &mut Draw<'_>| draw.pick(&handles);
    let size = |draw: &mut Draw<'_>| match draw.below(8) {
        0..5 => draw.below(9),
        5 => 1 << draw.below(64),
        6 => draw.below(5000),
        _ => draw.near(8),
    };
    let log = |draw: &mut Draw<'_>| match draw.below(8) {
        0..7 => draw.below(9) as u32,
        _ => draw.word() as u32,
    };
    let case = Case {
        function: draw.below(FUNCTIONS),
        handle: handle(&mut draw),
        other_handle: handle(&mut draw),
        rows: size(&mut draw),
        cols: size(&mut draw),
        log_n: log(&mut draw),
        log_blowup: draw.below(5) as u32,
        other_root: (draw.below(5) == 4).then(|| draw.word()),
        coset: draw.word(),
        flags: if draw.below(8) == 7 { draw.word() as u32 } else { draw.below(32) as u32 },
        hash: match draw.below(4) {
            3 => draw.word() as u32,
            2 => HASHES[draw.below(HASHES.len())].number,
            _ => 1 + draw.below(3) as u32,
        },
        index: size(&mut draw),
        future: draw.word(),
        nulls: if draw.below(4) == 3 { draw.byte() } else { 0 },
        overlap: draw.below(8) == 7,
        misaligned: draw.below(16) == 15,
        canonical: draw.below(8) != 7,
        asynchronous: draw.flag(),
    };
    let word = if case.canonical { draw.pick(&[0, 1, 3, 5]) } else { u64::MAX };
    let mut memory = Memory { words: vec![word; WORDS] };
    let before = memory.words.clone();
    let status = case.run(&mut memory);
    assert!(is_possible(status), "{status}: {case:?}");
    if status != ZKA_OK && case.leaves_memory_alone() {
        assert!(memory.words == before, "{status}: memory has changed by {case:?}");
    }
}
