// Rescue Prime, one hash a work item: merges of digests and hashes of rows.
//
// A digest is four words; a tree is a heap of digests, node i at words 4 i, its children at 2 i and 2 i + 1. Inputs are
// canonical words; digests are canonical.

// Registers must allow for so many groups of a multiprocessor, of the largest size.
#define RESCUE_KERNEL BOUNDED_KERNEL(256, 3)

// The state that merges the children of a node of the heap.
DEVICE void load_children(u64 *s, GLOBAL const u64 *heap, u64 node) {
    UNROLL
    for (u32 i = 0; i < 12; i++) s[i] = i == RESCUE_LENGTH_WORD ? 8 : 0;
    UNROLL
    for (u32 i = 0; i < 8; i++) s[RESCUE_RATE_WORD + i] = heap[8 * node + i];
}

DEVICE void store_digest(GLOBAL u64 *digest, const u64 *s) {
    UNROLL
    for (u32 i = 0; i < 4; i++) digest[i] = s[RESCUE_DIGEST_WORD + i];
}

// A whole level: nodes parents .. 2 parents, each from its children.
RESCUE_KERNEL merge_level(BUFFER(u64, heap), u64 parents) {
    FOR_ONE(i, parents) {
        u64 s[12];
        load_children(s, AT(heap), parents + i);
        PERMUTE(s);
        store_digest(AT(heap) + 4 * (parents + i), s);
    }
}

// The same, with the constants in work-group memory.
RESCUE_KERNEL merge_local(BUFFER(u64, heap), u64 parents) {
    LOCAL ark_word ark[RESCUE_LAYERS * ARK_LAYER];
#if RESCUE_DENSE
    LOCAL u64 mds[144];
#endif
    for (u32 i = (u32)local_id(); i < RESCUE_LAYERS * ARK_LAYER; i += (u32)local_size()) ark[i] = RESCUE_ARK_TABLE[i];
#if RESCUE_DENSE
    for (u32 i = (u32)local_id(); i < 144; i += (u32)local_size()) mds[i] = RESCUE_MDS[i];
#endif
    BARRIER();
    FOR_ONE(i, parents) {
        u64 s[12];
        load_children(s, AT(heap), parents + i);
        PERMUTE_LOCAL(s);
        store_digest(AT(heap) + 4 * (parents + i), s);
    }
}

// Groups of B items, a power of two, one item a parent; each then climbs over what it has made, `levels` levels in all,
// at most log2 B + 1. Lanes are compacted: level r keeps the items 0 .. B / 2^r, so that whole warps fall silent.
RESCUE_KERNEL merge_group(BUFFER(u64, heap), u64 parents, u64 levels) {
    u64 begin = group_id() * local_size();
    u64 active = local_size();
    NO_UNROLL
    for (u32 r = 0; r < (u32)levels; r++) {
        u64 lane = local_id();
        if (lane < active && begin + lane < parents) {
            u64 s[12];
            load_children(s, AT(heap), parents + begin + lane);
            PERMUTE(s);
            store_digest(AT(heap) + 4 * (parents + begin + lane), s);
        }
        BARRIER_GLOBAL();
        begin >>= 1;
        parents >>= 1;
        active >>= 1;
    }
}

// The digest of each of `rows` rows of `width` words. The matrix is blocks of rows x degree words side by side: one
// block if it is row-major (degree = width), one a column if it is column-major.
RESCUE_KERNEL hash_rows(BUFFER(const u64, matrix), u64 rows, u64 width, u64 degree, BUFFER(u64, digests)) {
    FOR_ONE(row, rows) {
        u64 s[12];
        UNROLL
        for (u32 i = 0; i < 12; i++) s[i] = i == RESCUE_LENGTH_WORD ? width : 0;
        GLOBAL const u64 *entry = AT(matrix) + row * degree;
        u64 within = 0;
        NO_UNROLL
        for (u64 absorbed = 0; absorbed < width; absorbed += 8) {
            UNROLL
            for (u32 k = 0; k < 8; k++) {
                if (absorbed + k < width) {
                    s[RESCUE_RATE_WORD + k] = gl_add(s[RESCUE_RATE_WORD + k], entry[within]);
                    if (++within == degree) {
                        within = 0;
                        entry += rows * degree;
                    }
                }
            }
            PERMUTE(s);
        }
        store_digest(AT(digests) + 4 * row, s);
    }
}
