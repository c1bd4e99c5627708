// The arithmetic of a prime field in Montgomery form, R = 2^(32 FIELD_LIMBS), as `src/field/montgomery.rs` explains it. Rust writes this text
// for the coordinates of a curve (fq) or for scalars (fr), and before it the constants FIELD_P, FIELD_BOUND, FIELD_ONE, FIELD_INVERSE,
// which is -1/p modulo 2^32, FIELD_LAZY, FIELD_SQUARES and FIELD_SPARSE. FIELD_LIMBS keeps its name.
//
// Values are below FIELD_BOUND, in and out. Where 4p < R, FIELD_LAZY is 1 and the bound 2p: a product needs no last subtraction. Else it is p, and 2p < R.

DEVICE fe FIELD_zero(void) {
    fe r;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) r.limb[i] = 0;
    return r;
}

// A sum or difference below twice the bound, brought below the bound.
DEVICE fe FIELD_bounded(fe a) {
    u32 borrow;
    const fe less = fe_sub(a, FIELD_BOUND, &borrow);
    return fe_select(borrow, a, less);
}

// The representative below p.
DEVICE fe FIELD_canonical(fe a) {
#if FIELD_LAZY
    u32 borrow;
    const fe less = fe_sub(a, FIELD_P, &borrow);
    return fe_select(borrow, a, less);
#else
    return a;
#endif
}

// A product below 2p, brought below the bound.
DEVICE fe FIELD_of_product(fe a) {
#if FIELD_LAZY
    return a;
#else
    return FIELD_bounded(a);
#endif
}

DEVICE fe FIELD_add(fe a, fe b) { return FIELD_bounded(fe_add(a, b)); }

DEVICE fe FIELD_sub(fe a, fe b) {
    u32 borrow;
    const fe difference = fe_sub(a, b, &borrow);
    fe more;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) more.limb[i] = FIELD_BOUND.limb[i] & borrow;
    return fe_add(difference, more);
}

DEVICE fe FIELD_neg(fe a) { return FIELD_sub(FIELD_zero(), a); }

// Whether a is 0 modulo p, that is, 0 or, below 2p, p.
DEVICE u32 FIELD_is_zero(fe a) { return fe_is_zero(FIELD_canonical(a)); }

#ifdef INLINE_PTX

// One step of the reduction: low is what the step before left at limb 1 and belongs to limb 0 now; adds the multiple of p that makes
// limb 0 zero.
DEVICE void FIELD_reduce(u32 *even, u32 *odd, u32 low) {
#if FIELD_SPARSE
    chain_sparse(even, odd, low, FIELD_P.limb[1], FIELD_P.limb[2], FIELD_P.limb[3]);
#else
    const u32 m = chain_in(&even[0], low, FIELD_INVERSE, odd, EVERY_SECOND(FIELD_P.limb, 1));
    chain_half_out(even, EVERY_SECOND(FIELD_P.limb, 0), m, &odd[FIELD_LIMBS - 1]);
#endif
}

// Divides (even + odd 2^32) by 2^32, but for limb 1 of the even row, which is returned.
DEVICE u32 FIELD_shift(u32 *even, u32 *odd) {
    const u32 low = even[1];
    u32 rest[FIELD_LIMBS];
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) rest[i] = i < FIELD_LIMBS - 2 ? even[i + 2] : 0;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) even[i] = odd[i], odd[i] = rest[i];
    return low;
}

// The sum of both rows behind the last step.
DEVICE fe FIELD_join(const u32 *even, const u32 *odd) {
    fe a, b;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) a.limb[i] = odd[i], b.limb[i] = i < FIELD_LIMBS - 1 ? even[i + 1] : 0;
    return fe_add(a, b);
}

// The product of two values below the bound, or of one below 4p and one below p where the prime is lazy.
DEVICE fe FIELD_mul(fe a, fe b) {
    u32 even[FIELD_LIMBS], odd[FIELD_LIMBS], low = 0;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i += 2) {
        const u64 e = mul_wide(a.limb[i], b.limb[0]), o = mul_wide(a.limb[i + 1], b.limb[0]);
        even[i] = (u32)e, even[i + 1] = (u32)(e >> 32);
        odd[i] = (u32)o, odd[i + 1] = (u32)(o >> 32);
    }
    FIELD_reduce(even, odd, 0);
    UNROLL
    for (int i = 1; i < FIELD_LIMBS; i++) {
        low = FIELD_shift(even, odd);
        chain_half(odd, EVERY_SECOND(a.limb, 1), b.limb[i]);
        chain_half_out(even, EVERY_SECOND(a.limb, 0), b.limb[i], &odd[FIELD_LIMBS - 1]);
        FIELD_reduce(even, odd, low);
    }
    return FIELD_of_product(FIELD_join(even, odd));
}

