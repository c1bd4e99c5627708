// Terms of bucket sums, sorted by bucket. What for, and in which order these are launched: `src/backend/gpu/msm/`.
//
// Scalars become signed integers of as many bits as limbs have, s or s - r, whichever is shorter; or s, which is below half of 2^256, without MSM_SIGNED: on a curve with points whose product with r is not the identity. The signed digit of window w, of c bits, is made of bits c w - 1
// to c w + c - 1 (Booth 1951), lies between -2^(c-1) and 2^(c-1), and needs no carry: in two's complement, negative integers are
// no special case. A digit d != 0 of a base is a *term*: the base's multiple for that window, negated if d < 0, belongs
// to bucket |d| - 1 of the window's set. It is a word: the number of the point, and the sign in the top bit.
//
// The sort is by counting, in two steps, since what is written in order of buckets goes anywhere in memory: first by the upper bits of a bucket's
// number, its *partition*, then by the lower bits. In each step a group takes a tile of terms, counts them in
// its own memory, reserves space for all of a kind at once, and so writes runs of neighbours.

// Partitions, and buckets of a partition, at most.
#define MSM_SLOTS 2048

// One more than the most bits that an integer can have.
#define MSM_WIDTHS (32 * FIELD_LIMBS)

// Zeros.
KERNEL void msm_clear(BUFFER(u32, words), u64 count) {
    FOR_EACH(i, count) AT(words)[i] = 0;
}

// The integer of every scalar, limb by limb: limb l of number i is at l count + i. And how many integers have each number of
// bits, without the sign: `widths`, MSM_WIDTHS words, 0 for 0.
BOUNDED_KERNEL(256, 2) msm_integers(BUFFER(const fe, scalars), u64 count, BUFFER(u32, integers), BUFFER(u32, widths)) {
    LOCAL u32 found[MSM_WIDTHS];
    for (u64 k = local_id(); k < MSM_WIDTHS; k += local_size()) found[k] = 0;
    BARRIER();
    FOR_EACH(i, count) {
        const fe modulus = FR_P, plain_one = {{1}};
        const fe s = fr_canonical(fr_mul(load_fe(AT(scalars) + i), plain_one));
        fe less;
        u64 borrow = 0;
        UNROLL for (u32 k = 0; k < FIELD_LIMBS; k++) {
            const u64 difference = (u64)s.limb[k] - modulus.limb[k] - borrow;
            less.limb[k] = (u32)difference;
            borrow = difference >> 63;
        }
        // 2 s > r if s > r - s: if s + (s - r) has no borrow left.
        u64 carry = 0;
        if (MSM_SIGNED) UNROLL for (u32 k = 0; k < FIELD_LIMBS; k++) carry = ((u64)s.limb[k] + less.limb[k] + carry) >> 32;
        u32 width = 0, any = 0;
        UNROLL for (u32 k = 0; k < FIELD_LIMBS; k++) {
            const u32 limb = carry ? less.limb[k] : s.limb[k];
            const u32 magnitude = carry ? ~limb : limb;
            AT(integers)[k * count + i] = limb;
            any |= limb;
            if (magnitude) width = 32 * k + 32 - COUNT_LEADING_ZEROS(magnitude);
        }
        // -1 has a bit, too.
        if (any && width == 0) width = 1;
        ATOMIC_ADD(&found[width], 1u);
    }
    BARRIER();
    for (u64 k = local_id(); k < MSM_WIDTHS; k += local_size()) {
        if (found[k]) ATOMIC_ADD(&AT(widths)[k], found[k]);
    }
}

