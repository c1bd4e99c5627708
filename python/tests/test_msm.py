"""Sums over BN254's G1 and G2 and BLS12-381's G1 against py_ecc, in every form of scalars and points; Grumpkin, Pallas, Vesta and BLS12-377 by their discrete logarithms."""

import numpy as np
import pytest
import zkaccel
from py_ecc import bls12_381
from py_ecc.optimized_bn128 import G1, G2, Z1, add, curve_order, field_modulus, multiply, normalize

R = 2**256
PASTA_P = 0x40000000000000000000000000000000224698FC094CF91B992D30ED00000001
PASTA_Q = 0x40000000000000000000000000000000224698FC0994A8DD8C46EB2100000001

BW6_761_Q = 0x122E824FB83CE0AD187C94004FAFF3EB926186A81D14688528275EF8087BE41707BA638E584E91903CEBAFF25B423048689C8ED12F9FD9071DCD3DC73EBFF2E98A116C25667A8F8160CF8AEEAF0A437E6913E6870000082F49D00000000008B
BLS12_377_Q = 0x1AE3A4617C510EAC63B05C06CA1493B1A22D9F300F5138F1EF3622FBA094800170B5D44300000008508C00000000001


def times(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """The product over BLS12-377's G2, with u^2 = -5."""
    return a[0] * b[0] - 5 * a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def integers(random: np.random.Generator, n: int) -> list[int]:
    return [int.from_bytes(random.bytes(32), "little") % curve_order for _ in range(n)]


def limbs(values: list[int]) -> np.ndarray:
    return np.frombuffer(b"".join(value.to_bytes(32, "little") for value in values), np.uint64).reshape(-1, 4)


def affine(point) -> tuple[int, int] | None:
    if point[2] == 0:
        return None
    x, y = normalize(point)
    return int(x), int(y)


def pairs(point) -> tuple[tuple[int, int], tuple[int, int]]:
    x, y = normalize(point)
    return tuple(map(int, x.coeffs)), tuple(map(int, y.coeffs))


def of_py_ecc(scalars: list[int], points: list) -> tuple[int, int] | None:
    total = Z1
    for scalar, point in zip(scalars, points, strict=True):
        total = add(total, multiply(point, scalar))
    return affine(total)


def test_sums_are_those_of_py_ecc(engine, random):
    n = 9
    logs = [1, 2, *integers(random, n - 2)]
    points = [multiply(G1, log) for log in logs]
    pairs = [affine(point) for point in points]
    scalars = [0, 1, curve_order - 1, *integers(random, n - 3)]
    expected = of_py_ecc(scalars, points)
    # Lists of integers.
    assert engine.msm(scalars, pairs) == expected
    # Arrays, plain and in Montgomery form.
    bases = np.hstack([limbs([x for x, _ in pairs]), limbs([y for _, y in pairs])])
    assert engine.msm(limbs(scalars), bases, canonical=True) == expected
    in_form = limbs([scalar * R % curve_order for scalar in scalars])
    bases_in_form = np.hstack([limbs([c[i] * R % field_modulus for c in pairs]) for i in (0, 1)])
    assert engine.msm(in_form, bases_in_form) == expected
    assert engine.msm(in_form, bases_in_form, validate=False) == expected
    assert engine.msm(scalars, bases_in_form) == expected
    # Kept bases, and scalars that stay.
    for tables in (False, True):
        kept = engine.bases(bases_in_form, tables=tables)
        assert (len(kept), kept.curve) == (n, "bn254-g1")
        assert engine.msm(in_form, kept) == expected
        assert engine.msm(engine.upload(in_form, field="bn254-fr"), kept) == expected
    # A batch.
    rows = np.stack([in_form, in_form[::-1]])
    backwards = of_py_ecc(scalars[::-1], points)
    assert engine.msm(rows, bases_in_form) == [expected, backwards]
    assert engine.msm(engine.upload(rows, field="bn254-fr"), kept) == [expected, backwards]


def test_identities(engine):
    one = (1, 2)
    assert engine.msm([], []) is None
    assert engine.msm([0], [one]) is None
    assert engine.msm([5], [None]) is None
    assert engine.msm([1, curve_order - 1], [one, one]) is None
    assert engine.msm(np.zeros((0, 4), np.uint64), np.zeros((0, 8), np.uint64)) is None
    assert engine.msm([1], [one]) == one


def test_multiples_of_the_generator(engine):
    n = 300
    wide = {"bn254-g2": 16, "bls12-381-g1": 12, "bls12-381-g2": 24, "bls12-377-g1": 12, "bls12-377-g2": 24, "bw6-761-g1": 24}
    for curve in zkaccel.CURVES:
        points = zkaccel.generator_multiples(n, curve=curve)
        assert points.shape == (n, wide.get(curve, 8))
        total = engine.msm([1] * n, points, curve=curve)
        multiple = n * (n + 1) // 2
        assert total == engine.msm([multiple], points[:1].copy(), curve=curve)
        if curve == "bn254-g1":
            assert total == affine(multiply(G1, multiple))
        elif curve == "bn254-g2":
            assert total == pairs(multiply(G2, multiple))
        elif curve == "bls12-381-g1":
            x, y = bls12_381.multiply(bls12_381.G1, multiple)
            assert total == (int(x), int(y))
        elif curve == "bls12-381-g2":
            point = bls12_381.multiply(bls12_381.G2, multiple)
            assert total == tuple(tuple(map(int, coordinate.coeffs)) for coordinate in point)
        elif curve == "bls12-377-g2":
            x, y = total
            # y^2 - x^3 = 1/u with u^2 = -5.
            c0, c1 = (a - b for a, b in zip(times(y, y), times(times(x, x), x), strict=True))
            assert ((-5 * c1 - 1) % BLS12_377_Q, c0 % BLS12_377_Q) == (0, 0)
        else:
            x, y = total
            equations = {
                "grumpkin": (-17, curve_order),
                "pallas": (5, PASTA_P),
                "vesta": (5, PASTA_Q),
                "bls12-377-g1": (1, BLS12_377_Q),
                "bw6-761-g1": (-1, BW6_761_Q),
            }
            b, modulus = equations[curve]
            assert (y * y - x**3 - b) % modulus == 0


def test_bls12_381(engine):
    """By py_ecc, also with a point that is outside the group of prime order: (0, 2), which has order 3."""
    scalars = [0, 1, 2, 2**64, bls12_381.curve_order - 1, 12345678901234567890]
    points = [bls12_381.multiply(bls12_381.G1, i + 5) for i in range(len(scalars))]
    expected = None
    for scalar, point in zip(scalars, points, strict=True):
        expected = bls12_381.add(expected, bls12_381.multiply(point, scalar))
    bases = [(int(x), int(y)) for x, y in points]
    assert engine.msm(scalars, bases, curve="bls12-381-g1") == tuple(map(int, expected))
    assert engine.msm([3, 1], [bases[0], None], curve="bls12-381-g1") == tuple(map(int, bls12_381.multiply(points[0], 3)))
    assert engine.msm([5], [(0, 2)], curve="bls12-381-g1", validate=False) == (0, bls12_381.field_modulus - 2)
    with pytest.raises(zkaccel.InputError):
        engine.msm([5], [(0, 2)], curve="bls12-381-g1")
    with pytest.raises(zkaccel.InputError):
        engine.msm([bls12_381.curve_order], bases[:1], curve="bls12-381-g1")
    with pytest.raises(zkaccel.InputError):
        engine.msm([1], [(bls12_381.field_modulus, 2)], curve="bls12-381-g1")


def test_pasta(engine):
    # (-1, 2) is the generator of both curves, whose fields are each other's scalars.
    for curve, coordinates, scalars in [("pallas", PASTA_P, PASTA_Q), ("vesta", PASTA_Q, PASTA_P)]:
        generator = (coordinates - 1, 2)
        assert engine.msm([1], [generator], curve=curve) == generator
        assert engine.msm([scalars - 1, 2], [generator] * 2, curve=curve) == generator
        assert engine.msm([scalars - 1], [generator], curve=curve) == (coordinates - 1, coordinates - 2)
        with pytest.raises(zkaccel.InputError):
            engine.msm([scalars], [generator], curve=curve)
        with pytest.raises(zkaccel.InputError):
            engine.msm([1], [(coordinates, 2)], curve=curve)


def test_g2_in_every_form_of_points(engine):
    points = [multiply(G2, k) for k in (1, 2, 3)]
    expected = pairs(multiply(G2, 5 + 2 * 7 + 3 * 11))
    lists = [pairs(point) for point in points]
    assert engine.msm([5, 7, 11, 13], [*lists, None], curve="bn254-g2") == expected
    rows = np.hstack([limbs([point[i][j] for point in lists]) for i in (0, 1) for j in (0, 1)])
    assert engine.msm([5, 7, 11], rows, curve="bn254-g2", canonical=True) == expected
    kept = engine.bases(rows, curve="bn254-g2", canonical=True, tables=True)
    assert (kept.curve, engine.msm([5, 7, 11], kept)) == ("bn254-g2", expected)


def test_points_outside_of_g2(cpu):
    y = (
        0x2869111D5381F072F8E2728FDB825A51AADD70E52C9830E9AB4B871C0531F1BB,
        0x0D1271953ED9EA0836846E70A1934187998C7F790CB4D7511B7F8DA82DE048A4,
    )
    with pytest.raises(zkaccel.InputError, match="point 0 is on the curve but not in the group"):
        cpu.msm([1], [((1, 0), y)], curve="bn254-g2")
    with pytest.raises(zkaccel.InputTypeError, match=r"coordinates \(c0, c1\), found int"):
        cpu.msm([1], [(1, 2)], curve="bn254-g2")
    with pytest.raises(zkaccel.InputError, match="coordinates of 2 integers, found 3"):
        cpu.msm([1], [((1, 2, 3), (1, 2))], curve="bn254-g2")
    with pytest.raises(zkaccel.InputError, match=r"shape \(n, 16\)"):
        cpu.msm([1], np.zeros((1, 8), np.uint64), curve="bn254-g2")


def test_bad_input(cpu):
    one = (1, 2)
    with pytest.raises(zkaccel.InputError, match="scalars: expected 1, found 2"):
        cpu.msm([1, 2], [one])
    with pytest.raises(zkaccel.InputError, match="point 1 is not on the curve"):
        cpu.msm([1, 2], [one, (1, 3)])
    with pytest.raises(zkaccel.InputError, match="below the modulus"):
        cpu.msm([curve_order], [one])
    with pytest.raises(zkaccel.InputError, match="x of point 0 .* below the modulus"):
        cpu.msm([1], [(field_modulus, 2)])
    with pytest.raises(zkaccel.InputError, match="scalar 1 .* below the modulus"):
        cpu.msm(limbs([1, R - 1]), np.zeros((2, 8), np.uint64))
    with pytest.raises(zkaccel.InputError, match="from 0 to 2\\^256 - 1, found -1"):
        cpu.msm([-1], [one])
    with pytest.raises(zkaccel.InputTypeError, match="found float"):
        cpu.msm([1.5], [one])
    with pytest.raises(zkaccel.InputTypeError, match="pairs of integers"):
        cpu.msm([1], [3])
    with pytest.raises(zkaccel.InputError, match=r"shape \(n, 8\), found \(1, 4\)"):
        cpu.msm([1], np.zeros((1, 4), np.uint64))
    with pytest.raises(zkaccel.InputError, match=r"shape \(n, 4\) or \(sums, n, 4\), found \(4,\)"):
        cpu.msm(np.zeros(4, np.uint64), [one])
    with pytest.raises(zkaccel.InputError, match="unknown curve"):
        cpu.msm([1], [one], curve="secp256k1")
    with pytest.raises(zkaccel.InputError, match="the bases are points of bn254-g1"):
        cpu.msm([1], cpu.bases([one]), curve="grumpkin")
    with pytest.raises(zkaccel.InputError, match="expected a matrix over bn254-fr"):
        cpu.msm(cpu.upload(np.ones((1, 4), np.uint64), field="bn254-fq"), [one])
    with pytest.raises(zkaccel.WrongEngineError):
        zkaccel.Engine("cpu", threads=1).msm([1], cpu.bases([one]))
