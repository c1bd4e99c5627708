// The number forms in which butterflies are computed, and the transforms of up to 16 points in registers.
//
// 2^96 = -1 (mod p), so 2^12 has order 16, and every twiddle inside a butterfly of 2, 4, 8 or 16 points is a power of two.
// Two forms with one interface: V, v_load, v_load_product, v_first, v_add, v_sub, v_turn, v_store.
//   - plain: canonical words. Right everywhere, needs no FP64 unit.
//   - NTT_DOUBLE: l + h 2^48 modulo 2^96 + 1, both halves exact doubles. For devices with full-rate FP64.

#if !NTT_DOUBLE

typedef u64 V;
DEVICE V v_load(u64 x) { return x; }
DEVICE V v_load_product(u64 x, u64 w) { return gl_mul(x, w); }
DEVICE V v_first(V v) { return v; }
DEVICE V v_add(V a, V b) { return gl_add(a, b); }
DEVICE V v_sub(V a, V b) { return gl_sub(a, b); }
// v 2^(12 e), for e from 0 to 15 that the compiler knows.
DEVICE V v_turn(V v, int e) {
    const int s = 12 * (e & 7);
    V r = v;
    if (s > 0 && s < 64) {
        r = gl_reduce(v << s, v >> (64 - s));
    } else if (s >= 64) {
        // v = a + b 2^(96 - s): v 2^s = (a 2^(s - 64)) 2^64 - b, and a 2^(s - 64) is below 2^32.
        r = gl_sub(mul_wide((u32)(v << (s - 32) >> 32), (u32)GL_EPSILON), v >> (96 - s));
    }
    return (e & 8) ? gl_sub(0, r) : r;
}
// A canonical word.
DEVICE u64 v_store(V v) { return v; }
DEVICE u64 v_canonical(u64 x) { return x; }

#else

typedef struct {
    double l, h;
} V;

#define TWO_52 0x1.0p52
#define TWO_48 0x1.0p48

// The double 2^52 + 2^32 high + low has the bits (0x43300000 + high, low), for high below 2^20.
#define EXPONENT_52 0x43300000u

// Any word.
DEVICE V v_load(u64 x) {
    const u32 x0 = (u32)x, x1 = (u32)(x >> 32);
    V v;
    v.l = DOUBLE_OF(lower_halves(x1, 0x4330), x0) - TWO_52;
    v.h = (double)(x1 >> 16);
    return v;
}

// x w for any two words, from the unreduced product: bits 0 to 48 less bits 96 to 128, for 2^96 = -1, and bits 48 to 96.
DEVICE V v_load_product(u64 x, u64 w) {
    u64 low, high;
    mul_full(x, w, &low, &high);
    const u32 p0 = (u32)low, p1 = (u32)(low >> 32), p2 = (u32)high, p3 = (u32)(high >> 32);
    V v;
    v.l = DOUBLE_OF(lower_halves(p1, 0x4330), p0) - DOUBLE_OF(EXPONENT_52, p3);
    v.h = DOUBLE_OF(upper_and_lower_half(p2, 0x4330), upper_and_lower_half(p1, p2)) - TWO_52;
    return v;
}

// To be applied to input 0 of a transform, which reaches every output with the factor 1: what is added here is added to every
// output. -2^52 in h is -2^100 = +16, and -16 in l its counterweight. It keeps h below 0, so that the carry out of h is negative,
// always. The +16 in h is for v_store.
DEVICE V v_first(V v) {
    v.l = v.l - 16.0;
    v.h = v.h - (TWO_52 - 16.0);
    return v;
}

DEVICE V v_add(V a, V b) {
    a.l = a.l + b.l;
    a.h = a.h + b.h;
    return a;
}
DEVICE V v_sub(V a, V b) {
    a.l = a.l - b.l;
    a.h = a.h - b.h;
    return a;
}

// v 2^(12 e), for e from 0 to 15 that the compiler knows. 2^48 swaps the halves with a sign; what is left is a shift by 12, 24 or
// 36, for which each half is split where it crosses 2^48. Exact for halves below 2^51.
DEVICE V v_turn(V v, int e) {
    const int s = 12 * (e & 3);
    double l = v.l, h = v.h;
    if (s != 0) {
        const double up = s == 12 ? 0x1.0p12 : s == 24 ? 0x1.0p24 : 0x1.0p36;
        const double down = s == 12 ? 0x1.0p-36 : s == 24 ? 0x1.0p-24 : 0x1.0p-12;
        const double back = s == 12 ? -0x1.0p36 : s == 24 ? -0x1.0p24 : -0x1.0p12;
        const double integer = 0x1.8p52; // adding it rounds to an integer
        const double kl = FMA(l, down, integer) - integer, kh = FMA(h, down, integer) - integer;
        const double rl = FMA(kl, back, l), rh = FMA(kh, back, h);
        l = FMA(rl, up, -kh);
        h = FMA(rh, up, kl);
    }
    V r;
    switch (e >> 2 & 3) {
    case 0: r.l = l, r.h = h; break;
    case 1: r.l = -h, r.h = l; break;
    case 2: r.l = -l, r.h = -h; break;
    default: r.l = h, r.h = -l; break;
    }
    return r;
}

