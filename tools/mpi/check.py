"""Ranks of Python under a launcher of MPI: every operation beside one engine, and failures. In an environment with zkaccel, and with mpi4py for its communicators.

mpirun -n 4 python check.py launcher      over all processes; nobody closes the cluster but the interpreter, at its end
mpirun -n 4 python check.py mpi4py        over communicators of mpi4py: all processes, then those of odd and of even ranks, in the other order
mpirun -n 4 python check.py refused       a communicator of mpi4py whose library is not the one that zkaccel finds
mpirun -n 4 python check.py raise         rank 1 raises an exception; the job has to end, with an error
mpirun -n 4 python check.py uncaught      the same outside of a `with` block
mpirun --with-ft ulfm -n 4 python check.py survive    the last rank is killed in the midst of a commitment, and another raises in the next: those that are left do it again
"""

import os
import signal
import sys

import numpy as np
import zkaccel
from zkaccel.cluster import Cluster

ENGINE = zkaccel.Engine("cpu", threads=1)


def words(shape):
    return np.random.default_rng(5).integers(0, zkaccel.MODULUS, shape, np.uint64)


def check(cluster):
    rank, size = cluster.rank, cluster.size
    trace = words((256, 5))
    own = trace[cluster.rows(256)]
    for blowup, hash in ((8, "rp64_256"), (2, "poseidon2_8")):
        whole = ENGINE.commit(trace, blowup=blowup, hash=hash)
        found = cluster.commit(own, 256, blowup=blowup, hash=hash)
        assert (found.root, found.hash, found.rows, found.columns) == (whole.root, hash, 256 * blowup, 5)
        opening = found.open([7, 300, 3])
        assert opening == whole.open([7, 300, 3]) and whole.verify(opening)
        extension = whole.extension()
        assert all((values == extension[k :: found.coset_count]).all() for k, values in found.cosets())

    leaves = words((1 << 10, 4))
    root = cluster.merkle_root(leaves[cluster.leaves(1 << 10)], 1 << 10, hash="blake3")
    assert root == ENGINE.merkle_root(leaves, hash="blake3")

    polynomial = words(1 << 12)
    if size & (size - 1) == 0:
        values = cluster.ntt(polynomial[cluster.rows(1 << 12)], shift=7)
        assert (values == ENGINE.ntt(polynomial, shift=7)[rank::size]).all()

    for curve in ("bn254-g1", "bls12-381-g2"):
        bases = zkaccel.generator_multiples(100, curve=curve)
        scalars = [i * i + 5 for i in range(100)]
        pairs = cluster.rows(100)
        expected = ENGINE.msm(scalars, bases, curve=curve)
        assert cluster.msm(scalars[pairs], bases[pairs], curve=curve) == expected
        kept = ENGINE.bases(bases[pairs], curve=curve)
        assert cluster.msm(scalars[pairs], kept) == expected
    batch = np.zeros((2, 100, 4), np.uint64)
    batch[0, :, 0], batch[1, :, 0] = 1, np.arange(100)
    bases = zkaccel.generator_multiples(100)
    sums = cluster.msm(np.ascontiguousarray(batch[:, pairs]), bases[pairs])
    assert sums == ENGINE.msm(batch, bases)

    # What one rank brings wrong is an error of all, and they go on afterwards.
    wrong = min(1, size - 1)

    def commit(own=own, **options):
        return cluster.commit(own, 256, **options)

    def tree(own=leaves[cluster.leaves(1 << 10)]):
        return cluster.merkle_root(own, 1 << 10)

    def add(scalars=(1,), **options):
        return cluster.msm(scalars, bases[:1], **options)

    for right, mistake, text in (
        (commit, lambda: commit(own.astype(np.int64)), "expected the dtype uint64"),
        (commit, lambda: commit(hash="md5"), "md5"),
        (commit, lambda: commit(convention="none"), "none"),
        (commit, lambda: commit(own[:, 0].copy()), "expected C order and the shape"),
        (commit, lambda: commit(own[1:]), "entries of the trace"),
        (tree, lambda: tree(np.zeros((4, 3), np.uint64)), "expected C order and the shape (n, 4)"),
        (add, lambda: add([1, 2]), "scalars: expected 1, found 2"),
        (add, lambda: add(curve="p256"), "p256"),
        (commit, lambda: cluster.ntt(own), "expected the shape (rows,)"),
    ):
        try:
            if rank == wrong:
                mistake()
            else:
                right()
        except zkaccel.ClusterError as error:
            assert rank != wrong and f"rank {wrong}: " in str(error) and text in str(error), error
        except zkaccel.InputError as error:
            assert rank == wrong and text in str(error), error
        else:
            raise AssertionError(f"no error: {text}")
    assert cluster.commit(own, 256).root == ENGINE.commit(trace).root
    # The engine has no GPU.
    try:
        cluster.use_nccl()
    except zkaccel.ClusterError as error:
        assert "NCCL for an engine on cpu, expected one NVIDIA GPU" in str(error), error
    else:
        raise AssertionError("NCCL without a GPU")
    if size > 1:
        try:
            cluster.commit(own, 256, blowup=8 if rank == 0 else 4)
        except zkaccel.ClusterError as error:
            assert "expected the same call on all ranks" in str(error), error
        else:
            raise AssertionError("ranks with different parameters went on")
    if rank == 0:
        print(f"{size} ranks of Python, {cluster.library}: right")


