"""Input that is refused: each refusal is of the right class and says what was expected and what was found."""

import multiprocessing
import re

import numpy as np
import pytest
import zkaccel

P = zkaccel.MODULUS


def test_the_hierarchy():
    for error in (
        zkaccel.FileError,
        zkaccel.InputError,
        zkaccel.InputTypeError,
        zkaccel.WrongEngineError,
        zkaccel.DeviceError,
        zkaccel.DeviceUnavailableError,
        zkaccel.UnsupportedError,
        zkaccel.DeviceFailedError,
        zkaccel.ClusterError,
        zkaccel.OutOfMemoryError,
    ):
        assert issubclass(error, zkaccel.Error)
    assert issubclass(zkaccel.InputError, ValueError)
    assert issubclass(zkaccel.InputTypeError, TypeError)
    assert issubclass(zkaccel.FileError, OSError)
    assert issubclass(zkaccel.OutOfMemoryError, MemoryError)
    assert issubclass(zkaccel.DeviceError, RuntimeError)


@pytest.mark.parametrize("dtype", ["int64", "float64", "uint32", "object", ">u8", "bool"])
def test_other_dtypes(cpu, dtype):
    with pytest.raises(zkaccel.InputTypeError, match="expected the dtype uint64, found"):
        cpu.ntt(np.zeros(4, dtype))


@pytest.mark.parametrize("thing", [[1, 2], None, "text", b"12345678", 5])
def test_other_types(cpu, thing):
    with pytest.raises(zkaccel.InputTypeError, match=f"uint64.*found {re.escape(type(thing).__qualname__)}"):
        cpu.ntt(thing)


def test_strides(cpu):
    matrix = np.zeros((8, 4), np.uint64)
    for strided in (matrix[::2], matrix[:, ::2], matrix[::-1], matrix[:, 1:3], np.zeros((2, 2, 2), np.uint64)[:, 0]):
        with pytest.raises(zkaccel.InputError, match="expected a contiguous array"):
            cpu.ntt(strided)
        with pytest.raises(zkaccel.InputError, match="expected a contiguous array"):
            cpu.ntt(np.zeros(strided.shape, np.uint64), out=strided)
    misaligned = np.frombuffer(bytes(65), np.uint8)[1:].view(np.uint64)
    with pytest.raises(zkaccel.InputError, match="misaligned"):
        cpu.ntt(misaligned)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (4, 0), (2, 2, 2)])
def test_shapes(cpu, shape):
    with pytest.raises(zkaccel.InputError):
        cpu.ntt(np.zeros(shape, np.uint64))
    with pytest.raises(zkaccel.InputError):
        cpu.upload(np.zeros(shape, np.uint64))
    with pytest.raises(zkaccel.InputError):
        cpu.commit(np.zeros(shape, np.uint64))


@pytest.mark.parametrize("rows", [3, 12])
def test_no_power_of_two(cpu, rows):
    with pytest.raises(zkaccel.InputError, match=f"found {rows}, expected a power of two"):
        cpu.ntt(np.zeros((rows, 2), np.uint64))
    with pytest.raises(zkaccel.InputError, match=f"found {rows}, expected a power of two"):
        cpu.merkle_root(np.zeros((rows, 4), np.uint64))


def test_one_row(engine):
    """The smallest sizes are no errors."""
    one = np.array([[5, 6]], np.uint64)
    np.testing.assert_array_equal(engine.ntt(one), one)
    np.testing.assert_array_equal(engine.lde(one, 2), np.repeat(one, 2, axis=0))
    commitment = engine.commit(one)
    assert commitment.rows == 8 and commitment.verify(commitment.open([0, 7]))
    digest = engine.hash_rows(one)
    assert engine.merkle_root(digest) == digest.tobytes().hex()


