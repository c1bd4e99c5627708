pragma circom 2.1.0;

include "circomlib/circuits/poseidon.circom";
include "circomlib/circuits/mux1.circom";

// A leaf of which the hash is under a root, by Poseidon of two.
template Membership(depth) {
    signal input leaf;
    signal input siblings[depth];
    signal input right[depth];
    signal output root;
    component hashes[depth];
    component order[depth];
    signal nodes[depth + 1];
    nodes[0] <== leaf;
    for (var i = 0; i < depth; i++) {
        right[i] * (1 - right[i]) === 0;
        order[i] = MultiMux1(2);
        order[i].c[0][0] <== nodes[i];
        order[i].c[0][1] <== siblings[i];
        order[i].c[1][0] <== siblings[i];
        order[i].c[1][1] <== nodes[i];
        order[i].s <== right[i];
        hashes[i] = Poseidon(2);
        hashes[i].inputs[0] <== order[i].out[0];
        hashes[i].inputs[1] <== order[i].out[1];
        nodes[i + 1] <== hashes[i].out;
    }
    root <== nodes[depth];
}

component main = Membership(2);
