#!/usr/bin/env bash
# Builds the C library and installs it, its headers and its pkg-config file: capi/install.sh [PREFIX], /usr/local unless said.
# With DESTDIR all goes below that directory, for packages. PROFILE is the profile to build, `release` unless said.
set -euo pipefail
prefix=$(realpath -m "${1:-/usr/local}")
cd "$(dirname "$0")/.."

profile=${PROFILE:-release}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
soname=$(sed -n 's/.*-soname,\([^"]*\)".*/\1/p' capi/build.rs)
cargo build --locked --package zkaccel-capi --lib --profile "$profile"
# What a program needs beside the static library is what Rust's own library needs, as the compiler tells it.
# (Not into the null device: the compiler renames its output over it, and as root it may.)
unwanted=$(mktemp -d)
trap 'rm -rf "$unwanted"' EXIT
libraries=$(echo | rustc --crate-type staticlib --print native-static-libs -o "$unwanted/empty.a" - 2>&1 |
  sed -n 's/^note: native-static-libs: //p')
[ -n "$libraries" ]
case $profile in dev | test) directory=debug ;; *) directory=$profile ;; esac
built=${CARGO_TARGET_DIR:-target}/$directory

root=${DESTDIR:-}$prefix
install -d "$root/lib/pkgconfig" "$root/include"
install -m 755 "$built/libzkaccel.so" "$root/lib/libzkaccel.so.$version"
ln -sf "libzkaccel.so.$version" "$root/lib/$soname"
ln -sf "$soname" "$root/lib/libzkaccel.so"
install -m 644 "$built/libzkaccel.a" "$root/lib/"
install -m 644 capi/include/*.h "$root/include/"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" -e "s|@STATIC_LIBRARIES@|$libraries|" capi/zkaccel.pc.in |
  install -m 644 /dev/stdin "$root/lib/pkgconfig/zkaccel.pc"
echo "installed zkaccel $version in $root"