// low + (2^32 - 1) top + carry as a word, any representative; carry below 2^8. Of the two additions at most one carries: what
// is left of the first after a carry is at most 2^64 - 2^33. For the same reason the carry's 2^32 - 1 can be added without another.
DEVICE u64 v_fold(u64 low, u32 top, u32 carry) {
#ifdef INLINE_PTX
    u32 r0, r1, over;
    asm("{\n\t"
        ".reg .u32 t;\n\t"
        "mad.lo.cc.u32 %0, %5, 0xffffffff, %3;\n\t"
        "madc.hi.cc.u32 %1, %5, 0xffffffff, %4;\n\t"
        "addc.u32 t, 0, 0;\n\t"
        "add.cc.u32 %0, %0, %6;\n\t"
        "addc.cc.u32 %1, %1, 0;\n\t"
        "addc.u32 %2, t, 0;\n\t"
        "}"
        : "=&r"(r0), "=&r"(r1), "=&r"(over)
        : "r"((u32)low), "r"((u32)(low >> 32)), "r"(top), "r"(carry));
    return ((u64)r1 << 32 | r0) + mul_wide(over, 0xffffffffu);
#else
    const u64 t = mul_wide(top, (u32)GL_EPSILON) + carry;
    const u64 r = low + t;
    return r + (r < t ? GL_EPSILON : 0);
#endif
}

// Back to a word, any representative. Floors leave both halves in [0, 2^48); the carry out of h is in -33..-1 thanks to v_first,
// so its negative (2^96 = -1) is what v_fold adds.
DEVICE u64 v_store(V v) {
#ifdef INLINE_PTX
    // Rounded at 1.5 2^100, whose last place is 2^48; less 2^52 more, so that the halves come out with their exponent bits.
    const double place = 0x1.8p100;
    const double kl = add_down(v.l, place) - (place + TWO_52);
    const double l = v.l - kl;
    const double h1 = FMA(kl, 0x1.0p-48, v.h); // 2^52 2^-48 = 16 too low: v_first has added it
    const double kh = add_up(place, -h1);
    const double h = h1 + (kh - (place - TWO_52));
    const u32 carry = LOW_WORD(kh);
#else
    const double kl = floor(v.l * 0x1.0p-48);
    const double l = FMA(kl, -TWO_48, v.l) + TWO_52;
    const double h1 = v.h + (kl - 16.0);
    const double kh = floor(h1 * 0x1.0p-48);
    const double h = FMA(kh, -TWO_48, h1) + TWO_52;
    const u32 carry = (u32)(-(int)kh);
#endif
    const u64 low = (u64)lower_halves(HIGH_WORD(l), LOW_WORD(h)) << 32 | LOW_WORD(l);
    return v_fold(low, upper_and_lower_half(LOW_WORD(h), HIGH_WORD(h)), carry);
}

// x modulo p: adding 2^32 - 1 carries exactly when x is not below p, and then leaves x - p.
DEVICE u64 v_canonical(u64 x) { return gl_canonical(x); }

#endif

// Transforms in place. Output k of 2^log points stands at V_SLOT(log, k).

// By 2^48: v[a], v[b], v[c], v[d], natural order.
#define V_DFT4(v, a, b, c, d) \
    { \
        const V s0 = v_add(v[a], v[c]), d0 = v_sub(v[a], v[c]); \
        const V s1 = v_add(v[b], v[d]), d1 = v_turn(v_sub(v[b], v[d]), 4); \
        v[a] = v_add(s0, s1); \
        v[b] = v_add(d0, d1); \
        v[c] = v_sub(s0, s1); \
        v[d] = v_sub(d0, d1); \
    }
#define V_DFT2(v, a, b) \
    { \
        const V s0 = v_add(v[a], v[b]); \
        v[b] = v_sub(v[a], v[b]); \
        v[a] = s0; \
    }

// By 2^24: j = 2 j1 + j2, k = k1 + 4 k2; v[2 k1 + j2] after the first layer.
DEVICE void v_dft8(V *v) {
    V_DFT4(v, 0, 2, 4, 6);
    V_DFT4(v, 1, 3, 5, 7);
    v[3] = v_turn(v[3], 2);
    v[5] = v_turn(v[5], 4);
    v[7] = v_turn(v[7], 6);
    UNROLL
    for (int k = 0; k < 4; k++) V_DFT2(v, 2 * k, 2 * k + 1);
}

// By 2^12: j = 4 j1 + j2, k = k1 + 4 k2; v[4 k1 + j2] after the first layer.
DEVICE void v_dft16(V *v) {
    UNROLL
    for (int j = 0; j < 4; j++) V_DFT4(v, j, j + 4, j + 8, j + 12);
    UNROLL
    for (int k = 1; k < 4; k++) {
        UNROLL
        for (int j = 1; j < 4; j++) v[4 * k + j] = v_turn(v[4 * k + j], j * k);
    }
    UNROLL
    for (int k = 0; k < 4; k++) V_DFT4(v, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
}

#define V_SLOT(log, k) ((log) == 4 ? 4 * ((k) & 3) + ((k) >> 2) : (log) == 3 ? 2 * ((k) & 3) + ((k) >> 2) : (k))

// 2^log points, for a log that the compiler knows.
#define V_DFT(log, v) \
    { \
        if ((log) == 1) V_DFT2((v), 0, 1); \
        if ((log) == 2) V_DFT4((v), 0, 1, 2, 3); \
        if ((log) == 3) v_dft8(v); \
        if ((log) == 4) v_dft16(v); \
    }
