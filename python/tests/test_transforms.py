"""Transforms over Goldilocks against galois, in every layout and order, and in place."""

import galois
import numpy as np
import pytest
import zkaccel
from conftest import pointer

P = zkaccel.MODULUS
# Of order 2^32: winterfell's and Plonky3's.
ROOTS = {"winterfell": 7277203076849721926, "plonky3": 1753635133440165772}


@pytest.fixture(scope="session")
def field() -> type[galois.FieldArray]:
    return galois.GF(P, primitive_element=7, verify=False)


def entries(random: np.random.Generator, *shape: int) -> np.ndarray:
    array = random.integers(0, P, shape, np.uint64)
    array.flat[0] = P - 1
    return array


def values(field, coefficients: np.ndarray, convention: str, shift: int, points: int) -> np.ndarray:
    """The values of a polynomial on a coset, one by one, as galois computes them."""
    root = pow(ROOTS[convention], 2**32 // points, P)
    domain = field([shift * pow(root, i, P) % P for i in range(points)])
    polynomial = galois.Poly(field(coefficients[::-1].tolist()))
    return np.array([int(value) for value in polynomial(domain)], np.uint64)


@pytest.mark.parametrize("convention", zkaccel.CONVENTIONS)
@pytest.mark.parametrize("rows", [1, 2, 4, 16])
def test_values_are_those_of_galois(engine, field, random, convention, rows):
    matrix = entries(random, rows, 3)
    for shift in (1, 7):
        found = engine.ntt(matrix, convention=convention, shift=shift)
        for column in range(3):
            expected = values(field, matrix[:, column], convention, shift, rows)
            np.testing.assert_array_equal(found[:, column], expected)
        np.testing.assert_array_equal(engine.intt(found, convention=convention, shift=shift), matrix)


def test_ntt_of_galois(engine, field, random):
    """The same transform by galois' own fast one, whose root of unity is a power of its primitive element 7."""
    column = entries(random, 64)
    expected = galois.ntt(field(column.tolist()))
    # Plonky3's root is that of 7.
    np.testing.assert_array_equal(engine.ntt(column, convention="plonky3"), np.array(expected.tolist(), np.uint64))


@pytest.mark.parametrize("order", ["C", "F"])
def test_extension_is_that_of_galois(engine, field, random, order):
    coefficients = entries(random, 8, 2)
    on_subgroup = np.asarray(engine.ntt(coefficients), order=order)
    found = engine.lde(on_subgroup, 4, shift=49)
    assert found.flags.f_contiguous == (order == "F")
    for column in range(2):
        expected = values(field, coefficients[:, column], "winterfell", 49, 32)
        np.testing.assert_array_equal(found[:, column], expected)


def test_layouts_and_dimensions_agree(engine, random):
    matrix = entries(random, 64, 5)
    by_rows, by_columns = engine.ntt(matrix), engine.ntt(np.asfortranarray(matrix))
    assert by_rows.flags.c_contiguous and by_columns.flags.f_contiguous and not by_columns.flags.c_contiguous
    np.testing.assert_array_equal(by_rows, by_columns)
    column = np.ascontiguousarray(matrix[:, 2])
    one = engine.ntt(column)
    assert one.shape == (64,)
    np.testing.assert_array_equal(one, by_rows[:, 2])
    # A transposed view is Fortran-contiguous: its rows are the columns in memory.
    np.testing.assert_array_equal(engine.ntt(np.ascontiguousarray(matrix.T).T), by_rows)


def test_orders(engine, random):
    matrix = entries(random, 16, 2)
    reverse = [int(f"{i:04b}"[::-1], 2) for i in range(16)]
    natural = engine.ntt(matrix)
    reversed_output = engine.ntt(matrix, output_order="bit-reversed")
    np.testing.assert_array_equal(reversed_output, natural[reverse])
    np.testing.assert_array_equal(engine.intt(reversed_output, input_order="bit-reversed"), matrix)
    extended = engine.lde(matrix, 2, output_order="bit-reversed")
    reverse = [int(f"{i:05b}"[::-1], 2) for i in range(32)]
    np.testing.assert_array_equal(extended, engine.lde(matrix, 2)[reverse])


@pytest.mark.parametrize("order", ["C", "F"])
def test_in_place_and_to_another(engine, random, order):
    matrix = np.asarray(entries(random, 32, 3), order=order)
    before, expected = matrix.copy(order="K"), engine.ntt(matrix)
    np.testing.assert_array_equal(matrix, before)
    out = np.empty_like(matrix)
    address = pointer(out)
    assert engine.ntt(matrix, out=out) is out and pointer(out) == address
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(matrix, before)
    assert engine.ntt(matrix, out=matrix) is matrix
    np.testing.assert_array_equal(matrix, expected)
    extended = np.empty((64, 3), np.uint64, order=order)
    assert engine.lde(before, 2, out=extended) is extended
    np.testing.assert_array_equal(extended, engine.lde(before, 2))


def test_results_own_their_memory(engine, random):
    """A result is the engine's own vector, not a copy of it: nothing else refers to its memory, and it can be written to."""
    result = engine.ntt(entries(random, 8, 2))
    assert result.flags.writeable and result.flags.aligned and result.dtype == np.uint64
    result += np.uint64(1)


def test_fft_is_as_defined(engine, random):
    """Over BN254's scalars: the sum of the coefficients, and one evaluation by Horner's rule."""
    r = 21888242871839275222246405745257275088548364400416034343698204186575808495617
    n, shift = 16, 5
    integers = [int.from_bytes(random.bytes(31), "little") for _ in range(n)]
    array = np.frombuffer(b"".join(i.to_bytes(32, "little") for i in integers), np.uint64).reshape(n, 4)
    for name, generator in [("halo2", 7), ("arkworks", 5)]:
        root = pow(generator, (r - 1) // 2**28, r)
        root = pow(root, 2**28 // n, r)
        found = engine.fft(array, root=name, shift=shift, canonical=True)
        for i in range(n):
            x = shift * pow(root, i, r) % r
            expected = sum(c * pow(x, j, r) for j, c in enumerate(integers)) % r
            assert int.from_bytes(found[i].tobytes(), "little") == expected
        np.testing.assert_array_equal(engine.fft(array, root=root, shift=shift, canonical=True), found)
        back = engine.fft(found, root=name, shift=shift, inverse=True, canonical=True)
        np.testing.assert_array_equal(back, array)
    # In Montgomery form, several polynomials, and in place.
    stacked = np.stack([array, array[::-1]])
    together = engine.fft(stacked)
    for i in range(2):
        np.testing.assert_array_equal(engine.fft(np.ascontiguousarray(stacked[i])), together[i])
    assert engine.fft(stacked, out=stacked) is stacked
    np.testing.assert_array_equal(stacked, together)
    assert not np.array_equal(engine.fft(array, shift="zeta"), engine.fft(array))


def test_what_stays_on_the_device(engine, random):
    matrix = entries(random, 32, 4)
    for array in (matrix, np.asfortranarray(matrix), np.ascontiguousarray(matrix[:, 0])):
        kept = engine.upload(array)
        assert kept.shape == array.shape and kept.field == "goldilocks"
        assert kept.fortran == (not array.flags.c_contiguous)
        np.testing.assert_array_equal(kept.download(), array)
        extension = engine.lde(kept, 4)
        assert isinstance(extension, zkaccel.DeviceMatrix)
        expected = engine.lde(array, 4)
        found = extension.download()
        assert found.flags.f_contiguous == expected.flags.f_contiguous
        np.testing.assert_array_equal(found, expected)
        rows = extension.rows([5, 0, 127, 5])
        np.testing.assert_array_equal(rows, expected.reshape(128, -1)[[5, 0, 127, 5]])
        np.testing.assert_array_equal(engine.intt(engine.ntt(kept)).download(), array)
        np.testing.assert_array_equal(engine.hash_rows(extension), engine.hash_rows(expected))
        assert engine.merkle_root(extension, of="rows") == engine.merkle_root(expected, of="rows")
    scalars = random.integers(0, 2**60, (2, 8, 4), np.uint64)
    kept = engine.upload(scalars, field="bn254-fr")
    np.testing.assert_array_equal(kept.download(), scalars)
    np.testing.assert_array_equal(engine.fft(kept).download(), engine.fft(scalars))
    np.testing.assert_array_equal(kept.rows([3]), scalars[:, [3]].swapaxes(0, 1))
    integers = engine.upload(scalars, field="bn254-fr", canonical=True)
    np.testing.assert_array_equal(integers.download(canonical=True), scalars)


def test_a_view_has_no_copy(cpu, random):
    matrix = entries(random, 8, 2)
    kept = cpu.upload(matrix)
    assert kept.on_host
    view = kept.view()
    np.testing.assert_array_equal(view, matrix)
    assert pointer(view) == pointer(kept.view()) and pointer(view) != pointer(matrix)
    assert not view.flags.writeable
    del kept
    np.testing.assert_array_equal(view, matrix)
