#!/usr/bin/env bash
# Writes the headers of capi/include from capi/src; with --check compares instead. To be run after every change to the interface.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.29.4
cbindgen=target/tools/bin/cbindgen
if [ "$($cbindgen --version 2>/dev/null)" != "cbindgen $version" ]; then
  cargo install cbindgen --version "$version" --locked --debug --root target/tools --target-dir target/tools/build
fi
for header in zkaccel h2k; do
  case $header in zkaccel) config=cbindgen source=capi ;; h2k) config=h2k source=capi/src/h2k.rs ;; esac
  $cbindgen --quiet ${1:+--verify} --config capi/$config.toml --output capi/include/$header.h $source
done
