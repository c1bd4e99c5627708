// Goldilocks, p = 2^64 - 2^32 + 1, and the number forms in which butterflies are computed.
//
// 2^96 = -1 (mod p), so 2^12 has order 16 and every twiddle inside a radix-16 butterfly is a power of two.
// Two forms, same interface: V, v_load, v_load_mul, v_first, v_add, v_sub, v_turn, v_store.
//   - plain: canonical u64. Right everywhere, needs no FP64 unit.
//   - NTT_FORM_DOUBLE: l + h 2^48 modulo 2^96 + 1, both halves exact doubles. For cards with full-rate FP64.
#ifndef ZK_GOLDILOCKS_NTT_H
#define ZK_GOLDILOCKS_NTT_H
#include "dialect.h"

#define GL_P 0xffffffff00000001UL
#define GL_EPSILON 0xffffffffUL /* 2^64 mod p */

FN u64 gl_canonical(u64 x) { return x >= GL_P ? x - GL_P : x; }

// hi 2^64 + lo modulo p, canonical: 2^64 = 2^32 - 1 and 2^96 = -1.
FN u64 gl_reduce(u64 hi, u64 lo) {
    const u64 top = hi >> 32;
    u64 r = lo - top;
    if (lo < top) r -= GL_EPSILON; // borrowed 2^64: lo < 2^32, so this cannot borrow again
    const u64 t = wide((u32)hi, (u32)GL_EPSILON);
    u64 s = r + t;
    if (s < t) s += GL_EPSILON; // s <= 2^64 - 2^33 here, so this cannot carry again
    return gl_canonical(s);
}

FN u64 gl_mul(u64 a, u64 b) { return gl_reduce(MUL_HI64(a, b), a * b); }

#ifndef NTT_FORM_DOUBLE

typedef u64 V;
FN V v_load(u64 x, u32 unused) { return gl_canonical(x); }
FN V v_load_mul(u64 x, u64 w, u32 unused) { return gl_mul(x, w); }
FN V v_first(V v) { return v; }
FN V v_add(V a, V b) {
    const u64 c = GL_P - b;
    const u64 r = a - c;
    return a < c ? r + GL_P : r;
}
FN V v_sub(V a, V b) {
    const u64 r = a - b;
    return a < b ? r + GL_P : r;
}
FN V v_negate(V a) { return a == 0 ? 0 : GL_P - a; }
// v 2^(12 e), e in 0..15 and known when compiled.
FN V v_turn(V v, const int e) {
    const int s = 12 * (e & 7);
    V r;
    if (s == 0) {
        r = v;
    } else if (s < 64) {
        r = gl_reduce(v >> (64 - s), v << s);
    } else {
        // v = a + b 2^(96-s): v 2^s = (a 2^(s-64)) 2^64 - b, and a 2^(s-64) < 2^32.
        const u64 b = v >> (96 - s);
        const u64 a = (v << (s - 32)) >> 32;
        r = v_sub(gl_canonical(wide((u32)a, (u32)GL_EPSILON)), b);
    }
    return (e & 8) ? v_negate(r) : r;
}
FN u64 v_store(V v) { return v; }

#else

typedef struct {
    double l, h;
} V;
#define D52 0x1.0p52
#define D48 0x1.0p48
#define DM48 0x1.0p-48

