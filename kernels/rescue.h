// The permutation of Rescue Prime on one item's state of twelve words: canonical in, canonical out. It is that of
// `src/hash/rescue.rs`; constants and the places of rate, length and digest (RESCUE_...) come from
// `src/backend/gpu/rescue.rs`. RESCUE_DENSE says which of the two linear layers it has.

// S-boxes, three words at a time: three dependency chains hide latency, and one word more costs registers that are worth
// more as resident threads. Loops stay rolled to keep the code inside the instruction cache.

// v^(2^(3 steps)), three squarings a step.
DEVICE void square_steps(u64 *v, u32 steps) {
    NO_UNROLL
    for (u32 i = 0; i < steps; i++) {
        UNROLL
        for (u32 k = 0; k < 3; k++) {
            v[0] = mont_square(v[0]);
            v[1] = mont_square(v[1]);
            v[2] = mont_square(v[2]);
        }
    }
}

DEVICE void square_each(u64 *v) {
    UNROLL
    for (u32 i = 0; i < 3; i++) v[i] = mont_square(v[i]);
}

// v = v w.
DEVICE void multiply_each(u64 *v, const u64 *w) {
    UNROLL
    for (u32 i = 0; i < 3; i++) v[i] = mont_product(v[i], w[i]);
}

DEVICE void copy_each(u64 *v, const u64 *w) {
    UNROLL
    for (u32 i = 0; i < 3; i++) v[i] = w[i];
}

DEVICE void power_seven(u64 *x) {
    u64 v[3];
    copy_each(v, x);
    square_each(v);
    multiply_each(v, x);
    square_each(v);
    multiply_each(x, v);
}

// x^(1/7). With c = x^((8^10 - 1)/7), q = c^8 and d = q x = x^((8^11 - 1)/7):
// 1/7 = 10540996611094048183 is the exponent of ((q^(2^31) d)^2 d)^2 x. 63 squarings and 8 products.
DEVICE void power_seventh(u64 *x) {
    u64 v[3], w[3];
    copy_each(v, x);
    square_steps(v, 1);
    multiply_each(v, x); // 1 + 8
    copy_each(w, v);
    square_steps(v, 2);
    multiply_each(v, w); // four terms
    square_steps(v, 1);
    multiply_each(v, x); // five
    copy_each(w, v);
    square_steps(v, 5);
    multiply_each(v, w); // ten: c
    square_steps(v, 1);  // q
    copy_each(w, v);
    multiply_each(w, x); // d
    square_steps(v, 10);
    square_each(v);
    multiply_each(v, w);
    square_each(v);
    multiply_each(v, w);
    square_each(v);
    multiply_each(x, v);
}

