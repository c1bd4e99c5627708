#!/usr/bin/env bash
# Compares the interfaces of the crates that are to be published with those of the last tag, by cargo-semver-checks: fails where a change needs a higher version than the
# crate has. Does nothing while there is no tag. Installing cargo-semver-checks takes about a quarter of an hour on two cores, once.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! tag=$(git describe --tags --abbrev=0 2>/dev/null); then
  echo "there is no tag yet, and so no interface to compare with: nothing is checked"
  exit 0
fi
VERSION=0.51.0
if ! grep -q "^\"cargo-semver-checks $VERSION " target/tools/.crates.toml 2>/dev/null; then
  cargo install cargo-semver-checks --version "$VERSION" --locked --debug --root target/tools --target-dir target/tools/build
fi
export PATH=$PWD/target/tools/bin:$PATH
# The command's library is no interface, and a crate that the tag does not have is new.
for folder in . groth16 kzg cluster conformance tools/ptx-machine; do
  if git cat-file -e "$tag:./$folder/Cargo.toml" 2>/dev/null; then
    package=$(sed -n 's/^name = "\(.*\)"/\1/p' "$folder/Cargo.toml" | head -n 1)
    cargo semver-checks --baseline-rev "$tag" --package "$package"
  fi
done
