// TEMPORARY: plain form of the arithmetic of BN254, to be dropped for that of branch fft.
typedef struct { u32 limb[8]; } fe;

DEVICE fe load_fe(GLOBAL const fe *from) {
    fe a;
    for (int i = 0; i < 8; i++) a.limb[i] = from->limb[i];
    return a;
}
DEVICE void store_fe(GLOBAL fe *to, fe a) {
    for (int i = 0; i < 8; i++) to->limb[i] = a.limb[i];
}
DEVICE u32 fe_add_to(fe *r, const fe *a, const fe *b) {
    u64 c = 0;
    for (int i = 0; i < 8; i++) { c += (u64)a->limb[i] + b->limb[i]; r->limb[i] = (u32)c; c >>= 32; }
    return (u32)c;
}
DEVICE u32 fe_sub_to(fe *r, const fe *a, const fe *b) {
    u64 c = 0;
    for (int i = 0; i < 8; i++) { c = (u64)a->limb[i] - b->limb[i] - c; r->limb[i] = (u32)c; c >>= 63; }
    return (u32)c;
}
DEVICE u32 fe_is_zero(fe a) {
    return (a.limb[0] | a.limb[1] | a.limb[2] | a.limb[3] | a.limb[4] | a.limb[5] | a.limb[6] | a.limb[7]) == 0;
}
DEVICE fe fe_product(fe a, fe b, fe p, u32 inverse) {
    u32 t[9] = {0};
    for (int i = 0; i < 8; i++) {
        u64 c = 0;
        for (int j = 0; j < 8; j++) { c += (u64)a.limb[i] * b.limb[j] + t[j]; t[j] = (u32)c; c >>= 32; }
        u64 top = t[8] + c;
        u32 m = t[0] * inverse;
        c = (u64)m * p.limb[0] + t[0];
        c >>= 32;
        for (int j = 1; j < 8; j++) { c += (u64)m * p.limb[j] + t[j]; t[j - 1] = (u32)c; c >>= 32; }
        top += c;
        t[7] = (u32)top;
        t[8] = (u32)(top >> 32);
    }
    fe r;
    for (int i = 0; i < 8; i++) r.limb[i] = t[i];
    return r;
}
#define FIELD(f, P, P2, INVERSE)                                                                                        \
    DEVICE fe f##_p(void) { fe p = {P}; return p; }                                                                     \
    DEVICE fe f##_2p(void) { fe p = {P2}; return p; }                                                                   \
    DEVICE fe f##_mul(fe a, fe b) { return fe_product(a, b, f##_p(), INVERSE); }                                        \
    DEVICE fe f##_square(fe a) { return f##_mul(a, a); }                                                                \
    DEVICE fe f##_add(fe a, fe b) {                                                                                     \
        fe s, d, p = f##_2p();                                                                                          \
        fe_add_to(&s, &a, &b);                                                                                          \
        return fe_sub_to(&d, &s, &p) ? s : d;                                                                           \
    }                                                                                                                   \
    DEVICE fe f##_sub(fe a, fe b) {                                                                                     \
        fe s, d, p = f##_2p();                                                                                          \
        if (!fe_sub_to(&d, &a, &b)) return d;                                                                           \
        fe_add_to(&s, &d, &p);                                                                                          \
        return s;                                                                                                       \
    }                                                                                                                   \
    DEVICE fe f##_neg(fe a) { fe zero = {{0}}; return f##_sub(zero, a); }                                               \
    DEVICE fe f##_canonical(fe a) { fe d, p = f##_p(); return fe_sub_to(&d, &a, &p) ? a : d; }                          \
    DEVICE int f##_is_zero(fe a) {                                                                                      \
        fe p = f##_p();                                                                                                 \
        u32 x = 0;                                                                                                      \
        for (int i = 0; i < 8; i++) x |= a.limb[i] ^ p.limb[i];                                                         \
        return x == 0 || fe_is_zero(a);                                                                           \
    }
#define FQ_P {0xd87cfd47u, 0x3c208c16u, 0x6871ca8du, 0x97816a91u, 0x8181585du, 0xb85045b6u, 0xe131a029u, 0x30644e72u}
#define FQ_2P {0xb0f9fa8eu, 0x7841182du, 0xd0e3951au, 0x2f02d522u, 0x0302b0bbu, 0x70a08b6du, 0xc2634053u, 0x60c89ce5u}
#define FR_P {0xf0000001u, 0x43e1f593u, 0x79b97091u, 0x2833e848u, 0x8181585du, 0xb85045b6u, 0xe131a029u, 0x30644e72u}
#define FR_2P {0xe0000002u, 0x87c3eb27u, 0xf372e122u, 0x5067d090u, 0x0302b0bau, 0x70a08b6du, 0xc2634053u, 0x60c89ce5u}
FIELD(fq, FQ_P, FQ_2P, 0xe4866389u)
FIELD(fr, FR_P, FR_2P, 0xefffffffu)
#define FQ_ONE {{0xc58f0d9du, 0xd35d438du, 0xf5c70b3du, 0x0a78eb28u, 0x7879462cu, 0x666ea36fu, 0x9a07df2fu, 0x0e0a77c1u}}
#define FR_MODULUS {{0xf0000001u, 0x43e1f593u, 0x79b97091u, 0x2833e848u, 0x8181585du, 0xb85045b6u, 0xe131a029u, 0x30644e72u}}
#define FQ_MODULUS_LESS_2 {{0xd87cfd45u, 0x3c208c16u, 0x6871ca8du, 0x97816a91u, 0x8181585du, 0xb85045b6u, 0xe131a029u, 0x30644e72u}}
