"""CuPy, PyTorch and JAX on an NVIDIA GPU: their arrays as operands, and matrices as theirs, where these libraries are installed."""

import os

import numpy as np
import pytest
import zkaccel

ROWS, COLUMNS = 1 << 12, 6


@pytest.fixture(scope="module")
def engine() -> zkaccel.Engine:
    try:
        return zkaccel.Engine("cuda:0")
    except zkaccel.DeviceUnavailableError as missing:
        if "cuda:0" in os.environ.get("ZKACCEL_REQUIRE", "").split(","):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def trace() -> np.ndarray:
    return np.random.default_rng(7).integers(0, zkaccel.MODULUS, (ROWS, COLUMNS), np.uint64)


def transfers(engine: zkaccel.Engine) -> int:
    """Bytes between the host and the device so far."""
    return sum(line["bytes_in"] + line["bytes_out"] for line in engine.work()["cuda:0"].values())


def check(engine, trace, array, back) -> None:
    """The extension of a library's array, read by the library again, without a transfer; and an array that the library computed."""
    before = transfers(engine)
    extension = engine.lde(array, 4)
    theirs = back(extension)
    assert transfers(engine) == before
    np.testing.assert_array_equal(theirs, zkaccel.lde(trace, 4))
    assert engine.commit(array).root == zkaccel.commit(trace).root


def test_cupy(engine, trace):
    cupy = pytest.importorskip("cupy")
    check(engine, trace, cupy.asarray(trace), lambda matrix: cupy.from_dlpack(matrix).get())
    check(engine, trace, cupy.asarray(trace), lambda matrix: cupy.asarray(matrix).get())
    # What a kernel of theirs has just been asked to write, on a stream of its own.
    with cupy.cuda.Stream(non_blocking=True):
        for factor in range(2, 6):
            small = cupy.asarray(trace >> np.uint64(4)) * cupy.uint64(factor)
            np.testing.assert_array_equal(engine.ntt(small).download(), zkaccel.ntt((trace >> np.uint64(4)) * np.uint64(factor)))


def test_torch(engine, trace):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    check(engine, trace, torch.from_numpy(trace).cuda(), lambda matrix: torch.from_dlpack(matrix).cpu().numpy())


def test_jax(engine, trace):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    check(engine, trace, jax.numpy.asarray(trace), lambda matrix: np.asarray(jax.dlpack.from_dlpack(matrix)))
