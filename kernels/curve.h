// Points of a curve y^2 = x^3 + b over the field of coordinates, fq. `src/curve/weierstrass.rs` has the same on the host, and says whose
// formulas these are.
//
// A point in memory is affine, x and then y, the identity all zero; or (X, Y, ZZ, ZZZ) with x = X/ZZ, y = Y/ZZZ. There the
// identity, and nothing else, has a ZZ whose bits are all zero: ZZ is a product of factors that are looked at first.

// A function that is called, not copied to where it is used: a sum of points is thousands of instructions.
#ifdef __OPENCL_VERSION__
#define CALLED static __attribute__((noinline))
#else
#define CALLED static __device__ __noinline__
#endif

typedef struct {
    fe x, y;
} affine;

typedef struct {
    fe x, y, zz, zzz;
} xyzz;

// Elements of a point in memory.
#define AFFINE 2
#define XYZZ 4

DEVICE u32 affine_is_identity(affine p) { return fe_is_zero(p.x) && fe_is_zero(p.y); }
DEVICE u32 xyzz_is_identity(xyzz p) { return fe_is_zero(p.zz); }

DEVICE affine load_affine(GLOBAL const fe *from) {
    affine p;
    p.x = load_fe(from);
    p.y = load_fe(from + 1);
    return p;
}

DEVICE xyzz load_xyzz(GLOBAL const fe *from) {
    xyzz p;
    p.x = load_fe(from);
    p.y = load_fe(from + 1);
    p.zz = load_fe(from + 2);
    p.zzz = load_fe(from + 3);
    return p;
}

DEVICE void store_xyzz(GLOBAL fe *to, xyzz p) {
    store_fe(to, p.x);
    store_fe(to + 1, p.y);
    store_fe(to + 2, p.zz);
    store_fe(to + 3, p.zzz);
}

DEVICE xyzz xyzz_identity(void) {
    xyzz p;
    p.x = p.y = p.zz = p.zzz = fq_zero();
    return p;
}

DEVICE xyzz xyzz_of_affine(affine p) {
    xyzz q;
    if (affine_is_identity(p)) return xyzz_identity();
    q.x = p.x;
    q.y = p.y;
    q.zz = q.zzz = FQ_ONE;
    return q;
}

// 2P for a P other than the identity, as its numerators: ZZ and ZZZ of the result are to be multiplied by those of P.
DEVICE xyzz double_numerators(fe x, fe y) {
    xyzz p;
    fe u = fq_add(y, y), s, m;
    p.zz = fq_square(u);
    p.zzz = fq_mul(u, p.zz);
    s = fq_mul(x, p.zz);
    m = fq_square(x);
    m = fq_add(fq_add(m, m), m);
    p.x = fq_sub(fq_sub(fq_square(m), s), s);
    p.y = fq_sub(fq_mul(m, fq_sub(s, p.x)), fq_mul(p.zzz, y));
    return p;
}

// 2P: 6 products and 3 squares.
DEVICE xyzz xyzz_double(xyzz p) {
    xyzz q;
    if (xyzz_is_identity(p)) return p;
    q = double_numerators(p.x, p.y);
    q.zz = fq_mul(q.zz, p.zz);
    q.zzz = fq_mul(q.zzz, p.zzz);
    return q;
}

// P + Q for an affine Q: 8 products and 2 squares.
DEVICE void xyzz_add_affine(xyzz *p, affine q) {
    fe u, r, uu;
    if (affine_is_identity(q)) return;
    if (xyzz_is_identity(*p)) {
        *p = xyzz_of_affine(q);
        return;
    }
    u = fq_sub(fq_mul(q.x, p->zz), p->x);
    r = fq_sub(fq_mul(q.y, p->zzz), p->y);
    if (fq_is_zero(u)) {
        *p = fq_is_zero(r) ? double_numerators(q.x, q.y) : xyzz_identity();
        return;
    }
    uu = fq_square(u);
    p->zz = fq_mul(p->zz, uu);
    u = fq_mul(u, uu);
    p->zzz = fq_mul(p->zzz, u);
    uu = fq_mul(p->x, uu);
    p->x = fq_sub(fq_sub(fq_sub(fq_square(r), u), uu), uu);
    p->y = fq_sub(fq_mul(r, fq_sub(uu, p->x)), fq_mul(p->y, u));
}

// P + Q: 12 products and 2 squares.
CALLED void xyzz_add(xyzz *p, xyzz q) {
    fe u, s, r, uu;
    if (xyzz_is_identity(q)) return;
    if (xyzz_is_identity(*p)) {
        *p = q;
        return;
    }
    s = fq_mul(p->x, q.zz);
    u = fq_sub(fq_mul(q.x, p->zz), s);
    p->y = fq_mul(p->y, q.zzz);
    r = fq_sub(fq_mul(q.y, p->zzz), p->y);
    if (fq_is_zero(u)) {
        if (fq_is_zero(r)) {
            *p = xyzz_double(q);
        } else {
            *p = xyzz_identity();
        }
        return;
    }
    uu = fq_square(u);
    p->zz = fq_mul(fq_mul(p->zz, q.zz), uu);
    u = fq_mul(u, uu);
    p->zzz = fq_mul(fq_mul(p->zzz, q.zzz), u);
    uu = fq_mul(s, uu);
    p->x = fq_sub(fq_sub(fq_sub(fq_square(r), u), uu), uu);
    p->y = fq_sub(fq_mul(r, fq_sub(uu, p->x)), fq_mul(p->y, u));
}
