// Elements of prime fields as FIELD_LIMBS limbs of 32 bits, eight, twelve or, with `limbs_24.h`, twenty-four, and the chains of carries that their arithmetic is made of.
//
// A chain adds double words side by side, of eight limbs four at limbs 0 to 7. Products of the even limbs of a factor lie that way, and those of its odd
// limbs too, one limb higher: so a number under way is kept as two rows of as many limbs, one of them shifted by one limb,
// and nothing has to be moved within a chain. NVIDIA's assembler makes one wide multiply-add of each pair
// `mad.lo.cc`, `madc.hi.cc`. The flag lives within one piece of inline PTX only; and `subc` means another flag than `addc`.
// Where there is no inline PTX, carries are the upper halves of 64-bit sums.

typedef struct {
    u32 limb[FIELD_LIMBS];
} fe;

#if FIELD_LIMBS != 8 && FIELD_LIMBS != 12 && FIELD_LIMBS != 24
#error "inline PTX adds and multiplies elements of eight limbs, twelve or twenty-four"
#endif

// Elements in memory are aligned to 16 bytes at least.
DEVICE fe load_fe(GLOBAL const fe *from) {
    fe x;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i += 4) {
        const uint4 four = ((GLOBAL const uint4 *)from)[i / 4];
        x.limb[i] = four.x, x.limb[i + 1] = four.y, x.limb[i + 2] = four.z, x.limb[i + 3] = four.w;
    }
    return x;
}

DEVICE void store_fe(GLOBAL fe *to, fe x) {
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i += 4) {
        uint4 four;
        four.x = x.limb[i], four.y = x.limb[i + 1], four.z = x.limb[i + 2], four.w = x.limb[i + 3];
        ((GLOBAL uint4 *)to)[i / 4] = four;
    }
}

DEVICE fe fe_select(u32 first, fe a, fe b) {
    fe r;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) r.limb[i] = first ? a.limb[i] : b.limb[i];
    return r;
}

DEVICE u32 fe_is_zero(fe a) {
    u32 any = 0;
    UNROLL
    for (int i = 0; i < FIELD_LIMBS; i++) any |= a.limb[i];
    return any == 0;
}

#ifdef INLINE_PTX

#if FIELD_LIMBS == 8

// a + b + carry modulo 2^256, for a carry of 0 or 1.
DEVICE fe fe_add_carry(fe a, fe b, u32 carry) {
    fe r;
    asm("{.reg .u32 t; add.cc.u32 t, %24, 0xffffffff;\n\t"
        "addc.cc.u32 %0, %8, %16;\n\t"
        "addc.cc.u32 %1, %9, %17;\n\t"
        "addc.cc.u32 %2, %10, %18;\n\t"
        "addc.cc.u32 %3, %11, %19;\n\t"
        "addc.cc.u32 %4, %12, %20;\n\t"
        "addc.cc.u32 %5, %13, %21;\n\t"
        "addc.cc.u32 %6, %14, %22;\n\t"
        "addc.u32 %7, %15, %23;}"
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7])
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]),
          "r"(b.limb[4]), "r"(b.limb[5]), "r"(b.limb[6]), "r"(b.limb[7]), "r"(carry));
    return r;
}

// a + b modulo 2^256.
DEVICE fe fe_add(fe a, fe b) {
    fe r;
    asm("add.cc.u32 %0, %8, %16;\n\t"
        "addc.cc.u32 %1, %9, %17;\n\t"
        "addc.cc.u32 %2, %10, %18;\n\t"
        "addc.cc.u32 %3, %11, %19;\n\t"
        "addc.cc.u32 %4, %12, %20;\n\t"
        "addc.cc.u32 %5, %13, %21;\n\t"
        "addc.cc.u32 %6, %14, %22;\n\t"
        "addc.u32 %7, %15, %23;"
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7])
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]),
          "r"(b.limb[4]), "r"(b.limb[5]), "r"(b.limb[6]), "r"(b.limb[7]));
    return r;
}

// a - b modulo 2^256; *borrow is all ones if a < b, else 0.
DEVICE fe fe_sub(fe a, fe b, u32 *borrow) {
    fe r;
    asm("sub.cc.u32 %0, %9, %17;\n\t"
        "subc.cc.u32 %1, %10, %18;\n\t"
        "subc.cc.u32 %2, %11, %19;\n\t"
        "subc.cc.u32 %3, %12, %20;\n\t"
        "subc.cc.u32 %4, %13, %21;\n\t"
        "subc.cc.u32 %5, %14, %22;\n\t"
        "subc.cc.u32 %6, %15, %23;\n\t"
        "subc.cc.u32 %7, %16, %24;\n\t"
        "subc.u32 %8, 0, 0;"
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(*borrow)
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]),
          "r"(b.limb[4]), "r"(b.limb[5]), "r"(b.limb[6]), "r"(b.limb[7]));
    return r;
}

