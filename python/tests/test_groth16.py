"""Proofs of Groth16 with keys, witnesses and proofs of snarkjs. py_ecc checks the verifier's equation for itself."""

import json
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import zkaccel
from py_ecc import optimized_bls12_381, optimized_bn128
from zkaccel.groth16 import Prover, verify

DATA = Path(__file__).resolve().parents[2] / "groth16/tests/data"
# Circuits with the numbers of their signals, and how py_ecc has their curves.
SIGNALS = {"multiplier": 5, "membership": 490, "multiplier-bls12-381": 5, "powers-bls12-381": 102}
CIRCUITS = tuple(SIGNALS)


def curve(circuit: str):
    return optimized_bls12_381 if "bls12-381" in circuit else optimized_bn128


def load(circuit: str, name: str):
    return json.loads((DATA / circuit / name).read_text())


def signals(circuit: str) -> list[int]:
    """The signals of a witness file, which are the end of it."""
    bytes = (DATA / circuit / "witness.wtns").read_bytes()
    count = SIGNALS[circuit]
    tail = bytes[-32 * count :]
    return [int.from_bytes(tail[i : i + 32], "little") for i in range(0, len(tail), 32)]


def limbs(values: list[int]) -> np.ndarray:
    return np.frombuffer(b"".join(value.to_bytes(32, "little") for value in values), np.uint64).reshape(-1, 4)


def equation(curve, key, public, proof) -> bool:
    """e(A, B) = e(alpha, beta) e(IC(x), gamma) e(C, delta), by py_ecc."""

    def first(point) -> tuple:
        return tuple(curve.FQ(int(c)) for c in point)

    def second(point) -> tuple:
        return tuple(curve.FQ2([int(c0), int(c1)]) for c0, c1 in point)

    ic = first(key["IC"][0])
    for signal, point in zip(public, key["IC"][1:], strict=True):
        ic = curve.add(ic, curve.multiply(first(point), int(signal)))
    product = curve.pairing(second(proof["pi_b"]), curve.neg(first(proof["pi_a"])))
    product *= curve.pairing(second(key["vk_beta_2"]), first(key["vk_alpha_1"]))
    product *= curve.pairing(second(key["vk_gamma_2"]), ic)
    product *= curve.pairing(second(key["vk_delta_2"]), first(proof["pi_c"]))
    return product == curve.FQ12.one()


@pytest.mark.parametrize("circuit", CIRCUITS)
def test_proofs_of_snarkjs(circuit):
    files = [DATA / circuit / name for name in ("verification_key.json", "public.json", "proof.json")]
    parsed = [json.loads(path.read_text()) for path in files]
    assert verify(*parsed) is True
    assert verify(*files) and verify(*map(str, files)) and verify(*(path.read_bytes() for path in files))
    key, public, proof = parsed
    assert verify(key, [str(int(public[0]) + 1), *public[1:]], proof) is False
    assert verify(key, public, {**proof, "pi_c": proof["pi_a"]}) is False


@pytest.mark.parametrize("circuit", CIRCUITS)
def test_proofs_of_ours(engine, circuit):
    folder, key, expected = DATA / circuit, load(circuit, "verification_key.json"), load(circuit, "public.json")
    prover = Prover(engine, folder / "circuit.zkey")
    integers = signals(circuit)
    assert (prover.signals, prover.public_signals) == (len(integers), len(expected))
    assert prover.curve == ("bls12-381" if "bls12-381" in circuit else "bn254")
    assert repr(prover) == f"<zkaccel.groth16.Prover over {prover.curve}: {len(integers)} signals, {len(expected)} of them public>"
    file = folder / "witness.wtns"
    montgomery = limbs([signal * 2**256 % curve(circuit).curve_order for signal in integers])
    proofs = []
    for witness, options in (
        (file, {}),
        (str(file), {}),
        (file.read_bytes(), {}),
        (montgomery, {}),
        (limbs(integers), {"canonical": True}),
        (integers, {}),
    ):
        proof, public = prover.prove(witness, **options)
        assert public == expected
        assert verify(key, public, proof) and prover.verify(public, proof)
        assert verify(key, json.dumps(public).encode(), json.dumps(proof).encode())
        proofs.append(proof["pi_a"][0])
    assert len(set(proofs)) == len(proofs), "each has randomness of its own"
    assert prover.account == {"proofs": len(proofs), "remade": 0, "refused": 0}
    assert equation(curve(circuit), key, public, proof)


def test_the_json_is_that_of_snarkjs(cpu):
    prover = Prover(cpu, str(DATA / "multiplier/circuit.zkey"), tables=True, unchecked=True)
    proof, public = prover.prove(DATA / "multiplier/witness.wtns")
    assert json.dumps(public, indent=1) == (DATA / "multiplier/public.json").read_text()
    theirs = load("multiplier", "proof.json")
    assert list(proof) == list(theirs) and [proof["protocol"], proof["curve"]] == ["groth16", "bn128"]
    key = load("multiplier", "verification_key.json")
    assert prover.verification_key == {name: value for name, value in key.items() if name != "vk_alphabeta_12"}


def test_batches(cpu):
    prover = Prover(cpu, (DATA / "multiplier/circuit.zkey").read_bytes())
    key, expected = load("multiplier", "verification_key.json"), load("multiplier", "public.json")
    integers = signals("multiplier")
    made = prover.prove_batch([DATA / "multiplier/witness.wtns", integers])
    made += prover.prove_batch(np.stack([limbs(integers)] * 2), canonical=True)
    assert len(made) == 4 and len({proof["pi_a"][0] for proof, _ in made}) == 4
    assert all(public == expected and verify(key, public, proof) for proof, public in made)
    assert prover.prove_batch([]) == []
    with pytest.raises(zkaccel.InputError, match="does not verify: expected a witness that satisfies the circuit"):
        prover.prove_batch([integers, [*integers[:-1], 7]])


