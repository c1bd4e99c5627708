pragma circom 2.1.0;

// Public: the product, and b. Private: a, and the square between.
template Multiplier() {
    signal input a;
    signal input b;
    signal output c;
    signal square;
    square <== a * a;
    c <== square * b;
}

component main {public [b]} = Multiplier();