#elif FIELD_LIMBS == 12

// a + b modulo 2^384.
DEVICE fe fe_add(fe a, fe b) {
    fe r;
    asm("add.cc.u32 %0, %12, %24;\n\t"
        "addc.cc.u32 %1, %13, %25;\n\t"
        "addc.cc.u32 %2, %14, %26;\n\t"
        "addc.cc.u32 %3, %15, %27;\n\t"
        "addc.cc.u32 %4, %16, %28;\n\t"
        "addc.cc.u32 %5, %17, %29;\n\t"
        "addc.cc.u32 %6, %18, %30;\n\t"
        "addc.cc.u32 %7, %19, %31;\n\t"
        "addc.cc.u32 %8, %20, %32;\n\t"
        "addc.cc.u32 %9, %21, %33;\n\t"
        "addc.cc.u32 %10, %22, %34;\n\t"
        "addc.u32 %11, %23, %35;"
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(r.limb[8]), "=&r"(r.limb[9]), "=&r"(r.limb[10]),
          "=&r"(r.limb[11])
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(a.limb[8]), "r"(a.limb[9]), "r"(a.limb[10]), "r"(a.limb[11]),
          "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]), "r"(b.limb[4]), "r"(b.limb[5]),
          "r"(b.limb[6]), "r"(b.limb[7]), "r"(b.limb[8]), "r"(b.limb[9]), "r"(b.limb[10]), "r"(b.limb[11]));
    return r;
}

// a - b modulo 2^384; *borrow is all ones if a < b, else 0.
DEVICE fe fe_sub(fe a, fe b, u32 *borrow) {
    fe r;
    asm("sub.cc.u32 %0, %13, %25;\n\t"
        "subc.cc.u32 %1, %14, %26;\n\t"
        "subc.cc.u32 %2, %15, %27;\n\t"
        "subc.cc.u32 %3, %16, %28;\n\t"
        "subc.cc.u32 %4, %17, %29;\n\t"
        "subc.cc.u32 %5, %18, %30;\n\t"
        "subc.cc.u32 %6, %19, %31;\n\t"
        "subc.cc.u32 %7, %20, %32;\n\t"
        "subc.cc.u32 %8, %21, %33;\n\t"
        "subc.cc.u32 %9, %22, %34;\n\t"
        "subc.cc.u32 %10, %23, %35;\n\t"
        "subc.cc.u32 %11, %24, %36;\n\t"
        "subc.u32 %12, 0, 0;"
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(r.limb[8]), "=&r"(r.limb[9]), "=&r"(r.limb[10]),
          "=&r"(r.limb[11]), "=&r"(*borrow)
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(a.limb[8]), "r"(a.limb[9]), "r"(a.limb[10]), "r"(a.limb[11]),
          "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]), "r"(b.limb[4]), "r"(b.limb[5]),
          "r"(b.limb[6]), "r"(b.limb[7]), "r"(b.limb[8]), "r"(b.limb[9]), "r"(b.limb[10]), "r"(b.limb[11]));
    return r;
}

#endif

// Two limbs more of a chain, the first two and others.
#define CHAIN_FIRST(t0, t1, a, b) "mad.lo.cc.u32 " t0 ", " a ", " b ", " t0 ";\n\tmadc.hi.cc.u32 " t1 ", " a ", " b ", " t1 ";\n\t"
#define CHAIN_NEXT(t0, t1, a, b) "madc.lo.cc.u32 " t0 ", " a ", " b ", " t0 ";\n\tmadc.hi.cc.u32 " t1 ", " a ", " b ", " t1 ";\n\t"

