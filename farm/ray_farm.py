"""Independent commitments and Groth16 proofs over a Ray cluster, a task each.

    ray start --head                                          # on one machine; `ray start --address HEAD` on the others
    python ray_farm.py commit 100 --rows 65536 --columns 16   # a hundred commitments to traces
    python ray_farm.py prove 100 circuit.zkey witness.wtns    # a hundred proofs; both files are where every node can read them

Ray chooses the machine of a task, and starts it again elsewhere if that machine is lost: each result comes once, in the order in which they are done. With `--gpus 1` a task has a GPU for
itself: Ray sets CUDA_VISIBLE_DEVICES, so that `cuda:0` is that one.
"""

import argparse
import json

import numpy as np
import ray
import zkaccel
from zkaccel.groth16 import Prover

# A worker process keeps its engine and its keys between tasks.
_kept: dict = {}


def kept(name, make):
    if name not in _kept:
        _kept[name] = make()
    return _kept[name]


def engine(gpus: float):
    device = "cuda:0" if gpus else "cpu"
    threads = max(1, int(ray.get_runtime_context().get_assigned_resources().get("CPU", 1)))
    return kept("engine", lambda: zkaccel.Engine(device=device, threads=threads))


def trace(number: int, rows: int, columns: int) -> np.ndarray:
    """The trace that a number stands for: in place of a program's own."""
    return np.random.default_rng(number).integers(0, zkaccel.MODULUS, (rows, columns), np.uint64)


def commit(number: int, rows: int, columns: int, gpus: float) -> str:
    """The root of the commitment to a trace."""
    return str(engine(gpus).commit(trace(number, rows, columns)).root)


def prove(number: int, key: str, witness: str, gpus: float) -> dict:
    """A proof with its public signals. Proofs of one witness differ by their randomness."""
    prover = kept(key, lambda: Prover(engine(gpus), key))
    proof, public = prover.prove(witness)
    return {"proof": proof, "public": public}


def farm(function, calls, cpus: float = 1, gpus: float = 0):
    """Runs calls as tasks, and yields (index, result) as they are done. A task of a machine that is lost runs again; one that raises an error raises it here."""
    task = ray.remote(num_cpus=cpus, num_gpus=gpus, max_retries=-1)(function)
    indices = {task.remote(*call): index for index, call in enumerate(calls)}
    waiting = list(indices)
    while waiting:
        done, waiting = ray.wait(waiting)
        for future in done:
            yield indices[future], ray.get(future)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["commit", "prove"])
    parser.add_argument("count", type=int)
    parser.add_argument("files", nargs="*", help="of `prove`: key and witness")
    parser.add_argument("--rows", type=int, default=1 << 16)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--cpus", type=float, default=1, help="processors of a task")
    parser.add_argument("--gpus", type=float, default=0, help="GPUs of a task")
    arguments = parser.parse_args()
    if arguments.work == "prove" and len(arguments.files) != 2:
        parser.error(f"prove: expected a key and a witness, found {len(arguments.files)} files")
    ray.init(address="auto")
    match arguments.work:
        case "commit":
            call, rest = commit, (arguments.rows, arguments.columns, arguments.gpus)
        case _:
            call, rest = prove, (*arguments.files, arguments.gpus)
    calls = [(number, *rest) for number in range(arguments.count)]
    for index, result in farm(call, calls, arguments.cpus, arguments.gpus):
        print(json.dumps({"number": index, "result": result}), flush=True)


if __name__ == "__main__":
    main()
