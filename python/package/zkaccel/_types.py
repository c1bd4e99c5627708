"""Types of arguments and results, for annotations."""

from os import PathLike
from typing import Any, Protocol, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

#: An array of 64-bit words.
Words: TypeAlias = npt.NDArray[np.uint64]

#: Affine coordinates, or the identity; over `bn254-g2` a coordinate c0 + c1 u is the pair (c0, c1).
Point: TypeAlias = tuple[int, int] | tuple[tuple[int, int], tuple[int, int]] | None


#: A file: its path or its bytes.
File: TypeAlias = str | PathLike[str] | bytes

#: JSON, as `json.load` makes it, or a file with it.
Json: TypeAlias = dict[str, Any] | list[Any] | File


class CudaArray(Protocol):
    """An array in the memory of an NVIDIA GPU, such as those of CuPy, PyTorch and JAX."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Shape, type, address and stream, as the CUDA array interface defines them."""


class OperationWork(TypedDict):
    """What a device has done of one kind of operation; see `Engine.work`."""

    calls: int
    failures: int
    items: int
    unit: str
    bytes_in: int
    bytes_out: int
    seconds: float