// (t[0] ... t[2 n - 1]) += (a0, a1, ...) b for n words of a; what does not fit is of no account.
DEVICE void chain_1(u32 *t, u32 a0, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%2", "%3")
        : "+&r"(t[0]), "+&r"(t[1])
        : "r"(a0), "r"(b));
}
DEVICE void chain_2(u32 *t, u32 a0, u32 a1, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%4", "%6")
        CHAIN_NEXT("%2", "%3", "%5", "%6")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3])
        : "r"(a0), "r"(a1), "r"(b));
}
DEVICE void chain_3(u32 *t, u32 a0, u32 a1, u32 a2, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%6", "%9")
        CHAIN_NEXT("%2", "%3", "%7", "%9")
        CHAIN_NEXT("%4", "%5", "%8", "%9")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5])
        : "r"(a0), "r"(a1), "r"(a2), "r"(b));
}
DEVICE void chain_4(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%8", "%12")
        CHAIN_NEXT("%2", "%3", "%9", "%12")
        CHAIN_NEXT("%4", "%5", "%10", "%12")
        CHAIN_NEXT("%6", "%7", "%11", "%12")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b));
}
#if FIELD_LIMBS == 12
DEVICE void chain_5(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%10", "%15")
        CHAIN_NEXT("%2", "%3", "%11", "%15")
        CHAIN_NEXT("%4", "%5", "%12", "%15")
        CHAIN_NEXT("%6", "%7", "%13", "%15")
        CHAIN_NEXT("%8", "%9", "%14", "%15")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(b));
}
DEVICE void chain_6(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%12", "%18")
        CHAIN_NEXT("%2", "%3", "%13", "%18")
        CHAIN_NEXT("%4", "%5", "%14", "%18")
        CHAIN_NEXT("%6", "%7", "%15", "%18")
        CHAIN_NEXT("%8", "%9", "%16", "%18")
        CHAIN_NEXT("%10", "%11", "%17", "%18")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(t[10]), "+&r"(t[11])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(b));
}
#endif

// The same with a carry out, which is added to *top.
DEVICE void chain_1_out(u32 *t, u32 a0, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%3", "%4")
        "addc.u32 %2, %2, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(*top)
        : "r"(a0), "r"(b));
}
DEVICE void chain_2_out(u32 *t, u32 a0, u32 a1, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%5", "%7")
        CHAIN_NEXT("%2", "%3", "%6", "%7")
        "addc.u32 %4, %4, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(*top)
        : "r"(a0), "r"(a1), "r"(b));
}
DEVICE void chain_3_out(u32 *t, u32 a0, u32 a1, u32 a2, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%7", "%10")
        CHAIN_NEXT("%2", "%3", "%8", "%10")
        CHAIN_NEXT("%4", "%5", "%9", "%10")
        "addc.u32 %6, %6, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(*top)
        : "r"(a0), "r"(a1), "r"(a2), "r"(b));
}
DEVICE void chain_4_out(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%9", "%13")
        CHAIN_NEXT("%2", "%3", "%10", "%13")
        CHAIN_NEXT("%4", "%5", "%11", "%13")
        CHAIN_NEXT("%6", "%7", "%12", "%13")
        "addc.u32 %8, %8, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(*top)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b));
}
#if FIELD_LIMBS == 12
DEVICE void chain_5_out(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%11", "%16")
        CHAIN_NEXT("%2", "%3", "%12", "%16")
        CHAIN_NEXT("%4", "%5", "%13", "%16")
        CHAIN_NEXT("%6", "%7", "%14", "%16")
        CHAIN_NEXT("%8", "%9", "%15", "%16")
        "addc.u32 %10, %10, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(*top)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(b));
}
DEVICE void chain_6_out(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%13", "%19")
        CHAIN_NEXT("%2", "%3", "%14", "%19")
        CHAIN_NEXT("%4", "%5", "%15", "%19")
        CHAIN_NEXT("%6", "%7", "%16", "%19")
        CHAIN_NEXT("%8", "%9", "%17", "%19")
        CHAIN_NEXT("%10", "%11", "%18", "%19")
        "addc.u32 %12, %12, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(t[10]), "+&r"(t[11]), "+&r"(*top)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(b));
}
#endif

// (t[0] ... t[2 n - 2]) += (a0, a1, ...) b, of the last product only the lower half.
DEVICE void chain_2_low(u32 *t, u32 a0, u32 a1, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%3", "%5")
        "madc.lo.u32 %2, %4, %5, %2;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2])
        : "r"(a0), "r"(a1), "r"(b));
}
DEVICE void chain_3_low(u32 *t, u32 a0, u32 a1, u32 a2, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%5", "%8")
        CHAIN_NEXT("%2", "%3", "%6", "%8")
        "madc.lo.u32 %4, %7, %8, %4;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4])
        : "r"(a0), "r"(a1), "r"(a2), "r"(b));
}
DEVICE void chain_4_low(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%7", "%11")
        CHAIN_NEXT("%2", "%3", "%8", "%11")
        CHAIN_NEXT("%4", "%5", "%9", "%11")
        "madc.lo.u32 %6, %10, %11, %6;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b));
}

#if FIELD_LIMBS == 8
// The carry of *low += more goes into (t[0] ... t[7]) += (a0, a1, a2, a3) m with m = *low times inverse, which is returned.
DEVICE u32 chain_in(u32 *low, u32 more, u32 inverse, u32 *t, u32 a0, u32 a1, u32 a2, u32 a3) {
    u32 m;
    asm("add.cc.u32 %8, %8, %10;\n\t"
        "mul.lo.u32 %9, %8, %11;\n\t"
        CHAIN_NEXT("%0", "%1", "%12", "%9")
        CHAIN_NEXT("%2", "%3", "%13", "%9")
        CHAIN_NEXT("%4", "%5", "%14", "%9")
        CHAIN_NEXT("%6", "%7", "%15", "%9")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(*low), "=&r"(m)
        : "r"(more), "r"(inverse), "r"(a0), "r"(a1), "r"(a2), "r"(a3));
    return m;
}

