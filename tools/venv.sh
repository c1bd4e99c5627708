# Sourced by scripts at the root of the repository.
. tools/retried.sh

# `venv FOLDER ARGUMENT...`: a Python environment in a folder, with what pip installs by the arguments, unless it is complete there.
venv() {
  [ ! -e "$1/complete" ] || return 0
  rm -rf "$1"
  python3 -m venv "$1" >&2
  retried "$1/bin/pip" install --quiet "${@:2}" >&2 && touch "$1/complete"
}

# `venv_with NAME WHEEL...`: such an environment of pinned wheels, in target/tools/NAME. Prints its site-packages folder.
venv_with() {
  venv "target/tools/$1" --no-deps "${@:2}" || return 1
  echo "target/tools/$1"/lib/python3*/site-packages
}
