"""Hardware acceleration for zero-knowledge provers, on processors and GPUs.

Commitments to execution traces, Merkle trees over arithmetic hashes, number-theoretic transforms with low-degree extensions, multi-scalar
multiplication, and Groth16 proofs of circom's circuits (`zkaccel.groth16`); over several hosts by MPI (`zkaccel.cluster`). Arrays are NumPy arrays of dtype uint64, taken and given without copies::

    import numpy as np
    import zkaccel

    trace = np.arange(80, dtype=np.uint64).reshape(16, 5)
    commitment = zkaccel.commit(trace)
    opening = commitment.open([3, 77])
    assert zkaccel.verify(opening, commitment.root, hash="rp64_256", rows=128, columns=5)

The functions of the module run on the engine of the process (`default_engine`); an `Engine` has the same functions as methods, on the device
and with the limits that it was made with. Operations release the interpreter, so that threads work at once. Arrays that an operation uses must
not be written to meanwhile.

A word is an element of Goldilocks, the field of p = 2^64 - 2^32 + 1 elements, below p (`MODULUS`). An element of BN254's fields is a last axis of
four limbs, the lowest first, in Montgomery form unless `canonical` is set. Matrices over Goldilocks are in C order or in Fortran order;
other strides are an error, never a silent copy.
"""

from . import cluster, groth16
from ._bench import bench
from ._zkaccel import (
    CONVENTIONS,
    CURVES,
    FIELDS,
    HASHES,
    MODULUS,
    Bases,
    Commitment,
    Device,
    DeviceMatrix,
    Engine,
    Opening,
    __version__,
    default_engine,
    devices,
    generator_multiples,
    verify,
)
from .errors import (
    ClusterError,
    DeviceError,
    DeviceFailedError,
    DeviceUnavailableError,
    Error,
    FileError,
    InputError,
    InputTypeError,
    OutOfMemoryError,
    UnsupportedError,
    WrongEngineError,
)

_engine = default_engine()
bases = _engine.bases
commit = _engine.commit
fft = _engine.fft
hash_rows = _engine.hash_rows
intt = _engine.intt
lde = _engine.lde
merkle_root = _engine.merkle_root
msm = _engine.msm
ntt = _engine.ntt
upload = _engine.upload

__all__ = [
    "CONVENTIONS",
    "CURVES",
    "FIELDS",
    "HASHES",
    "MODULUS",
    "Bases",
    "ClusterError",
    "Commitment",
    "Device",
    "DeviceError",
    "DeviceFailedError",
    "DeviceMatrix",
    "DeviceUnavailableError",
    "Engine",
    "Error",
    "FileError",
    "InputError",
    "InputTypeError",
    "Opening",
    "OutOfMemoryError",
    "UnsupportedError",
    "WrongEngineError",
    "__version__",
    "bases",
    "bench",
    "cluster",
    "commit",
    "default_engine",
    "devices",
    "fft",
    "generator_multiples",
    "groth16",
    "hash_rows",
    "intt",
    "lde",
    "merkle_root",
    "msm",
    "ntt",
    "upload",
    "verify",
]
