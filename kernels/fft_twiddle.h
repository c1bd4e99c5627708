// Products with numbers that are known beforehand: a twiddle z below r comes with its quotient z' = floor(z 2^256 / r), and then x z mod r
// takes three halves of products where Montgomery's way takes two whole ones (Shoup's; NTL has it for single words).
//
// With q = floor(x z' / 2^256), x z - q r is congruent to x z and not negative. z' is too small by less than 1, and the upper half is
// summed without the products of limbs below 2^192, which is less than 6 2^224 too little. So x z - q r < r (1 + x / 2^256 + 2^-29), which is
// below 2r for every x below 5r, or for every x below r if r has 255 bits, and its lower half says all. In the latter case it is brought below r.
//
// Twiddles are plain integers, so that x, and the product, may be in Montgomery form.

#ifdef INLINE_PTX

// even + odd 2^32 += a b modulo 2^256; odd has seven limbs.
DEVICE void add_low_product(u32 *even, u32 *odd, fe a, fe b) {
    const u32 *x = a.limb, *y = b.limb;
    chain_4(even, x[0], x[2], x[4], x[6], y[0]);
    chain_4_low(odd, x[1], x[3], x[5], x[7], y[0]);
    chain_4_low(odd, x[0], x[2], x[4], x[6], y[1]);
    chain_3(even + 2, x[1], x[3], x[5], y[1]);
    chain_3(even + 2, x[0], x[2], x[4], y[2]);
    chain_3_low(odd + 2, x[1], x[3], x[5], y[2]);
    chain_3_low(odd + 2, x[0], x[2], x[4], y[3]);
    chain_2(even + 4, x[1], x[3], y[3]);
    chain_2(even + 4, x[0], x[2], y[4]);
    chain_2_low(odd + 4, x[1], x[3], y[4]);
    chain_2_low(odd + 4, x[0], x[2], y[5]);
    chain_1(even + 6, x[1], y[5]);
    chain_1(even + 6, x[0], y[6]);
    odd[6] += x[1] * y[6] + x[0] * y[7];
}

// The upper half of a b, or one less. Limbs of the rows count from 2^192; a limb that no product was added to takes the carry
// of the chain below it.
DEVICE fe high_product(fe a, fe b) {
    const u32 *x = a.limb, *y = b.limb;
    u32 even[10], odd[9];
    UNROLL
    for (int i = 0; i < 9; i++) even[i] = odd[i] = 0;
    even[9] = 0;
    chain_1(even, x[6], y[0]);
    chain_1(odd, x[7], y[0]);
    chain_2(even, x[5], x[7], y[1]);
    chain_1_out(odd, x[6], y[1], &odd[2]);
    chain_2_out(even, x[4], x[6], y[2], &even[4]);
    chain_2(odd, x[5], x[7], y[2]);
    chain_3(even, x[3], x[5], x[7], y[3]);
    chain_2_out(odd, x[4], x[6], y[3], &odd[4]);
    chain_3_out(even, x[2], x[4], x[6], y[4], &even[6]);
    chain_3(odd, x[3], x[5], x[7], y[4]);
    chain_4(even, x[1], x[3], x[5], x[7], y[5]);
    chain_3_out(odd, x[2], x[4], x[6], y[5], &odd[6]);
    chain_4_out(even, x[0], x[2], x[4], x[6], y[6], &even[8]);
    chain_4(odd, x[1], x[3], x[5], x[7], y[6]);
    chain_4(even + 2, x[1], x[3], x[5], x[7], y[7]);
    chain_4_out(odd, x[0], x[2], x[4], x[6], y[7], &odd[8]);
    // The carry of limb 7 of the product, and limbs 8 to 15.
    fe r, s;
    const u32 carry = even[1] + odd[0] < odd[0];
    UNROLL
    for (int i = 0; i < 8; i++) r.limb[i] = even[i + 2], s.limb[i] = odd[i + 1];
    return fe_add_carry(r, s, carry);
}

// x z modulo r, below the bound.
DEVICE fe mul_twiddle(fe x, fe z, fe quotient) {
    const fe q = high_product(x, quotient);
    u32 even[8], odd[7];
    UNROLL
    for (int i = 0; i < 7; i++) even[i] = odd[i] = 0;
    even[7] = 0;
    fe negative;
    UNROLL
    for (int i = 0; i < 8; i++) negative.limb[i] = i == 0 ? 0 - FR_P.limb[0] : ~FR_P.limb[i];
    add_low_product(even, odd, x, z);
    add_low_product(even, odd, q, negative);
    fe a, b;
    UNROLL
    for (int i = 0; i < 8; i++) a.limb[i] = even[i], b.limb[i] = i == 0 ? 0 : odd[i - 1];
    return fr_of_product(fe_add(a, b));
}

#else

// x z modulo r, below the bound.
DEVICE fe mul_twiddle(fe x, fe z, fe quotient) {
    u32 product[2 * FIELD_LIMBS];
    for (int i = 0; i < 2 * FIELD_LIMBS; i++) product[i] = 0;
    NO_UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) {
        u64 sum = 0;
        for (int j = 0; j < FIELD_LIMBS; j++) {
            sum = product[i + j] + (u64)x.limb[i] * quotient.limb[j] + (sum >> 32);
            product[i + j] = (u32)sum;
        }
        product[i + FIELD_LIMBS] = (u32)(sum >> 32);
    }
    fe xz = fr_zero(), qr = xz;
    NO_UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) {
        u64 sum = 0, sum_qr = 0;
        for (int j = 0; j < FIELD_LIMBS - i; j++) {
            sum = xz.limb[i + j] + (u64)x.limb[i] * z.limb[j] + (sum >> 32);
            xz.limb[i + j] = (u32)sum;
            sum_qr = qr.limb[i + j] + (u64)product[i + FIELD_LIMBS] * FR_P.limb[j] + (sum_qr >> 32);
            qr.limb[i + j] = (u32)sum_qr;
        }
    }
    u32 borrow;
    return fr_of_product(fe_sub(xz, qr, &borrow));
}

#endif
