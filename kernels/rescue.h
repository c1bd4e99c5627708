// The permutations of Rescue Prime and its kin on one item's state: canonical in, canonical out. They are those of `src/hash/rescue.rs`
// and `src/hash/rpo.rs`; constants (RESCUE_...) come from `src/backend/gpu/hash/rescue.rs`. RESCUE_DENSE says which kind of linear
// layer they have, RESCUE_ORDER in which order power maps and linear layers follow each other.

#define RESCUE_PRIME 0
#define RESCUE_OPTIMIZED 1
#define RESCUE_EXTENDED 2

// The memory space of constants, for pointers.
#ifdef __OPENCL_VERSION__
#define RESCUE_TABLE __constant
#else
#define RESCUE_TABLE
#endif

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

#if SPONGE_WIDTH == 12

// The circulant product of twelve limbs in 32-bit arithmetic; the split is explained in `src/backend/gpu/hash/rescue.rs`.
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

#else

// The circulant product of eight limbs: a product modulo X^8 - 1, which splits into X^2 - 1, X^2 + 1 and X^4 + 1. Exact as above,
// for the row sum is 96.
DEVICE void circulant(u32 *x) {
    u32 u[4], v[4];
    UNROLL
    for (u32 k = 0; k < 4; k++) {
        u[k] = x[k] + x[k + 4];
        v[k] = x[k] - x[k + 4];
    }
    u32 s0 = u[0] + u[2], s1 = u[1] + u[3], d0 = u[0] - u[2], d1 = u[1] - u[3];
    u32 a0 = RESCUE_SUM_0 * s0 + RESCUE_SUM_1 * s1, a1 = RESCUE_SUM_1 * s0 + RESCUE_SUM_0 * s1;
    u32 b0 = RESCUE_ALT_0 * d0 - RESCUE_ALT_1 * d1, b1 = RESCUE_ALT_1 * d0 + RESCUE_ALT_0 * d1;
    u32 even[4] = {a0 + b0, a1 + b1, a0 - b0, a1 - b1};
    u32 odd[4] = {
        RESCUE_NEG_0 * v[0] - RESCUE_NEG_1 * v[3] - RESCUE_NEG_2 * v[2] - RESCUE_NEG_3 * v[1],
        RESCUE_NEG_0 * v[1] + RESCUE_NEG_1 * v[0] - RESCUE_NEG_2 * v[3] - RESCUE_NEG_3 * v[2],
        RESCUE_NEG_0 * v[2] + RESCUE_NEG_1 * v[1] + RESCUE_NEG_2 * v[0] - RESCUE_NEG_3 * v[3],
        RESCUE_NEG_0 * v[3] + RESCUE_NEG_1 * v[2] + RESCUE_NEG_2 * v[1] + RESCUE_NEG_3 * v[0],
    };
    UNROLL
    for (u32 k = 0; k < 4; k++) {
        x[k] = even[k] + odd[k];
        x[k + 4] = even[k] - odd[k];
    }
}

#endif

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
#define ARK_LAYER (3 * SPONGE_WIDTH)
// Each word in limbs of 24, 24 and 16 bits. A layer's sums with the constant's limb: below 160 (2^24 - 1) + 2^24 <
// 2^32, and below 160 (2^16 - 1) + 2^16 < 2^25 for the third.
#define DEFINE_LAYER(NAME, SPACE)                                                                                      \
    DEVICE void NAME##_layer(u64 *s, SPACE const u32 *ark) {                                                           \
        u32 x0[SPONGE_WIDTH], x1[SPONGE_WIDTH], x2[SPONGE_WIDTH];                                                      \
        UNROLL                                                                                                         \
        for (u32 i = 0; i < SPONGE_WIDTH; i++) {                                                                       \
            x0[i] = (u32)s[i] & 0xffffff;                                                                              \
            x1[i] = (u32)(s[i] >> 24) & 0xffffff;                                                                      \
            x2[i] = (u32)(s[i] >> 48);                                                                                 \
        }                                                                                                              \
        circulant(x0);                                                                                                 \
        circulant(x1);                                                                                                 \
        circulant(x2);                                                                                                 \
        UNROLL                                                                                                         \
        for (u32 i = 0; i < SPONGE_WIDTH; i++)                                                                         \
            s[i] = join_limbs(x0[i] + ark[3 * i], x1[i] + ark[3 * i + 1], x2[i] + ark[3 * i + 2]);                     \
    }
