#!/usr/bin/env bash
# Copies of halo2's crates whose sums, transforms and constraints ask zkaccel first, for [patch.crates-io]: of halo2-axiom and halo2curves-axiom, over BN254, or of zcash's
# halo2_proofs, over Pasta, without its constraints.
#
#     patch.sh [--manifest-path CARGO_TOML] [--stock] [--measured] DIRECTORY
#
# The copies are made of the sources that the workspace of CARGO_TOML (or of the example here) has locked, and go to DIRECTORY, with a file
# patch.toml that lists them: its text belongs into the workspace's Cargo.toml, or `cargo --config DIRECTORY/patch.toml` takes it.
#
# For comparisons only: --measured has the clock of zkaccel_halo2::timed run in the functions that ask, and takes chance out of two
# places where halo2-axiom has it from elsewhere than the caller's generator, so that equal inputs have equal proofs: a random polynomial, from
# the thread's generator (with a fixed seed such proofs hide nothing!), and the order of a hash map in lookups. --stock leaves the
# questions out.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
manifest=$here/example/Cargo.toml
asks=true measured=false
while [ $# -gt 1 ]; do
  case $1 in
    --manifest-path) manifest=$2; shift ;;
    --stock) asks=false ;;
    --measured) measured=true ;;
    *) echo "$0: what is $1?" >&2; exit 2 ;;
  esac
  shift
