// BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020, section 2), one hash a work item. Input comes as
// little-endian 64-bit words: 8 to a block of 64 bytes, 128 to a chunk of 1024.

#define BLAKE3_CHUNK_START 1
#define BLAKE3_CHUNK_END 2
#define BLAKE3_PARENT 4
#define BLAKE3_ROOT 8

// Chunks of a row: the stack of unfinished subtrees holds one chaining value for each bit of their number.
#define BLAKE3_DEPTH 32

// The fractional bits of the square roots of the first eight primes: the initial hash value of SHA-256.
CONSTANT u32 BLAKE3_IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

#define BLAKE3_G(a, b, c, d, x, y) \
    v[a] += v[b] + (x); v[d] = rotate_right(v[d] ^ v[a], 16); \
    v[c] += v[d];       v[b] = rotate_right(v[b] ^ v[c], 12); \
    v[a] += v[b] + (y); v[d] = rotate_right(v[d] ^ v[a], 8); \
    v[c] += v[d];       v[b] = rotate_right(v[b] ^ v[c], 7);

// Replaces the chaining value `cv` by the first half of the compression of `m`, which is left permuted.
DEVICE void blake3_compress(u32 *cv, u32 *m, u64 counter, u32 length, u32 flags) {
    u32 v[16];
    UNROLL
    for (u32 i = 0; i < 8; ++i) v[i] = cv[i];
    UNROLL
    for (u32 i = 0; i < 4; ++i) v[8 + i] = BLAKE3_IV[i];
    v[12] = (u32)counter;
    v[13] = (u32)(counter >> 32);
    v[14] = length;
    v[15] = flags;
    NO_UNROLL
    for (u32 round = 0; round < 7; ++round) {
        BLAKE3_G(0, 4, 8, 12, m[0], m[1])
        BLAKE3_G(1, 5, 9, 13, m[2], m[3])
        BLAKE3_G(2, 6, 10, 14, m[4], m[5])
        BLAKE3_G(3, 7, 11, 15, m[6], m[7])
        BLAKE3_G(0, 5, 10, 15, m[8], m[9])
        BLAKE3_G(1, 6, 11, 12, m[10], m[11])
        BLAKE3_G(2, 7, 8, 13, m[12], m[13])
        BLAKE3_G(3, 4, 9, 14, m[14], m[15])
        // The message of the next round: word i is word (2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8)[i] of this one.
        u32 first = m[0], second = m[1];
        m[0] = m[2]; m[2] = m[3]; m[3] = m[10]; m[10] = m[12]; m[12] = m[9]; m[9] = m[11]; m[11] = m[5]; m[5] = first;
        m[1] = m[6]; m[6] = m[4]; m[4] = m[7]; m[7] = m[13]; m[13] = m[14]; m[14] = m[15]; m[15] = m[8]; m[8] = second;
    }
    UNROLL
    for (u32 i = 0; i < 8; ++i) cv[i] = v[i] ^ v[8 + i];
}

DEVICE void blake3_start(u32 *cv) {
    UNROLL
    for (u32 i = 0; i < 8; ++i) cv[i] = BLAKE3_IV[i];
}

DEVICE void blake3_store(GLOBAL u64 *digest, const u32 *cv) {
    UNROLL
    for (u32 i = 0; i < 4; ++i) digest[i] = cv[2 * i] | (u64)cv[2 * i + 1] << 32;
}

// Nodes parents .. 2 parents of a heap of digests, each from its children: one block, which is start, end and root.
KERNEL void merge_level(BUFFER(u64, heap), u64 parents) {
    FOR_EACH(i, parents) {
        u64 node = parents + i;
        u32 cv[8], m[16];
        UNROLL
        for (u32 k = 0; k < 8; ++k) {
            u64 word = AT(heap)[8 * node + k];
            m[2 * k] = (u32)word;
            m[2 * k + 1] = (u32)(word >> 32);
        }
        blake3_start(cv);
        blake3_compress(cv, m, 0, 64, BLAKE3_CHUNK_START | BLAKE3_CHUNK_END | BLAKE3_ROOT);
        blake3_store(AT(heap) + 4 * node, cv);
    }
}

// The chaining value of one chunk of 1 to 128 words; `root` where it is the only one.
DEVICE void blake3_chunk(u32 *cv, Row *row, u64 words, u64 index, u32 root) {
    blake3_start(cv);
    NO_UNROLL
    for (u64 block = 0; block < words; block += 8) {
        u64 left = words - block;
        u32 count = left < 8 ? (u32)left : 8;
        u32 m[16];
        UNROLL
        for (u32 k = 0; k < 8; ++k) {
            u64 word = k < count ? row_next(row) : 0;
            m[2 * k] = (u32)word;
            m[2 * k + 1] = (u32)(word >> 32);
        }
        u32 flags = (block == 0 ? BLAKE3_CHUNK_START : 0) | (left <= 8 ? BLAKE3_CHUNK_END | root : 0);
        blake3_compress(cv, m, index, 8 * count, flags);
    }
}

// The digest of each of `rows` rows of at most 128 words.
KERNEL void hash_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_EACH(i, rows) {
        Row row = row_of(AT(matrix), i, rows, degree);
        u32 cv[8];
        blake3_chunk(cv, &row, width, 0, BLAKE3_ROOT);
        blake3_store(AT(digests) + 4 * i, cv);
    }
}

// The parent of `left` and `cv`, which it replaces.
DEVICE void blake3_parent(const u32 *left, u32 *cv, u32 root) {
    u32 m[16];
    for (u32 k = 0; k < 8; ++k) {
        m[k] = left[k];
        m[8 + k] = cv[k];
    }
    blake3_start(cv);
    blake3_compress(cv, m, 0, 64, BLAKE3_PARENT | root);
}

// The digest of each of `rows` rows of more than 128 words: apart from hash_rows because of the memory its stack takes.
KERNEL void hash_rows_wide(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_EACH(i, rows) {
        Row row = row_of(AT(matrix), i, rows, degree);
        u32 stack[BLAKE3_DEPTH * 8];
        u32 depth = 0;
        u32 cv[8];
        u64 chunks = (width + 127) / 128;
        for (u64 chunk = 0; chunk < chunks; ++chunk) {
            u64 left = width - 128 * chunk;
            blake3_chunk(cv, &row, left < 128 ? left : 128, chunk, 0);
            if (chunk + 1 == chunks) break;
            // A finished subtree ends for each zero at the end of the number of chunks so far.
            for (u64 done = chunk + 1; (done & 1) == 0; done >>= 1) blake3_parent(stack + 8 * --depth, cv, 0);
            for (u32 k = 0; k < 8; ++k) stack[8 * depth + k] = cv[k];
            ++depth;
        }
        while (depth > 0) {
            --depth;
            blake3_parent(stack + 8 * depth, cv, depth == 0 ? BLAKE3_ROOT : 0);
        }
        blake3_store(AT(digests) + 4 * i, cv);
    }
}
