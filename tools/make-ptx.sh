#!/usr/bin/env bash
# Makes kernels/ptx from the kernels, with the one compiler that makes what every driver from 535 loads. To be run after
# every change to kernels/ or to the constants; needs Python, and no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/venv.sh

nvrtc=${NVRTC:-$(venv_with nvrtc nvidia-cuda-nvrtc-cu12==12.2.140)/nvidia/cuda_nvrtc/lib/libnvrtc.so.12}
cargo run --quiet --locked -p zkaccel-ptx -- make "$nvrtc"
