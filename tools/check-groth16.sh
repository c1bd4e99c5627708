#!/usr/bin/env bash
# Proofs of the command for circuits of circom, verified by snarkjs, and proofs of snarkjs verified by the command: `tools/check-groth16.sh`. Needs node
# and npm; takes about a minute on two cores.
#
# A multiplier and the membership in a Merkle tree of Poseidon have keys of a small ceremony that snarkjs makes here; over BLS12-381 the multiplier and a chain of powers. A ceremony
# for SHA-256 would take half an hour, so that, over both curves, and the verification of an EdDSA signature have keys with known secrets, which `known_tau` makes.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$target/groth16
. tools/built.sh
. tools/retried.sh
zkaccel=$(realpath "$(built zkaccel zkaccel-cli)")
known_tau=$(realpath "$(built examples/known_tau zkaccel-groth16)")

packages=(circom2@0.2.23 snarkjs@0.7.6 circomlib@2.0.5)
mkdir -p "$folder"
cd "$folder"
if [ "$(cat installed 2>/dev/null)" != "${packages[*]}" ]; then
  echo '{"private": true}' >package.json
  retried npm install --silent --no-audit --no-fund "${packages[@]}"
  echo "${packages[*]}" >installed
fi
snarkjs() { node node_modules/snarkjs/build/cli.cjs "$@" >snarkjs.log 2>&1 || { cat snarkjs.log >&2; return 1; }; }

# powers CURVE SIZE: powers of tau of a ceremony with one contribution.
powers() {
  [ -f "$1-$2.ptau" ] && return
  snarkjs powersoftau new "$1" "$2" new.ptau
  snarkjs powersoftau contribute new.ptau contributed.ptau -n=check -e=entropy
  snarkjs powersoftau prepare phase2 contributed.ptau "$1-$2.ptau"
}

# check CIRCUIT KEY INPUT [CURVE]: KEY is the size of the ceremony, or `known`; CURVE is bls12381, or else BN254.
check() {
  local circuit=$1 powers=$2 input=$3 curve=${4:-bn128} start=$SECONDS
  local name=$circuit
  [ "$curve" = bn128 ] || name=$circuit-bls12-381
  mkdir -p "$name"
  local source=$root/tools/groth16/$circuit.circom
  [ -f "$source" ] || source=$root/groth16/tests/data/$name/circuit.circom
  cp "$source" "$name.circom"
  node node_modules/circom2/cli.js "$name.circom" --prime "$curve" --r1cs --wasm --O2 -l node_modules -o "$name" >circom.log || { cat circom.log >&2; return 1; }
  local zkey=$name/key.zkey key=$name/verification_key.json
  if [ "$powers" = known ]; then
    "$known_tau" "$name/$name.r1cs" "$zkey" "$key"
  else
    powers "$curve" "$powers"
    snarkjs groth16 setup "$name/$name.r1cs" "$curve-$powers.ptau" "$name/0.zkey"
    snarkjs zkey contribute "$name/0.zkey" "$zkey" -n=check -e=entropy
    snarkjs zkey verify "$name/$name.r1cs" "$curve-$powers.ptau" "$zkey"
    snarkjs zkey export verificationkey "$zkey" "$key"
  fi
  echo "$input" >"$name/input.json"
  snarkjs wtns calculate "$name/${name}_js/$name.wasm" "$name/input.json" "$name/witness.wtns"

  "$zkaccel" groth16 inspect "$zkey" --verification-key "$name/ours_key.json" --quiet >/dev/null
  "$zkaccel" groth16 prove "$zkey" "$name/witness.wtns" "$name/ours.json" "$name/ours_public.json" --quiet ${ZKACCEL_DEVICE:+--device "$ZKACCEL_DEVICE"} >/dev/null
  snarkjs groth16 prove "$zkey" "$name/witness.wtns" "$name/theirs.json" "$name/theirs_public.json"
  diff <(tr -d ' \n' <"$name/ours_public.json") <(tr -d ' \n' <"$name/theirs_public.json")
  # Each by each, and our proof with the key as we export it.
  snarkjs groth16 verify "$key" "$name/ours_public.json" "$name/ours.json"
  snarkjs groth16 verify "$name/ours_key.json" "$name/ours_public.json" "$name/ours.json"
  "$zkaccel" groth16 verify "$key" "$name/theirs_public.json" "$name/theirs.json" >/dev/null
  "$zkaccel" groth16 verify "$key" "$name/ours_public.json" "$name/ours.json" >/dev/null
  # What neither may accept: a public signal that is one more.
  node -e '
    const [from, to] = process.argv.slice(1), fs = require("fs");
    const signals = JSON.parse(fs.readFileSync(from));
    signals[0] = (BigInt(signals[0]) + 1n).toString();
    fs.writeFileSync(to, JSON.stringify(signals));' "$name/ours_public.json" "$name/wrong.json"
  if snarkjs groth16 verify "$key" "$name/wrong.json" "$name/ours.json" 2>/dev/null; then echo "$name: snarkjs accepts another signal" >&2; return 1; fi
  local status=0
  "$zkaccel" groth16 verify "$key" "$name/wrong.json" "$name/ours.json" >/dev/null 2>&1 || status=$?
  [ "$status" = 1 ] || { echo "$name: status $status for another signal, expected 1" >&2; return 1; }
  echo "$name: $(stat -c %s "$zkey") bytes of key, proofs of both verified by both, $((SECONDS - start)) s"
}

check multiplier 4 '{"a": "3", "b": "11"}'
check multiplier 4 '{"a": "3", "b": "11"}' bls12381
check powers 7 '{"x": "12345"}' bls12381
check membership 9 '{"leaf": "12345", "siblings": ["6789", "424242"], "right": ["0", "1"]}'
# The base point twice, with a check that is off.
x=5299619240641551281634865583518297030282874472190772894086521144482721001553
y=16950150798460657717958625567821834550301663161624707787222815936182638968203
check eddsa known "{\"enabled\": \"0\", \"Ax\": \"$x\", \"Ay\": \"$y\", \"S\": \"1\", \"R8x\": \"$x\", \"R8y\": \"$y\", \"M\": \"7\"}"
bits=$(printf '"%s",' 0 1 1 0 0 0 0 1 0 1 1 0 0 0 1 0 0 1 1 0 0 0 1 1 0 1 1 0 0 1 0 0 0 1 1 0 0 1 0 1 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 1 0 1 1 0 1 0 0 0 | sed 's/,$//')
check sha256 known "{\"in\": [$bits]}"
check sha256 known "{\"in\": [$bits]}" bls12381
