"""A farm on a local cluster of several node processes, of which one is killed on the way: every result right, none lost, none twice."""

import pathlib

import ray
import zkaccel
from ray.cluster_utils import Cluster
from ray_farm import commit, farm, prove, trace
from zkaccel.groth16 import verify

COMMITMENTS, PROOFS = 24, 6
ROWS, COLUMNS = 1 << 12, 8
DATA = pathlib.Path(__file__).resolve().parents[1] / "groth16/tests/data/membership"


def main():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(3)]
    # Workers find the module of the farm where this file is.
    ray.init(address=cluster.address, runtime_env={"env_vars": {"PYTHONPATH": str(pathlib.Path(__file__).parent)}})
    roots = {}
    for index, root in farm(commit, [(number, ROWS, COLUMNS, 0) for number in range(COMMITMENTS)]):
        assert index not in roots, f"commitment {index} came twice"
        roots[index] = root
        if len(roots) == 5:
            # As if its machine had lost its power.
            cluster.remove_node(nodes.pop(), allow_graceful=False)
        if len(roots) == 12:
            nodes.append(cluster.add_node(num_cpus=1))
    assert sorted(roots) == list(range(COMMITMENTS)), sorted(roots)
    for index, root in roots.items():
        assert root == str(zkaccel.commit(trace(index, ROWS, COLUMNS)).root), f"commitment {index}"

    files = [str(DATA / name) for name in ("circuit.zkey", "witness.wtns")]
    proofs = {}
    for index, result in farm(prove, [(number, *files, 0) for number in range(PROOFS)]):
        assert index not in proofs, f"proof {index} came twice"
        proofs[index] = result
        if len(proofs) == 2:
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
    assert sorted(proofs) == list(range(PROOFS)), sorted(proofs)
    for index, result in proofs.items():
        assert verify(DATA / "verification_key.json", result["public"], result["proof"]), f"proof {index}"
    ray.shutdown()
    cluster.shutdown()
    print(f"{COMMITMENTS} commitments and {PROOFS} proofs over {len(nodes) + 2} nodes, of which two were killed: all right, none lost, none twice")


if __name__ == "__main__":
    main()
