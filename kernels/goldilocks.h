// The field of p = 2^64 - 2^32 + 1 elements, as `src/field/goldilocks.rs` explains it. Every function takes canonical
// words, below p, and returns one.

#define GL_EPSILON 0xffffffffUL

DEVICE u64 gl_canonical(u64 x) { return x >= GL_MODULUS ? x - GL_MODULUS : x; }

DEVICE u64 gl_add(u64 a, u64 b) {
    // a - (p - b) borrows exactly when the sum stays below p.
    u32 borrow;
    u64 t = sub_borrow(a, GL_MODULUS - b, &borrow);
    return borrow ? t + GL_MODULUS : t;
}

DEVICE u64 gl_sub(u64 a, u64 b) {
    u32 borrow;
    u64 t = sub_borrow(a, b, &borrow);
    return borrow ? t - GL_EPSILON : t;
}

// low + 2^64 high, for any two words: 2^64 = 2^32 - 1 and 2^96 = -1.
DEVICE u64 gl_reduce(u64 low, u64 high) {
    u64 middle = high & GL_EPSILON;
    u32 borrow, carry;
    u64 t = sub_borrow(low, high >> 32, &borrow);
    t = borrow ? t - GL_EPSILON : t;
    t = add_carry(t, (middle << 32) - middle, &carry);
    t = carry ? t + GL_EPSILON : t;
    return gl_canonical(t);
}

DEVICE u64 gl_mul(u64 a, u64 b) {
    u64 low, high;
    mul_full(a, b, &low, &high);
    return gl_reduce(low, high);
}

DEVICE u64 gl_square(u64 a) { return gl_mul(a, a); }

// x^(2^n).
DEVICE u64 gl_square_times(u64 x, u32 n) {
    NO_UNROLL
    for (u32 i = 0; i < n; ++i) x = gl_square(x);
    return x;
}