def test_false_witnesses(cpu):
    integers = [*signals("multiplier")[:-1], 7]
    prover = Prover(cpu, DATA / "multiplier/circuit.zkey")
    with pytest.raises(zkaccel.InputError, match="does not verify: expected a witness that satisfies the circuit"):
        prover.prove(integers)
    proof, public = Prover(cpu, DATA / "multiplier/circuit.zkey", unchecked=True).prove(integers)
    assert prover.verify(public, proof) is False
    with pytest.raises(zkaccel.InputError, match="signals: found 4, expected 5"):
        prover.prove(integers[1:])
    with pytest.raises(zkaccel.InputError, match="signals: found 490, expected 5"):
        prover.prove(DATA / "membership/witness.wtns")
    with pytest.raises(zkaccel.InputError, match="signal 0: found 2, expected 1"):
        prover.prove([2, *integers[1:]])
    with pytest.raises(zkaccel.InputError, match="scalar 1 .* below the modulus"):
        prover.prove([1, optimized_bn128.curve_order, *integers[2:]])
    with pytest.raises(zkaccel.InputError, match="signal 3 .* below the modulus"):
        prover.prove(limbs([1, 1, 1, 2**256 - 1, 1]))


def test_bad_input(cpu, tmp_path):
    zkey = DATA / "multiplier/circuit.zkey"
    prover = Prover(cpu, zkey)
    with pytest.raises(zkaccel.FileError, match="cannot read .*nowhere"):
        Prover(cpu, tmp_path / "nowhere.zkey")
    with pytest.raises(OSError, match="cannot read .*nowhere"):
        prover.prove(str(tmp_path / "nowhere.wtns"))
    with pytest.raises(zkaccel.InputError, match="found .* expected"):
        Prover(cpu, zkey.read_bytes()[:-1])
    with pytest.raises(zkaccel.InputError, match="found .* expected"):
        prover.prove(b"")
    with pytest.raises(zkaccel.InputTypeError, match="key: expected a path or bytes, found int"):
        Prover(cpu, 5)
    with pytest.raises(TypeError):
        Prover("cpu", zkey)
    with pytest.raises(zkaccel.InputTypeError, match=r"witness: expected a path, bytes, an array .*, found dict"):
        prover.prove({})
    with pytest.raises(zkaccel.InputTypeError, match="found float"):
        prover.prove([1.5])
    with pytest.raises(zkaccel.InputError, match=r"witness: expected C order and the shape \(n, 4\), found \(5,\)"):
        prover.prove(np.zeros(5, np.uint64))
    with pytest.raises(zkaccel.InputTypeError, match="uint64"):
        prover.prove(np.zeros((5, 4)))
    with pytest.raises(zkaccel.InputTypeError, match="witnesses: expected a list of witnesses, found int"):
        prover.prove_batch(5)
    with pytest.raises(zkaccel.InputTypeError, match="witness: expected .* found int"):
        prover.prove_batch(b"12")
    key, public, proof = (load("multiplier", name) for name in ("verification_key.json", "public.json", "proof.json"))
    with pytest.raises(zkaccel.InputTypeError, match="proof: expected a dict or list of JSON, a path or bytes, found int"):
        verify(key, public, 5)
    with pytest.raises(zkaccel.InputError, match="public signals: found 1, expected 2"):
        verify(key, public[:1], proof)
    with pytest.raises(zkaccel.InputError, match="pi_a: y"):
        verify(key, public, {**proof, "pi_a": [proof["pi_a"][0], "-1", "1"]})
    with pytest.raises(zkaccel.InputError, match="pi_a.* curve"):
        verify(key, public, {**proof, "pi_a": ["1", "1", "1"]})
    with pytest.raises(zkaccel.InputError, match="expected public signals, in JSON as snarkjs writes it"):
        verify(key, [99, 11], proof)
    with pytest.raises(zkaccel.InputError, match="expected verification key, in JSON as snarkjs writes it"):
        verify({}, public, proof)
    with pytest.raises(zkaccel.InputError, match="public: .*not JSON serializable"):
        verify(key, [object()], proof)
    with pytest.raises(zkaccel.FileError, match="cannot read"):
        verify(key, public, "proof of nothing.json")


def test_files_of_two_curves(cpu):
    ours, others = ("multiplier-bls12-381", "multiplier")
    prover = Prover(cpu, DATA / ours / "circuit.zkey")
    with pytest.raises(zkaccel.InputError, match="the modulus: found .* of BLS12-381"):
        prover.prove(DATA / others / "witness.wtns")
    key, public = (load(ours, name) for name in ("verification_key.json", "public.json"))
    with pytest.raises(zkaccel.InputError, match='expected "bls12381", which is BLS12-381'):
        verify(key, public, load(others, "proof.json"))
    with pytest.raises(zkaccel.InputError, match='found "bls12377", expected "bn128", which is BN254, or "bls12381"'):
        verify({**key, "curve": "bls12377"}, public, load(ours, "proof.json"))


def test_python_runs_meanwhile(cpu):
    """While a thread proves, another one counts: between the moments just before and just after it."""
    prover, witness = Prover(cpu, DATA / "membership/circuit.zkey"), DATA / "membership/witness.wtns"
    counted, done, moments = 0, threading.Event(), []

    def operate() -> None:
        moments.append(counted)
        prover.prove_batch([witness] * 4)
        moments.append(counted)
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)
    try:
        thread = threading.Thread(target=operate)
        thread.start()
        while not done.wait(0.0005):
            counted += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert moments[1] - moments[0] > 3