def survive(cluster):
    all_ranks, trace, times = cluster.size, words((256, 5)), []

    def commit(cluster):
        times.append(cluster.size)
        if len(times) == 1 and cluster.rank == all_ranks - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return cluster.commit(trace[cluster.rows(256)], 256)

    before = cluster.commit(trace[cluster.rows(256)], 256)
    after = cluster.surviving(commit)
    assert times == [all_ranks, all_ranks - 1] and cluster.size == all_ranks - 1 > cluster.rank
    assert after.root == before.root == ENGINE.commit(trace).root
    assert after.open([3]) == ENGINE.commit(trace).open([3])
    # What all ranks have wrong is no reason to begin again.
    for what, text in ((lambda cluster: before.open([3]), "ranks have made it"), (lambda cluster: after.open([1 << 20]), "1048576")):
        try:
            cluster.surviving(what)
        except zkaccel.Error as error:
            assert text in str(error), error
        else:
            raise AssertionError("no error")
    assert cluster.surviving(lambda cluster: cluster.size) == all_ranks - 1
    if cluster.rank == 0:
        print(f"{all_ranks} ranks of Python, {cluster.size} left: right")


def main(mode):
    if mode == "launcher":
        check(Cluster(engine=ENGINE))
    elif mode == "mpi4py":
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        with Cluster(world, engine=ENGINE) as cluster:
            check(cluster)
        part = world.Split(world.rank % 2, -world.rank)
        with Cluster(part.py2f(), engine=ENGINE, deadline=30) as cluster:
            assert (cluster.rank, cluster.size) == (part.rank, part.size)
            check(cluster)
        try:
            cluster.rows(5)
        except zkaccel.InputError as error:
            assert "closed" in str(error)
        else:
            raise AssertionError("a closed cluster has rows")
        world.Barrier()
    elif mode == "refused":
        from mpi4py import MPI

        try:
            Cluster(MPI.COMM_WORLD, engine=ENGINE)
        except zkaccel.ClusterError as error:
            assert "the communicator is of another library" in str(error), error
        else:
            raise AssertionError("a communicator of another library was taken")
    elif mode == "survive":
        with Cluster(engine=ENGINE, deadline=30) as cluster:
            survive(cluster)
    elif mode == "raise":
        with Cluster(engine=ENGINE, deadline=10) as cluster:
            if cluster.rank == 1:
                raise KeyError("a rank that raises")
            cluster.commit(words((256, 5))[cluster.rows(256)], 256)
    elif mode == "uncaught":
        cluster = Cluster(engine=ENGINE, deadline=10)
        if cluster.rank == 1:
            raise KeyError("a rank that raises")
        cluster.commit(words((256, 5))[cluster.rows(256)], 256)
    else:
        raise SystemExit(__doc__)


main(sys.argv[1] if len(sys.argv) == 2 else "")
