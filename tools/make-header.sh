#!/usr/bin/env bash
# Writes the headers of capi/include from capi/src. To be run after every change to the interface; the same test compares them.
set -euo pipefail
cd "$(dirname "$0")/.."

ZKACCEL_WRITE_HEADERS=1 cargo test --quiet --locked -p zkaccel-capi --test headers
