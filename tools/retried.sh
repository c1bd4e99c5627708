# Sourced by the scripts beside it and by CI: `retried COMMAND...` runs a command until it succeeds, four times at most.
retried() {
  local attempt
  for attempt in 1 2 3 4; do
    if "$@"; then return; fi
    sleep $((10 * attempt))
  done
  echo "failed four times: $*" >&2
  return 1
}
