pragma circom 2.1.0;

include "circomlib/circuits/eddsaposeidon.circom";

component main {public [M]} = EdDSAPoseidonVerifier();
