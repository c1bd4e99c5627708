// Inverses of all elements of a field; zeros stay zero (Montgomery, Mathematics of Computation 48, 1987, section 10.3.1).
//
// Of n items, item i takes elements i, i + n, i + 2n and so on, so that neighbours access neighbours. On the way there it leaves the product
// of its elements so far in the place of each result; it inverts the product of all by a power; and on the way back an element's
// inverse is the inverse so far times the product that was left, and the inverse so far is multiplied by the element: three products an
// element, and a power an item. A zero stands as a one. The next element is loaded before the present one is stored, because a compiler
// must assume that they overlap.

#ifdef FIELD_LIMBS

// x^(p - 2) by digits of two bits from the highest on: two squarings for each, and a product unless it is 0. All items have the
// same digits.
DEVICE element element_inverse(element x) {
    u32 borrow;
    fe two = fr_zero();
    two.limb[0] = 2;
    fe exponent = fe_sub(FR_P, two, &borrow), power = FR_ONE;
    const fe x2 = fr_square(x), x3 = fr_mul(x2, x);
    NO_UNROLL
    for (int i = 0; i < 16 * FIELD_LIMBS; i++) {
        const u32 digit = exponent.limb[FIELD_LIMBS - 1] >> 30;
        UNROLL
        for (int j = FIELD_LIMBS - 1; j > 0; j--) exponent.limb[j] = exponent.limb[j] << 2 | exponent.limb[j - 1] >> 30;
        exponent.limb[0] <<= 2;
        NO_UNROLL
        for (int j = 0; j < 2; j++) power = fr_square(power);
        if (digit) power = fr_mul(power, fe_select(digit == 1, x, fe_select(digit == 2, x2, x3)));
    }
    return power;
}

#else

// x^(p - 2): p - 2 has 31 ones, a zero and 32 ones. Names say how many ones; 63 squarings and 9 products.
DEVICE element element_inverse(element x) {
    const u64 x2 = gl_mul(gl_square(x), x);
    const u64 x3 = gl_mul(gl_square(x2), x);
    const u64 x6 = gl_mul(gl_square_times(x3, 3), x3);
    const u64 x12 = gl_mul(gl_square_times(x6, 6), x6);
    const u64 x15 = gl_mul(gl_square_times(x12, 3), x3);
    const u64 x30 = gl_mul(gl_square_times(x15, 15), x15);
    const u64 x31 = gl_mul(gl_square(x30), x);
    const u64 x31_0 = gl_square(x31);
    return gl_mul(gl_square_times(x31_0, 32), gl_mul(x31_0, x));
}

#endif

KERNEL void invert(BUFFER(const element, from), BUFFER(element, to), u64 count) {
    const u64 first = global_id(), step = global_size();
    if (first >= count) return;
    element product = element_one(), next = element_load(AT(from) + first);
    u64 last = first;
    for (;;) {
        const element x = element_select(element_is_zero(next), element_one(), next);
        const u64 more = step < count - last;
        next = element_load(AT(from) + (more ? last + step : first));
        element_store(AT(to) + last, product);
        product = element_mul(product, x);
        if (!more) break;
        last += step;
    }
    product = element_inverse(product);
    element left = element_load(AT(to) + last);
    next = element_load(AT(from) + last);
    for (u64 i = last;; i -= step) {
        const element before = left;
        const u32 zero = element_is_zero(next);
        const element x = element_select(zero, element_one(), next);
        const u64 less = i > first ? i - step : first;
        next = element_load(AT(from) + less);
        left = element_load(AT(to) + less);
        const element inverse = element_canonical(element_mul(product, before));
        element_store(AT(to) + i, element_select(zero, element_zero(), inverse));
        if (i == first) break;
        product = element_mul(product, x);
    }
}
