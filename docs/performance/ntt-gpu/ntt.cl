// One pass of a multi-dimensional number theoretic transform over Goldilocks. NOTES.md describes plans, tables and arguments.
//
// A work group transforms a tile of T = 2^NTT_LT points x C = 2^NTT_LC columns in up to three register layers of radix at
// most 16. Compile once per shape and include repeatedly if need be:
//   NTT_NAME           the kernel's name
//   NTT_LR1, 2, 3      binary logarithms of the layers' radices (unused ones 0), NTT_LP the largest of them: points per thread 2^NTT_LP
//   NTT_LC             binary logarithm of the columns of a tile
//   NTT_PRE, NTT_POST  what inputs and outputs are multiplied by: 0 nothing, 2 a table in the order of the positions, 3 a two-level table
//   NTT_IN_ROWS        1: neighbouring threads load neighbouring rows (points) of the tile, not columns
//   NTT_OUT_ROWS       1: the same for stores, through work-group memory
//   NTT_MIN_GROUPS     groups per processor that the compiler should aim at (CUDA only)
#include "goldilocks_ntt.h"

#ifndef ZK_NTT_PASS
#define ZK_NTT_PASS
typedef struct {
    u64 total;     // columns of the launch: points / T x width x batch
    u64 magic;     // ceil(2^64 / width), or 0 for width 1
    u64 in_off[16];  // register r of layer 1 loads this many words after the thread's first row
    u64 pre_off[16]; // the same in words of a full pre table
    u64 out_off[16]; // output k of the last layer is stored this many words after the thread's first row
    u64 src_size;  // points of one batch entry in the source
    u64 dst_size;  // and in the destination
    u64 in_mask;   // applied to the column's number after in_drop
    u64 pre_mask;  // period of the pre table less one
    u64 post_mask; // and of the post table
    u32 width;     // words of one row of the matrix
    u32 lx;        // log of the columns (of points) per batch entry
    u32 in_drop;   // low bits of the column's number that do not reach the source (replicas of an extension)
    u32 in_a;      // log of the distance of rows in the source, in points
    u32 in_digits; // three bytes, logs of the digits to be reversed from low to high, 0 for none
    u32 out_a;     // log of the distance of rows in the destination
    u32 out_rev;   // 1: the column's number is bit-reversed first
    u32 flags;     // NTT_F_...
    u32 pre_shift; // positions are shifted down by this before the pre table's mask
    u32 i0_shift;  // replica = (column >> i0_shift) & i0_mask: which copy of the pre table
    u32 i0_mask;
    u32 pre_stride; // words of one copy of the pre table
    u32 pre_li;     // two-level pre: log of the earlier digit (0: the exponent is the position alone)
    u32 pre_lj;     //   log of the later digits
    u32 pre_up;     //   exponents are shifted up by this
    u32 pre_lo;     //   log of the low table; the high table follows it
    u32 post_log;   // two-level post: log of the period
    u32 post_lo;
    u32 mid_off[16];  // layer 2 of 3: register r reads this many words of the tile after the thread's first row
    u32 last_off[16]; // the last of several layers: likewise
    u32 out_row[16];  // output k: row of the tile after the thread's first (stores along rows)
} NttPass;
#define NTT_F_CANONICAL 1 /* the last pass: results below p */
#define NTT_F_ROWS_IN_REV 2
#define NTT_F_ROWS_OUT_REV 4
#define NTT_F_PRE_I_LOW 8  /* two-level: the earlier digit is the low one in the position (else the high one) */
#define NTT_F_PRE_I_REV 16 /* two-level: it is bit-reversed */
#define NTT_F_PRE_J_REV 32 /* two-level: the later digits are bit-reversed */
#define NTT_F_POST_REV 64  /* two-level post: the position is bit-reversed */

FN u32 rev_bits(u32 x, u32 bits) { return bits == 0 ? 0 : REVERSE32(x) >> (32 - bits); }

