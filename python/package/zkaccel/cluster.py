"""Operations over the ranks of an MPI launcher, processes on one host or many, each with an engine of its own::

    import numpy as np
    from zkaccel.cluster import Cluster

    with Cluster() as cluster:                    # mpirun -n 4 python commit.py
        trace = np.load("trace.npy", mmap_mode="r")
        commitment = cluster.commit(np.array(trace[cluster.rows(len(trace))]), len(trace))
        if cluster.rank == 0:
            print(commitment.root)                # that of zkaccel.commit(trace)

All ranks call the same functions in the same order, each with its own part of the data. An exception on one rank is one on all: `ClusterError` with its words on the others, within the
deadline. The library of MPI is opened when a Cluster is made; nothing of it is needed to build or to import this module.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, SupportsIndex, TypeVar

from ._types import Point, Words
from ._zkaccel import Bases, DeviceMatrix, Engine, Ranks, RanksCommitment, default_engine
from .errors import ClusterError, Error

__all__ = ["Cluster", "Communicator", "RanksCommitment"]

T = TypeVar("T")


class Communicator(Protocol):
    """A communicator of mpi4py."""

    def py2f(self) -> int:
        """Its handle in Fortran."""


class Cluster:
    """The ranks of an MPI communicator, and this rank's engine. It is closed by `close`, at the end of a `with` block, or at the latest when the interpreter ends.

    - `communicator`: one of mpi4py, or the Fortran handle of any; None is all processes that the launcher has started. It is duplicated, and MPI is finalised only if it was not initialised
      before.
    - `engine`: this rank's engine; None is that of the process.
    - `deadline`: the most seconds that an operation waits for other ranks.

    `ClusterError` if there is no library of MPI (the environment variable `ZKACCEL_MPI` names one) or other ranks do not come.
    """

    def __init__(
        self, communicator: Communicator | int | None = None, *, engine: Engine | None = None, deadline: float = 60.0
    ) -> None:
        handle = communicator if communicator is None or isinstance(communicator, int) else communicator.py2f()
        self._ranks = Ranks(engine or default_engine(), handle, deadline)
        self._finalizer = weakref.finalize(self, _end, self._ranks)

    @property
    def rank(self) -> int:
        """This rank's number, from 0 on."""
        return self._ranks.rank

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self._ranks.size

    @property
    def library(self) -> str:
        """The name under which the library of MPI was found."""
        return self._ranks.library

    def use_nccl(self, deadline: float = 60.0) -> str:
        """Has ranks exchange what their GPUs keep by NVIDIA's library of collective communication, from GPU to GPU, from now on; otherwise it goes through host memory and MPI. Each rank has an
        engine on one GPU of its own (`cuda:N`). `deadline`: the most seconds that an exchange takes. Returns the library's version. Collective.

        `ClusterError` if there is no library (`libnccl.so.2`, or what the environment variable `ZKACCEL_NCCL` names), or a rank has no GPU of its own.
        """
        return self._ranks.use_nccl(deadline)

    def __repr__(self) -> str:
        return f"<zkaccel.cluster.Cluster, rank {self.rank} of {self.size}>"

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or (isinstance(error, Error) and self._ranks.is_agreed(str(error))):
            self.close()
        else:
            _abort(self._ranks, error)

    def close(self) -> None:
        """Leaves the other ranks. Collective: all of them do the same. After that everything else is an `InputError`."""
        self._finalizer.detach()
        self._ranks.close()

    def abort(self, reason: str) -> None:
        """Ends the processes of all ranks, because this one cannot go on."""
        self._ranks.abort(reason)

    def surviving(self, operation: Callable[[Cluster], T]) -> T:
        """Calls `operation` with this cluster on all ranks, and again on those that are left where some have died. They have new numbers then, from 0 on in the same order: each time it
        finds its part of the data anew, and what it did before counts for nothing. A commitment of more ranks than are left cannot be opened any more.

        Ranks go on if the library and the launcher let them: Open MPI from 5.0 on, with `mpirun --with-ft ulfm`. Otherwise the operation is done once. Errors are those of the operation.
        """
        while True:
            failure: Error | None = None
            try:
                result = operation(self)
            except Error as error:
                # Of this one the others do not know, and they wait for this rank.
                if not isinstance(error, ClusterError) and not self._ranks.is_agreed(str(error)):
                    raise
                failure = error
            try:
                if self._ranks.shrink():
                    continue
            except ClusterError:
                if failure is None:
                    raise
            if failure is not None:
                raise failure
            return result

    def rows(self, count: SupportsIndex) -> slice:
        """The rows that this rank brings of a trace of so many; also its block of coefficients, and a fair share of the pairs of a sum."""
        return slice(*self._ranks.rows(count))

    def leaves(self, count: SupportsIndex) -> slice:
        """The leaves that this rank brings of a tree over so many. `InputError` unless that is a power of two with a leaf for each subtree."""
        return slice(*self._ranks.leaves(count))

    def commit(
        self,
        own: Words,
        rows: SupportsIndex,
        *,
        blowup: SupportsIndex = 8,
        hash: str = "rp64_256",
        convention: str = "winterfell",
        shift: SupportsIndex = 7,
    ) -> RanksCommitment:
        """Commits to a trace of so many rows, of which this rank brings its own: an array of uint64 of the shape (rows of this rank, columns) in C order.

        The root is that of `zkaccel.commit` for the whole trace. Every rank keeps its share of the extension and of the tree.
        """
        return self._ranks.commit(own, rows, blowup, hash, convention, shift)

    def merkle_root(self, own: Words, count: SupportsIndex, *, hash: str = "rp64_256") -> str:
        """The root of the Merkle tree over so many leaves, of which this rank brings its own, an array of uint64 of the shape (n, 4): 64 hexadecimal digits."""
        return self._ranks.merkle_root(own, count, hash)

    def ntt(self, own: Words, *, shift: SupportsIndex = 1, convention: str = "winterfell") -> Words:
        """Values of one polynomial over Goldilocks: rank q of P brings the q-th block of its coefficients, all of them of the same length, and gets values q, q + P, q + 2P, ....

        `InputError` unless P is a power of two whose square is at most the number of points.
        """
        return self._ranks.ntt(own, shift, convention)

    def msm(
        self,
        scalars: Words | DeviceMatrix | Sequence[int],
        bases: Words | Bases | Sequence[Point],
        *,
        curve: str | None = None,
        canonical: bool = False,
        validate: bool = True,
    ) -> Any:
        """The sum of all ranks' scalars times their points, on every rank; a rank may bring none. Arguments and result as those of `zkaccel.msm`."""
        return self._ranks.msm(scalars, bases, curve, canonical, validate)


def _end(ranks: Ranks) -> None:
    """What becomes of ranks whose Cluster nobody has closed: after an exception that nobody has caught the others would wait."""
    error = getattr(sys, "last_value", None)
    if error is None:
        ranks.close()
    else:
        _abort(ranks, error)


def _abort(ranks: Ranks, error: BaseException) -> None:
    ranks.abort(f"{type(error).__name__}: {error}")
