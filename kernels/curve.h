// Points of a curve y^2 = x^3 + b over any field of coordinates. `src/curve/weierstrass.rs` has the same on the host, and says whose
// formulas these are.
//
// A point in memory is affine, x and then y, the identity all zero; or (X, Y, ZZ, ZZZ) with x = X/ZZ, y = Y/ZZZ. There the
// identity, and nothing else, has a ZZ whose bits are all zero: ZZ is a product of factors that are looked at first.

typedef struct {
    coordinate x, y;
} affine;

typedef struct {
    coordinate x, y, zz, zzz;
} xyzz;

// Coordinates of a point in memory.
#define AFFINE 2
#define XYZZ 4

DEVICE u32 affine_is_identity(affine p) { return coordinate_has_no_bits(p.x) && coordinate_has_no_bits(p.y); }
DEVICE u32 xyzz_is_identity(xyzz p) { return coordinate_has_no_bits(p.zz); }

DEVICE affine load_affine(GLOBAL const coordinate *from) {
    affine p;
    p.x = load_coordinate(from);
    p.y = load_coordinate(from + 1);
    return p;
}

DEVICE xyzz load_xyzz(GLOBAL const coordinate *from) {
    xyzz p;
    p.x = load_coordinate(from);
    p.y = load_coordinate(from + 1);
    p.zz = load_coordinate(from + 2);
    p.zzz = load_coordinate(from + 3);
    return p;
}

DEVICE void store_xyzz(GLOBAL coordinate *to, xyzz p) {
    store_coordinate(to, p.x);
    store_coordinate(to + 1, p.y);
    store_coordinate(to + 2, p.zz);
    store_coordinate(to + 3, p.zzz);
}

DEVICE xyzz xyzz_identity(void) {
    xyzz p;
    p.x = p.y = p.zz = p.zzz = coordinate_zero();
    return p;
}

DEVICE xyzz xyzz_of_affine(affine p) {
    xyzz q;
    if (affine_is_identity(p)) return xyzz_identity();
    q.x = p.x;
    q.y = p.y;
    q.zz = q.zzz = COORDINATE_ONE;
    return q;
}

// 2P for a P other than the identity, as its numerators: ZZ and ZZZ of the result are to be multiplied by those of P.
SELDOM xyzz double_numerators(coordinate x, coordinate y) {
    xyzz p;
    coordinate u = coordinate_add(y, y), s, m;
    p.zz = coordinate_square(u);
    p.zzz = coordinate_mul(u, p.zz);
    s = coordinate_mul(x, p.zz);
    m = coordinate_square(x);
    m = coordinate_add(coordinate_add(m, m), m);
    p.x = coordinate_sub(coordinate_sub(coordinate_square(m), s), s);
    p.y = coordinate_sub(coordinate_mul(m, coordinate_sub(s, p.x)), coordinate_mul(p.zzz, y));
    return p;
}

// 2P: 6 products and 3 squares.
DEVICE xyzz xyzz_double(xyzz p) {
    xyzz q;
    if (xyzz_is_identity(p)) return p;
    q = double_numerators(p.x, p.y);
    q.zz = coordinate_mul(q.zz, p.zz);
    q.zzz = coordinate_mul(q.zzz, p.zzz);
    return q;
}

// P + Q for an affine Q: 8 products and 2 squares.
DEVICE void xyzz_add_affine(xyzz *p, affine q) {
    coordinate u, r, uu;
    if (affine_is_identity(q)) return;
    if (xyzz_is_identity(*p)) {
        *p = xyzz_of_affine(q);
        return;
    }
    u = coordinate_sub(coordinate_mul(q.x, p->zz), p->x);
    r = coordinate_sub(coordinate_mul(q.y, p->zzz), p->y);
    if (coordinate_is_zero(u)) {
        *p = coordinate_is_zero(r) ? double_numerators(q.x, q.y) : xyzz_identity();
        return;
    }
    uu = coordinate_square(u);
    p->zz = coordinate_mul(p->zz, uu);
    u = coordinate_mul(u, uu);
    p->zzz = coordinate_mul(p->zzz, u);
    uu = coordinate_mul(p->x, uu);
    p->x = coordinate_sub(coordinate_sub(coordinate_sub(coordinate_square(r), u), uu), uu);
    p->y = coordinate_sub(coordinate_mul(r, coordinate_sub(uu, p->x)), coordinate_mul(p->y, u));
}

// P + Q: 12 products and 2 squares.
CALLED void xyzz_add(xyzz *p, xyzz q) {
    coordinate u, s, r, uu;
    if (xyzz_is_identity(q)) return;
    if (xyzz_is_identity(*p)) {
        *p = q;
        return;
    }
    s = coordinate_mul(p->x, q.zz);
    u = coordinate_sub(coordinate_mul(q.x, p->zz), s);
    p->y = coordinate_mul(p->y, q.zzz);
    r = coordinate_sub(coordinate_mul(q.y, p->zzz), p->y);
    if (coordinate_is_zero(u)) {
        if (coordinate_is_zero(r)) {
            *p = xyzz_double(q);
        } else {
            *p = xyzz_identity();
        }
        return;
    }
    uu = coordinate_square(u);
    p->zz = coordinate_mul(coordinate_mul(p->zz, q.zz), uu);
    u = coordinate_mul(u, uu);
    p->zzz = coordinate_mul(coordinate_mul(p->zzz, q.zzz), u);
    uu = coordinate_mul(s, uu);
    p->x = coordinate_sub(coordinate_sub(coordinate_sub(coordinate_square(r), u), uu), uu);
    p->y = coordinate_sub(coordinate_mul(r, coordinate_sub(uu, p->x)), coordinate_mul(p->y, u));
}
