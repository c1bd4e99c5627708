// SHA-256, one hash a work item, as FIPS 180-4 has it; constants (SHA256_...) come from `src/backend/gpu/hash/sha256.rs`.
// Input comes as little-endian 64-bit words: 8 to a block of 64 bytes.

// The bytes of a word in reverse.
DEVICE u32 swap_bytes(u32 x) {
#ifdef __OPENCL_VERSION__
    return (rotate_right(x, 8) & 0xff00ff00u) | (rotate_right(x, 24) & 0x00ff00ffu);
#else
    return __byte_perm(x, 0, 0x0123);
#endif
}

#define SHA256_LOW(a) (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22))
#define SHA256_HIGH(e) (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25))

// A round on words whose places turn; `added` is the sum of its constant and its word of the schedule.
#define SHA256_ROUND(a, b, c, d, e, f, g, h, added)                                                                    \
    {                                                                                                                  \
        u32 first = v[h] + (added) + SHA256_HIGH(v[e]) + (v[g] ^ (v[e] & (v[f] ^ v[g])));                              \
        v[d] += first;                                                                                                 \
        v[h] = first + SHA256_LOW(v[a]) + ((v[a] & v[b]) | (v[c] & (v[a] | v[b])));                                    \
    }

#define SHA256_EIGHT(ADDED)                                                                                            \
    SHA256_ROUND(0, 1, 2, 3, 4, 5, 6, 7, ADDED(0))                                                                     \
    SHA256_ROUND(7, 0, 1, 2, 3, 4, 5, 6, ADDED(1))                                                                     \
    SHA256_ROUND(6, 7, 0, 1, 2, 3, 4, 5, ADDED(2))                                                                     \
    SHA256_ROUND(5, 6, 7, 0, 1, 2, 3, 4, ADDED(3))                                                                     \
    SHA256_ROUND(4, 5, 6, 7, 0, 1, 2, 3, ADDED(4))                                                                     \
    SHA256_ROUND(3, 4, 5, 6, 7, 0, 1, 2, ADDED(5))                                                                     \
    SHA256_ROUND(2, 3, 4, 5, 6, 7, 0, 1, ADDED(6))                                                                     \
    SHA256_ROUND(1, 2, 3, 4, 5, 6, 7, 0, ADDED(7))

// Sixteen rounds with the words of the schedule in m, from constant `at` on.
DEVICE void sha256_sixteen(u32 *v, const u32 *m, u32 at) {
#define SHA256_SCHEDULED(i) SHA256_K[at + (i)] + m[i]
    SHA256_EIGHT(SHA256_SCHEDULED)
#define SHA256_SCHEDULED_8(i) SHA256_K[at + 8 + (i)] + m[8 + (i)]
    SHA256_EIGHT(SHA256_SCHEDULED_8)
}

// Replaces the value by that after a block, whose words are used up.
DEVICE void sha256_compress(u32 *value, u32 *m) {
    u32 v[8];
    UNROLL
    for (u32 i = 0; i < 8; i++) v[i] = value[i];
    sha256_sixteen(v, m, 0);
    NO_UNROLL
    for (u32 at = 16; at < 64; at += 16) {
        UNROLL
        for (u32 i = 0; i < 16; i++) {
            u32 x = m[(i + 1) % 16], y = m[(i + 14) % 16];
            m[i] += (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + m[(i + 9) % 16] +
                    (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
        }
        sha256_sixteen(v, m, at);
    }
    UNROLL
    for (u32 i = 0; i < 8; i++) value[i] += v[i];
}

// The same with the block of padding behind 64 bytes, whose schedule is in constants.
DEVICE void sha256_compress_padding(u32 *value) {
    u32 v[8];
    UNROLL
    for (u32 i = 0; i < 8; i++) v[i] = value[i];
    NO_UNROLL
    for (u32 at = 0; at < 64; at += 8) {
#define SHA256_PADDED(i) SHA256_PADDING[at + (i)]
        SHA256_EIGHT(SHA256_PADDED)
    }
    UNROLL
    for (u32 i = 0; i < 8; i++) value[i] += v[i];
}

DEVICE void sha256_start(u32 *value) {
    UNROLL
    for (u32 i = 0; i < 8; i++) value[i] = SHA256_INITIAL[i];
}

DEVICE void sha256_store(GLOBAL u64 *digest, const u32 *value) {
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        digest[i] = swap_bytes(value[2 * i]) | (u64)swap_bytes(value[2 * i + 1]) << 32;
    }
}

// Word k of a block from its bytes.
DEVICE void sha256_put(u32 *m, u32 k, u64 word) {
    m[2 * k] = swap_bytes((u32)word);
    m[2 * k + 1] = swap_bytes((u32)(word >> 32));
}

// Nodes parents .. 2 parents of a heap of digests, each from its children.
KERNEL void merge_level(BUFFER(u64, heap), u64 parents) {
    FOR_EACH(i, parents) {
        u64 node = parents + i;
        u32 value[8], m[16];
        UNROLL
        for (u32 k = 0; k < 8; k++) sha256_put(m, k, AT(heap)[8 * node + k]);
        sha256_start(value);
        sha256_compress(value, m);
        sha256_compress_padding(value);
        sha256_store(AT(heap) + 4 * node, value);
    }
}

// The digest of each of `rows` rows. Behind the message there is a byte of 0x80, and in the last word of a block its bits.
KERNEL void hash_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_EACH(i, rows) {
        Row row = row_of(AT(matrix), i, rows, degree);
        u32 value[8];
        sha256_start(value);
        u64 end = (width + 9) / 8 * 8;
        NO_UNROLL
        for (u64 first = 0; first < end; first += 8) {
            u32 m[16];
            UNROLL
            for (u32 k = 0; k < 8; k++) {
                u64 word = first + k < width ? row_next(&row) : first + k == width ? 0x80 : 0;
                sha256_put(m, k, word);
            }
            if (first + 8 == end) {
                m[14] = (u32)(width >> 26);
                m[15] = (u32)(width << 6);
            }
            sha256_compress(value, m);
        }
        sha256_store(AT(digests) + 4 * i, value);
    }
}
