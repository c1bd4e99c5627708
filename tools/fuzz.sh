#!/usr/bin/env bash
# Runs fuzz targets, two at a time: tools/fuzz.sh [--light] SECONDS [TARGET...]. Without TARGET, all of them, each for so many seconds.
#
# They are built once, with LLVM's coverage and AddressSanitizer, which ships with stable Rust; RUSTC_BOOTSTRAP lets the compiler take the
# option. With `--light`, for runs of seconds, they are built in a third of the time: without the sanitizer, with coverage of functions alone, and the library's own code alone is optimised. Corpora grow under target/fuzz/corpus. Prints a table, and ends with 1 if anything was found: what reproduces it is in
# target/fuzz/findings/TARGET, and `FUZZ_TARGET=TARGET target/fuzz/x86_64-unknown-linux-gnu/release/fuzz FILE` runs it again.
set -euo pipefail
cd "$(dirname "$0")/.."

light=
if [ "${1-}" = --light ]; then
  light=yes
  shift
fi
seconds=${1:?expected the seconds of each target}
shift
host=$(rustc -vV | sed -n 's/^host: //p')
out=$PWD/target/fuzz
program=$out/$host/release/fuzz

flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table --cfg fuzzing"
options=()
if [ "$light" ]; then
  flags+=" -Cllvm-args=-sanitizer-coverage-level=1"
  for package in zkaccel-{cli,cluster,fuzz,fuzz-capi,groth16,kzg} clap_builder; do
    options+=(--config "profile.release.package.$package.opt-level=0")
  done
else
  flags+=" -Cllvm-args=-sanitizer-coverage-level=3 -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address"
fi
# A target: build scripts and macros are compiled without all of this.
(cd fuzz && RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags CARGO_TARGET_DIR=$out cargo build --release --locked --target "$host" "${options[@]}")

# Small files that are written for each execution.
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/zkaccel-fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
# Drivers of OpenCL keep what they have compiled until the process ends. A panic is an abort, and its message the finding.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 RUST_BACKTRACE=1

FUZZ_SEEDS=$out/seeds "$program" >/dev/null
declare -A max_len
names=()
while read -r name length; do
  max_len[$name]=$length
  names+=("$name")
done < <(FUZZ_LIST=1 "$program")
if [ $# = 0 ]; then set -- "${names[@]}"; fi

run() {
  local name=$1 corpus=$out/corpus/$1 findings=$out/findings/$1
  mkdir -p "$corpus" "$findings" "$out/logs"
  # Standard output is closed: the command prints there. A compiler of OpenCL kernels may take its time.
  FUZZ_TARGET=$name "$program" "$corpus" "$out/seeds/$name" -max_total_time="$seconds" -max_len="${max_len[$name]}" \
    -timeout=120 -rss_limit_mb=6144 -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$findings/" \
    >"$out/logs/$name" 2>&1 && echo ok >"$scratch/$name.result" || echo FAILED >"$scratch/$name.result"
}

for name; do
  [ -n "${max_len[$name]:-}" ] || { echo "no target $name, expected one of ${names[*]}" >&2; exit 2; }
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
  run "$name" &
done
wait

failed=0
printf '%-14s %12s %10s %8s %8s  %s\n' target executions edges corpus seconds result
for name; do
  log=$out/logs/$name
  result=$(cat "$scratch/$name.result")
  executions=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
  edges=$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d' ' -f2)
  printf '%-14s %12s %10s %8s %8s  %s\n' "$name" "${executions:--}" "${edges:--}" "$(ls "$out/corpus/$name" | wc -l)" \
    "$seconds" "$result"
  if [ "$result" != ok ]; then
    failed=1
    grep -m 3 -E "panicked at|ERROR: AddressSanitizer|ERROR: libFuzzer" -A 2 "$log" >&2 || tail -n 5 "$log" >&2
    echo "$name: log in target/fuzz/logs/$name, inputs in target/fuzz/findings/$name" >&2
  fi
done
exit $failed
