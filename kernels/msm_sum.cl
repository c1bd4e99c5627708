// Bucket accumulation, sums of sorted terms bucket by bucket, and bucket reduction, the weighted sums of buckets. How these follow each other: `src/backend/gpu/msm/`.
//
// Terms are cut into *runs* of equal length, whatever buckets they are in, so that no bucket is long work for one item. The sum of a
// bucket that lies within a run is stored at once. Else the bucket begins at the end of a run, whose *tail* it is; what later runs
// add to it are their *heads*.

#define MSM_NONE 0xffffffffu
// Heads of a bucket that one item adds up; longer rows of heads are left to groups.
#define MSM_SHORT 16
// Heads that a group adds up.
#define MSM_SLICE 1024

// Where the point of a term is.
DEVICE GLOBAL const coordinate *msm_point(GLOBAL const coordinate *points, u32 term) {
    return points + (u64)AFFINE * (term & 0x7fffffffu);
}

// Points are all over memory: the next is asked for while one is added. Registers would not do, there is none left.
#ifdef INLINE_PTX
#define PREFETCH(address) asm volatile("prefetch.global.L1 [%0];" ::"l"(address))
#else
#define PREFETCH(address)
#endif

// Buckets without terms hold the identity, of which ZZ is enough.
KERNEL void msm_empty(BUFFER(const u32, ends), u64 buckets, BUFFER(coordinate, sums)) {
    FOR_EACH(bucket, buckets) {
        const u32 start = bucket == 0 ? 0 : AT(ends)[bucket - 1];
        if (start == AT(ends)[bucket]) store_coordinate(AT(sums) + XYZZ * bucket + 2, coordinate_zero());
    }
}

// What a bucket begins with: nothing, or where it was `begun` what it holds.
DEVICE xyzz msm_begin(GLOBAL const coordinate *sums, u32 bucket, u64 begun) {
    return begun ? load_xyzz(sums + (u64)XYZZ * bucket) : xyzz_identity();
}

// The sums of all runs: bucket sums, heads, tails, and which bucket is a run's tail, MSM_NONE for none. Where buckets were `begun` by another
// part of the sum, terms are added to what they hold, which whoever begins the bucket starts from.
BOUNDED_KERNEL(128, COORDINATE_GROUPS(4)) msm_accumulate(BUFFER(const u32, terms), BUFFER(const u32, ends), u64 buckets, u64 length, u64 runs,
                                      BUFFER(const coordinate, points), u64 begun, BUFFER(coordinate, sums), BUFFER(coordinate, heads),
                                      BUFFER(coordinate, tails), BUFFER(u32, tail_buckets)) {
    FOR_ONE(run, runs) {
        const u32 total = AT(ends)[buckets - 1], start = (u32)(run * length);
        const u32 stop = start + length < total ? start + (u32)length : total;
        u32 tail = MSM_NONE;
        if (start < stop) {
            u32 at = start, bucket = msm_first_behind(AT(ends), 0, (u32)buckets, start), end = AT(ends)[bucket];
            u32 is_head = (bucket == 0 ? 0 : AT(ends)[bucket - 1]) < start;
            xyzz sum = is_head ? xyzz_identity() : msm_begin(AT(sums), bucket, begun);
            u32 term = AT(terms)[at];
            // One way out, or items of a warp that have come to the end of a bucket go on apart from the others.
            NO_UNROLL while (at < stop) {
                affine point = load_affine(msm_point(AT(points), term));
                if (term >> 31) point.y = coordinate_neg(point.y);
                at++;
                if (at < stop) {
                    term = AT(terms)[at];
                    PREFETCH(msm_point(AT(points), term));
                }
                xyzz_add_affine(&sum, point);
                if (at == end) {
                    store_xyzz(is_head ? AT(heads) + XYZZ * run : AT(sums) + (u64)XYZZ * bucket, sum);
                    is_head = 0;
                    if (at < stop) {
                        bucket++;
                        end = AT(ends)[bucket];
                        if (end == at) {
                            bucket = msm_first_behind(AT(ends), bucket, (u32)buckets, at);
                            end = AT(ends)[bucket];
                        }
                        sum = msm_begin(AT(sums), bucket, begun);
                    }
                }
            }
            if (stop < end) {
                store_xyzz((is_head ? AT(heads) : AT(tails)) + XYZZ * run, sum);
                if (!is_head) tail = bucket;
            }
        }
        AT(tail_buckets)[run] = tail;
    }
}

