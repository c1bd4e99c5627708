"""The exceptions of zkaccel. Their texts are the library's: what was expected, and what was found."""

__all__ = [
    "ClusterError",
    "DeviceError",
    "DeviceFailedError",
    "DeviceUnavailableError",
    "Error",
    "FileError",
    "InputError",
    "InputTypeError",
    "OutOfMemoryError",
    "UnsupportedError",
    "WrongEngineError",
]


class Error(Exception):
    """The base of all exceptions of zkaccel. After any of them engine and arrays are as they were, unless its text says otherwise."""


class InputError(Error, ValueError):
    """An argument with a wrong value: a size, a shape, a layout, a word that is not below the modulus, an unknown name."""


class InputTypeError(InputError, TypeError):
    """An argument of a wrong type, or an array of a wrong dtype."""


class FileError(Error, OSError):
    """A file that cannot be read."""


class WrongEngineError(InputError):
    """A DeviceMatrix or Bases of another engine."""


class DeviceError(Error, RuntimeError):
    """The base of what concerns devices."""


class DeviceUnavailableError(DeviceError):
    """A device that this machine does not have, or whose driver is too old."""


class UnsupportedError(DeviceError):
    """An operation that the device does not offer."""


class DeviceFailedError(DeviceError):
    """A device that failed at something it should be able to do, or whose answer failed a test."""


class ClusterError(Error, RuntimeError):
    """What concerns the ranks of a cluster: an error of another rank, one that has gone or does not come, no library of MPI."""


class OutOfMemoryError(Error, MemoryError):
    """The host or the device has no memory left, or the operation needs more than its budget."""
