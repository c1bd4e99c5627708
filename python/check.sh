#!/usr/bin/env bash
# Installs the Python package into an environment of its own under target/ and tests it: pytest, the types, the example. Needs Python with venv.
#
# `check.sh environment` makes that environment alone, `check.sh install` installs the package into it, and `check.sh tests` tests what is installed.
#
# The module is built by the release profile into the workspace's target folder, so that the library is compiled with what is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
case $CARGO_TARGET_DIR in /*) ;; *) CARGO_TARGET_DIR=$PWD/$CARGO_TARGET_DIR ;; esac
environment=$CARGO_TARGET_DIR/python
. tools/venv.sh
# What `pip install ./python[test]` brings and what builds it, so that they are installed once and not each time.
venv "$environment" 'maturin>=1.10,<2' 'numpy>=1.26' 'galois>=0.4' 'matplotlib>=3.8' 'mypy>=1.15' 'py_ecc>=7' 'pytest>=8'
if [ "${1-}" = environment ]; then exit; fi
export PATH=$environment/bin:$PATH

if [ "${1-}" != tests ]; then
  pip install --quiet --no-build-isolation --force-reinstall --no-deps './python[test]'
  pip check --quiet || { echo "the package's dependencies are not those of the environment" >&2; exit 1; }
fi
if [ "${1-}" = install ]; then exit; fi

cd python
python -m pytest --quiet
MYPYPATH='' python -m mypy.stubtest zkaccel
python -m mypy --strict -p zkaccel
python examples/fibonacci.py "$CARGO_TARGET_DIR/python-plots"
for plot in extension times; do
  test -s "$CARGO_TARGET_DIR/python-plots/$plot.png"
done
