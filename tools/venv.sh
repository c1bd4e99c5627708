# Sourced by the scripts beside it: `venv_with <name> <wheel>...` makes a Python environment with pinned wheels under
# target/tools, where it does not exist yet, and prints its site-packages folder.
venv_with() {
  local name=$1 root
  shift
  root=target/tools/$name
  if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    python3 -m venv "$root" >&2
    local attempt
    for attempt in 1 2 3; do
      if "$root/bin/pip" install --quiet --no-deps "$@" >&2; then touch "$root/complete"; break; fi
      sleep $((5 * attempt))
    done
    [ -e "$root/complete" ] || { echo "could not install $*" >&2; return 1; }
  fi
  echo "$root"/lib/python3*/site-packages
}
