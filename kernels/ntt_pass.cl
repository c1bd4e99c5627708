// One pass of a transform. `src/backend/gpu/ntt/plan.rs` says which passes make a transform and what they are given.
//
// A group transforms a tile of T = 2^LT points x C = 2^NTT_LC columns, one of the digits into which the index of a
// transform is cut, in up to three layers of radix at most 16. Between layers the tile lies in work-group memory. A "column" is one
// of the vectors of T points that a pass transforms: digits of the index that it leaves alone, columns of the matrix, batch.
//
//   NTT_LR1, 2, 3    binary logarithms of the layers' radices, 0 for those that there are not
//   NTT_LC           binary logarithm of C
//   NTT_ROWS_IN, _OUT   whether neighbouring items load and store neighbouring points: where the points of a column lie side by side
//                    and the matrix has one column. Else they load neighbouring columns.
//   NTT_GROUPS       groups that registers allow on a multiprocessor
//
// Roots. Butterflies compute with W = 2^(192 / R) for R points. The transform's own root of order R is W^g, g odd. X_g[k] = X_1[g k], so
// a layer's output in slot s is that of k = g' s, with g g' = 1: it is left at row s, and who reads it knows. And a layer whose
// outputs must be in order finds its digit j at place g j. So one program serves every root.

#define LT (NTT_LR1 + NTT_LR2 + NTT_LR3)
#define T (1u << LT)
#define C (1u << NTT_LC)
#define R1 (1 << NTT_LR1)
#define R2 (1 << NTT_LR2)
#define R3 (1 << NTT_LR3)
// The largest radix: points of an item; every layer does POINTS / R butterflies.
#define LP (NTT_LR1 > NTT_LR2 ? (NTT_LR1 > NTT_LR3 ? NTT_LR1 : NTT_LR3) : (NTT_LR2 > NTT_LR3 ? NTT_LR2 : NTT_LR3))
#define POINTS (1 << LP)
#define ITEMS (1u << (LT + NTT_LC - LP))
// Butterflies of layer 1 and of the last layer in a column.
#define LQ1 (LT - NTT_LR1)
#define LRL (NTT_LR3 > 0 ? NTT_LR3 : NTT_LR2 > 0 ? NTT_LR2 : NTT_LR1)
#define RL (1 << LRL)
#define LQL (LT - LRL)

// Where a row of a column lies in work-group memory: a hole after every 2^LS rows, another after every T/R1 if there are three
// layers, and columns 16 / C apart modulo 16, so that 16 neighbouring items meet 16 banks whether they follow rows or columns.
#define LS (NTT_LR3 > 0 ? NTT_LR3 : LQ1)
#define ROW(row) ((row) + ((row) >> LS) + (NTT_LR3 > 0 ? (row) >> LQ1 : 0))
#define COLUMN ((ROW(T - 1) + 16) / 16 * 16 + (NTT_LC >= 4 ? 1 : 16 >> NTT_LC))
// Rows are followed only in matrices of one column.
#if NTT_ROWS_IN
#define WIDTH 1u
#else
#define WIDTH ((u32)width)
#endif
#define LOCAL_TILE (NTT_LR2 > 0 || NTT_ROWS_IN || NTT_ROWS_OUT)

#define REVERSED(r, log) \
    ((log) == 0 ? 0 : (log) == 1 ? (r) : (log) == 2 ? ((r) & 1) << 1 | (r) >> 1 : \
     (log) == 3 ? ((r) & 1) << 2 | ((r) & 2) | (r) >> 2 : ((r) & 1) << 3 | ((r) & 2) << 1 | ((r) >> 1 & 2) | (r) >> 3)

#define FLAG_CANONICAL 1   /* results below p: the last pass */
#define FLAG_REVERSED_IN 2 /* points are loaded from bit-reversed rows */
#define FLAG_REVERSED_OUT 4
#define FLAG_REVERSED_COLUMN 8 /* the column's number is bit-reversed before a result is stored */
#define FLAG_PRE 16        /* inputs are multiplied by a table */
#define FLAG_POST 32       /* outputs likewise */
#define LOW_ROWS_FIRST 8   /* from this bit of the flags on: how many of the lowest bits of a row's number become the highest, where columns of several layers are stored in order */

