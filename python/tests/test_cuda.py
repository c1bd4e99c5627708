"""Arrays in the memory of an NVIDIA GPU, taken and given without a trip to the host.

The other library is the driver itself, through ctypes: no CuPy and no PyTorch is needed. On a machine with a GPU, a wheel, NumPy and pytest:

    ZKACCEL_REQUIRE=cuda:0 python -m pytest python/tests/test_cuda.py
"""

import ctypes
import gc
import os

import numpy as np
import pytest
import zkaccel


class Driver:
    """libcuda on the primary context of the first device, as other libraries use it."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.bind()

    def bind(self) -> None:
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.cuda, name)(*arguments)
        assert status == 0, f"{name} returned {status}"

    def stream(self) -> int:
        stream = ctypes.c_void_p()
        self.bind()
        # CU_STREAM_NON_BLOCKING
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        assert stream.value is not None
        return stream.value

    def read(self, address: int, array: np.ndarray) -> np.ndarray:
        """Copies from the device to an array."""
        self.bind()
        pointer = ctypes.c_void_p(array.ctypes.data)
        self.call("cuMemcpyDtoH_v2", pointer, ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes))
        return array


class Foreign:
    """Device memory of another library, with the CUDA array interface."""

    def __init__(self, driver: Driver, array: np.ndarray, stream: int | None = None) -> None:
        self.driver, address = driver, ctypes.c_uint64()
        driver.bind()
        driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.address = address.value
        source = ctypes.c_void_p(array.ctypes.data)
        if stream is None:
            driver.call("cuMemcpyHtoD_v2", address, source, ctypes.c_size_t(array.nbytes))
        else:
            # The words are there only when the stream has done all this.
            driver.call("cuMemsetD8Async", address, 0xFF, ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
            size = ctypes.c_size_t(array.nbytes)
            driver.call("cuMemcpyHtoDAsync_v2", address, source, size, ctypes.c_void_p(stream))
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": None if array.flags.c_contiguous else array.strides,
            "stream": stream,
        }

    def __del__(self) -> None:
        self.driver.bind()
        self.driver.call("cuMemFree_v2", ctypes.c_uint64(self.address))


class Tensor:
    """A tensor of another library with DLPack and nothing else: that of a matrix of another engine."""

    def __init__(self, matrix: zkaccel.DeviceMatrix, versioned: bool) -> None:
        self.matrix, self.versioned, self.asked = matrix, versioned, []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.matrix.__dlpack_device__()

    def __dlpack__(self, *, stream: int, **keywords: object) -> object:
        if not self.versioned and keywords:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.asked.append(stream)
        return self.matrix.__dlpack__(stream=stream, **keywords)


@pytest.fixture(scope="module")
def engine() -> zkaccel.Engine:
    try:
        return zkaccel.Engine("cuda:0")
    except zkaccel.DeviceUnavailableError as missing:
        if "cuda:0" in os.environ.get("ZKACCEL_REQUIRE", "").split(","):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def driver(engine: zkaccel.Engine) -> Driver:
    return Driver()


def entries(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).integers(0, zkaccel.MODULUS, shape, np.uint64)


def transfers(engine: zkaccel.Engine) -> int:
    """Bytes between the host and the device so far."""
    return sum(line["bytes_in"] + line["bytes_out"] for line in engine.work()["cuda:0"].values())


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(64, 5), (256, 1), (1024,)])
def test_a_foreign_array_is_an_operand(engine, driver, shape, order):
    array = np.asarray(entries(*shape), order=order)
    foreign = Foreign(driver, array)
    before = transfers(engine)
    kept = engine.upload(foreign)
    extension = engine.lde(foreign)
    transformed = engine.ntt(foreign)
    assert transfers(engine) == before
    for matrix, expected in ((kept, array), (extension, engine.lde(array)), (transformed, engine.ntt(array))):
        assert isinstance(matrix, zkaccel.DeviceMatrix) and not matrix.on_host
        found = matrix.download()
        np.testing.assert_array_equal(found, expected)
        assert found.strides == expected.strides
    assert engine.commit(foreign).root == engine.commit(array).root
    np.testing.assert_array_equal(engine.hash_rows(foreign), engine.hash_rows(array))
    np.testing.assert_array_equal(driver.read(foreign.address, np.empty_like(array)), array)


def test_it_waits_for_the_stream(engine, driver):
    array = entries(2**18, 16)
    stream = driver.stream()
    for _ in range(5):
        np.testing.assert_array_equal(engine.upload(Foreign(driver, array, stream)).download(), array)


def test_limbs_of_scalars(engine, driver):
    limbs = np.random.default_rng(6).integers(0, 2**60, (3, 64, 4), np.uint64)
    kept = engine.upload(Foreign(driver, limbs), field="bn254-fr")
    np.testing.assert_array_equal(kept.download(), limbs)
    np.testing.assert_array_equal(engine.fft(Foreign(driver, limbs)).download(), engine.fft(limbs))
    bases = zkaccel.generator_multiples(64)
    assert engine.msm(kept, bases) == engine.msm(limbs, bases)


def test_words_are_checked_on_the_device(engine, driver):
    for index, word in ((0, zkaccel.MODULUS), (17, 2**64 - 1), (99, zkaccel.MODULUS + 1)):
        array = entries(50, 2)
        array.flat[index] = word
        with pytest.raises(zkaccel.InputError, match=f"word {index} is {word}, expected a canonical"):
            engine.upload(Foreign(driver, array))
    limbs = np.zeros((8, 4), np.uint64)
    limbs[5, 3] = 2**63
    with pytest.raises(zkaccel.InputError, match="element 5 is 0x8000.*below the modulus"):
        engine.upload(Foreign(driver, limbs), field="bn254-fr")
    limbs[5, 3] = 0
    limbs[7] = [0x43E1F593F0000001, 0x2833E84879B97091, 0xB85045B68181585D, 0x30644E72E131A029]
    with pytest.raises(zkaccel.InputError, match="element 7"):
        engine.upload(Foreign(driver, limbs), field="bn254-fr")
    limbs[7, 0] -= np.uint64(1)
    np.testing.assert_array_equal(engine.upload(Foreign(driver, limbs), field="bn254-fr").download(), limbs)


def test_other_types_and_strides(engine, driver):
    with pytest.raises(zkaccel.InputTypeError, match="expected the dtype uint64"):
        engine.upload(Foreign(driver, entries(8).view(np.int64)))
    foreign = Foreign(driver, entries(8, 4))
    foreign.__cuda_array_interface__.update(shape=(8, 2), strides=(32, 8))
    with pytest.raises(zkaccel.InputError, match="contiguous"):
        engine.upload(foreign)
    with pytest.raises(zkaccel.DeviceUnavailableError, match="the engine does not keep data on it"):
        zkaccel.Engine("cpu").upload(Foreign(driver, entries(8)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_driver_reads_a_matrix(engine, driver, order):
    array = np.asarray(entries(128, 3), order=order)
    extension = engine.lde(engine.upload(array), 4)
    expected = engine.lde(array, 4)
    interface = extension.__cuda_array_interface__
    assert interface["version"] == 3 and interface["typestr"] == "<u8" and interface["shape"] == (512, 3)
    assert interface["strides"] == (None if order == "C" else expected.strides)
    address, read_only = interface["data"]
    assert read_only and extension.__cuda_array_interface__["data"] == (address, True)
    assert extension.__dlpack_device__() == (2, 0)
    np.testing.assert_array_equal(driver.read(address, np.empty_like(expected)), expected)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dlpack_there_and_back(engine, versioned, order):
    other = zkaccel.Engine("cuda:0")
    array = np.asarray(entries(64, 3), order=order)
    tensor = Tensor(engine.upload(array), versioned)
    before = transfers(other)
    kept = other.upload(tensor)
    assert transfers(other) == before and tensor.asked == [1]
    del tensor
    gc.collect()
    np.testing.assert_array_equal(kept.download(), array)
    # A matrix of another engine is such a tensor itself.
    np.testing.assert_array_equal(engine.upload(kept).download(), array)


def test_memory_that_is_lent_stays(engine, driver):
    array = entries(2**16, 4)
    matrix = engine.upload(array)
    address, _ = matrix.__cuda_array_interface__["data"]
    capsule = matrix.__dlpack__(max_version=(1, 0))
    del matrix
    gc.collect()
    # Memory that returned to the pool would be used by these.
    for _ in range(4):
        engine.upload(np.zeros_like(array))
    np.testing.assert_array_equal(driver.read(address, np.empty_like(array)), array)
    del capsule


def test_an_engine_that_chooses(driver):
    """`auto` keeps an array on the GPU where it is."""
    array = entries(64, 3)
    np.testing.assert_array_equal(zkaccel.Engine("auto").upload(Foreign(driver, array)).download(), array)
