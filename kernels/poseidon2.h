// The permutation of Poseidon2 on one item's state: canonical in, canonical out. It is that of `src/hash/poseidon2.rs`; constants
// (POSEIDON2_...) come from `src/backend/gpu/hash/poseidon2.rs`.

// The memory space of constants, for pointers.
#ifdef __OPENCL_VERSION__
#define POSEIDON2_TABLE __constant
#else
#define POSEIDON2_TABLE
#endif

// a b + c for a word, a small constant and a sum.
DEVICE u64 multiply_add(u32 a, u32 b, u64 c) {
#ifdef INLINE_PTX
    // A product is for the multiply pipe, whose turn it is where additions bind.
    u64 sum;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(a), "r"(b), "l"(c));
    return sum;
#else
    return (u64)a * b + c;
#endif
}

// low + high 2^32, for sums below 2^40: a loose word.
DEVICE u64 join_loose(u64 low, u64 high) {
#ifdef INLINE_PTX
    u64 word;
    asm("{.reg .u32 l,a,h,t,z,k; .reg .u64 m,w;\n\t"
        "mov.u32 z,0; mov.b64 {l,a},%1; mov.b64 m,{a,z}; add.u64 m,m,%2; mov.b64 {h,t},m;\n\t"
        "mad.lo.cc.u32 l,t,%3,l; madc.hi.cc.u32 h,t,%3,h; addc.u32 k,0,0;\n\t"
        "mov.b64 w,{l,h}; mad.wide.u32 %0,k,%3,w;}"
        : "=l"(word)
        : "l"(low), "l"(high), "r"(mont_hidden_zero() - 1));
    return word;
#else
    high += low >> 32; // below 2^41
    u64 word = (high << 32) | (u32)low;
    u64 folded = (high >> 32) * GL_EPSILON; // 2^64 = 2^32 - 1; below 2^41
    word += folded;
    return word + (word < folded ? (u64)GL_EPSILON : 0); // a sum that carried is below 2^41: no second carry
#endif
}

DEVICE u64 join_halves(u64 low, u64 high) { return gl_canonical(join_loose(low, high)); }

// The outer matrix, on halves of words.
DEVICE void outer_halves(u64 *x) {
    u64 sums[4] = {0, 0, 0, 0};
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i += 4) {
        u64 a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
        u64 ab = a + b, cd = c + d, all = ab + cd, with_b = all + b, with_d = all + d;
        x[i] = with_b + ab;
        x[i + 1] = with_b + 2 * c;
        x[i + 2] = with_d + cd;
        x[i + 3] = with_d + 2 * a;
        UNROLL
        for (u32 k = 0; k < 4; k++) sums[k] += x[i + k];
    }
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) x[i] += sums[i % 4];
}

DEVICE void outer_matrix(u64 *s) {
    u64 low[SPONGE_WIDTH], high[SPONGE_WIDTH];
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) {
        low[i] = (u32)s[i];
        high[i] = s[i] >> 32;
    }
    outer_halves(low);
    outer_halves(high);
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) s[i] = join_halves(low[i], high[i]);
}

// sum + sign size / 2^shift x, for a size of at most 4 and a shift below 32, of a loose word x.
//
// With r = x 2^(32 - shift) modulo 2^32, which is what the shift drops, x / 2^shift is (x >> shift) - r 2^32 + r: it is that because p is 1 modulo 2^32.
DEVICE u64 inner_word(u64 x, u64 low, u64 high, u32 negative, u32 size, u32 shift) {
    u32 x0 = (u32)x, x1 = (u32)(x >> 32);
    if (shift > 0) {
        u32 rest = x0 << (32 - shift);
        x0 = x0 >> shift | x1 << (32 - shift);
        x1 >>= shift;
        if (negative) return join_loose(low - x0 - rest, high - x1 + rest);
        return join_loose(low + x0 + rest, high + x1 - rest);
    }
    if (negative) return join_loose(low - (u64)x0 * size, high - (u64)x1 * size);
    return join_loose(multiply_add(x0, size, low), multiply_add(x1, size, high));
}

// On loose words.
DEVICE void inner_matrix(u64 *s) {
    u64 low = 0, high = 0;
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) {
        low += (u32)s[i];
        high += s[i] >> 32;
    }
    // 5 p, of which 4 2^32 go from the upper to the lower half, so that no difference is negative.
    low += ((u64)4 << 32) + 5;
    high += ((u64)5 << 32) - 9;
#define INNER_WORD(i, negative, size, shift) s[i] = inner_word(s[i], low, high, negative, size, shift);
    POSEIDON2_DIAGONAL(INNER_WORD)
}

// Full rounds. The state turns, so that no index varies.
DEVICE void full_rounds(u64 *s, POSEIDON2_TABLE const u64 *constants) {
    NO_UNROLL
    for (u32 round = 0; round < POSEIDON2_HALF_FULL_ROUNDS; round++) {
        NO_UNROLL
        for (u32 i = 0; i < SPONGE_WIDTH / POWERS_AT_ONCE; i++) {
            u64 x[POWERS_AT_ONCE];
            UNROLL
            for (u32 k = 0; k < POWERS_AT_ONCE; k++) x[k] = gl_add(s[k], constants[k]);
            power_seven(x);
            UNROLL
            for (u32 k = 0; k < SPONGE_WIDTH - POWERS_AT_ONCE; k++) s[k] = s[k + POWERS_AT_ONCE];
            copy_each(s + SPONGE_WIDTH - POWERS_AT_ONCE, x);
            constants += POWERS_AT_ONCE;
        }
        outer_matrix(s);
    }
}

DEVICE void poseidon2(u64 *s) {
    outer_matrix(s);
    full_rounds(s, POSEIDON2_INITIAL);
    NO_UNROLL
    for (u32 round = 0; round < POSEIDON2_PARTIAL_ROUNDS; round++) {
        s[0] = power_seven_one(gl_add(gl_canonical(s[0]), POSEIDON2_PARTIAL[round]));
        inner_matrix(s);
    }
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) s[i] = gl_canonical(s[i]);
    full_rounds(s, POSEIDON2_TERMINAL);
}

#define PERMUTE(s) poseidon2(s)