// A column's number as matrix column, block of the batch and column within a transform.
typedef struct {
    u64 block;
    u32 number, column;
} Place;

DEVICE Place place_of(u64 x, u32 width, u64 width_inverse, u32 log_columns) {
    Place place;
    place.column = 0;
    if (width != 1) {
        // width_inverse = ceil(2^64 / width): exact, for the product of a column's number and the width is below 2^64.
        const u64 row = mul_high(x, width_inverse);
        place.column = (u32)(x - row * width);
        x = row;
    }
    place.block = log_columns > 31 ? 0 : x >> log_columns;
    place.number = log_columns > 31 ? (u32)x : (u32)x & ((1u << log_columns) - 1);
    return place;
}

// The first point of column y when points are 2^a apart.
DEVICE u32 start_of(u32 y, u32 a) { return y + (y >> a << a) * (T - 1); }

// Up to four digits, their logarithms in bytes, in reverse.
DEVICE u32 reverse_digits(u32 y, u32 logs) {
    u32 r = 0;
    UNROLL
    for (int i = 0; i < 4; i++) {
        const u32 log = logs >> (8 * i) & 0xff;
        r = r << log | (y & ((1u << log) - 1));
        y >>= log;
    }
    return r;
}

#define LOAD_STRIDED(to, from, stride, reversed) \
    if (reversed) { \
        UNROLL \
        for (int r = 0; r < R1; r++) (to)[REVERSED(r, NTT_LR1)] = *BEHIND(GLOBAL const u64, from, (u64)(u32)(stride) * (u32)r); \
    } else { \
        UNROLL \
        for (int r = 0; r < R1; r++) (to)[r] = *BEHIND(GLOBAL const u64, from, (u64)(u32)(stride) * (u32)r); \
    }

