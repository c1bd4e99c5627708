"""Groth16 proofs over BN254 and BLS12-381 from the keys and witnesses of circom and snarkjs::

    import json
    import zkaccel
    from zkaccel.groth16 import Prover, verify

    prover = Prover(zkaccel.default_engine(), "circuit.zkey")
    proof, public = prover.prove("witness.wtns")
    assert verify("verification_key.json", public, proof)
    print(json.dumps(proof), json.dumps(public))

Files are given by their paths or as bytes, JSON also as what `json.load` makes of it. The key says the curve. The proofs are those of snarkjs, which accepts them.
"""

from ._zkaccel import Prover
from ._zkaccel import groth16_verify as verify

__all__ = ["Prover", "verify"]
