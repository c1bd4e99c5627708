"""Ranks of MPI, as far as they need no launcher: `tools/check-mpi.sh` has the rest (tools/mpi/check.py)."""

import os
import subprocess
import sys

import pytest
import zkaccel
from zkaccel.cluster import Cluster

ALONE = """
import numpy as np, zkaccel
from zkaccel.cluster import Cluster
try:
    cluster = Cluster(engine=zkaccel.Engine("cpu", threads=1))
except zkaccel.ClusterError as error:
    print(f"no MPI: {error}")
else:
    trace = np.arange(80, dtype=np.uint64).reshape(16, 5)
    assert cluster.rows(16) == slice(0, 16) and (cluster.rank, cluster.size) == (0, 1)
    assert cluster.surviving(lambda cluster: cluster.commit(trace, 16).root) == zkaccel.commit(trace).root
    print("right")
"""


def _alone(**environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", ALONE], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_one_process():
    """Without a launcher there is one rank, if there is a library of MPI."""
    found = _alone()
    if found != "right":
        assert found.startswith("no MPI: MPI: ")
        pytest.skip(found)


def test_no_library():
    assert "/nowhere/libmpi.so" in _alone(ZKACCEL_MPI="/nowhere/libmpi.so")


@pytest.mark.parametrize("deadline", [0.0, -1.0, float("nan"), float("inf")])
def test_deadlines(cpu, deadline):
    with pytest.raises(zkaccel.InputError, match="deadline: expected seconds above 0, found"):
        Cluster(engine=cpu, deadline=deadline)
