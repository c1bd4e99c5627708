#!/usr/bin/env bash
# Writes capi/include/zkaccel.h from capi/src; with --check compares instead. To be run after every change to the interface.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.29.4
cbindgen=target/tools/bin/cbindgen
if [ "$($cbindgen --version 2>/dev/null)" != "cbindgen $version" ]; then
  cargo install cbindgen --version "$version" --locked --debug --root target/tools --target-dir target/tools/build
fi
$cbindgen --quiet ${1:+--verify} --config capi/cbindgen.toml --output capi/include/zkaccel.h capi