done
[ $# = 1 ] || { sed -n '2,14p' "$0" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)

fail() { echo "$0: $*" >&2; exit 1; }

# found NAME: the manifests of the locked versions of a crate.
found() {
  cargo metadata --format-version 1 --locked --manifest-path "$manifest" |
    grep -oE '"manifest_path":"[^"]*/'"$1"'-[0-9][^"/]*/Cargo\.toml"' | cut -d '"' -f 4 | sort -u || true
}

# copy NAME [FEATURE]: the locked sources of a crate, with zkaccel-halo2 among its dependencies.
crates=()
copy() {
  local found
  crates+=("$1")
  found=$(found "$1")
  [ "$(grep -c . <<<"$found")" = 1 ] || fail "expected one version of $1 in the lock of $manifest, found: ${found:-none}"
  rm -rf "${directory:?}/$1"
  cp -R "$(dirname "$found")" "$directory/$1"
  chmod -R u+w "$directory/$1"
  rm -f "$directory/$1/Cargo.lock" "$directory/$1/.cargo-ok"
  printf '\n[dependencies.zkaccel-halo2]\npath = "%s"\nfeatures = [%s]\n' "$here" "${2:+\"$2\"}" >>"$directory/$1/Cargo.toml"
}

# after_head FILE HEAD TEXT: puts a text behind the brace of the one function whose first line matches HEAD.
after_head() {
  local file=$directory/$1
  awk -v head="$2" -v text="$3" '
    $0 ~ head { heads++; inside = 1 }
    { print }
    inside && /\{[ \t]*$/ { print text; inside = 0; put++ }
    END { exit heads != 1 || put != 1 }' "$file" >"$file.new" ||
    fail "expected one function '$2' in $1: this version is not known here"
  mv "$file.new" "$file"
}

# after_line FILE LINE TEXT: puts a text behind the one line that is LINE.
after_line() {
  local file=$directory/$1
  awk -v line="$2" -v text="$3" '
    { print; stripped = $0; sub(/^[ \t]+/, "", stripped) }
    stripped == line { print text; put++ }
    END { exit put != 1 }' "$file" >"$file.new" ||
    fail "expected one line '$2' in $1: this version is not known here"
  mv "$file.new" "$file"
}

# ask FILE HEAD TEXT: a question behind a function's brace, and the clock.
ask() {
  if $asks; then after_head "$1" "$2" "    $3"; fi
  if $measured; then after_head "$1" "$2" '    let _clock = zkaccel_halo2::timed();'; fi
}

over_bn254() {
  copy halo2curves-axiom
  copy halo2-axiom

  if $asks; then
    echo 'zkaccel_halo2::bn254!(pub Zkaccel = crate::bn256);' >>"$directory/halo2curves-axiom/src/lib.rs"
    {
      echo 'zkaccel_halo2::bn254!(Zkaccel = halo2curves::bn256);'
      echo 'zkaccel_halo2::constraint_system!(Zkaccel = crate::plonk);'
    } >>"$directory/halo2-axiom/src/lib.rs"
  fi

  ask halo2curves-axiom/src/msm.rs '^pub fn msm_best<' \
    'if let Some(sum) = zkaccel_halo2::msm::<crate::Zkaccel, _, _, _>(coeffs, bases) { return sum; }'
  ask halo2curves-axiom/src/fft.rs '^pub fn best_fft<' \
    'if zkaccel_halo2::fft::<crate::Zkaccel, _, _>(a, &omega) { return; }'
  ask halo2-axiom/src/arithmetic.rs '^pub fn best_fft<' \
    'if zkaccel_halo2::fft::<crate::Zkaccel, _, _>(a, &omega) { return; }'
  ask halo2-axiom/src/poly/domain.rs '^    fn ifft\(' \
    'if zkaccel_halo2::inverse_fft::<crate::Zkaccel, _>(a, &omega_inv, &divisor) { return; }'
  ask halo2-axiom/src/poly/domain.rs '^    pub fn coeff_to_extended_part\(' \
    'if zkaccel_halo2::coset_fft::<crate::Zkaccel, _>(a.values_mut(), &self.omega, &(self.g_coset * extended_omega_factor)) { return Polynomial::new(a.into_values()); }'
  ask halo2-axiom/src/plonk/evaluation.rs '^    pub\(in crate::plonk\) fn evaluate_h\(' \
    'if let Some(values) = zkaccel_halo2::evaluate_h!(crate::Zkaccel, crate::plonk, pk, advice_polys, instance_polys, challenges, y, beta, gamma, theta, lookups, permutations) { return values; }'

  if $measured; then
    after_line halo2-axiom/src/plonk/vanishing/prover.rs 'let mut rng = rand::thread_rng();' \
      '            let mut rng = <rand::rngs::StdRng as rand::SeedableRng>::seed_from_u64(0);'
    after_line halo2-axiom/src/plonk/lookup/prover.rs \
      'let timer = start_timer!(|| "permute_par input unique ranges (cpu par)");' \
      '    let input_uniques: std::collections::BTreeMap<_, _> = input_uniques.into_iter().collect();'
  fi
}

over_pasta() {
  copy halo2_proofs pasta
  ask halo2_proofs/src/arithmetic.rs '^pub fn best_multiexp<' \
    'if let Some(sum) = zkaccel_halo2::pasta::msm(coeffs, bases) { return sum; }'
  ask halo2_proofs/src/arithmetic.rs '^pub fn best_fft<' \
    'if zkaccel_halo2::pasta::fft(a, &omega) { return; }'
  ask halo2_proofs/src/poly/domain.rs '^    fn ifft\(' \
    'if zkaccel_halo2::pasta::inverse_fft(a, &omega_inv, &divisor) { return; }'
  ask halo2_proofs/src/poly/domain.rs '^    pub fn coeff_to_extended\(' \
    'if a.values.len() == 1 << self.k && zkaccel_halo2::pasta::coset_fft(&mut a.values, self.extended_len(), &self.extended_omega, &self.g_coset) { return Polynomial { values: a.values, _marker: PhantomData }; }'
}

if [ -n "$(found halo2_proofs)" ]; then over_pasta; else over_bn254; fi

{
  echo '[patch.crates-io]'
  for crate in "${crates[@]}"; do echo "$crate = { path = \"$directory/$crate\" }"; done
} >"$directory/patch.toml"
