// Coordinates of points over a quadratic extension, c0 + c1 u with u^2 = -MINUS_U_SQUARED, an odd number: two elements of the prime field fq, c0 before c1. Values are
// lazy: both coefficients are below 2p, in and out, with 4p < R. `src/field/quadratic.rs` has the same on the host.

#if !FQ_LAZY
#error "the products of coefficients rest on 4p < R"
#endif

#define COORDINATE_DEGREE 2
// A sum of points takes more than 168 registers.
#define COORDINATE_GROUPS(groups) 2
// What the loops of kernels seldom need is called, or they would not fit into the cache of instructions.
#define SELDOM CALLED

typedef struct {
    fe c0, c1;
} coordinate;

DEVICE coordinate load_coordinate(GLOBAL const coordinate *from) {
    coordinate x;
    x.c0 = load_fe(&from->c0);
    x.c1 = load_fe(&from->c1);
    return x;
}

DEVICE void store_coordinate(GLOBAL coordinate *to, coordinate x) {
    store_fe(&to->c0, x.c0);
    store_fe(&to->c1, x.c1);
}

DEVICE u32 coordinate_has_no_bits(coordinate a) { return fe_is_zero(a.c0) && fe_is_zero(a.c1); }

DEVICE coordinate coordinate_of_prime(fe c0) {
    coordinate r;
    r.c0 = c0;
    r.c1 = fq_zero();
    return r;
}

DEVICE coordinate coordinate_zero(void) { return coordinate_of_prime(fq_zero()); }

#define COORDINATE_ONE coordinate_of_prime(FQ_ONE)

DEVICE u32 coordinate_is_zero(coordinate a) { return fq_is_zero(a.c0) && fq_is_zero(a.c1); }

DEVICE coordinate coordinate_canonical(coordinate a) {
    a.c0 = fq_canonical(a.c0);
    a.c1 = fq_canonical(a.c1);
    return a;
}

DEVICE coordinate coordinate_add(coordinate a, coordinate b) {
    a.c0 = fq_add(a.c0, b.c0);
    a.c1 = fq_add(a.c1, b.c1);
    return a;
}

DEVICE coordinate coordinate_sub(coordinate a, coordinate b) {
    a.c0 = fq_sub(a.c0, b.c0);
    a.c1 = fq_sub(a.c1, b.c1);
    return a;
}

DEVICE coordinate coordinate_neg(coordinate a) {
    a.c0 = fq_neg(a.c0);
    a.c1 = fq_neg(a.c1);
    return a;
}

// What is called where it has many limbs.
#if FIELD_LIMBS == 8
#define LARGE DEVICE
#else
#define LARGE CALLED
#endif

// Makes of a multiple that is x itself -u^2 times x, by doubling and adding: nothing for u^2 = -1, and never more than 15 times.
#define TIMES_MINUS_U_SQUARED(multiple, x, add)                                                                        \
    UNROLL for (int bit = 2; bit >= 0; bit--) {                                                                        \
        if (MINUS_U_SQUARED >> (bit + 1) == 0) continue;                                                               \
        multiple = add(multiple, multiple);                                                                            \
        if (MINUS_U_SQUARED >> bit & 1) multiple = add(multiple, x);                                                   \
    }

DEVICE fe fq_times_minus_u_squared(fe x) {
    fe multiple = x;
    TIMES_MINUS_U_SQUARED(multiple, x, fq_add)
    return multiple;
}

// a0 b0 + u^2 a1 b1 + ((a0 + a1)(b0 + b1) - a0 b0 - a1 b1) u: three products, whose sums are reduced.
#ifdef INLINE_PTX
CALLED coordinate coordinate_mul(coordinate a, coordinate b) {
    coordinate r;
    u32 borrow;
    // Sums are below 4p < R. The second coefficient is a0 b1 + a1 b0 < 8 p^2 < 2 p R, and so its reduction is below 3p.
    const fe_wide v0 = fe_mul_wide(a.c0, b.c0), v1 = fe_mul_wide(a.c1, b.c1);
    fe_wide t = fe_mul_wide(fe_add(a.c0, a.c1), fe_add(b.c0, b.c1));
    t = fe_wide_sub(fe_wide_sub(t, v0, &borrow), v1, &borrow);
    r.c1 = fq_bounded(fq_reduce_wide(t));
    // The first is above 4 u^2 p^2 > -p R: if it is negative, p R is added to it.
    fe_wide multiple = v1;
    TIMES_MINUS_U_SQUARED(multiple, v1, fe_wide_add)
    t = fe_wide_sub(v0, multiple, &borrow);
    fe upper, more;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) upper.limb[i] = t.limb[FIELD_LIMBS + i], more.limb[i] = FQ_P.limb[i] & borrow;
    upper = fe_add(upper, more);
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) t.limb[FIELD_LIMBS + i] = upper.limb[i];
    r.c0 = fq_reduce_wide(t);
    return r;
}
#else
LARGE coordinate coordinate_mul(coordinate a, coordinate b) {
    coordinate r;
    const fe v0 = fq_mul(a.c0, b.c0), v1 = fq_mul(a.c1, b.c1);
    r.c1 = fq_sub(fq_sub(fq_mul(fq_add(a.c0, a.c1), fq_add(b.c0, b.c1)), v0), v1);
    r.c0 = fq_sub(v0, fq_times_minus_u_squared(v1));
    return r;
}
#endif

// (a0 + a1)(a0 + u^2 a1) - (1 + u^2) a0 a1 + 2 a0 a1 u: two products.
LARGE coordinate coordinate_square(coordinate a) {
    coordinate r;
    const fe v = fq_mul(a.c0, a.c1);
    r.c0 = fq_mul(fq_add(a.c0, a.c1), fq_sub(a.c0, fq_times_minus_u_squared(a.c1)));
#if MINUS_U_SQUARED > 1
    r.c0 = fq_add(r.c0, fq_sub(fq_times_minus_u_squared(v), v));
#endif
    r.c1 = fq_add(v, v);
    return r;
}
