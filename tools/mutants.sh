#!/usr/bin/env bash
# Mutation testing: tools/mutants.sh FILE... [-- ARGUMENTS OF `cargo test`], for example
#   tools/mutants.sh src/merkle/opening.rs -- --test it merkle::
# Each mutant is the crate with one expression or function changed; tests must fail on it. The suite is slow, so give the tests that are about
# the files. What survives is listed in target/mutants/mutants.out/missed.txt; docs/hardening.md says what became of those found so far.
set -euo pipefail
cd "$(dirname "$0")/.."
files=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do files+=(--file "$1"); shift; done
if [ $# -gt 0 ]; then shift; fi
[ ${#files[@]} -gt 0 ] || { echo "usage: tools/mutants.sh FILE... [-- ARGUMENTS OF cargo test]" >&2; exit 2; }

if ! target/tools/bin/cargo-mutants mutants --version 2>/dev/null; then
  cargo install cargo-mutants --version 27.1.0 --locked --debug --root target/tools --target-dir target/tools/build
fi
# The copy that is changed lies beside the build, where there is room, and is compiled again for each mutant: as little as possible.
export TMPDIR=$PWD/target/mutants/tmp
mkdir -p "$TMPDIR"
unset CARGO_TARGET_DIR
export CARGO_INCREMENTAL=1 CARGO_PROFILE_{DEV,TEST}_OPT_LEVEL=0 CARGO_PROFILE_TEST_INCREMENTAL=true CARGO_PROFILE_DEV_DEBUG=false
target/tools/bin/cargo-mutants mutants --package zkaccel --no-default-features "${files[@]}" --output target/mutants --jobs 1 \
  --no-shuffle --minimum-test-timeout 60 --colors never -- "$@"