// The step of a reduction by p = 1 + p1 2^32 + p2 2^64 + p3 2^96 + 2^254: low and then m p, for m = -even[0], are added to the rows. Of eight products of limbs three are left, and carries
// go through additions, which take the units of products no time.
DEVICE void chain_sparse(u32 *even, u32 *odd, u32 low, u32 p1, u32 p2, u32 p3) {
    asm("{.reg .u32 m, l, h;\n\t"
        "add.cc.u32 %0, %0, %16;\n\t"
        "sub.u32 m, 0, %0;\n\t"
        "shl.b32 l, m, 30;\n\t"
        "shr.u32 h, m, 2;\n\t"
        CHAIN_NEXT("%8", "%9", "m", "%17")
        CHAIN_NEXT("%10", "%11", "m", "%19")
        "addc.cc.u32 %12, %12, 0;\n\t"
        "addc.cc.u32 %13, %13, 0;\n\t"
        "addc.cc.u32 %14, %14, l;\n\t"
        "addc.u32 %15, %15, h;\n\t"
        "add.cc.u32 %0, %0, m;\n\t"
        "addc.cc.u32 %1, %1, 0;\n\t"
        CHAIN_NEXT("%2", "%3", "m", "%18")
        "addc.cc.u32 %4, %4, 0;\n\t"
        "addc.cc.u32 %5, %5, 0;\n\t"
        "addc.cc.u32 %6, %6, 0;\n\t"
        "addc.cc.u32 %7, %7, 0;\n\t"
        "addc.u32 %15, %15, 0;}"
        : "+&r"(even[0]), "+&r"(even[1]), "+&r"(even[2]), "+&r"(even[3]), "+&r"(even[4]), "+&r"(even[5]),
          "+&r"(even[6]), "+&r"(even[7]), "+&r"(odd[0]), "+&r"(odd[1]), "+&r"(odd[2]), "+&r"(odd[3]), "+&r"(odd[4]),
          "+&r"(odd[5]), "+&r"(odd[6]), "+&r"(odd[7])
        : "r"(low), "r"(p1), "r"(p2), "r"(p3));
}
#elif FIELD_LIMBS == 12
// The same of twelve limbs.
DEVICE u32 chain_in(u32 *low, u32 more, u32 inverse, u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5) {
    u32 m;
    asm("add.cc.u32 %12, %12, %14;\n\t"
        "mul.lo.u32 %13, %12, %15;\n\t"
        CHAIN_NEXT("%0", "%1", "%16", "%13")
        CHAIN_NEXT("%2", "%3", "%17", "%13")
        CHAIN_NEXT("%4", "%5", "%18", "%13")
        CHAIN_NEXT("%6", "%7", "%19", "%13")
        CHAIN_NEXT("%8", "%9", "%20", "%13")
        CHAIN_NEXT("%10", "%11", "%21", "%13")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(t[10]), "+&r"(t[11]), "+&r"(*low), "=&r"(m)
        : "r"(more), "r"(inverse), "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5));
    return m;
}
#endif

// Every second limb of a factor, and the chains over as many.
#if FIELD_LIMBS == 8
#define EVERY_SECOND(x, i) x[i], x[i + 2], x[i + 4], x[i + 6]
#define chain_half chain_4
#define chain_half_out chain_4_out
#elif FIELD_LIMBS == 12
#define EVERY_SECOND(x, i) x[i], x[i + 2], x[i + 4], x[i + 6], x[i + 8], x[i + 10]
#define chain_half chain_6
#define chain_half_out chain_6_out
#endif

#else

DEVICE fe fe_add(fe a, fe b) {
    fe r;
    u64 carry = 0;
    for (int i = 0; i < FIELD_LIMBS; i++) {
        carry += (u64)a.limb[i] + b.limb[i];
        r.limb[i] = (u32)carry;
        carry >>= 32;
    }
    return r;
}

DEVICE fe fe_sub(fe a, fe b, u32 *borrow) {
    fe r;
    u64 under = 0;
    for (int i = 0; i < FIELD_LIMBS; i++) {
        const u64 difference = (u64)a.limb[i] - b.limb[i] - under;
        r.limb[i] = (u32)difference;
        under = difference >> 63;
    }
    *borrow = (u32)0 - (u32)under;
    return r;
}

#endif
