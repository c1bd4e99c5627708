// Sponges over Goldilocks, one hash a work item: merges of digests and hashes of rows.
//
// A digest is four words; a tree is a heap of digests, node i at words 4 i, its children at 2 i and 2 i + 1. Inputs are
// canonical words; digests are canonical. The permutation is PERMUTE, on SPONGE_WIDTH words; how they absorb and merge
// (SPONGE_...) comes from `src/backend/gpu/hash/sponge.rs`.

// Registers must allow for so many groups of a multiprocessor, of the largest size.
#define SPONGE_KERNEL BOUNDED_KERNEL(256, 3)

// The state that merges the children of a node of the heap.
DEVICE void load_children(u64 *s, GLOBAL const u64 *heap, u64 node) {
    UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH; i++) s[i] = i == SPONGE_CAPACITY_WORD ? SPONGE_START(8) : 0;
    UNROLL
    for (u32 i = 0; i < 8; i++) s[SPONGE_PAIR_WORD + i] = heap[8 * node + i];
}

DEVICE void store_digest(GLOBAL u64 *digest, const u64 *s) {
    UNROLL
    for (u32 i = 0; i < 4; i++) digest[i] = s[SPONGE_RATE_WORD + i];
}

// A node from the permuted state that its children have filled.
DEVICE void store_node(GLOBAL u64 *heap, u64 node, const u64 *s) {
#if SPONGE_JIVE
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        u64 before = gl_add(heap[8 * node + i], heap[8 * node + 4 + i]);
        heap[4 * node + i] = gl_add(before, gl_add(s[i], s[4 + i]));
    }
#else
    store_digest(heap + 4 * node, s);
#endif
}

// A whole level: nodes parents .. 2 parents, each from its children.
SPONGE_KERNEL merge_level(BUFFER(u64, heap), u64 parents) {
    FOR_ONE(i, parents) {
        u64 s[SPONGE_WIDTH];
        load_children(s, AT(heap), parents + i);
        PERMUTE(s);
        store_node(AT(heap), parents + i, s);
    }
}

// The digest of each of `rows` rows of `width` words. The matrix is blocks of rows x degree words side by side: one
// block if it is row-major (degree = width), one a column if it is column-major.
SPONGE_KERNEL hash_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_ONE(row, rows) {
        u64 s[SPONGE_WIDTH];
        UNROLL
        for (u32 i = 0; i < SPONGE_WIDTH; i++) s[i] = i == SPONGE_CAPACITY_WORD ? SPONGE_START(width) : 0;
        GLOBAL const u64 *entry = AT(matrix) + row * degree;
        u64 within = 0;
        NO_UNROLL
        for (u64 absorbed = 0; absorbed < width; absorbed += SPONGE_RATE) {
            UNROLL
            for (u32 k = 0; k < SPONGE_RATE; k++) {
                if (absorbed + k < width) {
                    s[SPONGE_RATE_WORD + k] = SPONGE_ABSORB(s[SPONGE_RATE_WORD + k], entry[within]);
                    if (++within == degree) {
                        within = 0;
                        entry += rows * degree;
                    }
                } else {
                    s[SPONGE_RATE_WORD + k] = SPONGE_REST(absorbed + k - width, s[SPONGE_RATE_WORD + k]);
                }
            }
            PERMUTE(s);
        }
        store_digest(AT(digests) + 4 * row, s);
    }
}
