#!/usr/bin/env bash
# Opens reports of `zkaccel bench --report` and `zkaccel selftest --report` in a browser: `tools/check-report.sh [PAGE...]`. Needs chromium and npm.
#
# Without pages, it measures small ones on the processor, on it and the reference as one and, where it is present, on OpenCL's first device, and tests some cases. Each page is opened light and
# dark, 400 and 1400 pixels wide, and printed; `tools/report/check.py` says what must hold.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/retried.sh

# axe-core looks for obstacles to people who use assistive technology. Only this check uses it.
AXE=4.14.1
folder=target/report
mkdir -p "$folder"
if [ ! -f "$folder/axe-$AXE/package/axe.min.js" ]; then
  mkdir -p "$folder/axe-$AXE"
  fetch_axe() { (cd "$folder/axe-$AXE" && npm pack --silent "axe-core@$AXE" >/dev/null && tar -xzf "axe-core-$AXE.tgz"); }
  retried fetch_axe
fi

pages=("$@")
if [ ${#pages[@]} -eq 0 ]; then
  . tools/built.sh
  command=$(built zkaccel zkaccel-cli)
  "$command" bench --sizes 6,8 --device cpu --report "$folder/cpu.html" >"$folder/cpu.txt"
  "$command" selftest --only known --device cpu --report "$folder/selftest.html" >"$folder/selftest.txt"
  "$command" bench msm --curve pallas --sizes 6,8 --device cpu,reference --report "$folder/several.html" >"$folder/several.txt"
  pages=("$folder/cpu.html" "$folder/selftest.html" "$folder/several.html")
  if "$command" devices | grep '^opencl:0' >/dev/null; then
    "$command" bench --sizes 6,8 --approach all --device cpu,opencl:0 --each --report "$folder/each.html" >"$folder/each.txt"
    pages+=("$folder/each.html")
  fi
fi
python3 tools/report/check.py "$folder/axe-$AXE/package/axe.min.js" "${pages[@]}"
