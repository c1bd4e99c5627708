#!/usr/bin/env bash
# The program in example/ with the published halo2-axiom and with accelerated copies of it, or that in zcash/ with halo2_proofs.
#
#     compare.sh K [DEVICE...]   proves with both, two proofs at a time, and with zkaccel_halo2::create_proof; compares proofs byte by byte, verifies each
#                           side's with the other; K at least 9; on one device after another
#     compare.sh time K...  the time of a proof of 2^K rows with both, a line for each K; the fastest of five
#     compare.sh build      builds what `time` runs, and says where it is
#     compare.sh --zcash ...  the same with the program in zcash/ and zcash's halo2_proofs, which have no whole proofs
#
# ZKACCEL_DEVICE names the device; CARGO_TARGET_DIR is where all of it is built; PROFILE is dev or release (which is for times). What is timed is
# compiled for this processor, unless RUSTFLAGS says otherwise, and with halo2curves' assembly.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${CARGO_TARGET_DIR:-$root/integrations/target}"
CARGO_TARGET_DIR=$(cd "${CARGO_TARGET_DIR:-$root/integrations/target}" && pwd)
export CARGO_TARGET_DIR
example=example program=halo2-chain asm=(--features halo2-axiom/asm)
if [ "${1:-}" = --zcash ]; then
  example=zcash program=halo2-chain-zcash asm=()
  shift
fi
work=$CARGO_TARGET_DIR/halo2/$example
mkdir -p "$work"

mode=compare
case ${1:-} in time | build) mode=$1; shift ;; esac
[ $mode = build ] || [ $# -ge 1 ] || { sed -n '2,11p' "$0" >&2; exit 2; }
profile=${PROFILE:-$([ $mode = compare ] && echo dev || echo release)}
fastest=()
if [ $mode != compare ]; then
  export RUSTFLAGS=${RUSTFLAGS:--Ctarget-cpu=native}
  fastest=("${asm[@]}")
fi

# build NAME FLAGS...: the program, in the workspace that is the current directory, as $work/NAME.bin.
build() {
  local name=$1; shift
  # Copies of published crates warn of what the registry's own would not.
  if ! cargo build --profile "$profile" "$@" 2>"$work/$name.log"; then cat "$work/$name.log" >&2; exit 1; fi
  cp "$CARGO_TARGET_DIR/$([ "$profile" = dev ] && echo debug || echo "$profile")/$program" "$work/$name.bin"
}

# patched NAME FLAGS...: the same program in a workspace like its own but for a patch.
patched() {
  local name=$1; shift
  local copy=$work/$name crates=$work/$name-crates
  "$here/patch.sh" --manifest-path "$here/$example/Cargo.toml" "$@" "$crates"
  rm -rf "$copy"
  mkdir "$copy"
  cp -R "$here/$example/src" "$here/$example/Cargo.lock" "$copy"
  sed -e "s|path = \"../../..\"|path = \"$root\"|; s|path = \"..\"|path = \"$here\"|" "$here/$example/Cargo.toml" >"$copy/Cargo.toml"
  sed -i "s|path = \"../../example|path = \"$here/example|" "$copy"/src/*.rs
  cat "$crates/patch.toml" >>"$copy/Cargo.toml"
  # The lock names all crates already, those of zkaccel too; that two of them come from a directory now changes nothing else.
  (cd "$copy" && build "$name" --offline "${fastest[@]}")
}

# Without optimisation frames are large, and the threads' stacks of 2 MiB too small.
if [ "$profile" = dev ]; then export RUST_MIN_STACK=$((16 << 20)); fi

run() { "$work/$1.bin" "${@:2}"; }

if [ $mode != compare ]; then
  patched stock --measured --stock
  patched accelerated --measured
  if [ $mode = build ]; then echo "$work/stock.bin $work/accelerated.bin"; exit; fi
  for k in "$@"; do
    stock=$(run stock time "$k" --expect stock | grep '^seconds ')
    accelerated=$(run accelerated time "$k" --expect accelerated | grep '^seconds ')
    awk -v k="$k" -v s="$stock" -v a="$accelerated" 'BEGIN {
      split(s, stock, " "); split(a, ours, " ")
      printf "2^%d rows: stock %.3f s, of which sums, transforms and constraints %.3f s (%.0f %%); accelerated %.3f s, of which %.3f s (%.0f %%); ",
        k, stock[2], stock[3], 100 * stock[3] / stock[2], ours[2], ours[3], 100 * ours[3] / ours[2]
      printf "%.2f times as fast, sums, transforms and constraints %.2f times\n", stock[2] / ours[2], stock[3] / ours[3]
    }'
  done
  exit
fi

k=$1
shift
(cd "$here/$example" && build published --locked)
patched stock --measured --stock
patched accelerated --measured
if [ $example = example ]; then (
  cd "$here/.."
  unset RUSTFLAGS
  # With all members and the features of their tests, so that the library is the one that those have.
  cargo build --profile "$([ "$profile" = dev ] && echo test || echo "$profile")" --locked --features zkaccel-halo2/prove,zkaccel-halo2/pasta --example resident
) fi

echo "halo2 as it is published"
run published prove "$k" "$work/published-proofs" 1 --expect stock
if run published prove "$k" "$work/refused" 1 --expect accelerated >/dev/null 2>&1; then
  echo "a proof that the engine had no part in passed for an accelerated one" >&2
  exit 1
fi
echo "the same, with its random polynomial from a fixed seed"
run stock prove "$k" "$work/stock-proofs" 2 --expect stock

# compare: the accelerated proofs on the device of the environment.
compare() {
  echo "accelerated, two proofs at the same time${ZKACCEL_DEVICE:+, on $ZKACCEL_DEVICE}"
  run accelerated prove "$k" "$work/accelerated-proofs" 2 --expect accelerated
  for number in 0 1; do
    cmp "$work/stock-proofs/proof-$number.bin" "$work/accelerated-proofs/proof-$number.bin"
  done
  run published verify "$k" "$work/accelerated-proofs" 2
  run accelerated verify "$k" "$work/published-proofs" 1
  [ $example = example ] || return 0
  echo "zkaccel_halo2::create_proof"
  "$CARGO_TARGET_DIR/$([ "$profile" = dev ] && echo debug || echo "$profile")/examples/resident" compare "$k" "$work/stock-proofs" 2
}
if [ $# = 0 ]; then compare; fi
for device; do
  export ZKACCEL_DEVICE=$device
  compare
done
echo "equal proofs of 2^$k rows; each side accepts the other's"
