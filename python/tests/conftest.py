"""Engines of the devices that are tested. ZKACCEL_REQUIRE, as in the library's tests, lists those whose absence is a failure."""

import os

import numpy as np
import pytest
import zkaccel

DEVICES = ("cpu", "opencl:0", "cuda:0")


def _required() -> set[str]:
    return {name for name in os.environ.get("ZKACCEL_REQUIRE", "").split(",") if name}


@pytest.fixture(scope="session", params=DEVICES)
def engine(request: pytest.FixtureRequest) -> zkaccel.Engine:
    """An engine on each device that is present."""
    try:
        return zkaccel.Engine(request.param)
    except zkaccel.DeviceUnavailableError as missing:
        if request.param in _required():
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def cpu() -> zkaccel.Engine:
    return zkaccel.Engine("cpu", threads=2)


@pytest.fixture
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(sum(request.node.name.encode()))


def pointer(array: np.ndarray) -> int:
    """The address of an array's first entry."""
    address: int = array.__array_interface__["data"][0]
    return address
