// Products without reduction, of twice as many limbs: what is made of several is reduced once. Of NVIDIA's devices alone, because compilers for
// processors take long over code without loops.

#ifdef INLINE_PTX

typedef struct {
    u32 limb[2 * FIELD_LIMBS];
} fe_wide;

#define FOUR_LIMBS(x, i) "r"(x.limb[i]), "r"(x.limb[i + 1]), "r"(x.limb[i + 2]), "r"(x.limb[i + 3])
#define TO_FOUR_LIMBS(x, i) "=&r"(x.limb[i]), "=&r"(x.limb[i + 1]), "=&r"(x.limb[i + 2]), "=&r"(x.limb[i + 3])
#define SIXTEEN_LIMBS(four, x) four(x, 0), four(x, 4), four(x, 8), four(x, 12)
#if FIELD_LIMBS == 8
#define ALL_LIMBS(x) SIXTEEN_LIMBS(FOUR_LIMBS, x)
#define TO_ALL_LIMBS(x) SIXTEEN_LIMBS(TO_FOUR_LIMBS, x)
#else
#define ALL_LIMBS(x) SIXTEEN_LIMBS(FOUR_LIMBS, x), FOUR_LIMBS(x, 16), FOUR_LIMBS(x, 20)
#define TO_ALL_LIMBS(x) SIXTEEN_LIMBS(TO_FOUR_LIMBS, x), TO_FOUR_LIMBS(x, 16), TO_FOUR_LIMBS(x, 20)
#endif

#if FIELD_LIMBS == 8

// a + b modulo R^2.
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
        : TO_ALL_LIMBS(r)
        : ALL_LIMBS(a), ALL_LIMBS(b));
    return r;
}

// a - b modulo R^2; *borrow is all ones if a < b, else 0.
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
        : TO_ALL_LIMBS(r), "=&r"(*borrow)
        : ALL_LIMBS(a), ALL_LIMBS(b));
    return r;
}

#else

// a + b modulo R^2.
DEVICE fe_wide fe_wide_add(fe_wide a, fe_wide b) {
    fe_wide r;
    asm("add.cc.u32 %0, %24, %48;\n\t"
        "addc.cc.u32 %1, %25, %49;\n\t"
        "addc.cc.u32 %2, %26, %50;\n\t"
        "addc.cc.u32 %3, %27, %51;\n\t"
        "addc.cc.u32 %4, %28, %52;\n\t"
        "addc.cc.u32 %5, %29, %53;\n\t"
        "addc.cc.u32 %6, %30, %54;\n\t"
        "addc.cc.u32 %7, %31, %55;\n\t"
        "addc.cc.u32 %8, %32, %56;\n\t"
        "addc.cc.u32 %9, %33, %57;\n\t"
        "addc.cc.u32 %10, %34, %58;\n\t"
        "addc.cc.u32 %11, %35, %59;\n\t"
        "addc.cc.u32 %12, %36, %60;\n\t"
        "addc.cc.u32 %13, %37, %61;\n\t"
        "addc.cc.u32 %14, %38, %62;\n\t"
        "addc.cc.u32 %15, %39, %63;\n\t"
        "addc.cc.u32 %16, %40, %64;\n\t"
        "addc.cc.u32 %17, %41, %65;\n\t"
        "addc.cc.u32 %18, %42, %66;\n\t"
        "addc.cc.u32 %19, %43, %67;\n\t"
        "addc.cc.u32 %20, %44, %68;\n\t"
        "addc.cc.u32 %21, %45, %69;\n\t"
        "addc.cc.u32 %22, %46, %70;\n\t"
        "addc.cc.u32 %23, %47, %71;"
        : TO_ALL_LIMBS(r)
        : ALL_LIMBS(a), ALL_LIMBS(b));
    return r;
}