// The square of a value below the bound: products of different limbs once, times two. Step i adds a_i (a_i + 2 (a_(i+1) + ...)), so
// that 36 products of limbs do instead of 64, or 78 instead of 144. What is under way is up to 2 b + p for a bound b: where that is not below R, FIELD_SQUARES is 0, and a square is a product.
#if FIELD_SQUARES
DEVICE fe FIELD_square(fe a) {
    u32 even[FIELD_LIMBS], odd[FIELD_LIMBS], twice[FIELD_LIMBS], low;
    UNROLL
    for (int i = 1; i < FIELD_LIMBS; i++) twice[i] = a.limb[i] << 1 | (i > 1 ? a.limb[i - 1] >> 31 : 0);
    const u32 *x = a.limb;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i += 2) {
        const u64 e = mul_wide(i == 0 ? x[0] : twice[i], x[0]), o = mul_wide(twice[i + 1], x[0]);
        even[i] = (u32)e, even[i + 1] = (u32)(e >> 32);
        odd[i] = (u32)o, odd[i + 1] = (u32)(o >> 32);
    }
    FIELD_reduce(even, odd, 0);
    // The limb after the first takes no bit from it.
#if FIELD_LIMBS == 8
    low = FIELD_shift(even, odd);
    chain_4(odd, x[1], twice[3], twice[5], twice[7], x[1]);
    chain_3_out(even + 2, x[2] << 1, twice[4], twice[6], x[1], &odd[7]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_3(odd + 2, x[3] << 1, twice[5], twice[7], x[2]);
    chain_3_out(even + 2, x[2], twice[4], twice[6], x[2], &odd[7]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_3(odd + 2, x[3], twice[5], twice[7], x[3]);
    chain_2_out(even + 4, x[4] << 1, twice[6], x[3], &odd[7]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_2(odd + 4, x[5] << 1, twice[7], x[4]);
    chain_2_out(even + 4, x[4], twice[6], x[4], &odd[7]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_2(odd + 4, x[5], twice[7], x[5]);
    chain_1_out(even + 6, x[6] << 1, x[5], &odd[7]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_1(odd + 6, x[7] << 1, x[6]);
    chain_1_out(even + 6, x[6], x[6], &odd[7]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_1(odd + 6, x[7], x[7]);
    FIELD_reduce(even, odd, low);
#else
    low = FIELD_shift(even, odd);
    chain_6(odd, x[1], twice[3], twice[5], twice[7], twice[9], twice[11], x[1]);
    chain_5_out(even + 2, x[2] << 1, twice[4], twice[6], twice[8], twice[10], x[1], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_5(odd + 2, x[3] << 1, twice[5], twice[7], twice[9], twice[11], x[2]);
    chain_5_out(even + 2, x[2], twice[4], twice[6], twice[8], twice[10], x[2], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_5(odd + 2, x[3], twice[5], twice[7], twice[9], twice[11], x[3]);
    chain_4_out(even + 4, x[4] << 1, twice[6], twice[8], twice[10], x[3], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_4(odd + 4, x[5] << 1, twice[7], twice[9], twice[11], x[4]);
    chain_4_out(even + 4, x[4], twice[6], twice[8], twice[10], x[4], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_4(odd + 4, x[5], twice[7], twice[9], twice[11], x[5]);
    chain_3_out(even + 6, x[6] << 1, twice[8], twice[10], x[5], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_3(odd + 6, x[7] << 1, twice[9], twice[11], x[6]);
    chain_3_out(even + 6, x[6], twice[8], twice[10], x[6], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_3(odd + 6, x[7], twice[9], twice[11], x[7]);
    chain_2_out(even + 8, x[8] << 1, twice[10], x[7], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_2(odd + 8, x[9] << 1, twice[11], x[8]);
    chain_2_out(even + 8, x[8], twice[10], x[8], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_2(odd + 8, x[9], twice[11], x[9]);
    chain_1_out(even + 10, x[10] << 1, x[9], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_1(odd + 10, x[11] << 1, x[10]);
    chain_1_out(even + 10, x[10], x[10], &odd[11]);
    FIELD_reduce(even, odd, low);
    low = FIELD_shift(even, odd);
    chain_1(odd + 10, x[11], x[11]);
    FIELD_reduce(even, odd, low);
#endif
    return FIELD_of_product(FIELD_join(even, odd));
}
#else
DEVICE fe FIELD_square(fe a) { return FIELD_mul(a, a); }
#endif

#else

// The product of two values below the bound, or of one below 4p and one below p where the prime is lazy. A loop of steps keeps compilers for processors fast.
DEVICE fe FIELD_mul(fe a, fe b) {
    fe t = FIELD_zero();
    NO_UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) {
        u64 product = t.limb[0] + (u64)a.limb[i] * b.limb[0];
        const u32 m = (u32)product * FIELD_INVERSE;
        u64 reduction = (u32)product + (u64)m * FIELD_P.limb[0];
        for (int j = 1; j < FIELD_LIMBS; j++) {
            product = t.limb[j] + (u64)a.limb[i] * b.limb[j] + (product >> 32);
            reduction = (u32)product + (u64)m * FIELD_P.limb[j] + (reduction >> 32);
            t.limb[j - 1] = (u32)reduction;
        }
        t.limb[FIELD_LIMBS - 1] = (u32)(product >> 32) + (u32)(reduction >> 32);
    }
    return FIELD_of_product(t);
}

DEVICE fe FIELD_square(fe a) { return FIELD_mul(a, a); }

#endif
