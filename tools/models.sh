#!/usr/bin/env bash
# Models of the concurrent code, each in thousands of orders of its threads (src/sync.rs); NAME runs those whose names contain it.
# A failure prints the order that led to it.
set -euo pipefail
cd "$(dirname "$0")/.."
# Flags of the compiler rebuild everything, so they have a folder of their own.
export CARGO_TARGET_DIR=target/models RUSTFLAGS="--cfg shuttle"
# Models take little time, and compilation takes most of it. What shuttle warns of is that atomics are sequentially consistent in it.
export CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_{DEV,TEST}_OPT_LEVEL=0 SHUTTLE_SILENCE_WARNINGS=1
# A dependency of tests alone, which the models have no use for.
cargo test -p zkaccel --lib --no-default-features --locked --config 'profile.dev.package.halo2curves.opt-level=0' --config 'profile.test.package.halo2curves.opt-level=0' "models::${1-}"