// a - b modulo R^2; *borrow is all ones if a < b, else 0.
DEVICE fe_wide fe_wide_sub(fe_wide a, fe_wide b, u32 *borrow) {
    fe_wide r;
    asm("sub.cc.u32 %0, %25, %49;\n\t"
        "subc.cc.u32 %1, %26, %50;\n\t"
        "subc.cc.u32 %2, %27, %51;\n\t"
        "subc.cc.u32 %3, %28, %52;\n\t"
        "subc.cc.u32 %4, %29, %53;\n\t"
        "subc.cc.u32 %5, %30, %54;\n\t"
        "subc.cc.u32 %6, %31, %55;\n\t"
        "subc.cc.u32 %7, %32, %56;\n\t"
        "subc.cc.u32 %8, %33, %57;\n\t"
        "subc.cc.u32 %9, %34, %58;\n\t"
        "subc.cc.u32 %10, %35, %59;\n\t"
        "subc.cc.u32 %11, %36, %60;\n\t"
        "subc.cc.u32 %12, %37, %61;\n\t"
        "subc.cc.u32 %13, %38, %62;\n\t"
        "subc.cc.u32 %14, %39, %63;\n\t"
        "subc.cc.u32 %15, %40, %64;\n\t"
        "subc.cc.u32 %16, %41, %65;\n\t"
        "subc.cc.u32 %17, %42, %66;\n\t"
        "subc.cc.u32 %18, %43, %67;\n\t"
        "subc.cc.u32 %19, %44, %68;\n\t"
        "subc.cc.u32 %20, %45, %69;\n\t"
        "subc.cc.u32 %21, %46, %70;\n\t"
        "subc.cc.u32 %22, %47, %71;\n\t"
        "subc.cc.u32 %23, %48, %72;\n\t"
        "subc.u32 %24, 0, 0;"
        : TO_ALL_LIMBS(r), "=&r"(*borrow)
        : ALL_LIMBS(a), ALL_LIMBS(b));
    return r;
}

#endif

// a b, in two rows of products side by side, as in `limbs.h`. A row's highest limb so far is a carry at most when a product is added there.
DEVICE fe_wide fe_mul_wide(fe a, fe b) {
    u32 even[2 * FIELD_LIMBS], odd[2 * FIELD_LIMBS];
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i += 2) {
        const u64 e = mul_wide(a.limb[i], b.limb[0]), o = mul_wide(a.limb[i + 1], b.limb[0]);
        even[i] = (u32)e, even[i + 1] = (u32)(e >> 32);
        odd[i] = (u32)o, odd[i + 1] = (u32)(o >> 32);
    }
    UNROLL
    for (int i = FIELD_LIMBS; i < 2 * FIELD_LIMBS; i++) even[i] = odd[i] = 0;
    UNROLL
    for (int i = 1; i < FIELD_LIMBS; i += 2) {
        chain_half_out(odd + i - 1, EVERY_SECOND(a.limb, 0), b.limb[i], &odd[i + FIELD_LIMBS - 1]);
        chain_half(even + i + 1, EVERY_SECOND(a.limb, 1), b.limb[i]);
        if (i == FIELD_LIMBS - 1) continue;
        chain_half_out(even + i + 1, EVERY_SECOND(a.limb, 0), b.limb[i + 1], &even[i + FIELD_LIMBS + 1]);
        chain_half(odd + i + 1, EVERY_SECOND(a.limb, 1), b.limb[i + 1]);
    }
    fe_wide x, y;
    UNROLL
    for (int i = 0; i < 2 * FIELD_LIMBS; i++) x.limb[i] = even[i], y.limb[i] = i == 0 ? 0 : odd[i - 1];
    return fe_wide_add(x, y);
}

// t / R and less than p more, for t below R (R - p). The steps of `fq_mul`, with limbs that come in at the top, which is why p must be below R / 4: a
// row that holds a limb has room for the product with the highest limb of p.
DEVICE fe fq_reduce_wide(fe_wide t) {
    u32 even[FIELD_LIMBS], odd[FIELD_LIMBS], low = 0;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) even[i] = t.limb[i], odd[i] = 0;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) {
        if (i > 0) {
            low = fq_shift(even, odd);
            odd[FIELD_LIMBS - 2] = t.limb[i + FIELD_LIMBS - 1];
        }
        if (i == FIELD_LIMBS - 1) odd[FIELD_LIMBS - 1] = t.limb[2 * FIELD_LIMBS - 1];
        fq_reduce(even, odd, low);
    }
    return fq_join(even, odd);
}

#endif