// The digit of a window of integer i, of `bits` bits, as a signed number.
DEVICE int msm_digit(GLOBAL const u32 *integers, u64 count, u64 i, u32 bits, u32 window) {
    const u32 start = window * bits;
    // From the bit below the digit on; below the first there is a zero, above the last the sign.
    const u32 from = start == 0 ? 0 : start - 1, limb = from / 32, shift = from % 32;
    const u32 low = integers[limb * count + i];
    const u32 high = limb == FIELD_LIMBS - 1 ? (u32)-(int)(low >> 31) : integers[(limb + 1) * count + i];
    u64 raw = ((u64)high << 32 | low) >> shift;
    if (start == 0) raw <<= 1;
    const u32 few = (u32)raw & ((2u << bits) - 1);
    return (int)((few + 1) >> 1) - (int)((few >> bits) << bits);
}

// A window of an integer, and the term that its digit is.
typedef struct {
    u32 window, set, row, point, term, bucket;
} msm_cursor;

DEVICE msm_cursor msm_first(u32 i, u32 width, u32 first) {
    msm_cursor c;
    c.window = c.set = c.term = c.bucket = 0;
    c.row = i / width;
    c.point = first + (i - c.row * width);
    return c;
}

DEVICE void msm_step(msm_cursor *c, u32 sets, u32 stride) {
    c->window++;
    c->set++;
    if (c->set == sets) {
        c->set = 0;
        c->point += stride;
    }
}

// Makes the term; whether there is one.
DEVICE u32 msm_term(GLOBAL const u32 *integers, u64 count, u64 i, u32 bits, u32 sets, msm_cursor *c) {
    const int digit = msm_digit(integers, count, i, bits, c->window);
    const u32 magnitude = (u32)(digit < 0 ? -digit : digit);
    c->bucket = ((c->row * sets + c->set) << (bits - 1)) + magnitude - 1;
    c->term = digit < 0 ? c->point | 1u << 31 : c->point;
    return magnitude != 0;
}

// The loop over the terms of the group's tile: all digits of `tile` integers. An integer is one item's.
#define MSM_TILE(c)                                                                                                    \
    for (u64 i = group_id() * tile + local_id(); i < (group_id() + 1) * tile && i < count; i += local_size())          \
        for (msm_cursor c = msm_first((u32)i, (u32)width, (u32)first); c.window < windows;                               \
             msm_step(&c, (u32)sets, (u32)stride))                                                                     \
            if (msm_term(AT(integers), count, i, (u32)bits, (u32)sets, &c))

// Counts terms by partition: those of the digits of all `windows` of integers. Integers come in rows of `width`; number i of a row
// belongs to point first + i + stride t in windows t sets + s, for s below `sets`. A group for each `tile` integers.
BOUNDED_KERNEL(256, 2) msm_count_partitions(BUFFER(const u32, integers), u64 count, u64 bits, u64 windows, u64 sets, u64 width,
                                            u64 first, u64 stride, u64 low_bits, u64 partitions, u64 tile, BUFFER(u32, counts)) {
    LOCAL u32 slots[MSM_SLOTS];
    for (u64 k = local_id(); k < partitions; k += local_size()) slots[k] = 0;
    BARRIER();
    MSM_TILE(c) ATOMIC_ADD(&slots[c.bucket >> low_bits], 1u);
    BARRIER();
    for (u64 k = local_id(); k < partitions; k += local_size()) {
        if (slots[k]) ATOMIC_ADD(&AT(counts)[k], slots[k]);
    }
}

// Terms of a tile at most. A group puts them in order in its own memory before it writes them: written as they come, they would be single words all
// over memory, and a device has more groups under way than its cache has room for their half-written lines.
#define MSM_STAGED 4096

