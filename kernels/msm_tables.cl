// Tables of multiples of bases: table t holds the multiples by 2^(d t), each made of the one before by d doublings and brought to
// affine form, an item inverting once for all.

// 1/x of an x other than 0: x^(q - 2).
DEVICE fe fq_inverse(fe x) {
    fe power = FQ_ONE;
    NO_UNROLL for (int limb = FIELD_LIMBS - 1; limb >= 0; limb--) {
        u32 bits = FQ_P.limb[limb] - (limb == 0 ? 2 : limb == 1 && FQ_P.limb[0] < 2);
        NO_UNROLL for (u32 k = 0; k < 32; k++, bits <<= 1) {
            power = fq_square(power);
            if (bits >> 31) power = fq_mul(power, x);
        }
    }
    return power;
}

// The same of a coordinate.
DEVICE coordinate coordinate_inverse(coordinate x) {
#if COORDINATE_DEGREE == 1
    return fq_inverse(x);
#else
    // The conjugate by the norm, which is the product of both.
    const fe by_norm = fq_inverse(fq_add(fq_square(x.c0), fq_times_minus_u_squared(fq_square(x.c1))));
    x.c0 = fq_mul(x.c0, by_norm);
    x.c1 = fq_neg(fq_mul(x.c1, by_norm));
    return x;
#endif
}

// 2^doublings times points.
BOUNDED_KERNEL(128, COORDINATE_GROUPS(3)) msm_double(BUFFER(const coordinate, points), u64 doublings, u64 count, BUFFER(coordinate, multiples)) {
    FOR_ONE(i, count) {
        xyzz p = xyzz_of_affine(load_affine(AT(points) + AFFINE * i));
        NO_UNROLL for (u64 k = 0; k < doublings; k++) p = xyzz_double(p);
        store_xyzz(AT(multiples) + XYZZ * i, p);
    }
}

// The affine forms of points. Item i of `items` has the points i, i + items, i + 2 items, and so on.
BOUNDED_KERNEL(128, COORDINATE_GROUPS(3)) msm_normalize(BUFFER(const coordinate, points), u64 count, u64 items, BUFFER(coordinate, affines)) {
    FOR_ONE(item, items) {
        coordinate product = COORDINATE_ONE;
        // The product of those before stands where x will be.
        for (u64 i = item; i < count; i += items) {
            store_coordinate(AT(affines) + AFFINE * i, product);
            if (!coordinate_has_no_bits(load_coordinate(AT(points) + XYZZ * i + 2))) {
                product = coordinate_mul(product, load_coordinate(AT(points) + XYZZ * i + 3));
            }
        }
        coordinate inverse = coordinate_inverse(product);
        for (u64 i = item + (count - 1 - item) / items * items;; i -= items) {
            const xyzz p = load_xyzz(AT(points) + XYZZ * i);
            GLOBAL coordinate *to = AT(affines) + AFFINE * i;
            coordinate x = coordinate_zero(), y = coordinate_zero();
            if (!xyzz_is_identity(p)) {
                const coordinate by_zzz = coordinate_mul(inverse, load_coordinate(to));
                inverse = coordinate_mul(inverse, p.zzz);
                // 1/ZZ = ZZ^2 / ZZZ^2.
                x = coordinate_canonical(coordinate_mul(p.x, coordinate_square(coordinate_mul(p.zz, by_zzz))));
                y = coordinate_canonical(coordinate_mul(p.y, by_zzz));
            }
            store_coordinate(to, x);
            store_coordinate(to + 1, y);
            if (i < items) break;
        }
    }
}
