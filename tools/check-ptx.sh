#!/usr/bin/env bash
# Assembles what has changed in kernels/ptx for several architectures, prints registers, stack and spills of its kernels, and records them in
# tools/ptx/resources.txt, which is to be committed; fails if any kernel spills. Needs Python, and no GPU. ZKACCEL_PTX is the tool as it was built from these sources, or else it is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/venv.sh

ptxas=${PTXAS:-$(venv_with ptxas nvidia-cuda-nvcc==13.0.88)/nvidia/cu13/bin/ptxas}
if [ -n "${ZKACCEL_PTX:-}" ]; then
  "$ZKACCEL_PTX" check "$ptxas"
else
  cargo run --quiet --locked -p zkaccel-ptx -- check "$ptxas"
fi
