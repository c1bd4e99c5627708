#!/usr/bin/env bash
# Mutation testing: tools/mutants.sh FILE... [-- ARGUMENTS OF `cargo test`], for example
#   tools/mutants.sh src/merkle/opening.rs -- --test it -- merkle::
#   MUTANTS="--shard 0/8" tools/mutants.sh src/field/*.rs -- --lib --features bn254 -- field::   # every eighth
# Each mutant is the crate with one expression or function changed; tests must fail on it. The suite is slow, so give the tests that are about
# the files, and name their target, or all targets are compiled. MUTANTS holds further options of cargo-mutants. What survives is listed in target/mutants/mutants.out/missed.txt;
# docs/hardening.md says what became of those found so far.
set -euo pipefail
cd "$(dirname "$0")/.."
files=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do files+=(--file "$1"); shift; done
if [ $# -gt 0 ]; then shift; fi
# What to compile, and which of the tests to run.
target=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do target+=("--cargo-arg=$1"); shift; done
[ ${#files[@]} -gt 0 ] || { echo "usage: tools/mutants.sh FILE... [-- ARGUMENTS OF cargo test]" >&2; exit 2; }

if ! target/tools/bin/cargo-mutants mutants --version 2>/dev/null; then
  cargo install cargo-mutants --version 27.1.0 --locked --debug --root target/tools --target-dir target/tools/build
fi
# The copy that is changed stays, with its build, and takes over only what differs: an older time than that of the last mutant's build
# would pass for compiled.
tree=$PWD/target/mutants/tree
mkdir -p "$tree"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  cmp --quiet "$file" "$tree/$file" || cp --parents "$file" "$tree"
done
export CARGO_TARGET_DIR=$PWD/target/mutants/build
# A recursive function is deeper without optimisation, and what one mutant's failure was found with is no test of the next.
export RUST_MIN_STACK=$((64 << 20)) PROPTEST_DISABLE_FAILURE_PERSISTENCE=1
unset CARGO_PROFILE_DEV_DEBUG CARGO_INCREMENTAL
# Left out: texts for people, and bodies that do not compile, because no type here can be made like that.
target/tools/bin/cargo-mutants mutants --dir "$tree" --in-place --package zkaccel --no-default-features "${target[@]}" "${files[@]}" \
  --exclude-re '[A-Za-z]::(from_iter|from)\(' --exclude-re '[^cgx]::new\(' --exclude-re 'Matrix::new\(' --exclude-re 'Debug|Display' \
  --profile mutants --output "$PWD/target/mutants" --no-shuffle --sharding round-robin --timeout 120 --build-timeout 600 \
  --colors never ${MUTANTS:-} -- "$@"