FIXED_KERNEL(ITEMS, NTT_GROUPS)
ntt_pass(BUFFER(const u64, input), BUFFER(u64, output), BUFFER(const u64, inner), BUFFER(const u64, pre), BUFFER(const u64, post),
         u64 total, u64 width, u64 width_inverse, u64 log_columns, u64 flags, u64 power, u64 power_inverse, u64 in_block, u64 in_drop,
         u64 in_mask, u64 in_log, u64 in_digits, u64 in_stride, u64 pre_shift, u64 pre_mask, u64 pre_stride, u64 replica_shift,
         u64 replica_mask, u64 replica_size, u64 out_block, u64 out_log, u64 out_stride, u64 post_mask) {
#if LOCAL_TILE
    LOCAL u64 tile[COLUMN << NTT_LC];
#endif
    const u32 item = (u32)local_id();
    const u64 first = (u64)(u32)group_id() << NTT_LC;
    const u32 g = (u32)power, g_inverse = (u32)power_inverse;
    V v[POINTS];

    // Layer 1: rows r T/R1 + q.
#if NTT_ROWS_IN
    // Reversed columns lie side by side: they are loaded in order, and their rows found in work-group memory. No barrier may stand in a
    // branch: PoCL compiles what follows such a one twice.
    u64 in[POINTS];
    if (flags & FLAG_REVERSED_IN) {
        UNROLL
        for (u32 s = 0; s < POINTS; s++) {
            const u32 i = item + ITEMS * s;
            u64 x = first + (i >> LT);
            if (x >= total) x = total - 1;
            in[s] = AT(input)[(x >> (u32)in_drop << LT) + (i & (T - 1))];
        }
        UNROLL
        for (u32 s = 0; s < POINTS; s++) {
            const u32 i = item + ITEMS * s;
            tile[(i >> LT) * COLUMN + ROW(i & (T - 1))] = in[s];
        }
    }
    BARRIER();
    if (flags & FLAG_REVERSED_IN) {
        UNROLL
        for (u32 b = 0; b < POINTS >> NTT_LR1; b++) {
            const u32 i = item + ITEMS * b;
            LOCAL_POINTER const u64 *at = tile + (i >> LQ1) * COLUMN + ROW((i & ((1u << LQ1) - 1)) << NTT_LR1);
            UNROLL
            for (u32 r = 0; r < R1; r++) in[(b << NTT_LR1) + REVERSED(r, NTT_LR1)] = at[ROW(r)];
        }
    }
    BARRIER();
#endif
    UNROLL
    for (u32 b = 0; b < POINTS >> NTT_LR1; b++) {
        const u32 i = item + ITEMS * b;
#if NTT_ROWS_IN
        const u32 reversed = flags & FLAG_REVERSED_IN, place_q = i & ((1u << LQ1) - 1), c = i >> LQ1;
        const u32 q = reversed ? reverse_bits(place_q, LQ1) : place_q;
#else
        const u32 reversed = flags & FLAG_REVERSED_IN, q = i >> NTT_LC, c = i & (C - 1);
        const u32 place_q = reversed ? reverse_bits(q, LQ1) << NTT_LR1 : q;
        u64 in[R1];
#endif
        u64 x = first + c;
        if (x >= total) x = total - 1; // a partial last tile repeats its last column and does not store it
        const Place place = place_of(x, WIDTH, width_inverse, (u32)log_columns);
        u32 y = place.number >> (u32)in_drop & (u32)in_mask;
        if (in_digits) y = reverse_digits(y, (u32)in_digits);
        // Positions within one transform fit 32 bits; only batch and width need more.
        const u32 row = start_of(y, (u32)in_log) + (place_q << (u32)in_log);
#if NTT_ROWS_IN
        if (!reversed) {
            GLOBAL const u64 *from = AT(input) + place.block * in_block + row;
            UNROLL
            for (u32 r = 0; r < R1; r++) in[(b << NTT_LR1) + r] = from[r << LQ1];
        }
        u64 *const words = in + (b << NTT_LR1);
#else
        GLOBAL const u64 *from = AT(input) + place.block * in_block + (u64)row * WIDTH + place.column;
        LOAD_STRIDED(in, from, in_stride, reversed)
        u64 *const words = in;
#endif
        if (flags & FLAG_PRE) {
            u64 factors[R1];
            const u32 replica = place.number >> (u32)replica_shift & (u32)replica_mask;
            GLOBAL const u64 *at = AT(pre) + (u64)replica * (u32)replica_size + (row >> (u32)pre_shift & (u32)pre_mask);
#if NTT_ROWS_IN
            // The table of reversed rows is in the order in which they are wanted here.
            UNROLL
            for (u32 r = 0; r < R1; r++) factors[r] = at[r << LQ1];
#else
            LOAD_STRIDED(factors, at, pre_stride, reversed)
#endif
            UNROLL
            for (int r = 0; r < R1; r++) v[(b << NTT_LR1) + r] = v_load_product(words[r], factors[r]);
        } else {
            UNROLL
            for (int r = 0; r < R1; r++) v[(b << NTT_LR1) + r] = v_load(words[r]);
        }
        v[b << NTT_LR1] = v_first(v[b << NTT_LR1]);
        V_DFT(NTT_LR1, (v + (b << NTT_LR1)));
#if NTT_LR2 > 0
        // Digits of later layers to the places from which their outputs come in order.
#if NTT_LR3 > 0
        const u32 digit = q >> NTT_LR3, rest = q & (R3 - 1);
        const u32 to = ((digit * g & (R2 - 1)) << NTT_LR3) + (rest * g & (R3 - 1));
#else
        const u32 to = q * g & (R2 - 1);
#endif
        LOCAL_POINTER u64 *at = tile + c * COLUMN + ROW(to);
        UNROLL
        for (u32 s = 0; s < R1; s++) at[ROW(s << LQ1)] = v_store(v[(b << NTT_LR1) + V_SLOT(NTT_LR1, s)]);
#endif
    }

#if NTT_LR2 > 0
    BARRIER();
#endif
#if NTT_LR3 > 0
    // Layer 2 of 3, in place: rows k1 T/R1 + r R3 + rest.
    UNROLL
    for (u32 b = 0; b < POINTS >> NTT_LR2; b++) {
        const u32 i = item + ITEMS * b, q = i >> NTT_LC, c = i & (C - 1);
        LOCAL_POINTER u64 *at = tile + c * COLUMN + ROW((q >> NTT_LR3 << LQ1) + (q & (R3 - 1)));
        GLOBAL const u64 *factors = AT(inner) + (q << NTT_LR2);
        V w[R2];
        UNROLL
        for (u32 r = 0; r < R2; r += 2) {
            u64 f0, f1;
            load_pair(factors + r, &f0, &f1);
            w[r] = v_load_product(at[ROW(r << NTT_LR3)], f0);
            w[r + 1] = v_load_product(at[ROW((r + 1) << NTT_LR3)], f1);
        }
        w[0] = v_first(w[0]);
        V_DFT(NTT_LR2, w);
        UNROLL
        for (u32 s = 0; s < R2; s++) at[ROW(s << NTT_LR3)] = v_store(w[V_SLOT(NTT_LR2, s)]);
    }
    BARRIER();
#endif

    // The last layer: output k of butterfly (k1, k2) is that of row k1 + R1 k2 + k T/R.
    u64 out[POINTS];
#if NTT_ROWS_OUT
    const u32 reversed_out = flags & FLAG_REVERSED_OUT;
#endif
    UNROLL
    for (u32 b = 0; b < POINTS >> LRL; b++) {
        const u32 i = item + ITEMS * b;
#if NTT_LR2 == 0
        // One layer, just computed; its slot s is output g' s.
#if NTT_ROWS_IN
        const u32 c = i >> LQ1;
#else
        const u32 c = i & (C - 1);
#endif
        const u32 low = 0;
        UNROLL
        for (u32 s = 0; s < RL; s++) out[(b << LRL) + s] = v_store(v[(b << LRL) + V_SLOT(LRL, s)]);
#else
#if NTT_ROWS_OUT
        // Neighbours follow the rows k1 + R1 k2.
        const u32 low = i & ((1u << LQL) - 1), c = i >> LQL;
        const u32 k1 = low & (R1 - 1), k2 = low >> NTT_LR1, at1 = k1 * g & (R1 - 1);
#else
        const u32 q = i >> NTT_LC, c = i & (C - 1);
        const u32 at1 = q >> (LQL - NTT_LR1), k2 = q & ((1u << (LQL - NTT_LR1)) - 1), k1 = at1 * g_inverse & (R1 - 1);
        const u32 low = k1 + (k2 << NTT_LR1);
#endif
        LOCAL_POINTER u64 *at = tile + c * COLUMN + ROW((at1 << LQ1) + (k2 << LRL));
#if NTT_LR3 > 0
        GLOBAL const u64 *factors = AT(inner) + T + (k2 << LRL);
#else
        GLOBAL const u64 *factors = AT(inner) + (at1 << LRL);
#endif
        UNROLL
        for (u32 r = 0; r < RL; r += 2) {
            u64 f0, f1;
            load_pair(factors + r, &f0, &f1);
            // Digit 0 of the last layer has the factor 1.
            v[(b << LRL) + r] = r == 0 ? v_first(v_load(at[0])) : v_load_product(at[r], f0);
            v[(b << LRL) + r + 1] = v_load_product(at[r + 1], f1);
        }
        V_DFT(LRL, (v + (b << LRL)));
        UNROLL
        for (u32 s = 0; s < RL; s++) out[(b << LRL) + s] = v_store(v[(b << LRL) + V_SLOT(LRL, s)]);
#endif

        const u64 x = first + c;
#if NTT_ROWS_OUT
        const u32 row = reversed_out ? reverse_bits(low, LQL) << LRL : low;
        const u32 p = ((u32)x << LT) + row;
        GLOBAL u64 *to = AT(output) + (x << LT) + row;
#else
        const Place place = place_of(x, WIDTH, width_inverse, (u32)log_columns);
        u32 y = place.number;
        if (flags & FLAG_REVERSED_COLUMN) y = reverse_bits(y, (u32)log_columns);
        const u32 turned = (u32)(flags >> LOW_ROWS_FIRST);
        const u32 row = flags & FLAG_REVERSED_OUT ? reverse_bits(low, LQL) << LRL : low >> turned | (low & ((1u << turned) - 1)) << (LT - turned);
        const u32 p = start_of(y, (u32)out_log) + (row << (u32)out_log);
        GLOBAL u64 *to = AT(output) + place.block * out_block + (u64)p * WIDTH + place.column;
#endif
        if (flags & FLAG_POST) {
#if NTT_LR2 > 0
            // A loop, by way of the words that this item alone has read: it is rarely wanted.
            UNROLL
            for (u32 s = 0; s < RL; s++) at[s] = out[(b << LRL) + s];
            UNROLL_BY_4
#else
            UNROLL
#endif
            for (u32 s = 0; s < RL; s++) {
                const u32 k = NTT_LR2 == 0 ? s * g_inverse & (RL - 1) : s;
                const u32 behind = flags & FLAG_REVERSED_OUT ? reverse_bits(k, LRL) : k << LQL;
                const u64 factor = AT(post)[(p + (behind << (u32)out_log)) & (u32)post_mask];
#if NTT_LR2 > 0
                at[s] = gl_mul(at[s], factor);
            }
            UNROLL
            for (u32 s = 0; s < RL; s++) out[(b << LRL) + s] = at[s];
#else
                out[s] = gl_mul(out[s], factor);
            }
#endif
        }
        if (flags & FLAG_CANONICAL) {
            UNROLL
            for (u32 s = 0; s < RL; s++) out[(b << LRL) + s] = v_canonical(out[(b << LRL) + s]);
        }
#if NTT_ROWS_OUT
        if (x < total && !reversed_out && NTT_LR2 > 0) {
            UNROLL
            for (u32 s = 0; s < RL; s++) to[s << LQL] = out[(b << LRL) + s];
        }
#else
        if (x < total) {
#if NTT_LR2 == 0
            UNROLL
            for (u32 s = 0; s < RL; s++) {
                const u32 k = s * g_inverse & (RL - 1);
                const u32 behind = flags & FLAG_REVERSED_OUT ? reverse_bits(k, LRL) : k << LQL;
                *BEHIND(GLOBAL u64, to, (u64)(u32)out_stride * behind) = out[(b << LRL) + s];
            }
#else
            if (flags & FLAG_REVERSED_OUT) {
                UNROLL
                for (u32 s = 0; s < RL; s++)
                    *BEHIND(GLOBAL u64, to, (u64)(u32)out_stride * (u32)REVERSED(s, LRL)) = out[(b << LRL) + s];
            } else {
                UNROLL
                for (u32 s = 0; s < RL; s++) *BEHIND(GLOBAL u64, to, (u64)(u32)out_stride * s) = out[(b << LRL) + s];
            }
#endif
        }
#endif
    }