// Joins every tail with its heads. Where those are many, the bucket becomes one of the `longs`: its tail, the first slice
// and the number of slices; and its heads are put down as slices: the first, and how many. `counts` counts both.
KERNEL void msm_join(BUFFER(const u32, ends), u64 length, u64 runs, BUFFER(coordinate, sums), BUFFER(const coordinate, heads),
                     BUFFER(const coordinate, tails), BUFFER(const u32, tail_buckets), BUFFER(u32, counts), BUFFER(u32, longs),
                     BUFFER(u32, slices)) {
    FOR_EACH(run, runs) {
        const u32 bucket = AT(tail_buckets)[run];
        if (bucket != MSM_NONE) {
            const u32 last = (AT(ends)[bucket] - 1) / (u32)length, count = last - (u32)run;
            if (count <= MSM_SHORT) {
                xyzz sum = load_xyzz(AT(tails) + XYZZ * run);
                NO_UNROLL for (u64 head = run + 1; head <= last; head++) xyzz_add(&sum, load_xyzz(AT(heads) + XYZZ * head));
                store_xyzz(AT(sums) + (u64)XYZZ * bucket, sum);
            } else {
                const u32 pieces = (count + MSM_SLICE - 1) / MSM_SLICE;
                const u32 slice = ATOMIC_ADD(&AT(counts)[0], pieces), number = ATOMIC_ADD(&AT(counts)[1], 1u);
                AT(longs)[3 * number] = (u32)run;
                AT(longs)[3 * number + 1] = slice;
                AT(longs)[3 * number + 2] = pieces;
                for (u32 k = 0; k < pieces; k++) {
                    AT(slices)[2 * (slice + k)] = (u32)run + 1 + k * MSM_SLICE;
                    AT(slices)[2 * (slice + k) + 1] = k + 1 < pieces ? MSM_SLICE : count - k * MSM_SLICE;
                }
            }
        }
    }
}

// Items of a group that adds up points.
#define MSM_ITEMS 64

// The sum of the points that the items of a group have, in the first item.
#define MSM_SUM_OF_ITEMS(sum)                                                                                          \
    NO_UNROLL for (u32 apart = MSM_ITEMS / 2; apart > 0; apart /= 2) {                                                              \
        if (local_id() >= apart && local_id() < 2 * apart) shared[local_id()] = sum;                                     \
        BARRIER();                                                                                                     \
        if (local_id() < apart) xyzz_add(&sum, shared[local_id() + apart]);                                              \
        BARRIER();                                                                                                     \
    }

// The sum of every slice of heads. Groups share the slices.
FIXED_KERNEL(MSM_ITEMS, 1) msm_slices(BUFFER(const u32, counts), BUFFER(const u32, slices), BUFFER(const coordinate, heads), u64 groups,
                             BUFFER(coordinate, slice_sums)) {
    LOCAL xyzz shared[MSM_ITEMS];
    const u32 count = AT(counts)[0];
    for (u32 slice = (u32)group_id(); slice < count; slice += (u32)groups) {
        const u32 first = AT(slices)[2 * slice], size = AT(slices)[2 * slice + 1];
        xyzz sum = xyzz_identity();
        NO_UNROLL for (u32 k = (u32)local_id(); k < size; k += MSM_ITEMS) {
            xyzz_add(&sum, load_xyzz(AT(heads) + (u64)XYZZ * (first + k)));
        }
        MSM_SUM_OF_ITEMS(sum)
        if (local_id() == 0) store_xyzz(AT(slice_sums) + (u64)XYZZ * slice, sum);
    }
}

