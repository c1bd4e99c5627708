#!/usr/bin/env bash
# Builds the book of docs/ into target/book, and checks it: warnings, links, and every block of code. Needs Python with venv.
#
# `tools/check-book.sh build` stops before the blocks of code, which need what `.ci/run` has built before: see tools/book/blocks.py.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/venv.sh

MDBOOK=0.5.4
if [ "$(target/tools/bin/mdbook --version 2>/dev/null)" != "mdbook v$MDBOOK" ]; then
  cargo install mdbook --version "$MDBOOK" --locked --debug --no-default-features --features search --root target/tools --target-dir target/tools/build
fi
PYTHONPATH=$PWD/$(venv_with mathml latex2mathml==3.81.1)
export PYTHONPATH

rm -rf target/book
mkdir -p target
target/tools/bin/mdbook build docs 2>&1 | tee target/book.log
# mdBook goes on after a warning.
if grep -E ' (WARN|ERROR) ' target/book.log; then exit 1; fi
python3 tools/book/links.py target/book
[ "${1:-}" != build ] || exit 0

# What steps of `.ci/run` before this one have built: the command, the Python environment, examples, and the example of a provider.
prefix=$PWD/target/book-run/prefix
mkdir -p target/book-run
capi/install.sh "$prefix"
target/python/bin/python tools/book/blocks.py
