// Levels of trees over Rescue Prime in other ways than that of `merge_level`.

// `merge_level` with the constants in work-group memory.
SPONGE_KERNEL merge_local(BUFFER(u64, heap), u64 parents) {
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
        store_node(AT(heap), parents + i, s);
    }
}

// Groups of B items, a power of two, one item a parent; each then climbs over what it has made, `levels` levels in all,
// at most log2 B + 1. Lanes are compacted: level r keeps the items 0 .. B / 2^r, so that whole warps fall silent.
SPONGE_KERNEL merge_group(BUFFER(u64, heap), u64 parents, u64 levels) {
    u64 begin = group_id() * local_size();
    u64 active = local_size();
    NO_UNROLL
    for (u32 r = 0; r < (u32)levels; r++) {
        u64 lane = local_id();
        if (lane < active && begin + lane < parents) {
            u64 s[12];
            load_children(s, AT(heap), parents + begin + lane);
            PERMUTE(s);
            store_node(AT(heap), parents + begin + lane, s);
        }
        BARRIER_GLOBAL();
        begin >>= 1;
        parents >>= 1;
        active >>= 1;
    }
}
