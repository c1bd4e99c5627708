#!/usr/bin/env bash
# Assembles kernels/ptx for several architectures and prints registers, stack and spills of every kernel; fails on spills.
# Needs Python, and no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/venv.sh

ptxas=${PTXAS:-$(venv_with ptxas nvidia-cuda-nvcc==13.0.88)/nvidia/cu13/bin/ptxas}
cargo run --quiet --locked -p zkaccel-ptx -- check "$ptxas"
