// The permutation of Poseidon2 on one item's state: canonical in, canonical out. It is that of `src/hash/poseidon2.rs`; constants
// (POSEIDON2_...) come from `src/backend/gpu/hash/poseidon2.rs`.

// The memory space of constants, for pointers.
#ifdef __OPENCL_VERSION__
#define POSEIDON2_TABLE __constant
#else
#define POSEIDON2_TABLE
#endif

// low + high 2^32, for sums of at most 40 halves of words.
DEVICE u64 join_halves(u64 low, u64 high) {
    high += low >> 32; // below 2^38
    u64 word = (high << 32) | (u32)low;
    u64 folded = (high >> 32) * GL_EPSILON; // 2^64 = 2^32 - 1; below 2^38
    word += folded;
    return gl_canonical(word + (word < folded ? (u64)GL_EPSILON : 0)); // a sum that carried is below 2^38: no second carry
}

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

// x / 2^n for n below 32: x is taken to a multiple of 2^n by a multiple of p, which is 1 modulo 2^n.
DEVICE u64 divided(u64 x, u32 n) {
    u64 rest = x & (((u64)1 << n) - 1);
    return gl_sub(x >> n, (rest << (64 - n)) - (rest << (32 - n)));
}

// sum + sign size / 2^shift x, for a size of at most 4.
DEVICE u64 inner_word(u64 x, u64 sum, u32 negative, u32 size, u32 shift) {
    if (shift > 0) x = divided(x, shift);
    if (size == 2 || size == 4) x = gl_add(x, x);
    if (size == 4) x = gl_add(x, x);
    if (size == 3) sum = negative ? gl_sub(gl_sub(sum, x), x) : gl_add(sum, gl_add(x, x));
    return negative ? gl_sub(sum, x) : gl_add(sum, x);
}

DEVICE void inner_matrix(u64 *s) {
    u64 low = 0, high = 0;
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) {
        low += (u32)s[i];
        high += s[i] >> 32;
    }
    u64 sum = join_halves(low, high);
#define INNER_WORD(i, negative, size, shift) s[i] = inner_word(s[i], sum, negative, size, shift);
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
        s[0] = power_seven_one(gl_add(s[0], POSEIDON2_PARTIAL[round]));
        inner_matrix(s);
    }
    full_rounds(s, POSEIDON2_TERMINAL);
}

#define PERMUTE(s) poseidon2(s)
