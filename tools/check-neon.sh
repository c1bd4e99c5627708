#!/usr/bin/env bash
# The NEON level, on a machine of another architecture: compiles tests for AArch64 and runs them under QEMU. Installs the
# compiler's target, a linker with the C library, and the emulator, where they are missing.
#
# Emulated, so short ones only: the CPU backend's own, which go through every level that the machine has (nodes of
# every hash, rows of BLAKE3 and SHA-256 side by side, vectors of doubles and of words, transforms), but for the sponges' rows, which take
# minutes. They compare with portable code. Curves have no NEON code: what runs for them here is what runs without vectors everywhere, so they are left out, as is the engine, which
# would need the library compiled once more.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu

. tools/retried.sh
install_packages() { apt-get update -qq && apt-get install -qq -y --no-install-recommends "$@"; }

if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
  retried rustup target add "$target"
fi
if [ "$(uname -m)" != aarch64 ]; then
  if ! { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64-static; } >/dev/null; then
    retried install_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
  fi
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
fi

# Dependencies are not optimised: they are most of what there is to compile, and little of what runs.
# No word on the level, so that engines take the best.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
env -u ZKACCEL_SIMD cargo test --locked -p zkaccel --target "$target" --no-default-features \
  --config 'profile.test.package."*".opt-level=0' \
  --lib -- --show-output \
  --skip backend::cpu::sponge::tests::rows backend::cpu:: | tee "$log"

# A filter that matches nothing passes too. The first of these fails unless the machine has the level.
for name in \
  backend::cpu::simd::dispatch::tests::levels_of_this_machine \
  backend::cpu::simd::dispatch::tests::a_better_level_is_at_least_as_wide \
  backend::cpu::doubles::tests::operations_round_once \
  backend::cpu::sponge::tests::merges \
  backend::cpu::blake3::tests::rows backend::cpu::blake3::tests::merges backend::cpu::sha256::tests::rows \
  backend::cpu::ntt::plan::tests::three_digits backend::cpu::ntt::tests::transforms_are_those_of_the_reference; do
  grep -qxF "test $name ... ok" "$log" || { echo "the test $name did not run" >&2; exit 1; }
done
grep -x 'levels: .*' "$log"
echo "$(grep -c '^test .* \.\.\. ok$' "$log") tests passed on AArch64"
