// The twiddles of transforms over a prime field, as `kernels/fft_pass.cl` wants them.

// Where i = i_0 + 2 i_1 + 4 i_2 + ..., twiddles[m, i] is the product of `factors[log_count + j]` for all j with i_j = 1, and of factors[log m] where
// they stand at place m + i: the powers of the shift, which are 1 elsewhere. The table has 2^log_count pairs of a twiddle z and its
// quotient, floor(z 2^256 / r): Montgomery's reduction of z 2^256 mod r adds the multiple of r that is wanted, q, for z 2^256 mod r + q r =
// z 2^256.
KERNEL void fft_fill(BUFFER(fe, table), BUFFER(const fe, factors), u64 log_count, u64 coset) {
    FOR_EACH(k, (u64)1 << log_count) {
        u32 i = (u32)k;
        fe x = FR_ONE;
        if (coset && k) {
            u32 log_m = 0;
            while (i >> log_m > 1) log_m++;
            i -= (u32)1 << log_m;
            x = load_fe(AT(factors) + log_m);
        }
        for (u32 j = 0; i >> j; j++) {
            if (i >> j & 1) x = fr_mul(x, load_fe(AT(factors) + log_count + j));
        }
        x = fr_canonical(x);
        fe quotient = fr_zero();
        NO_UNROLL
        for (int step = 0; step < FIELD_LIMBS; step++) {
            const u32 m = x.limb[0] * FR_INVERSE;
            u64 sum = x.limb[0] + mul_wide(m, FR_P.limb[0]);
            UNROLL
            for (int j = 1; j < FIELD_LIMBS; j++) {
                sum = (sum >> 32) + x.limb[j] + mul_wide(m, FR_P.limb[j]);
                x.limb[j - 1] = (u32)sum;
            }
            x.limb[FIELD_LIMBS - 1] = (u32)(sum >> 32);
            UNROLL
            for (int j = 0; j < FIELD_LIMBS - 1; j++) quotient.limb[j] = quotient.limb[j + 1];
            quotient.limb[FIELD_LIMBS - 1] = m;
        }
        store_fe(AT(table) + 2 * k, x);
        store_fe(AT(table) + 2 * k + 1, quotient);
    }
}
