#!/usr/bin/env bash
# Ranks with a GPU each, on a machine with two NVIDIA GPUs or more, NCCL and Open MPI: answers beside those of one engine, faults of ranks, and times.
#
#     tools/check-nccl.sh          answers and faults
#     tools/check-nccl.sh bench    and then times of two devices of one engine, of two ranks with NCCL, of two ranks through host memory, and of transforms of data that stay
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/built.sh

ranks=$(built examples/ranks zkaccel-cluster)
command=$(built zkaccel zkaccel-cli)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
log=$(mktemp)
trap 'rm -f "$log" "$log.host"' EXIT

# Ranks share the processors: the copies to and from a device take several.
on() { timeout 120 mpirun --oversubscribe --bind-to none -n "$@" 2>&1; }

# fails TEXT ARGUMENT...: the program ends with an error that has the text, in time.
fails() {
  local status=0
  on "${@:2}" >"$log" || status=$?
  if [ $status = 0 ] || [ $status = 124 ] || ! grep -qE "$1" "$log"; then
    echo "expected an error with '$1' of: ${*:2}; status $status:"
    cat "$log"
    exit 1
  fi
}

root=$(grep -oE '[0-9a-f]{64}' README.md | head -n 1)
for count in 1 2; do
  for way in gpus nccl; do on $count "$ranks" check $way; done
  for way in '' --nccl; do
    on $count "$command" mpi commit examples/data/trace.npy $way >"$log"
    grep -q "$root" "$log" || { cat "$log"; exit 1; }
  done
done
on 2 "$ranks" late nccl
fails 'expected 32, found 0' 2 "$ranks" error nccl
for fault in panic exit kill hang; do fails . 2 "$ranks" $fault nccl; done
fails 'have the same GPU' 2 "$command" mpi commit examples/data/trace.npy --device cuda:0 --nccl
fails 'NCCL for an engine on cpu' 2 "$command" mpi commit examples/data/trace.npy --device cpu --nccl
fails '/nowhere/libnccl.so' 2 -x ZKACCEL_NCCL=/nowhere/libnccl.so "$command" mpi commit examples/data/trace.npy --nccl
echo "answers over GPUs are those of one engine, and every fault ended in an error"

[ "${1:-}" = bench ] || exit 0
# bench OPERATION OPTION...
bench() {
  local devices shown=("${@:2}")
  for turn in 1 2; do
    devices=$("$command" bench "$1" "${shown[@]}" --device cuda:0,cuda:1 --quiet --json)
    on 2 "$command" mpi bench "$1" "${shown[@]}" --runs 15 --nccl --json >"$log"
    on 2 "$command" mpi bench "$1" "${shown[@]}" --runs 5 --json >"$log.host"
    python3 - "$1 ${shown[*]}" "$devices" "$log" <<'PYTHON'
import json, sys
name, devices, log = sys.argv[1:]
engine = [m["median_seconds"] for m in json.loads(devices)["measurements"]]
last = lambda path: json.loads(open(path).read()[open(path).read().index("{"):])["measured"][0]
ranks, host = last(log), last(log + ".host")
millis = lambda seconds: f"{seconds * 1e3:8.2f}"
of = " ".join(millis(seconds) for seconds in engine)
print(f"{name:60} one engine {of}  NCCL {millis(ranks['seconds_median'])} ({ranks['seconds_median'] / engine[0]:.2f}x)  through the host {millis(host['seconds_median'])} ms")
PYTHON
  done
}
for hash in rp64_256 poseidon2_8 keccak256; do bench commit --sizes 20 --columns 16 --blowup 8 --hash $hash; done
bench merkle --sizes 24 --hash rp64_256
bench ntt --sizes 24
bench msm --sizes 24
for size in 24 26 28; do
  on 1 "$command" mpi bench ntt --sizes $size --runs 15 --keep --nccl | grep '^ntt'
  on 2 "$command" mpi bench ntt --sizes $size --runs 15 --keep --nccl | grep '^ntt'
done