@pytest.mark.parametrize("word", [P, P + 1, 2**64 - 1])
def test_words_at_or_above_the_modulus(engine, word):
    matrix = np.zeros((8, 2), np.uint64)
    matrix[3, 1] = word
    before = matrix.copy()
    calls = [
        lambda: engine.ntt(matrix),
        lambda: engine.ntt(matrix, out=matrix),
        lambda: engine.intt(matrix),
        lambda: engine.lde(matrix),
        lambda: engine.hash_rows(matrix),
        lambda: engine.merkle_root(matrix, of="rows"),
        lambda: engine.commit(matrix),
        lambda: engine.upload(matrix),
    ]
    for call in calls:
        with pytest.raises(zkaccel.InputError, match=f"word 7 is {word}, expected a canonical Goldilocks element below {P}"):
            call()
        np.testing.assert_array_equal(matrix, before)


def test_limbs_at_or_above_the_modulus(engine):
    limbs = np.zeros((4, 4), np.uint64)
    limbs[2] = 2**64 - 1
    for canonical in (False, True):
        before = limbs.copy()
        for out in (None, limbs):
            with pytest.raises(zkaccel.InputError, match="2 is 0xf+, expected limbs below the modulus"):
                engine.fft(limbs, canonical=canonical, out=out)
            np.testing.assert_array_equal(limbs, before)
        with pytest.raises(zkaccel.InputError, match="2 is 0xf+, expected limbs below the modulus"):
            engine.upload(limbs, field="bn254-fq", canonical=canonical)


def test_arguments(cpu):
    matrix = np.zeros((8, 2), np.uint64)
    for call, text in [
        (lambda: cpu.ntt(matrix, shift=0), "shift is 0"),
        (lambda: cpu.ntt(matrix, shift=P), f"is {P}"),
        (lambda: cpu.ntt(matrix, shift=-1), "from 0 to 2\\^64 - 1, found -1"),
        (lambda: cpu.ntt(matrix, shift=2**64), "from 0 to 2\\^64 - 1, found 18446744073709551616"),
        (lambda: cpu.ntt(matrix, convention="other"), "unknown root-of-unity convention"),
        (lambda: cpu.ntt(matrix, output_order="other"), "unknown order"),
        (lambda: cpu.lde(matrix, 3), "blow-up factor is 3"),
        (lambda: cpu.lde(matrix, 1), "blow-up factor is 1"),
        (lambda: cpu.commit(matrix, hash="md5"), "unknown hash"),
        (lambda: cpu.commit(matrix, blowup=2**40), "at most 2\\^32"),
        (lambda: cpu.merkle_root(np.zeros((4, 3), np.uint64)), r"shape \(n, 4\), found \(4, 3\)"),
        (lambda: cpu.merkle_root(np.zeros((4, 4), np.uint64, order="F")), "Fortran"),
        (lambda: cpu.merkle_root(matrix, of="leaves"), "digests, rows"),
        (lambda: cpu.fft(np.zeros((4, 3), np.uint64)), r"shape \(n, 4\)"),
        (lambda: cpu.fft(np.zeros((4, 4), np.uint64), root="other"), "unknown root"),
        (lambda: cpu.fft(np.zeros((4, 4), np.uint64), root=3), "no root of unity of order exactly 2\\^2"),
        (lambda: cpu.fft(np.zeros((4, 4), np.uint64), shift="other"), "zeta"),
        (lambda: cpu.upload(matrix, field="other"), "unknown field"),
        (lambda: cpu.commit(matrix).open([64]), "index 64 is out of range"),
        (lambda: cpu.commit(matrix).open([1, 1]), "given twice"),
        (lambda: cpu.commit(matrix).open([]), "no index was given"),
        (lambda: cpu.commit(matrix).open([-1]), "found -1"),
        (lambda: cpu.upload(matrix).rows([8]), "index 8 is out of range"),
        (lambda: zkaccel.bench("other"), "unknown operation 'other'"),
        (lambda: zkaccel.bench(runs=0), "at least 1"),
        (lambda: zkaccel.Engine("other"), "unknown device"),
        (lambda: zkaccel.Engine(["cpu", "cpu"]), "listed twice"),
        (lambda: zkaccel.Engine("cpu", policy="other"), "unknown policy"),
        (lambda: zkaccel.Engine("cpu", policy="require-gpu"), "contradicts"),
        (lambda: zkaccel.Engine("cpu", threads=0), "0 threads"),
    ]:
        with pytest.raises(zkaccel.InputError, match=text):
            call()
    for call, text in [
        (lambda: cpu.ntt(matrix, shift=1.5), "found float"),
        (lambda: cpu.ntt(matrix, shift="7"), "found str"),
        (lambda: cpu.commit(matrix).open(5), "list of integers, found int"),
        (lambda: cpu.commit(matrix).open([1.5]), "found float"),
        (lambda: zkaccel.Engine(5), "name of a device"),
    ]:
        with pytest.raises(zkaccel.InputTypeError, match=text):
            call()


