#!/usr/bin/env bash
# The recipes in farm/: the one for Ray runs on a local cluster of several node processes, of which some are killed; that for Slurm runs a task of its array; that for Kubernetes is checked against
# the schema of its kind. After python/check.sh, whose package it uses.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
environment=$target/tools/farm
. tools/venv.sh
venv "$environment" 'ray==2.60.0' 'numpy>=1.26' 'kubernetes-validate==1.37.0'
packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
rm -rf "$packages"/zkaccel*
cp -R "$target"/python/lib/python3*/site-packages/zkaccel* "$packages/"
if ! timeout 600 "$environment/bin/python" farm/check_ray.py >"$target/farm.log" 2>&1; then tail -60 "$target/farm.log" >&2; exit 1; fi
tail -n 1 "$target/farm.log"

. tools/built.sh
command=$(realpath "$(built zkaccel zkaccel-cli)")
work=$target/farm
rm -rf "$work"
mkdir -p "$work/roots" "$work/bin"
ln -s "$command" "$work/bin/zkaccel"
cp examples/data/trace.npy "$work/trace-7.npy"
for again in 1 2; do PATH=$work/bin:$PATH ZKACCEL_DEVICE=cpu SLURM_ARRAY_TASK_ID=7 farm/slurm-array.sh "$work" "$work/roots"; done
grep -q "$(grep -oE '[0-9a-f]{64}' README.md | head -n 1)" "$work/roots/root-7.json"
[ "$(ls "$work/roots")" = root-7.json ]
if farm/slurm-array.sh "$work" "$work/roots" 2>/dev/null; then echo "outside of an array it should fail" >&2; exit 1; fi

"$environment/bin/kubernetes-validate" --strict farm/kubernetes-job.yaml