// The power map of one layer on the whole state: 7 in even layers, 1/7 in odd ones.
DEVICE void power_map(u64 *s, u32 layer) {
    if (layer & 1) {
        NO_UNROLL
        for (u32 i = 0; i < 4; i++) {
            u64 x[3];
            copy_each(x, s);
            power_seventh(x);
            UNROLL
            for (u32 k = 0; k < 9; k++) s[k] = s[k + 3];
            copy_each(s + 9, x);
        }
    } else {
        NO_UNROLL
        for (u32 i = 0; i < 4; i++) {
            u64 x[3];
            copy_each(x, s);
            power_seven(x);
            UNROLL
            for (u32 k = 0; k < 9; k++) s[k] = s[k + 3];
            copy_each(s + 9, x);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Linear layers.

#if RESCUE_DENSE

// A sum of products of 32-bit words, wider than 64 bits.
typedef struct {
    u64 low;
    u32 high;
} wide_sum;

DEVICE void accumulate(wide_sum *s, u32 a, u32 b) {
#ifndef __OPENCL_VERSION__
    u32 l0 = (u32)s->low, l1 = (u32)(s->low >> 32);
    asm("mad.lo.cc.u32 %0, %3, %4, %0; madc.hi.cc.u32 %1, %3, %4, %1; addc.u32 %2, %2, 0;"
        : "+r"(l0), "+r"(l1), "+r"(s->high)
        : "r"(a), "r"(b));
    s->low = ((u64)l1 << 32) | l0;
#else
    u64 product = mul_wide(a, b);
    s->low += product;
    s->high += s->low < product;
#endif
}

// (l + c f + h f^2) / R, for sums of at most 2^8 products; loose. With (hi:lo) the low 128 bits and `top` above them:
// lo / R as in montgomery.h, canonical; hi stands for itself; top 2^128 / R = top (f - 1).
DEVICE u64 reduce_sums(wide_sum l, wide_sum c, wide_sum h) {
    u64 lo = l.low + (c.low << 32);
    u64 add = (c.low >> 32) + ((u64)c.high << 32) + l.high + (lo < l.low); // below 2^42
    u64 hi = h.low + add;
    u64 top = (u64)(h.high + (hi < add ? 1 : 0)) * GL_EPSILON;
    return gl_add_loose(gl_add_loose(hi, top), mont_reduce(lo, 0));
}

#else

// y0 + y1 2^24 + y2 2^48 modulo p, for 32-bit sums y0, y1 and y2 < 2^25.
DEVICE u64 join_limbs(u32 y0, u32 y1, u32 y2) {
    u64 low = y0 + ((u64)y1 << 24); // below 2^57
    u64 high = (low >> 32) + ((u64)y2 << 16); // in units of 2^32, below 2^42
    u64 s = (high << 32) | (u32)low;
    u64 t = (high >> 32) * GL_EPSILON; // 2^64 = 2^32 - 1; below 2^42
    s += t;
    return gl_canonical(s + (s < t ? (u64)GL_EPSILON : 0)); // a sum that carried is below 2^42: no second carry
}

// The circulant product of twelve limbs in 32-bit arithmetic; the split is explained in `src/backend/gpu/rescue.rs`.
// Results are exact because the true sums are below 160 * 2^24 < 2^32; what happens in between is modulo 2^32.
DEVICE void circulant(u32 *x) {
    u32 s[3], a[3], p[3], q[3];
    UNROLL
    for (u32 i = 0; i < 3; i++) {
        // Index (i mod 3, j mod 4) is (4 i + 9 j) mod 12.
        u32 x0 = x[4 * i % 12], x1 = x[(4 * i + 9) % 12], x2 = x[(4 * i + 6) % 12], x3 = x[(4 * i + 3) % 12];
        u32 even = x0 + x2, odd = x1 + x3;
        s[i] = even + odd;
        a[i] = even - odd;
        p[i] = x0 - x2;
        q[i] = x1 - x3;
    }
    UNROLL
    for (u32 i = 0; i < 3; i++) {
        u32 i1 = (i + 2) % 3, i2 = (i + 1) % 3; // i - 1 and i - 2
        u32 ys = RESCUE_SUM_0 * s[i] + RESCUE_SUM_1 * s[i1] + RESCUE_SUM_2 * s[i2];
        u32 ya = RESCUE_ALT_0 * a[i] + RESCUE_ALT_1 * a[i1] + RESCUE_ALT_2 * a[i2];
        u32 yp = RESCUE_RE_0 * p[i] + RESCUE_RE_1 * p[i1] + RESCUE_RE_2 * p[i2] - RESCUE_IM_0 * q[i] - RESCUE_IM_1 * q[i1] -
                 RESCUE_IM_2 * q[i2];
        u32 yq = RESCUE_RE_0 * q[i] + RESCUE_RE_1 * q[i1] + RESCUE_RE_2 * q[i2] + RESCUE_IM_0 * p[i] + RESCUE_IM_1 * p[i1] +
                 RESCUE_IM_2 * p[i2];
        u32 even = ys + ya, odd = ys - ya;
        x[4 * i % 12] = even + yp;
        x[(4 * i + 6) % 12] = even - yp;
        x[(4 * i + 9) % 12] = odd + yq;
        x[(4 * i + 3) % 12] = odd - yq;
    }
}

#endif

// Functions over a memory space (OpenCL 1.2 has no generic one): the linear layer with round constants and matrix in
// SPACE, and the permutation. Rows of the dense matrix come in order, so a queue takes their results: an index that is not
// constant would put them into memory.
#if RESCUE_DENSE
#define RESCUE_ARK_TABLE RESCUE_ARK
typedef u64 ark_word;
#define ARK_LAYER 12
// One row of the matrix per turn of a rolled loop: unrolled whole, the rows' sums overlap and spill.
#define DEFINE_PERMUTE(NAME, SPACE)                                                                                    \
    DEVICE void NAME##_layer(u64 *s, SPACE const u64 *ark, SPACE const u64 *mds) {                                     \
        u64 y[12] = {0};                                                                                               \
        NO_UNROLL                                                                                                      \
        for (u32 i = 0; i < 12; i++) {                                                                                 \
            wide_sum l = {0, 0}, c = {0, 0}, h = {0, 0};                                                               \
            UNROLL                                                                                                     \
            for (u32 j = 0; j < 12; j++) {                                                                             \
                u64 m = mds[j];                                                                                        \
                u32 x0 = (u32)s[j], x1 = (u32)(s[j] >> 32), m0 = (u32)m, m1 = (u32)(m >> 32);                          \
                accumulate(&l, x0, m0);                                                                                \
                accumulate(&c, x0, m1);                                                                                \
                accumulate(&c, x1, m0);                                                                                \
                accumulate(&h, x1, m1);                                                                                \
            }                                                                                                          \
            u64 row = gl_canonical(gl_add_loose(reduce_sums(l, c, h), *ark));                                          \
            UNROLL                                                                                                     \
            for (u32 k = 0; k < 11; k++) y[k] = y[k + 1];                                                              \
            y[11] = row;                                                                                               \
            ark += 1;                                                                                                  \
            mds += 12;                                                                                                 \
        }                                                                                                              \
        UNROLL                                                                                                         \
        for (u32 i = 0; i < 12; i++) s[i] = y[i];                                                                      \
    }                                                                                                                  \
    DEVICE void NAME(u64 *s, SPACE const u64 *ark, SPACE const u64 *mds) {                                             \
        NO_UNROLL                                                                                                      \
        for (u32 layer = 0; layer < RESCUE_LAYERS; layer++) {                                                          \
            power_map(s, layer);                                                                                       \
            NAME##_layer(s, ark + 12 * layer, mds);                                                                    \
        }                                                                                                              \
    }
#else
#define RESCUE_ARK_TABLE RESCUE_ARK_LIMBS
typedef u32 ark_word;
#define ARK_LAYER 36
// Each word in limbs of 24, 24 and 16 bits. A layer's sums with the constant's limb: below 160 (2^24 - 1) + 2^24 <
// 2^32, and below 160 (2^16 - 1) + 2^16 < 2^25 for the third.
#define DEFINE_PERMUTE(NAME, SPACE)                                                                                    \
    DEVICE void NAME(u64 *s, SPACE const u32 *ark) {                                                                   \
        NO_UNROLL                                                                                                      \
        for (u32 layer = 0; layer < RESCUE_LAYERS; layer++) {                                                          \
            u32 x0[12], x1[12], x2[12];                                                                                \
            power_map(s, layer);                                                                                       \
            UNROLL                                                                                                     \
            for (u32 i = 0; i < 12; i++) {                                                                             \
                x0[i] = (u32)s[i] & 0xffffff;                                                                          \
                x1[i] = (u32)(s[i] >> 24) & 0xffffff;                                                                  \
                x2[i] = (u32)(s[i] >> 48);                                                                             \
            }                                                                                                          \
            circulant(x0);                                                                                             \
            circulant(x1);                                                                                             \
            circulant(x2);                                                                                             \
            UNROLL                                                                                                     \
            for (u32 i = 0; i < 12; i++)                                                                               \
                s[i] = join_limbs(x0[i] + ark[3 * i], x1[i] + ark[3 * i + 1], x2[i] + ark[3 * i + 2]);                 \
            ark += 36;                                                                                                 \
        }                                                                                                              \
    }
#endif

#ifdef __OPENCL_VERSION__
DEFINE_PERMUTE(permute_with, __constant)
DEFINE_PERMUTE(permute_local, __local)
#else
DEFINE_PERMUTE(permute_with, )
#define permute_local permute_with
#endif

#if RESCUE_DENSE
#define PERMUTE(s) permute_with(s, RESCUE_ARK, RESCUE_MDS)
#define PERMUTE_LOCAL(s) permute_local(s, ark, mds)
#else
#define PERMUTE(s) permute_with(s, RESCUE_ARK_LIMBS)
#define PERMUTE_LOCAL(s) permute_local(s, ark)
#endif

