// Sums of products of elements, of less than 2^31 of them; over Goldilocks they are reduced once, at the end.

#ifdef FIELD_LIMBS

// Reduced each time: a product that is not has twice as many limbs, and registers are scarce.
typedef fe element_sum;

DEVICE element_sum sum_of_none(void) { return fr_zero(); }
DEVICE element_sum sum_and_product(element_sum sum, element a, element b) { return fr_add(sum, fr_mul(a, b)); }
DEVICE element sum_as_element(element_sum sum) { return fr_canonical(sum); }
DEVICE element sum_of_two(element a, element b) { return fr_add(a, b); }

#else

DEVICE element sum_of_two(element a, element b) { return gl_add(a, b); }

// low + 2^64 high + 2^128 top: 2^128 = -2^32, and 2^32 times a word of 32 bits is canonical.
DEVICE element three_words(u64 low, u64 high, u32 top) { return gl_sub(gl_reduce(low, high), (u64)top << 32); }

#ifdef INLINE_PTX

// Two rows of limbs of 32 bits, as in limbs.h: products of limbs of the same parity, and those of limbs of different parity, one limb
// higher. So a product takes four wide multiply-adds and three additions of carries.
typedef struct {
    u32 even[5], odd[3];
} element_sum;

DEVICE element_sum sum_of_none(void) {
    const element_sum sum = {{0, 0, 0, 0, 0}, {0, 0, 0}};
    return sum;
}

DEVICE element_sum sum_and_product(element_sum sum, element a, element b) {
    asm("mad.lo.cc.u32 %0, %8, %10, %0;\n\t"
        "madc.hi.cc.u32 %1, %8, %10, %1;\n\t"
        "madc.lo.cc.u32 %2, %9, %11, %2;\n\t"
        "madc.hi.cc.u32 %3, %9, %11, %3;\n\t"
        "addc.u32 %4, %4, 0;\n\t"
        "mad.lo.cc.u32 %5, %8, %11, %5;\n\t"
        "madc.hi.cc.u32 %6, %8, %11, %6;\n\t"
        "addc.u32 %7, %7, 0;\n\t"
        "mad.lo.cc.u32 %5, %9, %10, %5;\n\t"
        "madc.hi.cc.u32 %6, %9, %10, %6;\n\t"
        "addc.u32 %7, %7, 0;"
        : "+&r"(sum.even[0]), "+&r"(sum.even[1]), "+&r"(sum.even[2]), "+&r"(sum.even[3]), "+&r"(sum.even[4]),
          "+&r"(sum.odd[0]), "+&r"(sum.odd[1]), "+&r"(sum.odd[2])
        : "r"((u32)a), "r"((u32)(a >> 32)), "r"((u32)b), "r"((u32)(b >> 32)));
    return sum;
}

DEVICE element sum_as_element(element_sum sum) {
    u32 carry, over, over_again;
    const u64 low = add_carry((u64)sum.even[1] << 32 | sum.even[0], (u64)sum.odd[0] << 32, &carry);
    const u64 high = add_carry((u64)sum.even[3] << 32 | sum.even[2], (u64)sum.odd[2] << 32 | sum.odd[1], &over);
    const u64 more = add_carry(high, carry, &over_again);
    return three_words(low, more, sum.even[4] + over + over_again);
}

#else

typedef struct {
    u64 low, high;
    u32 top;
} element_sum;

DEVICE element_sum sum_of_none(void) {
    const element_sum sum = {0, 0, 0};
    return sum;
}

DEVICE element_sum sum_and_product(element_sum sum, element a, element b) {
    u64 low, high;
    u32 carry, over, over_again;
    mul_full(a, b, &low, &high);
    sum.low = add_carry(sum.low, low, &carry);
    sum.high = add_carry(sum.high, high, &over);
    sum.high = add_carry(sum.high, carry, &over_again);
    sum.top += over + over_again;
    return sum;
}

DEVICE element sum_as_element(element_sum sum) { return three_words(sum.low, sum.high, sum.top); }

#endif
#endif