// Of what each of `count` slots counts, how much is before it. `shares` is space for a word an item.
#define MSM_BEFORE(slots, count, shares)                                                                               \
    {                                                                                                                  \
        const u32 me = (u32)local_id(), items = (u32)local_size(), each = ((u32)(count) + items - 1) / items;          \
        const u32 begin = me * each < (count) ? me * each : (u32)(count);                                              \
        const u32 finish = begin + each < (count) ? begin + each : (u32)(count);                                       \
        u32 sum = 0;                                                                                                   \
        for (u32 k = begin; k < finish; k++) sum += slots[k];                                                          \
        shares[me] = sum;                                                                                              \
        BARRIER();                                                                                                     \
        for (u32 distance = 1; distance < items; distance *= 2) {                                                      \
            const u32 before = me >= distance ? shares[me - distance] : 0;                                             \
            BARRIER();                                                                                                 \
            shares[me] += before;                                                                                      \
            BARRIER();                                                                                                 \
        }                                                                                                              \
        u32 at = shares[me] - sum;                                                                                     \
        for (u32 k = begin; k < finish; k++) {                                                                         \
            const u32 here = slots[k];                                                                                 \
            slots[k] = at;                                                                                             \
            at += here;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    BARRIER();

// Slots say where the kinds end that the group has put in order. Reserves space for each of them, and says how far it is from where the
// kind is to where it goes.
#define MSM_RESERVE(slots, count, cursors)                                                                             \
    {                                                                                                                  \
        const u32 me = (u32)local_id(), items = (u32)local_size(), each = ((u32)(count) + items - 1) / items;          \
        const u32 begin = me * each < (count) ? me * each : (u32)(count);                                              \
        const u32 finish = begin + each < (count) ? begin + each : (u32)(count);                                       \
        u32 from = begin > 0 ? slots[begin - 1] : 0;                                                                   \
        BARRIER();                                                                                                     \
        for (u32 k = begin; k < finish; k++) {                                                                         \
            const u32 to = slots[k];                                                                                   \
            if (to > from) slots[k] = ATOMIC_ADD(&(cursors)[k], to - from) - from;                                     \
            from = to;                                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    BARRIER();

// Writes terms partition by partition, each with the lower bits of its bucket's number in the upper half of a u64. `cursors` holds where
// each partition begins and then where it ends.
BOUNDED_KERNEL(256, 4) msm_partition(BUFFER(const u32, integers), u64 count, u64 bits, u64 windows, u64 sets, u64 width,
                                            u64 first, u64 stride, u64 low_bits, u64 partitions, u64 tile, BUFFER(u32, cursors),
                                            BUFFER(u64, pairs)) {
    LOCAL u32 slots[MSM_SLOTS], shares[256];
    LOCAL u64 staged[MSM_STAGED];
    for (u64 k = local_id(); k < partitions; k += local_size()) slots[k] = 0;
    BARRIER();
    { MSM_TILE(c) ATOMIC_ADD(&slots[c.bucket >> low_bits], 1u); }
    BARRIER();
    MSM_BEFORE(slots, partitions, shares)
    { MSM_TILE(c) staged[ATOMIC_ADD(&slots[c.bucket >> low_bits], 1u)] = (u64)c.bucket << 32 | c.term; }
    BARRIER();
    const u32 total = slots[partitions - 1], mask = (1u << low_bits) - 1;
    MSM_RESERVE(slots, partitions, AT(cursors))
    for (u32 k = (u32)local_id(); k < total; k += (u32)local_size()) {
        const u64 pair = staged[k];
        const u32 bucket = (u32)(pair >> 32);
        AT(pairs)[slots[bucket >> low_bits] + k] = (u64)(bucket & mask) << 32 | (u32)pair;
    }
}

// In each run of `length` counts, a group's, those before each, and what was before the run: `ends[g - 1]` where there are
// `runs_before`.
BOUNDED_KERNEL(256, 2) msm_scan(BUFFER(u32, counts), u64 length, BUFFER(const u32, ends), u64 runs_before) {
    LOCAL u32 sums[256];
    const u32 me = (u32)local_id(), items = (u32)local_size(), each = ((u32)length + items - 1) / items;
    GLOBAL u32 *mine = AT(counts) + group_id() * length + me * each;
    const u32 own = me * each >= length ? 0 : (u32)length - me * each < each ? (u32)length - me * each : each;
    u32 sum = 0;
    for (u32 k = 0; k < own; k++) sum += mine[k];
    sums[me] = sum;
    BARRIER();
    for (u32 distance = 1; distance < items; distance *= 2) {
        const u32 before = me >= distance ? sums[me - distance] : 0;
        BARRIER();
        sums[me] += before;
        BARRIER();
    }
    u32 at = sums[me] - sum;
    if (runs_before && group_id() > 0) at += AT(ends)[group_id() - 1];
    for (u32 k = 0; k < own; k++) {
        const u32 here = mine[k];
        mine[k] = at;
        at += here;
    }
}

// The loop over the partitions that have a part in the group's tile of pairs, from `start` to `stop`. All items take the same branches.
#define MSM_PARTITIONS(partition, start, stop)                                                                         \
    const u32 total = AT(ends)[partitions - 1];                                                                        \
    const u32 tile_start = (u32)(group_id() * tile);                                                                   \
    const u32 tile_stop = tile_start + tile < total ? tile_start + (u32)tile : total;                                  \
    for (u32 start = tile_start, partition = 0, stop;                                                                  \
         start < tile_stop && (partition = msm_first_behind(AT(ends), partition, (u32)partitions, start),                      \
                               stop = AT(ends)[partition] < tile_stop ? AT(ends)[partition] : tile_stop);              \
         start = stop)

// Counts pairs by bucket. A group for each `tile` pairs.
BOUNDED_KERNEL(256, 2) msm_count_buckets(BUFFER(const u64, pairs), BUFFER(const u32, ends), u64 partitions, u64 low_bits, u64 tile,
                                         BUFFER(u32, counts)) {
    LOCAL u32 slots[MSM_SLOTS];
    const u32 buckets = 1u << low_bits;
    MSM_PARTITIONS(partition, start, stop) {
        for (u32 k = (u32)local_id(); k < buckets; k += (u32)local_size()) slots[k] = 0;
        BARRIER();
        for (u32 k = start + (u32)local_id(); k < stop; k += (u32)local_size()) {
            ATOMIC_ADD(&slots[(u32)(AT(pairs)[k] >> 32)], 1u);
        }
        BARRIER();
        GLOBAL u32 *all = AT(counts) + ((u64)partition << low_bits);
        for (u32 k = (u32)local_id(); k < buckets; k += (u32)local_size()) {
            if (slots[k]) ATOMIC_ADD(&all[k], slots[k]);
        }
        BARRIER();
    }
}

// Writes terms bucket by bucket. `cursors` holds where each bucket begins and then where it ends.
BOUNDED_KERNEL(256, 4) msm_scatter(BUFFER(const u64, pairs), BUFFER(const u32, ends), u64 partitions, u64 low_bits, u64 tile,
                                        BUFFER(u32, cursors), BUFFER(u32, terms)) {
    LOCAL u32 slots[MSM_SLOTS], shares[256];
    LOCAL u64 staged[MSM_STAGED];
    const u32 buckets = 1u << low_bits;
    MSM_PARTITIONS(partition, start, stop) {
        for (u32 k = (u32)local_id(); k < buckets; k += (u32)local_size()) slots[k] = 0;
        BARRIER();
        for (u32 k = start + (u32)local_id(); k < stop; k += (u32)local_size()) {
            ATOMIC_ADD(&slots[(u32)(AT(pairs)[k] >> 32)], 1u);
        }
        BARRIER();
        MSM_BEFORE(slots, buckets, shares)
        for (u32 k = start + (u32)local_id(); k < stop; k += (u32)local_size()) {
            const u64 pair = AT(pairs)[k];
            staged[ATOMIC_ADD(&slots[(u32)(pair >> 32)], 1u)] = pair;
        }
        BARRIER();
        GLOBAL u32 *all = AT(cursors) + ((u64)partition << low_bits);
        MSM_RESERVE(slots, buckets, all)
        for (u32 k = (u32)local_id(); k < stop - start; k += (u32)local_size()) {
            const u64 pair = staged[k];
            AT(terms)[slots[(u32)(pair >> 32)] + k] = (u32)pair;
        }
        BARRIER();
    }
}
