#!/usr/bin/env bash
# What takes hours, for a scheduled run: tools/scheduled.sh [FUZZ_SECONDS [SOAK_SECONDS [DEVICE...]]]. Every fuzz target for ten minutes, and
# random operations for an hour on each device, `cpu` if none is named, unless other times are said. Ends with 1 if anything was found.
set -uo pipefail
cd "$(dirname "$0")/.."
fuzz=${1:-600} soak=${2:-3600}
shift $(($# < 2 ? $# : 2))
failed=0
tools/fuzz.sh "$fuzz" || failed=1
tools/soak.sh "$soak" "$@" || failed=1
exit $failed
