pragma circom 2.1.0;

include "circomlib/circuits/sha256/sha256.circom";

component main = Sha256(64);
