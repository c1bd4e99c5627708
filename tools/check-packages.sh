#!/usr/bin/env bash
# Packs the crates that are to be published, and checks that what was packed compiles by itself, without the rest of the repository.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo package --quiet --locked --allow-dirty --no-verify -p zkaccel-ptx-machine -p zkaccel -p zkaccel-conformance -p zkaccel-groth16 -p zkaccel-kzg -p zkaccel-cluster -p zkaccel-cli
cd "$target/package"
for crate in zkaccel-ptx-machine zkaccel zkaccel-conformance zkaccel-groth16 zkaccel-kzg zkaccel-cluster zkaccel-cli; do
  rm -rf "$crate-$version"
  # With the time of now, or a build of an older package would pass for one of this.
  tar xmf "$crate-$version.crate"
done
for file in README.md LICENSE-MIT LICENSE-APACHE SECURITY.md kernels/ptx/list.rs; do
  test -f "zkaccel-$version/$file" || { echo "the package has no $file" >&2; exit 1; }
done
# Until the libraries are on the registry, they are found where they were unpacked.
unpacked() {
  for crate in "$@"; do printf -- '--config\npatch.crates-io.%s.path="%s"\n' "$crate" "$PWD/$crate-$version"; done
}
mapfile -t with_machine < <(unpacked zkaccel-ptx-machine)
mapfile -t with_library < <(unpacked zkaccel)
mapfile -t with_libraries < <(unpacked zkaccel zkaccel-conformance zkaccel-groth16 zkaccel-cluster)
CARGO_TARGET_DIR=$target cargo check --quiet --all-features --examples --manifest-path "zkaccel-$version/Cargo.toml" "${with_machine[@]}"
CARGO_TARGET_DIR=$target cargo check --quiet --manifest-path "zkaccel-ptx-machine-$version/Cargo.toml"
CARGO_TARGET_DIR=$target cargo check --quiet --manifest-path "zkaccel-kzg-$version/Cargo.toml" "${with_library[@]}"
# The others are what the command depends on.
CARGO_TARGET_DIR=$target cargo check --quiet --manifest-path "zkaccel-cli-$version/Cargo.toml" "${with_libraries[@]}"
ls -l ./*.crate | awk '{ print $5 " bytes  " $9 }'
