// Rescue Prime, one hash a work item. The permutation is that of `src/hash/rescue.rs`; constants and the places of
// rate, capacity and digest (RESCUE_...) come from there.

// x^(1/7) = x^10540996611094048183 in 63 squarings and 8 products: with c = x^((8^10 - 1) / 7), q = c^8 and d = q x it
// is ((q^(2^31) d)^2 d)^2 x.
DEVICE u64 rescue_root(u64 x) {
    u64 c1 = x;                                   // (8 - 1) / 7 = 1
    u64 c2 = gl_mul(gl_square_times(c1, 3), c1);  // (8^2 - 1) / 7
    u64 c4 = gl_mul(gl_square_times(c2, 6), c2);
    u64 c5 = gl_mul(gl_square_times(c4, 3), c1);
    u64 c10 = gl_mul(gl_square_times(c5, 15), c5);
    u64 q = gl_square_times(c10, 3);
    u64 d = gl_mul(q, x);
    u64 r = gl_mul(gl_square_times(q, 31), d);
    r = gl_mul(gl_square(r), d);
    return gl_mul(gl_square(r), x);
}

DEVICE u64 rescue_power(u64 x) {
    u64 x2 = gl_square(x);
    return gl_mul(gl_mul(gl_square(x2), x2), x);
}

// The linear layer and the constants of a half round.
DEVICE void rescue_mix(u64 *state, u32 half_round) {
    u64 powers[RESCUE_WIDTH];
    UNROLL
    for (u32 j = 0; j < RESCUE_WIDTH; ++j) powers[j] = state[j];
    UNROLL
    for (u32 i = 0; i < RESCUE_WIDTH; ++i) {
#if RESCUE_MDS_SMALL
        // Entries below 2^16: both halves of the words are summed before one reduction.
        u64 low = 0, high = 0;
        UNROLL
        for (u32 j = 0; j < RESCUE_WIDTH; ++j) {
            low += RESCUE_MDS[i * RESCUE_WIDTH + j] * (powers[j] & 0xffffffffUL);
            high += RESCUE_MDS[i * RESCUE_WIDTH + j] * (powers[j] >> 32);
        }
        u32 carry;
        u64 sum = add_carry(low, high << 32, &carry);
        sum = gl_reduce(sum, (high >> 32) + carry);
#else
        u64 sum = 0;
        NO_UNROLL
        for (u32 j = 0; j < RESCUE_WIDTH; ++j) {
            sum = gl_add(sum, gl_mul(RESCUE_MDS[i * RESCUE_WIDTH + j], powers[j]));
        }
#endif
        state[i] = gl_add(sum, RESCUE_CONSTANTS[half_round * RESCUE_WIDTH + i]);
    }
}

DEVICE void rescue_permute(u64 *state) {
    NO_UNROLL
    for (u32 round = 0; round < RESCUE_ROUNDS; ++round) {
        UNROLL
        for (u32 i = 0; i < RESCUE_WIDTH; ++i) state[i] = rescue_power(state[i]);
        rescue_mix(state, 2 * round);
        UNROLL
        for (u32 i = 0; i < RESCUE_WIDTH; ++i) state[i] = rescue_root(state[i]);
        rescue_mix(state, 2 * round + 1);
    }
}

DEVICE void rescue_start(u64 *state, u64 length) {
    UNROLL
    for (u32 i = 0; i < RESCUE_WIDTH; ++i) state[i] = 0;
    state[RESCUE_LENGTH_WORD] = length;
}

// Nodes parents .. 2 parents of a heap of digests, each from its children.
KERNEL void merge_level(BUFFER(u64, heap), u64 parents) {
    FOR_EACH(i, parents) {
        u64 node = parents + i;
        u64 state[RESCUE_WIDTH];
        rescue_start(state, 8);
        UNROLL
        for (u32 k = 0; k < 8; ++k) state[RESCUE_RATE_WORD + k] = AT(heap)[8 * node + k];
        rescue_permute(state);
        UNROLL
        for (u32 k = 0; k < 4; ++k) AT(heap)[4 * node + k] = state[RESCUE_DIGEST_WORD + k];
    }
}

// The digest of each of `rows` rows of `width` words. The matrix is blocks of rows x degree words side by side: one
// block if it is row-major (degree = width), one a column if it is column-major.
KERNEL void hash_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_EACH(row, rows) {
        u64 state[RESCUE_WIDTH];
        rescue_start(state, width);
        GLOBAL const u64 *entry = AT(matrix) + row * degree;
        u64 within = 0;
        for (u64 absorbed = 0; absorbed < width; absorbed += 8) {
            UNROLL
            for (u32 k = 0; k < 8; ++k) {
                if (absorbed + k < width) {
                    state[RESCUE_RATE_WORD + k] = gl_add(state[RESCUE_RATE_WORD + k], entry[within]);
                    if (++within == degree) {
                        within = 0;
                        entry += rows * degree;
                    }
                }
            }
            rescue_permute(state);
        }
        UNROLL
        for (u32 k = 0; k < 4; ++k) AT(digests)[4 * row + k] = state[RESCUE_DIGEST_WORD + k];
    }
}
