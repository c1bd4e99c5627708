// The power maps x^7 and x^(1/7) of sponges over Goldilocks, on a state of SPONGE_WIDTH words: canonical in, canonical out.
//
// POWERS_AT_ONCE words at a time: three dependency chains hide latency, and one word more costs registers that are worth
// more as resident threads where a state has twelve words. Loops stay rolled to keep the code inside the instruction cache.

// v^(2^(3 steps)), three squarings a step.
DEVICE void square_steps(u64 *v, u32 steps) {
    NO_UNROLL
    for (u32 i = 0; i < steps; i++) {
        UNROLL
        for (u32 k = 0; k < 3; k++) {
            UNROLL
            for (u32 j = 0; j < POWERS_AT_ONCE; j++) v[j] = mont_square(v[j]);
        }
    }
}

DEVICE void square_each(u64 *v) {
    UNROLL
    for (u32 i = 0; i < POWERS_AT_ONCE; i++) v[i] = mont_square(v[i]);
}

// v = v w.
DEVICE void multiply_each(u64 *v, const u64 *w) {
    UNROLL
    for (u32 i = 0; i < POWERS_AT_ONCE; i++) v[i] = mont_product(v[i], w[i]);
}

DEVICE void copy_each(u64 *v, const u64 *w) {
    UNROLL
    for (u32 i = 0; i < POWERS_AT_ONCE; i++) v[i] = w[i];
}

DEVICE void power_seven(u64 *x) {
    u64 v[POWERS_AT_ONCE];
    copy_each(v, x);
    square_each(v);
    multiply_each(v, x);
    square_each(v);
    multiply_each(x, v);
}

// x^(1/7). With c = x^((8^10 - 1)/7), q = c^8 and d = q x = x^((8^11 - 1)/7):
// 1/7 = 10540996611094048183 is the exponent of ((q^(2^31) d)^2 d)^2 x. 63 squarings and 8 products.
DEVICE void power_seventh(u64 *x) {
    u64 v[POWERS_AT_ONCE], w[POWERS_AT_ONCE];
    copy_each(v, x);
    square_steps(v, 1);
    multiply_each(v, x); // 1 + 8
    copy_each(w, v);
    square_steps(v, 2);
    multiply_each(v, w); // four terms
    square_steps(v, 1);
    multiply_each(v, x); // five
    copy_each(w, v);
    square_steps(v, 5);
    multiply_each(v, w); // ten: c
    square_steps(v, 1);  // q
    copy_each(w, v);
    multiply_each(w, x); // d
    square_steps(v, 10);
    square_each(v);
    multiply_each(v, w);
    square_each(v);
    multiply_each(v, w);
    square_each(v);
    multiply_each(x, v);
}

// The power map of one layer on the whole state: 7 in even layers, 1/7 in odd ones. The state turns, so that no index varies.
DEVICE void power_map(u64 *s, u32 layer) {
    if (layer & 1) {
        NO_UNROLL
        for (u32 i = 0; i < SPONGE_WIDTH / POWERS_AT_ONCE; i++) {
            u64 x[POWERS_AT_ONCE];
            copy_each(x, s);
            power_seventh(x);
            UNROLL
            for (u32 k = 0; k < SPONGE_WIDTH - POWERS_AT_ONCE; k++) s[k] = s[k + POWERS_AT_ONCE];
            copy_each(s + SPONGE_WIDTH - POWERS_AT_ONCE, x);
        }
    } else {
        NO_UNROLL
        for (u32 i = 0; i < SPONGE_WIDTH / POWERS_AT_ONCE; i++) {
            u64 x[POWERS_AT_ONCE];
            copy_each(x, s);
            power_seven(x);
            UNROLL
            for (u32 k = 0; k < SPONGE_WIDTH - POWERS_AT_ONCE; k++) s[k] = s[k + POWERS_AT_ONCE];
            copy_each(s + SPONGE_WIDTH - POWERS_AT_ONCE, x);
        }
    }
}

// The same of one word.
DEVICE u64 power_seven_one(u64 x) {
    u64 v = mont_product(mont_square(x), x);
    return mont_product(mont_square(v), x);
}
