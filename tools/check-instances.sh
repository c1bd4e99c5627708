#!/usr/bin/env bash
# Vector code is compiled once, in the library. From the second level of optimisation on, rustc shares no instances of generic functions between crates, so whatever generic function of the library
# makes a `dyn Backend` of the processor's backend would have each crate that calls it compile all vector code again: 4.8 MB in Groth16's, and minutes of everybody's first build.
# Compiles Groth16's crate at that level over the library as it is in the target folder, and looks for such functions in it.
set -euo pipefail
cd "$(dirname "$0")/.."

# The packages of the README's first command, so that the library has the features that it has there, and is not compiled once more.
built=$(cargo build --release --locked --quiet --message-format json --config 'profile.release.package.zkaccel-groth16.opt-level=2')
# rlib CRATE: the file that a crate was compiled to.
rlib() { sed -n "s/.*\"\([^\"]*lib$1\(-[0-9a-f]*\)\?\.rlib\)\".*/\1/p" <<<"$built" | tail -n 1; }
vector_functions() { nm --demangle --defined-only "$1" 2>/dev/null | grep -c 'zkaccel::backend::cpu::simd' || true; }

in_library=$(vector_functions "$(rlib zkaccel)") in_dependent=$(vector_functions "$(rlib zkaccel_groth16)")
echo "functions for vectors: $in_library in the library, $in_dependent in Groth16's crate"
# Functions that are called by name are instances of small generic ones; all of the vector code are hundreds.
if [ "$in_library" -lt 100 ] || [ "$in_dependent" -gt $((in_library / 20)) ]; then
  echo "vector code is compiled in crates that depend on the library: see \`backend::cpu::on_host\`"
  exit 1
fi
