"""Commitments, openings and their verification; trees and hashes."""

import json
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
import zkaccel
from conftest import pointer

ROOT = pathlib.Path(__file__).parents[2]
# README.md has it.
TRACE_ROOT = "75a460328732efc33ef1c9d38822b8ca595efc819f23b97e0362be429e531604"


@pytest.fixture(scope="session")
def trace() -> np.ndarray:
    return np.load(ROOT / "examples/data/trace.npy")


def test_the_root_of_the_readme(engine, trace):
    assert TRACE_ROOT in (ROOT / "README.md").read_text()
    for matrix in (trace, np.asfortranarray(trace), engine.upload(trace)):
        commitment = engine.commit(matrix)
        assert commitment.root == TRACE_ROOT
        assert (commitment.rows, commitment.columns, commitment.blowup) == (8 * len(trace), trace.shape[1], 8)


def test_a_commitment_is_its_steps(engine, random):
    trace = random.integers(0, zkaccel.MODULUS, (32, 5), np.uint64)
    for hash in zkaccel.HASHES:
        commitment = engine.commit(trace, blowup=4, hash=hash, convention="plonky3", shift=49)
        extension = engine.lde(trace, 4, convention="plonky3", shift=49)
        np.testing.assert_array_equal(commitment.extension(), extension)
        np.testing.assert_array_equal(commitment.device_extension().download(), extension)
        (whole,) = commitment.device_cosets()
        np.testing.assert_array_equal(whole.download(), extension)
        digests = engine.hash_rows(extension, hash=hash)
        assert digests.shape == (128, 4) and digests.dtype == np.uint64
        assert engine.merkle_root(digests, hash=hash) == commitment.root
        assert engine.merkle_root(extension, hash=hash, of="rows") == commitment.root
        opening = commitment.open([7, 100])
        assert opening.hash == hash and commitment.verify(opening)


def test_the_extension_is_no_copy(cpu, trace):
    commitment = cpu.commit(trace)
    extension = commitment.extension()
    assert pointer(extension) == pointer(commitment.extension()) == pointer(commitment.device_extension().view())
    assert not extension.flags.writeable
    row = extension[5].copy()
    del commitment
    np.testing.assert_array_equal(extension[5], row)


def test_openings(engine, trace):
    commitment = engine.commit(trace)
    opening = commitment.open(np.array([77, 3, 16383]))
    assert opening.indices == [3, 77, 16383]
    np.testing.assert_array_equal(opening.values, commitment.extension()[[3, 77, 16383]])
    pins = {"hash": "rp64_256", "rows": 16384, "columns": 10}
    assert zkaccel.verify(opening, TRACE_ROOT, **pins)
    assert commitment.verify(opening)
    assert zkaccel.Opening.from_dict(json.loads(json.dumps(opening.to_dict()))) == opening
    for wrong in ({"rows": 8192}, {"columns": 11}, {"hash": "rpo256"}):
        assert not zkaccel.verify(opening, TRACE_ROOT, **{**pins, **wrong})
    assert not zkaccel.verify(opening, "00" * 32, **pins)


def test_tampered_openings_are_false(cpu, trace):
    commitment = cpu.commit(trace)
    opening = commitment.open([3, 77])
    pins = {"hash": "rp64_256", "rows": 16384, "columns": 10}

    def tampered(change) -> bool:
        dictionary = opening.to_dict()
        change(dictionary)
        return zkaccel.verify(zkaccel.Opening.from_dict(dictionary), TRACE_ROOT, **pins)

    assert tampered(lambda _: None)
    value = opening.to_dict()["values"][1][4]
    sibling = opening.siblings[2]
    for change in (
        lambda d: d["values"][1].__setitem__(4, str((int(value) + 1) % zkaccel.MODULUS)),
        lambda d: d["values"][1].append("0"),
        lambda d: d["values"].pop(),
        lambda d: d["values"].reverse(),
        lambda d: d["siblings"].__setitem__(2, ("1" if sibling[0] != "1" else "2") + sibling[1:]),
        lambda d: d["siblings"].pop(),
        lambda d: d["siblings"].append(sibling),
        lambda d: d["siblings"].reverse(),
        lambda d: d["indices"].__setitem__(1, 78),
        lambda d: d["indices"].reverse(),
        lambda d: d["indices"].__setitem__(0, 2**63),
        lambda d: d["indices"].clear(),
        lambda d: d.__setitem__("rows", 8192),
        lambda d: d.__setitem__("columns", 9),
        lambda d: d.__setitem__("hash", "rpo256"),
    ):
        assert not tampered(change)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("format", "other", "zkaccel-row-opening-1"),
        ("hash", "md5", "rp64_256"),
        ("values", [["1"], ["01"]], "\"01\" is no field element"),
        ("values", [[str(zkaccel.MODULUS)]], "decimal number below"),
        ("siblings", ["zz"], "64 hexadecimal digits"),
        ("more", 1, "8 entries"),
        ("rows", -1, "from 0"),
    ],
)
def test_malformed_openings_are_refused(cpu, trace, key, value, text):
    dictionary = cpu.commit(trace).open([3]).to_dict()
    dictionary[key] = value
    with pytest.raises(zkaccel.InputError, match=text):
        zkaccel.Opening.from_dict(dictionary)
    del dictionary["hash"]
    with pytest.raises(zkaccel.Error):
        zkaccel.Opening.from_dict(dictionary)


def test_the_command_reads_proofs(cpu, trace, tmp_path):
    """Where the command has been built, it verifies what Python has written, and Python what it has written."""
    import os

    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = shutil.which("zkaccel", path=str(target / "release"))
    if command is None:
        pytest.skip("the command has not been built in release")
    proof = tmp_path / "proof.json"
    proof.write_text(json.dumps(cpu.commit(trace).open([3, 77]).to_dict()))
    pins = ["--root", TRACE_ROOT, "--expect-rows", "16384", "--expect-columns", "10", "--expect-hash", "rp64_256"]
    assert b"verified" in subprocess.check_output([command, "verify", proof, *pins])
    subprocess.check_output([command, "commit", ROOT / "examples/data/trace.npy", "--out", tmp_path / "folder"])
    text = subprocess.check_output([command, "open", tmp_path / "folder", "--rows", "9,8"])
    opening = zkaccel.Opening.from_dict(json.loads(text))
    assert opening.indices == [8, 9]
    assert zkaccel.verify(opening, TRACE_ROOT, hash="rp64_256", rows=16384, columns=10)


def test_known_digests(engine):
    """SHA-256 and SHA3-256 by hashlib: of a row's bytes, and of two digests."""
    import hashlib

    row = np.array([[1, 2, 3], [4, 5, 6]], np.uint64)
    for hash, of in (("sha256", hashlib.sha256), ("sha3_256", hashlib.sha3_256)):
        digests = [of(entries.tobytes()).digest() for entries in row]
        found = engine.hash_rows(row, hash=hash)
        assert found.tobytes() == b"".join(digests)
        assert engine.merkle_root(found, hash=hash) == of(b"".join(digests)).hexdigest()
