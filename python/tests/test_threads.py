"""Operations release the interpreter: Python runs meanwhile, and threads may share an engine."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zkaccel


def test_python_runs_meanwhile(cpu):
    """While a thread is inside an operation, another one counts: between the moments just before and just after it."""
    trace = np.random.default_rng(1).integers(0, zkaccel.MODULUS, (2**13, 8), np.uint64)
    counted, done, moments = 0, threading.Event(), []

    def operate() -> None:
        moments.append(counted)
        cpu.commit(trace)
        moments.append(counted)
        done.set()

    interval = sys.getswitchinterval()
    # Without the release, this thread would not run before the operation ends, or once in a hundred seconds.
    sys.setswitchinterval(100)
    try:
        thread = threading.Thread(target=operate)
        thread.start()
        while not done.wait(0.0005):
            counted += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert moments[1] - moments[0] > 3


def test_many_threads_share_an_engine(engine):
    random = np.random.default_rng(2)
    matrices = [random.integers(0, zkaccel.MODULUS, (256, 4), np.uint64) for _ in range(16)]
    expected = [engine.commit(matrix).root for matrix in matrices]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda matrix: engine.commit(matrix).root, matrices)) == expected
        # One array, read by all.
        assert len(set(pool.map(lambda _: engine.commit(matrices[0]).root, range(16)))) == 1


def test_two_writers_of_one_array(cpu):
    """The second of two operations on one array is refused while the first writes to it."""
    matrix = np.random.default_rng(3).integers(0, zkaccel.MODULUS, (2**20, 4), np.uint64)
    refused = []
    started = threading.Event()

    def write() -> None:
        started.set()
        for _ in range(4):
            try:
                cpu.ntt(matrix, out=matrix)
            except zkaccel.InputError as error:
                refused.append(str(error))

    with ThreadPoolExecutor(2) as pool:
        for job in [pool.submit(write) for _ in range(2)]:
            job.result()
    # Whether they met is a matter of time; if they did, it was refused, and never anything else.
    assert all("another operation is writing to this array" in text for text in refused)
    if not refused:
        pytest.skip("the two never met")
