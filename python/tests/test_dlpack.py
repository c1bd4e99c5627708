"""DLPack of matrices in host memory, read by NumPy without a copy. For those in the memory of a GPU see test_cuda.py."""

import gc

import numpy as np
import pytest
import zkaccel
from conftest import pointer


@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_reads_a_matrix_in_place(cpu, random, order):
    matrix = np.asarray(random.integers(0, zkaccel.MODULUS, (16, 3), np.uint64), order=order)
    kept = cpu.upload(matrix)
    assert kept.__dlpack_device__() == (1, 0)
    found = np.from_dlpack(kept)
    assert pointer(found) == pointer(kept.view()) and found.strides == matrix.strides
    np.testing.assert_array_equal(found, matrix)
    del kept
    gc.collect()
    np.testing.assert_array_equal(found, matrix)
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert not found.flags.writeable


def test_limbs(cpu, random):
    limbs = random.integers(0, 2**60, (2, 5, 4), np.uint64)
    found = np.from_dlpack(cpu.upload(limbs, field="bn254-fr"))
    np.testing.assert_array_equal(found, limbs)


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 2)])
def test_capsules_that_nobody_takes(cpu, version):
    kept = cpu.upload(np.ones((4, 2), np.uint64))
    capsule = kept.__dlpack__(max_version=version)
    name = "dltensor_versioned" if version is not None and version[0] >= 1 else "dltensor"
    assert f'"{name}"' in repr(capsule)
    del kept, capsule
    gc.collect()


def test_what_is_refused(cpu):
    kept = cpu.upload(np.ones((4, 2), np.uint64))
    with pytest.raises(BufferError, match="expected False"):
        kept.__dlpack__(copy=True)
    with pytest.raises(BufferError, match=r"expected \(1, 0\).*found \(2, 0\)"):
        kept.__dlpack__(dl_device=(2, 0))
    assert not hasattr(kept, "__cuda_array_interface__")
    kept.__dlpack__(dl_device=(1, 0), copy=False)
    # A tensor of another library in host memory is no operand: NumPy makes an array of it.
    other = type("Tensor", (), {"__dlpack_device__": lambda self: (1, 0)})()
    with pytest.raises(zkaccel.InputTypeError, match="numpy.from_dlpack"):
        cpu.ntt(other)
    elsewhere = type("Tensor", (), {"__dlpack_device__": lambda self: (8, 0)})()
    with pytest.raises(zkaccel.InputTypeError, match=r"device \(8, 0\)"):
        cpu.ntt(elsewhere)


class CudaArray:
    """An object with the CUDA array interface, on memory that nobody may read."""

    def __init__(self, **entries: object) -> None:
        interface = {"shape": (4, 2), "typestr": "<u8", "data": (64, False), "version": 3, "stream": None}
        self.__cuda_array_interface__ = {**interface, **entries}


@pytest.mark.parametrize(
    ("entries", "error", "text"),
    [
        ({}, zkaccel.DeviceUnavailableError, "device cuda:0 is missing: the engine does not keep data on it"),
        ({"typestr": "<i8"}, zkaccel.InputTypeError, "expected the dtype uint64"),
        ({"mask": object()}, zkaccel.InputError, "without a mask"),
        ({"strides": (32, 8)}, zkaccel.InputError, "contiguous"),
        ({"shape": (2, 2, 2)}, zkaccel.InputError, r"\(rows, columns\)"),
        ({"shape": (0, 2)}, zkaccel.InputError, "0 rows"),
    ],
)
def test_cuda_arrays_are_checked_before_they_are_read(cpu, entries, error, text):
    for call in (cpu.upload, cpu.ntt, cpu.commit):
        with pytest.raises(error, match=text):
            call(CudaArray(**entries))