// x << bits, for bits = 32 too (x is 0 then).
FN u32 shift_up(u32 x, u32 bits) { return bits > 31 ? 0 : x << bits; }
// Up to four digits of y, reversed: d0 + l0 (d1 + l1 d2) becomes (d0 l1 + d1) l2 + d2.
FN u32 reverse_digits(u32 y, u32 logs) {
    u32 r = 0;
    UNROLL for (int i = 0; i < 4; i++) {
        const u32 l = (logs >> (8 * i)) & 0xff;
        r = (r << l) | (y & ((1u << l) - 1));
        y >>= l;
    }
    return r;
}
FN u64 two_level(const GLOBAL u64 *RESTRICT table, u32 log_low, u32 e) {
    const u32 low = e & ((1u << log_low) - 1);
    return gl_mul(LOAD_TABLE(table + low), LOAD_TABLE(table + (1u << log_low) + (e >> log_low)));
}
FN u64 pre_two_level(const GLOBAL u64 *RESTRICT table, const NttPass *a, u32 p) {
    const u32 li = a->pre_li, lj = a->pre_lj;
    u32 i, j;
    if (a->flags & NTT_F_PRE_I_LOW) {
        i = p & ((1u << li) - 1);
        j = p >> li;
    } else {
        i = li == 0 ? 0 : p >> lj;
        j = li == 0 ? p : p & ((1u << lj) - 1);
    }
    if (a->flags & NTT_F_PRE_I_REV) i = rev_bits(i, li);
    if (a->flags & NTT_F_PRE_J_REV) j = rev_bits(j, lj);
    const u32 e = (li == 0 ? j : i * j) << a->pre_up;
    return two_level(table, a->pre_lo, e);
}
FN u64 post_two_level(const GLOBAL u64 *RESTRICT table, const NttPass *a, u32 p) {
    if (a->flags & NTT_F_POST_REV) p = rev_bits(p, a->post_log);
    return two_level(table, a->post_lo, p);
}

// Fills table[i] = scale * base^(e(i)), where e is the exponent that pre_two_level would compute from position i; replica r of
// `stride` words uses base * step^r (bit-reversed r when rev_log != 0).
KERNEL ntt_fill(GLOBAL u64 *table, u64 count, u64 base, u64 step, u64 scale, u32 log_period, u32 li, u32 lj, u32 flags, u32 rev_log) {
    const u64 id = GROUP_ID * 256 + LOCAL_ID;
    if (id >= count) return;
    const u32 p = (u32)(id & (((u64)1 << log_period) - 1));
    u32 replica = (u32)(id >> log_period);
    if (rev_log) replica = rev_bits(replica, rev_log);
    u32 i, j;
    if (flags & NTT_F_PRE_I_LOW) {
        i = p & ((1u << li) - 1);
        j = p >> li;
    } else {
        i = li == 0 ? 0 : p >> lj;
        j = li == 0 ? p : p & ((1u << lj) - 1);
    }
    if (flags & NTT_F_PRE_I_REV) i = rev_bits(i, li);
    if (flags & NTT_F_PRE_J_REV) j = rev_bits(j, lj);
    u64 r = scale, b = step;
    for (; replica; replica >>= 1, b = gl_mul(b, b))
        if (replica & 1) base = gl_mul(base, b);
    // i j stays below the order of the base, at most 2^32
    for (u64 e = li == 0 ? (u64)j : (u64)i * j; e; e >>= 1, base = gl_mul(base, base))
        if (e & 1) r = gl_mul(r, base);
    table[id] = r;
}
#endif

#ifdef NTT_NAME
#define NTT_LT (NTT_LR1 + NTT_LR2 + NTT_LR3)
#define NTT_T (1u << NTT_LT)
#define NTT_C (1u << NTT_LC)
#define NTT_P (1 << NTT_LP)
#define NTT_THREADS (1u << (NTT_LT + NTT_LC - NTT_LP))
#define NTT_LQ1 (NTT_LT - NTT_LR1) /* log of the butterflies of layer 1 */
// Work-group memory: column by column, a column padded to 16 / C modulo 16 words, a hole after every 2^NTT_LS rows: sixteen
// neighbouring threads meet sixteen banks of 8 bytes whether they run along rows or along columns.
#if NTT_LR3 > 0
#define NTT_LS NTT_LR3
#else
#define NTT_LS NTT_LQ1
#endif
#define NTT_ROW(row) ((row) + ((row) >> NTT_LS))
#define NTT_ROWS ((NTT_T + (NTT_T >> NTT_LS) + 15) / 16 * 16)
#define NTT_COL (NTT_ROWS + (NTT_LC >= 4 ? 1 : 16 >> NTT_LC))
#define NTT_LOCAL (NTT_LR2 > 0 || NTT_OUT_ROWS)
#ifndef NTT_MIN_GROUPS
#define NTT_MIN_GROUPS 1
#endif

