// Keccak-256 and SHA3-256, one hash a work item, as `src/hash/keccak.rs` explains them; constants (KECCAK_...) come from
// `src/backend/gpu/hash/keccak.rs`.

DEVICE u64 rotate_word(u64 x, u32 n) { return n == 0 ? x : x << n | x >> (64 - n); }

DEVICE void keccak_permute(u64 *s) {
    NO_UNROLL
    for (u32 round = 0; round < KECCAK_ROUNDS; round++) {
        u64 c[5], b[25];
        UNROLL
        for (u32 x = 0; x < 5; x++) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
        u64 d[5];
        UNROLL
        for (u32 x = 0; x < 5; x++) d[x] = c[(x + 4) % 5] ^ rotate_word(c[(x + 1) % 5], 1);
        // Word i, in column x, goes to another place, rotated.
#define KECCAK_MOVE(i, x, place, count) b[place] = rotate_word(s[i] ^ d[x], count);
        KECCAK_MOVES(KECCAK_MOVE)
        UNROLL
        for (u32 y = 0; y < 25; y += 5) {
            UNROLL
            for (u32 x = 0; x < 5; x++) s[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
        }
        s[0] ^= KECCAK_ROUND[round];
    }
}

DEVICE void keccak_store(GLOBAL u64 *digest, const u64 *s) {
    UNROLL
    for (u32 i = 0; i < 4; i++) digest[i] = s[i];
}

// Nodes parents .. 2 parents of a heap of digests, each from its children: one block.
KERNEL void merge_level(BUFFER(u64, heap), u64 parents) {
    FOR_EACH(i, parents) {
        u64 node = parents + i;
        u64 s[25];
        UNROLL
        for (u32 k = 0; k < 25; k++) s[k] = k < 8 ? AT(heap)[8 * node + k] : 0;
        s[8] = KECCAK_FIRST_PADDING;
        s[KECCAK_RATE - 1] = KECCAK_LAST_PADDING;
        keccak_permute(s);
        keccak_store(AT(heap) + 4 * node, s);
    }
}

// The digest of each of `rows` rows. The last block has a word at least to spare, for the padding.
KERNEL void hash_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_EACH(i, rows) {
        Row row = row_of(AT(matrix), i, rows, degree);
        u64 s[25];
        UNROLL
        for (u32 k = 0; k < 25; k++) s[k] = 0;
        NO_UNROLL
        for (u64 first = 0; first <= width; first += KECCAK_RATE) {
            UNROLL
            for (u32 k = 0; k < KECCAK_RATE; k++) {
                if (first + k < width) s[k] ^= row_next(&row);
                if (first + k == width) s[k] ^= KECCAK_FIRST_PADDING;
            }
            if (first + KECCAK_RATE > width) s[KECCAK_RATE - 1] ^= KECCAK_LAST_PADDING;
            keccak_permute(s);
        }
        keccak_store(AT(digests) + 4 * i, s);
    }
}
