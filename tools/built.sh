# Sourced by the scripts beside it: `built PROGRAM PACKAGE` prints where a program of the workspace is (`zkaccel`, `examples/ranks`): as CI has built it, or else as
# `cargo test --workspace` has, or else it is built now.
built() {
  local target=${CARGO_TARGET_DIR:-$PWD/target} profile kind=--bin
  for profile in release debug; do
    if [ -x "$target/$profile/$1" ]; then echo "$target/$profile/$1"; return; fi
  done
  case $1 in examples/*) kind=--example ;; esac
  cargo build --quiet --locked -p "$2" $kind "${1#examples/}" >&2
  echo "$target/debug/$1"
}
