#!/usr/bin/env bash
# Random operations on many threads for SECONDS, an hour if it is not said, on each of DEVICES (cpu if none is named), one after another.
# See `zkaccel selftest --help` and docs/hardening.md.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3600}
shift || true
cargo build --release --locked --quiet --package zkaccel-cli
for device in "${@:-cpu}"; do
  target/release/zkaccel selftest --for "${seconds}s" --device "$device"
done