#ifdef __CUDACC__
KERNEL GROUP_SIZE(NTT_THREADS, NTT_MIN_GROUPS) NTT_NAME(
#else
GROUP_SIZE(NTT_THREADS, NTT_MIN_GROUPS) KERNEL NTT_NAME(
#endif
    const GLOBAL u64 *src, GLOBAL u64 *dst, const GLOBAL u64 *RESTRICT inner, const GLOBAL u64 *RESTRICT pre,
    const GLOBAL u64 *RESTRICT post, const NttPass a) {
#if NTT_LOCAL
    LOCAL u64 tile[NTT_COL << NTT_LC];
#endif
    const u32 tid = LOCAL_ID;
    const u64 first = GROUP_ID << NTT_LC;
    const u32 k4330 = opaque(0x4330u);
    V v[NTT_P];

    // Layer 1: rows t = digit T/R1 + q.
    UNROLL for (int b = 0; b < (NTT_P >> NTT_LR1); b++) {
        const u32 g = tid + NTT_THREADS * b;
#if NTT_IN_ROWS
        const u32 q = g & ((1u << NTT_LQ1) - 1), c = g >> NTT_LQ1;
#else
        const u32 q = g >> NTT_LC, c = g & (NTT_C - 1);
#endif
        u64 x = first + c;
        if (x >= a.total) x = a.total - 1; // a partial last tile repeats its last column and does not store it
        u64 col = 0;
        if (a.magic) {
            const u64 row = MUL_HI64(x, a.magic);
            col = x - row * a.width;
            x = row;
        }
        // A position within one transform fits 32 bits (2^32 points at most); only batch and width need more.
        const u32 xl = (u32)x & ((1u << a.lx) - 1);
        u32 y = (xl >> a.in_drop) & (u32)a.in_mask;
        if (a.in_digits) y = reverse_digits(y, a.in_digits);
        const u32 start = shift_up(y >> a.in_a, a.in_a + NTT_LT) | (y & ((1u << a.in_a) - 1));
        const u32 row = a.flags & NTT_F_ROWS_IN_REV ? rev_bits(q, NTT_LQ1) << NTT_LR1 : q;
        const u32 row0 = start + (row << a.in_a);
        const GLOBAL u64 *from = src + ((x >> a.lx) * a.src_size + row0) * a.width + col;
        u64 in[1 << NTT_LR1];
        UNROLL for (int r = 0; r < (1 << NTT_LR1); r++) in[r] = from[a.in_off[r]];
#if NTT_PRE == 2
        const u32 replica = (xl >> a.i0_shift) & a.i0_mask;
        const GLOBAL u64 *tw = pre + (u64)replica * a.pre_stride + ((row0 >> a.pre_shift) & (u32)a.pre_mask);
        UNROLL for (int r = 0; r < (1 << NTT_LR1); r++)
            v[(b << NTT_LR1) + r] = v_load_mul(in[r], LOAD_TABLE(tw + a.pre_off[r]), k4330);
#elif NTT_PRE == 3
        const u32 replica = (xl >> a.i0_shift) & a.i0_mask;
        const GLOBAL u64 *tw = pre + (u64)replica * a.pre_stride;
        UNROLL for (int r = 0; r < (1 << NTT_LR1); r++) {
            const u32 p = ((row0 >> a.pre_shift) + (u32)a.pre_off[r]) & (u32)a.pre_mask;
            v[(b << NTT_LR1) + r] = v_load_mul(in[r], pre_two_level(tw, &a, p), k4330);
        }
#else
        UNROLL for (int r = 0; r < (1 << NTT_LR1); r++) v[(b << NTT_LR1) + r] = v_load(in[r], k4330);
#endif
        v[b << NTT_LR1] = v_first(v[b << NTT_LR1]);
        DFT(NTT_LR1, (v + (b << NTT_LR1)));
#if NTT_LR2 > 0
        LOCAL_PTR u64 *to = tile + c * NTT_COL + NTT_ROW(q);
        UNROLL for (int k = 0; k < (1 << NTT_LR1); k++)
            to[k * ((1 << NTT_LQ1) + (1 << (NTT_LQ1 - NTT_LS)))] = v_store(v[(b << NTT_LR1) + DFT_SLOT(NTT_LR1, k)]);
#endif
    }

#if NTT_LR2 > 0
    BARRIER();
#define NTT_LQ2 (NTT_LT - NTT_LR1 - NTT_LR2) /* log of the points of layer 3 */
#endif
#if NTT_LR3 > 0
    // Layer 2 of 3: butterfly (k1, t''), rows k1 T/R1 + digit R3 + t'', in place.
    UNROLL for (int b = 0; b < (NTT_P >> NTT_LR2); b++) {
        const u32 g = tid + NTT_THREADS * b;
        const u32 q = g >> NTT_LC, c = g & (NTT_C - 1);
        const u32 row = ((q >> NTT_LQ2) << NTT_LQ1) + (q & ((1u << NTT_LQ2) - 1));
        LOCAL_PTR u64 *at = tile + c * NTT_COL + NTT_ROW(row);
        const GLOBAL u64 *tw = inner + (q << NTT_LR2);
        V w[1 << NTT_LR2];
        UNROLL for (int r = 0; r < (1 << NTT_LR2); r += 2) {
            u64 t0, t1;
            load_pair(tw + r, &t0, &t1);
            w[r] = v_load_mul(at[a.mid_off[r]], t0, k4330);
            w[r + 1] = v_load_mul(at[a.mid_off[r + 1]], t1, k4330);
        }
        w[0] = v_first(w[0]);
        DFT(NTT_LR2, w);
        UNROLL for (int k = 0; k < (1 << NTT_LR2); k++) at[k * ((1 << NTT_LR3) + 1)] = v_store(w[DFT_SLOT(NTT_LR2, k)]);
    }
    BARRIER();
#define NTT_LRL NTT_LR3
#elif NTT_LR2 > 0
#define NTT_LRL NTT_LR2
#else
#define NTT_LRL NTT_LR1
#endif

    // The last layer: butterfly q = (k1, k2), rows k1 T/R1 + k2 R3 + digit (two layers: q = k1), outputs i = k1 + R1 k2 + T/R k.
#define NTT_LQL (NTT_LT - NTT_LRL)
#if NTT_OUT_ROWS
    u64 out[NTT_P];
    u32 at_out[NTT_P];
#endif
    UNROLL for (int b = 0; b < (NTT_P >> NTT_LRL); b++) {
        const u32 g = tid + NTT_THREADS * b;
#if NTT_LR2 == 0 && NTT_IN_ROWS
        const u32 q = g & ((1u << NTT_LQ1) - 1), c = g >> NTT_LQ1;
#else
        const u32 q = g >> NTT_LC, c = g & (NTT_C - 1);
#endif
#if NTT_LR2 > 0
#if NTT_LR3 > 0
        const u32 k1 = q >> NTT_LR2, k2 = q & ((1u << NTT_LR2) - 1);
        const u32 row = (k1 << NTT_LQ1) + (k2 << NTT_LR3);
        const GLOBAL u64 *tw = inner + NTT_T + (k2 << NTT_LRL);
#else
        const u32 k1 = q, k2 = 0;
        const u32 row = k1 << NTT_LQ1;
        const GLOBAL u64 *tw = inner + (q << NTT_LRL);
#endif
        const u32 i_low = k1 + (k2 << NTT_LR1);
        const LOCAL_PTR u64 *at = tile + c * NTT_COL + NTT_ROW(row);
        UNROLL for (int r = 0; r < (1 << NTT_LRL); r += 2) {
            u64 t0, t1;
            load_pair(tw + r, &t0, &t1);
            const u64 x0 = at[a.last_off[r]];
            const u64 x1 = at[a.last_off[r + 1]];
            // Digit 0 of the last layer has the factor 1.
            v[(b << NTT_LRL) + r] = r == 0 ? v_first(v_load(x0, k4330)) : v_load_mul(x0, t0, k4330);
            v[(b << NTT_LRL) + r + 1] = v_load_mul(x1, t1, k4330);
        }
        DFT(NTT_LRL, (v + (b << NTT_LRL)));
#else
        const u32 i_low = 0;
#endif
#if NTT_OUT_ROWS
        const u32 row0 = a.flags & NTT_F_ROWS_OUT_REV ? rev_bits(i_low, NTT_LQL) << NTT_LRL : i_low;
        // Every thread has read its rows of every butterfly before any row is overwritten: results wait in out.
        UNROLL for (int k = 0; k < (1 << NTT_LRL); k++) {
            const u32 row = row0 + a.out_row[k];
            out[(b << NTT_LRL) + k] = v_store(v[(b << NTT_LRL) + DFT_SLOT(NTT_LRL, k)]);
            at_out[(b << NTT_LRL) + k] = c * NTT_COL + NTT_ROW(row);
        }
    }
#if NTT_LR2 > 0
    BARRIER();
#endif
    UNROLL for (int s = 0; s < NTT_P; s++) tile[at_out[s]] = out[s];
    BARRIER();
    UNROLL for (int s = 0; s < NTT_P; s++) {
        const u32 g = tid + NTT_THREADS * s;
        const u32 row = g & (NTT_T - 1), c = g >> NTT_LT;
        u64 x = first + c;
        const int live = x < a.total;
        u64 col = 0;
        if (a.magic) {
            const u64 quotient = MUL_HI64(x, a.magic);
            col = x - quotient * a.width;
            x = quotient;
        }
        u32 y = (u32)x & ((1u << a.lx) - 1);
        if (a.out_rev) y = rev_bits(y, a.lx);
        const u32 p = shift_up(y >> a.out_a, a.out_a + NTT_LT) + (y & ((1u << a.out_a) - 1)) + (row << a.out_a);
        u64 r = tile[c * NTT_COL + NTT_ROW(row)];
#if NTT_POST == 2
        r = gl_mul(r, LOAD_TABLE(post + (p & (u32)a.post_mask)));
#elif NTT_POST == 3
        r = gl_mul(r, post_two_level(post, &a, p & (u32)a.post_mask));
#endif
        if (a.flags & NTT_F_CANONICAL) r = gl_canonical(r);
        if (live) dst[((x >> a.lx) * a.dst_size + (u64)p) * a.width + col] = r;
    }
#else
        u64 x = first + c;
        const int live = x < a.total;
        u64 col = 0;
        if (a.magic) {
            const u64 quotient = MUL_HI64(x, a.magic);
            col = x - quotient * a.width;
            x = quotient;
        }
        u32 y = (u32)x & ((1u << a.lx) - 1);
        if (a.out_rev) y = rev_bits(y, a.lx);
        const u32 start = shift_up(y >> a.out_a, a.out_a + NTT_LT) | (y & ((1u << a.out_a) - 1));
        const u32 out_first = a.flags & NTT_F_ROWS_OUT_REV ? rev_bits(i_low, NTT_LQL) << NTT_LRL : i_low;
        const u32 row0 = start + (out_first << a.out_a);
        u64 out[1 << NTT_LRL];
        UNROLL for (int k = 0; k < (1 << NTT_LRL); k++) {
            out[k] = v_store(v[(b << NTT_LRL) + DFT_SLOT(NTT_LRL, k)]);
#if NTT_POST == 2
            const u32 p = row0 + (a.out_row[k] << a.out_a);
            out[k] = gl_mul(out[k], LOAD_TABLE(post + (p & (u32)a.post_mask)));
#elif NTT_POST == 3
            const u32 p = row0 + (a.out_row[k] << a.out_a);
            out[k] = gl_mul(out[k], post_two_level(post, &a, p & (u32)a.post_mask));
#endif
        }
        if (a.flags & NTT_F_CANONICAL) {
            UNROLL for (int k = 0; k < (1 << NTT_LRL); k++) out[k] = gl_canonical(out[k]);
        }
        if (live) {
            GLOBAL u64 *to = dst + ((x >> a.lx) * a.dst_size + row0) * a.width + col;
            UNROLL for (int k = 0; k < (1 << NTT_LRL); k++) to[a.out_off[k]] = out[k];
        }
    }
#endif
}
#undef NTT_NAME
#undef NTT_LQ2
#undef NTT_LRL
#undef NTT_LQL
#undef NTT_LT
#undef NTT_T
#undef NTT_C
#undef NTT_P
#undef NTT_THREADS
#undef NTT_LQ1
#undef NTT_LS
#undef NTT_ROW
#undef NTT_ROWS
#undef NTT_COL
#undef NTT_LOCAL
#endif
