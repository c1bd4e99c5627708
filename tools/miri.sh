#!/usr/bin/env bash
# Tests of unsafe code that is no one else's under Miri, an interpreter that finds undefined behaviour: strided columns, copies of values, borrowed data that are lent to tasks. Installs the compiler that has it.
#
# Borrows are those of trees: by the older rules of stacks crossbeam-epoch, which rayon uses, is refused. Threads of rayon's pools never end, which is no leak.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/retried.sh

# One day's compiler, so that a change of it is no failure here.
compiler=nightly-2026-05-20
retried rustup toolchain install $compiler --profile minimal --component miri,rust-src
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/miri} MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks"
cargo +$compiler miri test --locked -p zkaccel --lib --no-default-features -- memory:: lend::tests --skip gpu:: --skip large
