pragma circom 2.1.0;

// Public: the N-th of the powers x, x^2 ... of a private x.
template Powers(N) {
    signal input x;
    signal output last;
    signal powers[N];
    powers[0] <== x;
    for (var i = 1; i < N; i++) {
        powers[i] <== powers[i - 1] * x;
    }
    last <== powers[N - 1];
}

component main = Powers(101);