#if RESCUE_ORDER == RESCUE_PRIME
#define DEFINE_PERMUTE(NAME, SPACE)                                                                                    \
    DEFINE_LAYER(NAME, SPACE)                                                                                          \
    DEVICE void NAME(u64 *s, SPACE const u32 *ark) {                                                                   \
        NO_UNROLL                                                                                                      \
        for (u32 layer = 0; layer < RESCUE_LAYERS; layer++) {                                                          \
            power_map(s, layer);                                                                                       \
            NAME##_layer(s, ark);                                                                                      \
            ark += ARK_LAYER;                                                                                          \
        }                                                                                                              \
    }
#elif RESCUE_ORDER == RESCUE_OPTIMIZED
#define DEFINE_PERMUTE(NAME, SPACE)                                                                                    \
    DEFINE_LAYER(NAME, SPACE)                                                                                          \
    DEVICE void NAME(u64 *s, SPACE const u32 *ark) {                                                                   \
        NO_UNROLL                                                                                                      \
        for (u32 layer = 0; layer < RESCUE_LAYERS; layer++) {                                                          \
            NAME##_layer(s, ark);                                                                                      \
            power_map(s, layer);                                                                                       \
            ark += ARK_LAYER;                                                                                          \
        }                                                                                                              \
    }
#else
// After each second layer the power map of the extension; after the last layer nothing.
#define DEFINE_PERMUTE(NAME, SPACE)                                                                                    \
    DEFINE_LAYER(NAME, SPACE)                                                                                          \
    DEVICE void NAME(u64 *s, SPACE const u32 *ark) {                                                                   \
        NO_UNROLL                                                                                                      \
        for (u32 layer = 0; layer < RESCUE_LAYERS; layer++) {                                                          \
            NAME##_layer(s, ark);                                                                                      \
            ark += ARK_LAYER;                                                                                          \
            if (layer == RESCUE_LAYERS - 1) break;                                                                     \
            power_map(s, layer);                                                                                       \
            if (layer & 1) extension_map(s, RESCUE_ARK_EXTENSION + SPONGE_WIDTH * (layer / 2));                        \
        }                                                                                                              \
    }
#endif
#endif

#if RESCUE_ORDER == RESCUE_EXTENDED
// Products in the cubic extension by x^3 - x - 1. Montgomery's factors stay out of it as in montgomery.h: every term of
// a 7th power has seven factors.
DEVICE void cubic_product(u64 *r, const u64 *a, const u64 *b) {
    u64 p0 = mont_product(a[0], b[0]), p1 = mont_product(a[1], b[1]), p2 = mont_product(a[2], b[2]);
    u64 c1 = mont_product(gl_add(a[0], a[1]), gl_add(b[0], b[1]));
    u64 c2 = mont_product(gl_add(a[0], a[2]), gl_add(b[0], b[2]));
    u64 c3 = mont_product(gl_add(a[1], a[2]), gl_add(b[1], b[2]));
    c1 = gl_sub(gl_sub(c1, p0), p1);
    c2 = gl_add(gl_sub(gl_sub(c2, p0), p2), p1);
    c3 = gl_sub(gl_sub(c3, p1), p2);
    r[0] = gl_add(p0, c3);
    r[1] = gl_add(gl_add(c1, c3), p2);
    r[2] = gl_add(c2, p2);
}

DEVICE void cubic_square(u64 *r, const u64 *a) {
    u64 s0 = mont_square(a[0]), s1 = mont_square(a[1]), s2 = mont_square(a[2]);
    u64 p01 = mont_product(a[0], a[1]), p02 = mont_product(a[0], a[2]), p12 = mont_product(a[1], a[2]);
    u64 sum = gl_add(p01, p12);
    r[0] = gl_add(s0, gl_add(p12, p12));
    r[1] = gl_add(gl_add(sum, sum), s2);
    r[2] = gl_add(gl_add(gl_add(p02, p02), s1), s2);
}

// The state plus constants, as four elements of the extension, to the 7th power.
DEVICE void extension_map(u64 *s, RESCUE_TABLE const u64 *ark) {
    NO_UNROLL
    for (u32 i = 0; i < SPONGE_WIDTH / 3; i++) {
        u64 x[3], v[3], w[3];
        UNROLL
        for (u32 k = 0; k < 3; k++) x[k] = gl_add(s[k], ark[3 * i + k]);
        cubic_square(v, x);
        cubic_product(w, v, x);
        cubic_square(v, w);
        cubic_product(w, v, x);
        UNROLL
        for (u32 k = 0; k < SPONGE_WIDTH - 3; k++) s[k] = s[k + 3];
        UNROLL
        for (u32 k = 0; k < 3; k++) s[SPONGE_WIDTH - 3 + k] = w[k];
    }
}
#endif

#ifdef __OPENCL_VERSION__
DEFINE_PERMUTE(permute_with, __constant)
#if RESCUE_ORDER == RESCUE_PRIME && SPONGE_WIDTH == 12
DEFINE_PERMUTE(permute_local, __local)
#endif
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

