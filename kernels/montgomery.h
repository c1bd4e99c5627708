// Montgomery products over p = 2^64 - f + 1, f = 2^32, for the power maps of Rescue Prime.
//
// Words are canonical, below p, unless a function says "loose": any u64 congruent to the element.
//
// Montgomery form without converting. Products here are a b / R mod p with R = 2^64. Since 2^192 = 1 (mod p),
// R^3 = 1, and a product of k factors carries R^-(k-1). Rescue raises to 7 and to 1/7 mod (p - 1), both 1 modulo 3,
// so k - 1 is a multiple of 3 and the factor is 1: raw words go in, raw words come out.
//
// The reduction. T = (t3 t2 t1 t0) in 32-bit words. As p (1 + f) = 1 (mod 2^64), the multiple of p to take off is
// m = (a : t0), where a + e f = t0 + t1 (e is the carry), and working out (T - m p) / R gives
//     r = U - m,   U = (t3:t2) + w,   w = a + e.
// It needs no multiplication, and, for factors below p:
// - w < f, because a <= f - 2 when e = 1: one word.
// - U < 2^64, because (t3:t2) <= (p - 1)^2 / 2^64 < 2^64 - 2^33 + 2 and w < 2^32. (Factors of p and above may break this.)
// - r lies in (-p, p), because T < p R: one conditional addition of p, that is, f - 1 taken off modulo 2^64 when the
//   subtraction borrows. The result is below p again.

// a + b for loose a and canonical b, loose. After a carry the sum is at most 2^64 - 1 + p - 1 - 2^64 = p - 2, so that
// adding 2^64 = f - 1 cannot carry again.
DEVICE u64 gl_add_loose(u64 a, u64 b) {
    u64 s = a + b;
    return s + (s < a ? (u64)GL_EPSILON : 0);
}

// (hi:lo) / R, for a product of two words below p.
DEVICE u64 mont_reduce(u64 lo, u64 hi) {
    u64 m = lo + (lo << 32); // (a : t0)
    u64 u = hi + (m >> 32) + (m < lo);
    u64 r = u - m;
    return r - (u < m ? (u64)GL_EPSILON : 0);
}

#ifdef INLINE_PTX

// The four partial products l + (c + d) f + h f^2 to (their sum) / R. Written for what the assembler makes of it, since
// additions bind here, not products. 64-bit additions of pairs become three-word additions with two carries; the last
// addition to h becomes part of the product that h is, for nothing; and subtracting a register (`%5`, a zero that the
// compiler cannot know) instead of a constant moves the last borrow to the multiply pipe. A square is 14 instructions:
// three products, eight additions, three additions on the multiply pipe.
//   (c1 + k : t1) = (c1 : l1) + c0 + d0      c1 + k fits: c1 = 2^32 - 2 only if c0 = 1, and then k <= 1
//   (e, a)        = t0 + t1, w = a + e
//   U             = h + (d1 + (c1 + k) + w)
//   r             = U - (a : t0), less f - 1 if that borrows (b is then all ones)
#define MONT_TEXT                                                                                                      \
    "{.reg .u32 t0,t1,l1,c0,c1,d0,d1,a,w,b,k,z; .reg .u64 h,m,n,q,v;\n\t"                                              \
    "mov.u32 z,0; mov.b64 {t0,l1},%1; mov.b64 {c0,c1},%2; mov.b64 {d0,d1},%3; mov.b64 h,%4;\n\t"                       \
    "mov.b64 m,{l1,c1}; mov.b64 n,{c0,z}; mov.b64 v,{d0,z}; add.u64 m,m,n; add.u64 m,m,v; mov.b64 {t1,k},m;\n\t"        \
    "add.cc.u32 a,t0,t1; addc.u32 w,a,0; mov.b64 m,{d1,z}; mov.b64 n,{w,z}; mov.b64 v,{k,z};\n\t"                      \
    "add.u64 q,m,v; add.u64 q,q,n; add.u64 h,h,q; mov.b64 m,{t0,a}; sub.cc.u64 h,h,m; subc.u32 b,0,0;\n\t"             \
    "mov.b64 {c0,c1},h; sub.cc.u32 c0,c0,b; subc.u32 c1,c1,%5; mov.b64 %0,{c0,c1};}"

// Zero, for kernels that are launched with one dimension; the compiler cannot know it.
DEVICE u32 mont_hidden_zero(void) {
    u32 zero;
    asm("mov.u32 %0, %%tid.z;" : "=r"(zero));
    return zero;
}

DEVICE u64 mont_square(u64 x) {
    u32 x0 = (u32)x, x1 = (u32)(x >> 32);
    u64 l = mul_wide(x0, x0), c = mul_wide(x0, x1), h = mul_wide(x1, x1), r;
    asm(MONT_TEXT : "=l"(r) : "l"(l), "l"(c), "l"(c), "l"(h), "r"(mont_hidden_zero()));
    return r;
}

DEVICE u64 mont_product(u64 x, u64 y) {
    u32 x0 = (u32)x, x1 = (u32)(x >> 32), y0 = (u32)y, y1 = (u32)(y >> 32);
    u64 l = mul_wide(x0, y0), c = mul_wide(x0, y1), d = mul_wide(x1, y0), h = mul_wide(x1, y1), r;
    asm(MONT_TEXT : "=l"(r) : "l"(l), "l"(c), "l"(d), "l"(h), "r"(mont_hidden_zero()));
    return r;
}

#else

DEVICE u64 mont_product(u64 x, u64 y) { return mont_reduce(x * y, mul_high(x, y)); }
DEVICE u64 mont_square(u64 x) { return mont_product(x, x); }

#endif
