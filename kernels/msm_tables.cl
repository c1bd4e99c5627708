// Tables of multiples of bases: table t holds the multiples by 2^(d t), each made of the one before by d doublings and brought to
// affine form, items sharing an inversion among the points that they have.

// 1/x of an x other than 0: x^(q - 2).
DEVICE fe fq_inverse(fe x) {
    fe power = FQ_ONE;
    NO_UNROLL for (int limb = FIELD_LIMBS - 1; limb >= 0; limb--) {
        u32 bits = FQ_P.limb[limb] - (limb == 0 ? 2 : 0);
        NO_UNROLL for (u32 k = 0; k < 32; k++, bits <<= 1) {
            power = fq_square(power);
            if (bits >> 31) power = fq_mul(power, x);
        }
    }
    return power;
}

// 2^doublings times points.
BOUNDED_KERNEL(128, 3) msm_double(BUFFER(const fe, points), u64 doublings, u64 count, BUFFER(fe, multiples)) {
    FOR_ONE(i, count) {
        xyzz p = xyzz_of_affine(load_affine(AT(points) + AFFINE * i));
        NO_UNROLL for (u64 k = 0; k < doublings; k++) p = xyzz_double(p);
        store_xyzz(AT(multiples) + XYZZ * i, p);
    }
}

// The affine forms of points. Item i of `items` has the points i, i + items, i + 2 items, and so on.
BOUNDED_KERNEL(128, 3) msm_normalize(BUFFER(const fe, points), u64 count, u64 items, BUFFER(fe, affines)) {
    FOR_ONE(item, items) {
        fe product = FQ_ONE;
        // The product of those before stands where x will be.
        for (u64 i = item; i < count; i += items) {
            store_fe(AT(affines) + AFFINE * i, product);
            if (!fe_is_zero(load_fe(AT(points) + XYZZ * i + 2))) {
                product = fq_mul(product, load_fe(AT(points) + XYZZ * i + 3));
            }
        }
        fe inverse = fq_inverse(product);
        for (u64 i = item + (count - 1 - item) / items * items;; i -= items) {
            const xyzz p = load_xyzz(AT(points) + XYZZ * i);
            GLOBAL fe *to = AT(affines) + AFFINE * i;
            fe x = fq_zero(), y = fq_zero();
            if (!xyzz_is_identity(p)) {
                const fe by_zzz = fq_mul(inverse, load_fe(to));
                inverse = fq_mul(inverse, p.zzz);
                // 1/ZZ = ZZ^2 / ZZZ^2.
                x = fq_canonical(fq_mul(p.x, fq_square(fq_mul(p.zz, by_zzz))));
                y = fq_canonical(fq_mul(p.y, by_zzz));
            }
            store_fe(to, x);
            store_fe(to + 1, y);
            if (i < items) break;
        }
    }
}
