// The tip of a tree: too few parents to fill the device, so that the time is one hash's latency, and sixteen items share a
// hash: one state word each, four items idle. A group of B items, a power of two from 32 to 256, has B / 16 teams; like
// that of `merge_group` it makes B / 16 parents and climbs, at most log2 (B / 16) + 1 levels in all.

#define TEAM 16
#define TIP_THREADS 256

DEVICE u64 squares_one(u64 x, u32 steps) {
    NO_UNROLL
    for (u32 i = 0; i < steps; i++) x = mont_square(mont_square(mont_square(x)));
    return x;
}

DEVICE u64 power_seventh_one(u64 x) {
    u64 v = mont_product(squares_one(x, 1), x);
    v = mont_product(squares_one(v, 2), v);
    v = mont_product(squares_one(v, 1), x);
    v = mont_product(squares_one(v, 5), v);
    v = squares_one(v, 1);
    u64 d = mont_product(v, x);
    v = mont_square(squares_one(v, 10));
    v = mont_square(mont_product(v, d));
    v = mont_square(mont_product(v, d));
    return mont_product(v, x);
}

BOUNDED_KERNEL(TIP_THREADS, 1) merge_tip(BUFFER(u64, heap), u64 parents, u64 levels) {
    LOCAL u64 words[2 * TIP_THREADS];
    LOCAL u64 ark[RESCUE_LAYERS * 12];
    for (u32 i = (u32)local_id(); i < RESCUE_LAYERS * 12; i += (u32)local_size()) ark[i] = RESCUE_ARK[i];
    u32 lane = (u32)local_id() % TEAM, team = (u32)local_id() / TEAM, teams = (u32)local_size() / TEAM;
    u32 row = lane < 12 ? lane : 0; // idle items follow item 0, so that every item does the same
#if RESCUE_DENSE
    u64 m[12];
    UNROLL
    for (u32 j = 0; j < 12; j++) m[j] = RESCUE_MDS[12 * row + j];
#endif
    u64 begin = group_id() * teams;
    u32 active = teams;
    BARRIER();
    NO_UNROLL
    for (u32 r = 0; r < (u32)levels; r++) {
        // Idle teams hash along, on a node of their own group: barriers in OpenCL need every item.
        u32 run = team < active && begin + team < parents;
        u64 node = parents + begin + (run ? team : 0);
        u64 x = 0;
        if (row - SPONGE_RATE_WORD < 8u) x = AT(heap)[8 * node + row - SPONGE_RATE_WORD];
        if (row == SPONGE_CAPACITY_WORD) x = 8;
#ifndef __OPENCL_VERSION__
        if (__any_sync(0xffffffffu, run))
#endif
        {
            NO_UNROLL
            for (u32 layer = 0; layer < RESCUE_LAYERS; layer++) {
                x = layer & 1 ? power_seventh_one(x) : power_seven_one(x);
                // Two buffers in turn: one barrier a layer.
                LOCAL_POINTER u64 *mine = words + (layer & 1) * TIP_THREADS + team * TEAM;
                mine[lane] = x;
                TEAM_BARRIER();
                u64 c = ark[12 * layer + row];
#if RESCUE_DENSE
                wide_sum l = {0, 0}, mid = {0, 0}, h = {0, 0};
                UNROLL
                for (u32 j = 0; j < 12; j++) {
                    u64 y = mine[j];
                    u32 y0 = (u32)y, y1 = (u32)(y >> 32), m0 = (u32)m[j], m1 = (u32)(m[j] >> 32);
                    accumulate(&l, y0, m0);
                    accumulate(&mid, y0, m1);
                    accumulate(&mid, y1, m0);
                    accumulate(&h, y1, m1);
                }
                x = gl_canonical(gl_add_loose(reduce_sums(l, mid, h), c));
#else
                // Sum of row0[k] x[(row + k) mod 12], by 32-bit halves: each sum is below 160 * 2^32.
                u64 low = 0, high = 0;
                u32 at = row;
#define ROW_TERM(k, coefficient)                                                                                       \
    {                                                                                                                  \
        u64 y = mine[at];                                                                                              \
        low += mul_wide((u32)y, coefficient);                                                                          \
        high += mul_wide((u32)(y >> 32), coefficient);                                                                 \
        at = at == 11 ? 0 : at + 1;                                                                                    \
    }
                RESCUE_ROW(ROW_TERM)
                // low + high f, with high = g1 f + g0: g1 2^64 = g1 (f - 1), and g1 < 2^9.
                high += low >> 32;
                u64 word = (high << 32) | (u32)low;
                x = gl_canonical(gl_add_loose(gl_add_loose(word, (high >> 32) * GL_EPSILON), c));
#endif
            }
        }
        if (run && lane - SPONGE_RATE_WORD < 4u) AT(heap)[4 * node + lane - SPONGE_RATE_WORD] = x;
        BARRIER_GLOBAL();
        begin >>= 1;
        parents >>= 1;
        active >>= 1;
    }
}
