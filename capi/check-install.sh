#!/usr/bin/env bash
# Installs the C library into a folder of its own, and builds and runs the examples against it: shared, then static.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
capi/install.sh "$prefix"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
flags=(-std=c99 -Wall -Wextra -Werror -pedantic)
for example in capi/examples/*.c; do
  name=$(basename "$example" .c)
  # Words of pkg-config are arguments of the compiler.
  # shellcheck disable=SC2046
  cc "${flags[@]}" "$example" -o "$prefix/$name" $(pkg-config --cflags --libs zkaccel)
  LD_LIBRARY_PATH=$prefix/lib "$prefix/$name"
  # shellcheck disable=SC2046
  cc "${flags[@]}" "$example" -o "$prefix/$name-static" -I"$prefix/include" "$prefix/lib/libzkaccel.a" \
    $(pkg-config --variable=static_libraries zkaccel)
  "$prefix/$name-static"
done
readelf -d "$prefix/lib/libzkaccel.so" | grep 'soname: \[libzkaccel.so.1\]' >/dev/null
if readelf -d "$prefix/lib/libzkaccel.so" | grep NEEDED | grep -iE 'cuda|nvidia|opencl'; then exit 1; fi