#if NTT_ROWS_OUT
    // Results that are not stored yet go to their rows in work-group memory once all have been read, and from there in order.
    BARRIER();
    if (reversed_out || NTT_LR2 == 0) {
        UNROLL
        for (u32 b = 0; b < POINTS >> LRL; b++) {
            const u32 i = item + ITEMS * b;
            const u32 low = NTT_LR2 == 0 ? 0 : i & ((1u << LQL) - 1), c = i >> LQL;
            LOCAL_POINTER u64 *at = tile + c * COLUMN;
            if (NTT_LR2 == 0) {
                UNROLL
                for (u32 s = 0; s < RL; s++) {
                    const u32 k = s * g_inverse & (RL - 1);
                    at[ROW(reversed_out ? reverse_bits(k, LRL) : k)] = out[s];
                }
            } else {
                at += ROW(reverse_bits(low, LQL) << LRL);
                UNROLL
                for (u32 s = 0; s < RL; s++) at[ROW((u32)REVERSED(s, LRL))] = out[(b << LRL) + s];
            }
        }
    }
    BARRIER();
    if (reversed_out || NTT_LR2 == 0) {
        UNROLL
        for (u32 s = 0; s < POINTS; s++) {
            const u32 i = item + ITEMS * s;
            const u64 word = tile[(i >> LT) * COLUMN + ROW(i & (T - 1))];
            if (first + (i >> LT) < total) AT(output)[(first << LT) + i] = word;
        }
    }
#endif
}