def test_out(cpu):
    matrix = np.zeros((8, 2), np.uint64)
    with pytest.raises(zkaccel.InputError, match=r"shape \(8, 2\) in C order, found \(8, 2\) in Fortran order"):
        cpu.ntt(matrix, out=np.zeros((8, 2), np.uint64, order="F"))
    with pytest.raises(zkaccel.InputError, match=r"shape \(64, 2\) in C order, found \(8, 2\) in C order"):
        cpu.lde(matrix, out=matrix.copy())
    with pytest.raises(zkaccel.InputError, match="overlaps|writing"):
        cpu.ntt(matrix[:4], out=matrix[2:6])
    read_only = matrix.copy()
    read_only.setflags(write=False)
    np.testing.assert_array_equal(cpu.ntt(read_only), read_only)
    for call in (lambda: cpu.ntt(matrix, out=read_only), lambda: cpu.ntt(read_only, out=read_only)):
        with pytest.raises(zkaccel.InputError, match="read-only"):
            call()
    with pytest.raises(zkaccel.InputError, match="DeviceMatrix"):
        cpu.ntt(cpu.upload(matrix), out=matrix)


def test_memory(cpu):
    small = zkaccel.Engine("cpu", threads=1, memory=1 << 16)
    with pytest.raises(zkaccel.OutOfMemoryError, match="65536, the memory budget"):
        small.commit(np.zeros((1024, 8), np.uint64))
    with pytest.raises(MemoryError):
        small.upload(np.zeros((1 << 14, 1), np.uint64))


def test_devices(cpu):
    assert zkaccel.devices()[0].id == "cpu" and zkaccel.devices()[0].kind == "CPU"
    assert cpu.device.id == "cpu" and cpu.device.units == 2
    for missing in ("cuda:99", "opencl:99"):
        with pytest.raises(zkaccel.DeviceUnavailableError, match="is missing"):
            zkaccel.Engine(missing)
    assert zkaccel.Engine("opencl:99", policy="prefer-cpu").device.id == "cpu"


def test_matrices_belong_to_their_engine(cpu):
    other = zkaccel.Engine("cpu", threads=1)
    kept = cpu.upload(np.zeros((8, 2), np.uint64))
    for call in (other.ntt, other.lde, other.commit, other.hash_rows):
        with pytest.raises(zkaccel.WrongEngineError, match="another engine"):
            call(kept)
    with pytest.raises(zkaccel.InputError, match="expected a matrix over bn254-fr, found one over goldilocks"):
        cpu.fft(kept)


def test_work(cpu):
    engine = zkaccel.Engine("cpu", threads=1)
    assert engine.work() == {"cpu": {}}
    engine.ntt(np.zeros((8, 2), np.uint64))
    ntt = engine.work()["cpu"]["ntt"]
    assert (ntt["calls"], ntt["items"], ntt["unit"]) == (1, 16, "words") and ntt["seconds"] > 0


def _in_child(queue) -> None:
    try:
        zkaccel.ntt(np.zeros(4, np.uint64))
        queue.put("done")
    except zkaccel.UnsupportedError as error:
        queue.put(str(error))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
# What other libraries of the process say of forks.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_forked_process_is_told(cpu):
    zkaccel.ntt(np.zeros(4, np.uint64))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert "forked" in queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0


def test_bench():
    for operation in ("ntt", "lde", "hash_rows", "merkle_root", "commit", "fft", "msm"):
        measured = zkaccel.bench(operation, 64, columns=2, runs=3)
        assert (measured["operation"], measured["size"], measured["runs"]) == (operation, 64, 3)
        assert 0 < measured["fastest"] <= measured["median"] <= measured["slowest"]
