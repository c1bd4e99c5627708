//! Every function on random handles, pointers, lengths and flags: always a status of the list, never more than an error.

use std::ffi::c_void;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use accel::provider::HASHES;
use proptest::prelude::*;

use super::case::{Case, FIXTURE, FUNCTIONS, Fixture, Memory, WORDS, is_possible, root};
use crate::future::*;
use crate::goldilocks::*;
use crate::status::*;

/// What a handle is, in a case.
fn handles() -> impl Strategy<Value = usize> {
    let Fixture { engine, gone, tree, options, bases, grumpkin, matrix, scalars, prover, program, sparse } =
        *FIXTURE;
    prop_oneof![
        6 => Just(engine),
        2 => Just(tree),
        1 => Just(options),
        1 => Just(bases),
        1 => Just(grumpkin),
        2 => Just(matrix),
        2 => Just(scalars),
        1 => Just(prover),
        1 => Just(program),
        1 => Just(sparse),
        1 => Just(gone),
        1 => Just(0),
        1 => 0usize..4096,
        1 => any::<usize>(),
    ]
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => 0usize..9,
        4 => (0u32..64).prop_map(|log| 1 << log),
        1 => 0usize..5000,
        1 => any::<usize>(),
        1 => Just(usize::MAX),
        1 => Just(isize::MAX as usize),
    ]
}

fn logs() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0u32..9, 1 => 28u32..70, 1 => any::<u32>()]
}

fn flag_sets() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0u32..32, 1 => any::<u32>()]
}

fn cases() -> impl Strategy<Value = Case> {
    let sizes = (sizes(), sizes(), logs(), 0u32..5, sizes());
    let values = (
        proptest::option::weighted(0.2, any::<u64>()),
        prop_oneof![4 => 1u64..9, 1 => any::<u64>(), 1 => Just(0)],
        flag_sets(),
        prop_oneof![
            3 => 1u32..4,
            6 => proptest::sample::select(HASHES).prop_map(|hash| hash.number),
            1 => any::<u32>(),
        ],
        any::<u64>(),
    );
    let switches = (
        prop_oneof![4 => Just(0u8), 1 => any::<u8>()],
        proptest::bool::weighted(0.1),
        proptest::bool::weighted(0.05),
        proptest::bool::weighted(0.9),
        any::<bool>(),
    );
    (0usize..FUNCTIONS, (handles(), handles()), sizes, values, switches).prop_map(
        |(function, (handle, other_handle), (rows, cols, log_n, log_blowup, index), values, switches)| {
            let (other_root, coset, flags, hash, future) = values;
            let (nulls, overlap, misaligned, canonical, asynchronous) = switches;
            Case {
                function,
                handle,
                other_handle,
                rows,
                cols,
                log_n,
                log_blowup,
                other_root,
                coset,
                flags,
                hash,
                index,
                future,
                nulls,
                overlap,
                misaligned,
                canonical,
                asynchronous,
            }
        },
    )
}

static SUCCESSES: AtomicUsize = AtomicUsize::new(0);

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    fn random_arguments(case in cases()) {
        let mut memory = Memory { words: vec![if case.canonical { 5 } else { u64::MAX }; WORDS] };
        let before = memory.words.clone();
        let status = case.run(&mut memory);
        prop_assert!(is_possible(status), "{status}");
        if status == ZKA_OK {
            SUCCESSES.fetch_add(1, Ordering::Relaxed);
        } else if case.leaves_memory_alone() {
            // Inputs, and data that would be transformed in place, are as they were.
            prop_assert!(memory.words == before, "{status}: memory has changed");
        }
    }
}

/// Nothing is worse than an error, and it is not all errors.
#[test]
fn any_arguments_give_a_status() {
    random_arguments();
    assert!(SUCCESSES.load(Ordering::Relaxed) > 1000, "{SUCCESSES:?}");
}

/// A callback that is null and a context that is anything.
#[test]
fn a_callback_may_be_null() {
    let engine = without_provenance_mut(FIXTURE.engine);
    let (mut data, mut future) = ([1u64; 8], zka_future { id: 0 });
    let omega = root(3, None);
    // SAFETY: eight words, which the poll says are free again.
    unsafe {
        assert_eq!(
            zka_goldilocks_ntt_async(engine, data.as_mut_ptr(), 3, 1, omega, 1, 0, &mut future),
            ZKA_OK
        );
        let mut ready = 0;
        while ready == 0 {
            assert_eq!(zka_poll(engine, future, &mut ready), ZKA_OK);
        }
        assert_eq!(zka_detach(engine, future, None, without_provenance_mut::<c_void>(1)), ZKA_OK);
        assert_eq!(zka_wait(engine, future), ZKA_FUTURE_CONSUMED);
    }
    assert_eq!(data, [8, 0, 0, 0, 0, 0, 0, 0]);
}
