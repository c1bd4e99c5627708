"""A small measurement of an operation. The command `zkaccel bench` measures more carefully."""

import statistics
import time
from collections.abc import Callable
from typing import TypedDict

import numpy as np

from ._zkaccel import MODULUS, Engine, default_engine, generator_multiples
from .errors import InputError


class Measurement(TypedDict):
    """What `bench` returns. Times are in seconds."""

    operation: str
    device: str
    size: int
    columns: int
    runs: int
    median: float
    fastest: float
    slowest: float
    per_second: float


def _operation(engine: Engine, operation: str, size: int, columns: int) -> Callable[[], object]:
    """The call to be measured, with its data."""
    random = np.random.default_rng(size)
    if operation in ("fft", "msm"):
        # Below 2^252, and so below both primes.
        scalars = random.integers(0, 2**60, (columns, size, 4), np.uint64)
        if operation == "fft":
            return lambda: engine.fft(scalars, out=scalars)
        bases = engine.bases(generator_multiples(size), validate=False)
        return lambda: engine.msm(scalars, bases)
    matrix = random.integers(0, MODULUS, (size, columns), np.uint64)
    calls: dict[str, Callable[[], object]] = {
        "ntt": lambda: engine.ntt(matrix, out=matrix),
        "lde": lambda: engine.lde(matrix),
        "hash_rows": lambda: engine.hash_rows(matrix),
        "merkle_root": lambda: engine.merkle_root(matrix, of="rows"),
        "commit": lambda: engine.commit(matrix).root,
    }
    try:
        return calls[operation]
    except KeyError:
        expected = ", ".join([*calls, "fft", "msm"])
        raise InputError(f"unknown operation {operation!r}, expected one of {expected}") from None


def bench(
    operation: str = "ntt", size: int = 2**16, *, columns: int = 1, runs: int = 10, engine: Engine | None = None
) -> Measurement:
    """Measures an operation on random data in host memory, copies to and from the device included.

    `operation` is "ntt", "lde" (eightfold), "hash_rows", "merkle_root" (of rows), "commit" (eightfold), "fft" or "msm"; `size` is the number of
    rows, a power of two; `columns` that of columns, polynomials or sums. After one run that does not count, there are `runs` that do.
    `per_second` is size * columns by the median time.
    """
    if runs < 1:
        raise InputError(f"runs: expected at least 1, found {runs}")
    engine = engine if engine is not None else default_engine()
    run = _operation(engine, operation, size, columns)
    run()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    return {
        "operation": operation,
        "device": engine.device.id,
        "size": size,
        "columns": columns,
        "runs": runs,
        "median": median,
        "fastest": min(times),
        "slowest": max(times),
        "per_second": size * columns / median,
    }