// The sum of every bucket that is one of the `longs`. Groups share them.
FIXED_KERNEL(MSM_ITEMS, 1) msm_longs(BUFFER(const u32, counts), BUFFER(const u32, longs), BUFFER(const coordinate, slice_sums),
                            BUFFER(const coordinate, tails), BUFFER(const u32, tail_buckets), u64 groups, BUFFER(coordinate, sums)) {
    LOCAL xyzz shared[MSM_ITEMS];
    const u32 count = AT(counts)[1];
    for (u32 number = (u32)group_id(); number < count; number += (u32)groups) {
        const u32 run = AT(longs)[3 * number], first = AT(longs)[3 * number + 1], size = AT(longs)[3 * number + 2];
        xyzz sum = xyzz_identity();
        NO_UNROLL for (u32 k = (u32)local_id(); k < size; k += MSM_ITEMS) {
            xyzz_add(&sum, load_xyzz(AT(slice_sums) + (u64)XYZZ * (first + k)));
        }
        MSM_SUM_OF_ITEMS(sum)
        if (local_id() == 0) {
            xyzz_add(&sum, load_xyzz(AT(tails) + (u64)XYZZ * run));
            store_xyzz(AT(sums) + (u64)XYZZ * AT(tail_buckets)[run], sum);
        }
    }
}

// Bucket reduction, first step: for every piece of `size` buckets, with number i in the piece, the sum of i + 1 times bucket i, and the plain sum of all. A size is a
// power of two.
BOUNDED_KERNEL(128, COORDINATE_GROUPS(3)) msm_reduce(BUFFER(const coordinate, sums), u64 size, u64 pieces, BUFFER(coordinate, weighted), BUFFER(coordinate, plain)) {
    FOR_ONE(piece, pieces) {
        const u64 first = piece * size;
        xyzz last = xyzz_identity(), sum = xyzz_identity();
        NO_UNROLL for (u64 k = size; k-- > 0;) {
            xyzz_add(&last, load_xyzz(AT(sums) + XYZZ * (first + k)));
            xyzz_add(&sum, last);
        }
        store_xyzz(AT(weighted) + XYZZ * piece, sum);
        store_xyzz(AT(plain) + XYZZ * piece, last);
    }
}

// The sum of piece number times plain sum, over a set, is that of 2^b times the sums T_b of those pieces whose number has bit b. Here are, for
// each of the sets of 2^log_pieces pieces, first the sum of its weighted sums and then each T_b; in as many groups as there are runs of
// `length` pieces.
FIXED_KERNEL(MSM_ITEMS, 1) msm_add_bits(BUFFER(const coordinate, weighted), BUFFER(const coordinate, plain), u64 log_pieces, u64 length,
                                        BUFFER(coordinate, sums)) {
    LOCAL xyzz shared[MSM_ITEMS];
    const u32 runs = (u32)(((u64)1 << log_pieces) / length), slots = (u32)log_pieces + 1;
    const u32 slot = (u32)group_id() / runs % slots, set = (u32)group_id() / runs / slots;
    // The numbers with bit b are those of one bit less, with a one put in.
    const u64 each = slot == 0 ? length : length / 2, first = (u64)((u32)group_id() % runs) * each;
    const u64 bit = slot == 0 ? 0 : (u64)1 << (slot - 1);
    GLOBAL const coordinate *points = (slot == 0 ? AT(weighted) : AT(plain)) + XYZZ * ((u64)set << log_pieces);
    xyzz sum = xyzz_identity();
    NO_UNROLL for (u64 k = first + local_id(); k < first + each; k += MSM_ITEMS) {
        const u64 piece = slot == 0 ? k : (k & ~(bit - 1)) << 1 | bit | (k & (bit - 1));
        xyzz_add(&sum, load_xyzz(points + XYZZ * piece));
    }
    MSM_SUM_OF_ITEMS(sum)
    if (local_id() == 0) store_xyzz(AT(sums) + XYZZ * group_id(), sum);
}

// The sum of every run of `length` points, a group's.
FIXED_KERNEL(MSM_ITEMS, 1) msm_add_up(BUFFER(const coordinate, points), u64 length, BUFFER(coordinate, sums)) {
    LOCAL xyzz shared[MSM_ITEMS];
    xyzz sum = xyzz_identity();
    NO_UNROLL for (u64 k = local_id(); k < length; k += MSM_ITEMS) {
        xyzz_add(&sum, load_xyzz(AT(points) + XYZZ * (group_id() * length + k)));
    }
    MSM_SUM_OF_ITEMS(sum)
    if (local_id() == 0) store_xyzz(AT(sums) + XYZZ * group_id(), sum);
}
