// Products without reduction, of twice as many limbs: what is made of several is reduced once. Of NVIDIA's devices alone, because compilers for
// processors take long over code without loops.

#ifdef INLINE_PTX

typedef struct {
    u32 limb[2 * FIELD_LIMBS];
} fe_wide;

#define FOUR_LIMBS(x, i) "r"(x.limb[i]), "r"(x.limb[i + 1]), "r"(x.limb[i + 2]), "r"(x.limb[i + 3])
#define SIXTEEN_LIMBS(x) FOUR_LIMBS(x, 0), FOUR_LIMBS(x, 4), FOUR_LIMBS(x, 8), FOUR_LIMBS(x, 12)
#define TO_FOUR_LIMBS(x, i) "=&r"(x.limb[i]), "=&r"(x.limb[i + 1]), "=&r"(x.limb[i + 2]), "=&r"(x.limb[i + 3])
#define TO_SIXTEEN_LIMBS(x) TO_FOUR_LIMBS(x, 0), TO_FOUR_LIMBS(x, 4), TO_FOUR_LIMBS(x, 8), TO_FOUR_LIMBS(x, 12)

// a + b modulo 2^512.
DEVICE fe_wide fe_wide_add(fe_wide a, fe_wide b) {
    fe_wide r;
    asm("add.cc.u32 %0, %16, %32;\n\t"
        "addc.cc.u32 %1, %17, %33;\n\t"
        "addc.cc.u32 %2, %18, %34;\n\t"
        "addc.cc.u32 %3, %19, %35;\n\t"
        "addc.cc.u32 %4, %20, %36;\n\t"
        "addc.cc.u32 %5, %21, %37;\n\t"
        "addc.cc.u32 %6, %22, %38;\n\t"
        "addc.cc.u32 %7, %23, %39;\n\t"
        "addc.cc.u32 %8, %24, %40;\n\t"
        "addc.cc.u32 %9, %25, %41;\n\t"
        "addc.cc.u32 %10, %26, %42;\n\t"
        "addc.cc.u32 %11, %27, %43;\n\t"
        "addc.cc.u32 %12, %28, %44;\n\t"
        "addc.cc.u32 %13, %29, %45;\n\t"
        "addc.cc.u32 %14, %30, %46;\n\t"
        "addc.cc.u32 %15, %31, %47;\n\t"
        : TO_SIXTEEN_LIMBS(r)
        : SIXTEEN_LIMBS(a), SIXTEEN_LIMBS(b));
    return r;
}

// a - b modulo 2^512; *borrow is all ones if a < b, else 0.
DEVICE fe_wide fe_wide_sub(fe_wide a, fe_wide b, u32 *borrow) {
    fe_wide r;
    asm("sub.cc.u32 %0, %17, %33;\n\t"
        "subc.cc.u32 %1, %18, %34;\n\t"
        "subc.cc.u32 %2, %19, %35;\n\t"
        "subc.cc.u32 %3, %20, %36;\n\t"
        "subc.cc.u32 %4, %21, %37;\n\t"
        "subc.cc.u32 %5, %22, %38;\n\t"
        "subc.cc.u32 %6, %23, %39;\n\t"
        "subc.cc.u32 %7, %24, %40;\n\t"
        "subc.cc.u32 %8, %25, %41;\n\t"
        "subc.cc.u32 %9, %26, %42;\n\t"
        "subc.cc.u32 %10, %27, %43;\n\t"
        "subc.cc.u32 %11, %28, %44;\n\t"
        "subc.cc.u32 %12, %29, %45;\n\t"
        "subc.cc.u32 %13, %30, %46;\n\t"
        "subc.cc.u32 %14, %31, %47;\n\t"
        "subc.cc.u32 %15, %32, %48;\n\t"
        "subc.u32 %16, 0, 0;"
        : TO_SIXTEEN_LIMBS(r), "=&r"(*borrow)
        : SIXTEEN_LIMBS(a), SIXTEEN_LIMBS(b));
    return r;
}

// a b, in two rows of products side by side, as in `limbs.h`. A row's highest limb so far is a carry at most when a product is added there.
DEVICE fe_wide fe_mul_wide(fe a, fe b) {
    u32 even[16], odd[16];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        const u64 e = mul_wide(a.limb[i], b.limb[0]), o = mul_wide(a.limb[i + 1], b.limb[0]);
        even[i] = (u32)e, even[i + 1] = (u32)(e >> 32);
        odd[i] = (u32)o, odd[i + 1] = (u32)(o >> 32);
    }
    UNROLL
    for (int i = 8; i < 16; i++) even[i] = odd[i] = 0;
    UNROLL
    for (int i = 1; i < 8; i += 2) {
        chain_4_out(odd + i - 1, a.limb[0], a.limb[2], a.limb[4], a.limb[6], b.limb[i], &odd[i + 7]);
        chain_4(even + i + 1, a.limb[1], a.limb[3], a.limb[5], a.limb[7], b.limb[i]);
        if (i == 7) continue;
        chain_4_out(even + i + 1, a.limb[0], a.limb[2], a.limb[4], a.limb[6], b.limb[i + 1], &even[i + 9]);
        chain_4(odd + i + 1, a.limb[1], a.limb[3], a.limb[5], a.limb[7], b.limb[i + 1]);
    }
    fe_wide x, y;
    UNROLL
    for (int i = 0; i < 16; i++) x.limb[i] = even[i], y.limb[i] = i == 0 ? 0 : odd[i - 1];
    return fe_wide_add(x, y);
}

// t / R and less than p more, for t below R (R - p). The steps of `fq_mul`, with limbs that come in at the top, which is why p must be below 2^254: a
// row that holds a limb has room for the product with the highest limb of p.
DEVICE fe fq_reduce_wide(fe_wide t) {
    u32 even[8], odd[8], low = 0;
    UNROLL
    for (int i = 0; i < 8; i++) even[i] = t.limb[i], odd[i] = 0;
    UNROLL
    for (int i = 0; i < 8; i++) {
        if (i > 0) {
            low = fq_shift(even, odd);
            odd[6] = t.limb[i + 7];
        }
        if (i == 7) odd[7] = t.limb[15];
        fq_reduce(even, odd, low);
    }
    return fq_join(even, odd);
}

#endif