// Any u64. Halves by exponent bits: the word 0x4330_0000:0000_0000 + k is the double 2^52 + k.
FN V v_load(u64 x, u32 k4330) {
    const u32 x0 = (u32)x, x1 = (u32)(x >> 32);
    V v;
    v.l = DOUBLE_OF(LOW_LOW(x1, k4330), x0) - D52;
    v.h = DOUBLE_OF(0x43300000u, x1 >> 16) - D52;
    return v;
}
// The unreduced 128-bit product: bits 0..48 less bits 96..128 (2^96 = -1), and bits 48..96.
FN V v_load_mul(u64 x, u64 w, u32 k4330) {
    const u64 lo = x * w, hi = MUL_HI64(x, w);
    const u32 p0 = (u32)lo, p1 = (u32)(lo >> 32), p2 = (u32)hi, p3 = (u32)(hi >> 32);
    V v;
    v.l = DOUBLE_OF(LOW_LOW(p1, k4330), p0) - DOUBLE_OF(0x43300000u, p3);
    v.h = DOUBLE_OF(HIGH_LOW(p2, k4330), HIGH_LOW(p1, p2)) - D52;
    return v;
}
// Input 0 reaches every output with factor 1, so what is added here is added to every output: -2^52 in h, which is -2^100 = +16, and its
// counterweight -16 in l. It keeps h below 0, so that the carry out of h is negative, always. The +16 in h is for v_store.
FN V v_first(V v) {
    v.l = v.l - 16.0;
    v.h = v.h - (D52 - 16.0);
    return v;
}
FN V v_add(V a, V b) {
    a.l = a.l + b.l;
    a.h = a.h + b.h;
    return a;
}
FN V v_sub(V a, V b) {
    a.l = a.l - b.l;
    a.h = a.h - b.h;
    return a;
}
// v 2^(12 e), e in 0..15 and known when compiled. 2^48 swaps the halves with a sign; what is left is a shift by 12, 24 or 36, for
// which each half is split where it crosses 2^48. Exact for halves below 2^51.
FN V v_turn(V v, const int e) {
    const int s = 12 * (e & 3);
    double l = v.l, h = v.h;
    if (s != 0) {
        const double up = s == 12 ? 0x1.0p12 : s == 24 ? 0x1.0p24 : 0x1.0p36;
        const double down = s == 12 ? 0x1.0p-36 : s == 24 ? 0x1.0p-24 : 0x1.0p-12;
        const double back = s == 12 ? -0x1.0p36 : s == 24 ? -0x1.0p24 : -0x1.0p12;
        const double magic = 0x1.8p52;
        const double kl = FMA(l, down, magic) - magic, kh = FMA(h, down, magic) - magic;
        const double rl = FMA(kl, back, l), rh = FMA(kh, back, h);
        l = FMA(rl, up, -kh);
        h = FMA(rh, up, kl);
    }
    V r;
    switch ((e >> 2) & 3) {
    case 0: r.l = l, r.h = h; break;
    case 1: r.l = -h, r.h = l; break;
    case 2: r.l = -l, r.h = -h; break;
    default: r.l = h, r.h = -l; break;
    }
    return r;
}
// Back to a u64, any representative. Floors leave both halves in [0, 2^48); the carry out of h is in -33..-1 thanks to v_first, so its
// negative (2^96 = -1) adds to a sum of two terms of at most 2^64 - 1 and (2^32 - 1)^2: one carry, which cannot carry again.
FN u64 v_store(V v) {
#ifdef __CUDACC__
    // Rounded down at 1.5 2^100, whose last place is 2^48; less 2^52 more, so that the halves come out with their exponent bits.
    const double magic = 0x1.8p100, offset = 0x1.8p100 + D52;
    const double kl = __dadd_rd(v.l, magic) - offset;
    const double l = v.l - kl;
    const double h1 = FMA(kl, DM48, v.h); // 2^52 2^-48 = 16 too low: v_first has added it
    const double th = __dadd_rd(h1, magic);
    const double h = h1 - (th - offset);
    const u32 carry = 0u - DOUBLE_LO(th);
#else
    const double kl = floor(v.l * DM48);
    const double l = FMA(kl, -D48, v.l) + D52;
    const double h1 = v.h + (kl - 16.0);
    const double kh = floor(h1 * DM48);
    const double h = FMA(kh, -D48, h1) + D52;
    const u32 carry = (u32)(-(i32)kh);
#endif
    const u32 w = HIGH_LOW(DOUBLE_LO(h), DOUBLE_HI(h));
    const u64 u = ((u64)LOW_LOW(DOUBLE_HI(l), DOUBLE_LO(h)) << 32) | DOUBLE_LO(l);
    const u64 t = wide(w, (u32)GL_EPSILON) + carry;
    const u64 r = u + t;
    return r + (r < t ? GL_EPSILON : 0);
}

#endif

// The four-point transform by 2^48 of v[a], v[b], v[c], v[d], in place, natural order.
#define DFT4(v, a, b, c, d) \
    { \
        const V s0 = v_add(v[a], v[c]), d0 = v_sub(v[a], v[c]); \
        const V s1 = v_add(v[b], v[d]), d1 = v_turn(v_sub(v[b], v[d]), 4); \
        v[a] = v_add(s0, s1); \
        v[b] = v_add(d0, d1); \
        v[c] = v_sub(s0, s1); \
        v[d] = v_sub(d0, d1); \
    }
#define DFT2(v, a, b) \
    { \
        const V s0 = v_add(v[a], v[b]); \
        v[b] = v_sub(v[a], v[b]); \
        v[a] = s0; \
    }

// Transforms of 2^log points by 2^(192 / 2^log). Output k stands at v[slot(k)], see dft_slot.
FN void dft2(V *v) { DFT2(v, 0, 1); }
FN void dft4(V *v) { DFT4(v, 0, 1, 2, 3); }
FN void dft8(V *v) {
    // j = 2 j1 + j2, k = k1 + 4 k2; v[2 k1 + j2] after the first layer.
    DFT4(v, 0, 2, 4, 6);
    DFT4(v, 1, 3, 5, 7);
    v[3] = v_turn(v[3], 2);
    v[5] = v_turn(v[5], 4);
    v[7] = v_turn(v[7], 6);
    UNROLL for (int k = 0; k < 4; k++) DFT2(v, 2 * k, 2 * k + 1);
}
FN void dft16(V *v) {
    // j = 4 j1 + j2, k = k1 + 4 k2; v[4 k1 + j2] after the first layer.
    UNROLL for (int j = 0; j < 4; j++) DFT4(v, j, j + 4, j + 8, j + 12);
    UNROLL for (int k = 1; k < 4; k++) {
        UNROLL for (int j = 1; j < 4; j++) v[4 * k + j] = v_turn(v[4 * k + j], j * k);
    }
    UNROLL for (int k = 0; k < 4; k++) DFT4(v, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
}
// Where output k of 2^log stands: k1 + 4 k2 at 4 k1 + k2 (16), 2 k1 + k2 (8), else k.
#define DFT_SLOT(log, k) ((log) == 4 ? 4 * ((k) & 3) + ((k) >> 2) : (log) == 3 ? 2 * ((k) & 3) + ((k) >> 2) : (k))
#define DFT(log, v) \
    { \
        if ((log) == 1) dft2(v); \
        if ((log) == 2) dft4(v); \
        if ((log) == 3) dft8(v); \
        if ((log) == 4) dft16(v); \
    }
#endif
