// What `limbs.h` has for elements of eight limbs or twelve, for twenty-four: sums, differences, and the chains of products of every second limb.

#ifdef INLINE_PTX

// a + b modulo 2^768.
DEVICE fe fe_add(fe a, fe b) {
    fe r;
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
        "addc.u32 %23, %47, %71;"
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(r.limb[8]), "=&r"(r.limb[9]), "=&r"(r.limb[10]),
          "=&r"(r.limb[11]), "=&r"(r.limb[12]), "=&r"(r.limb[13]), "=&r"(r.limb[14]), "=&r"(r.limb[15]),
          "=&r"(r.limb[16]), "=&r"(r.limb[17]), "=&r"(r.limb[18]), "=&r"(r.limb[19]), "=&r"(r.limb[20]),
          "=&r"(r.limb[21]), "=&r"(r.limb[22]), "=&r"(r.limb[23])
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(a.limb[8]), "r"(a.limb[9]), "r"(a.limb[10]), "r"(a.limb[11]),
          "r"(a.limb[12]), "r"(a.limb[13]), "r"(a.limb[14]), "r"(a.limb[15]), "r"(a.limb[16]), "r"(a.limb[17]),
          "r"(a.limb[18]), "r"(a.limb[19]), "r"(a.limb[20]), "r"(a.limb[21]), "r"(a.limb[22]), "r"(a.limb[23]),
          "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]), "r"(b.limb[4]), "r"(b.limb[5]),
          "r"(b.limb[6]), "r"(b.limb[7]), "r"(b.limb[8]), "r"(b.limb[9]), "r"(b.limb[10]), "r"(b.limb[11]),
          "r"(b.limb[12]), "r"(b.limb[13]), "r"(b.limb[14]), "r"(b.limb[15]), "r"(b.limb[16]), "r"(b.limb[17]),
          "r"(b.limb[18]), "r"(b.limb[19]), "r"(b.limb[20]), "r"(b.limb[21]), "r"(b.limb[22]), "r"(b.limb[23]));
    return r;
}

// a - b modulo 2^768; *borrow is all ones if a < b, else 0.
DEVICE fe fe_sub(fe a, fe b, u32 *borrow) {
    fe r;
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
        : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
          "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(r.limb[8]), "=&r"(r.limb[9]), "=&r"(r.limb[10]),
          "=&r"(r.limb[11]), "=&r"(r.limb[12]), "=&r"(r.limb[13]), "=&r"(r.limb[14]), "=&r"(r.limb[15]),
          "=&r"(r.limb[16]), "=&r"(r.limb[17]), "=&r"(r.limb[18]), "=&r"(r.limb[19]), "=&r"(r.limb[20]),
          "=&r"(r.limb[21]), "=&r"(r.limb[22]), "=&r"(r.limb[23]), "=&r"(*borrow)
        : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]),
          "r"(a.limb[6]), "r"(a.limb[7]), "r"(a.limb[8]), "r"(a.limb[9]), "r"(a.limb[10]), "r"(a.limb[11]),
          "r"(a.limb[12]), "r"(a.limb[13]), "r"(a.limb[14]), "r"(a.limb[15]), "r"(a.limb[16]), "r"(a.limb[17]),
          "r"(a.limb[18]), "r"(a.limb[19]), "r"(a.limb[20]), "r"(a.limb[21]), "r"(a.limb[22]), "r"(a.limb[23]),
          "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]), "r"(b.limb[4]), "r"(b.limb[5]),
          "r"(b.limb[6]), "r"(b.limb[7]), "r"(b.limb[8]), "r"(b.limb[9]), "r"(b.limb[10]), "r"(b.limb[11]),
          "r"(b.limb[12]), "r"(b.limb[13]), "r"(b.limb[14]), "r"(b.limb[15]), "r"(b.limb[16]), "r"(b.limb[17]),
          "r"(b.limb[18]), "r"(b.limb[19]), "r"(b.limb[20]), "r"(b.limb[21]), "r"(b.limb[22]), "r"(b.limb[23]));
    return r;
}

// The chains of `limbs.h` for twelve words of a, without a carry out and with one.
DEVICE void chain_12(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 a6, u32 a7, u32 a8, u32 a9, u32 a10, u32 a11, u32 b) {
    asm(CHAIN_FIRST("%0", "%1", "%24", "%36")
        CHAIN_NEXT("%2", "%3", "%25", "%36")
        CHAIN_NEXT("%4", "%5", "%26", "%36")
        CHAIN_NEXT("%6", "%7", "%27", "%36")
        CHAIN_NEXT("%8", "%9", "%28", "%36")
        CHAIN_NEXT("%10", "%11", "%29", "%36")
        CHAIN_NEXT("%12", "%13", "%30", "%36")
        CHAIN_NEXT("%14", "%15", "%31", "%36")
        CHAIN_NEXT("%16", "%17", "%32", "%36")
        CHAIN_NEXT("%18", "%19", "%33", "%36")
        CHAIN_NEXT("%20", "%21", "%34", "%36")
        CHAIN_NEXT("%22", "%23", "%35", "%36")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(t[10]), "+&r"(t[11]), "+&r"(t[12]), "+&r"(t[13]), "+&r"(t[14]),
          "+&r"(t[15]), "+&r"(t[16]), "+&r"(t[17]), "+&r"(t[18]), "+&r"(t[19]), "+&r"(t[20]), "+&r"(t[21]),
          "+&r"(t[22]), "+&r"(t[23])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7), "r"(a8), "r"(a9), "r"(a10),
          "r"(a11), "r"(b));
}
DEVICE void chain_12_out(u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 a6, u32 a7, u32 a8, u32 a9, u32 a10, u32 a11, u32 b, u32 *top) {
    asm(CHAIN_FIRST("%0", "%1", "%25", "%37")
        CHAIN_NEXT("%2", "%3", "%26", "%37")
        CHAIN_NEXT("%4", "%5", "%27", "%37")
        CHAIN_NEXT("%6", "%7", "%28", "%37")
        CHAIN_NEXT("%8", "%9", "%29", "%37")
        CHAIN_NEXT("%10", "%11", "%30", "%37")
        CHAIN_NEXT("%12", "%13", "%31", "%37")
        CHAIN_NEXT("%14", "%15", "%32", "%37")
        CHAIN_NEXT("%16", "%17", "%33", "%37")
        CHAIN_NEXT("%18", "%19", "%34", "%37")
        CHAIN_NEXT("%20", "%21", "%35", "%37")
        CHAIN_NEXT("%22", "%23", "%36", "%37")
        "addc.u32 %24, %24, 0;"
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(t[10]), "+&r"(t[11]), "+&r"(t[12]), "+&r"(t[13]), "+&r"(t[14]),
          "+&r"(t[15]), "+&r"(t[16]), "+&r"(t[17]), "+&r"(t[18]), "+&r"(t[19]), "+&r"(t[20]), "+&r"(t[21]),
          "+&r"(t[22]), "+&r"(t[23]), "+&r"(*top)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7), "r"(a8), "r"(a9), "r"(a10),
          "r"(a11), "r"(b));
}

// The carry of *low += more goes into t += (a0, a1, ...) m with m = *low times inverse, which is returned.
DEVICE u32 chain_in(u32 *low, u32 more, u32 inverse, u32 *t, u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 a6, u32 a7, u32 a8, u32 a9, u32 a10, u32 a11) {
    u32 m;
    asm("add.cc.u32 %24, %24, %26;\n\t"
        "mul.lo.u32 %25, %24, %27;\n\t"
        CHAIN_NEXT("%0", "%1", "%28", "%25")
        CHAIN_NEXT("%2", "%3", "%29", "%25")
        CHAIN_NEXT("%4", "%5", "%30", "%25")
        CHAIN_NEXT("%6", "%7", "%31", "%25")
        CHAIN_NEXT("%8", "%9", "%32", "%25")
        CHAIN_NEXT("%10", "%11", "%33", "%25")
        CHAIN_NEXT("%12", "%13", "%34", "%25")
        CHAIN_NEXT("%14", "%15", "%35", "%25")
        CHAIN_NEXT("%16", "%17", "%36", "%25")
        CHAIN_NEXT("%18", "%19", "%37", "%25")
        CHAIN_NEXT("%20", "%21", "%38", "%25")
        CHAIN_NEXT("%22", "%23", "%39", "%25")
        : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]), "+&r"(t[6]), "+&r"(t[7]),
          "+&r"(t[8]), "+&r"(t[9]), "+&r"(t[10]), "+&r"(t[11]), "+&r"(t[12]), "+&r"(t[13]), "+&r"(t[14]),
          "+&r"(t[15]), "+&r"(t[16]), "+&r"(t[17]), "+&r"(t[18]), "+&r"(t[19]), "+&r"(t[20]), "+&r"(t[21]),
          "+&r"(t[22]), "+&r"(t[23]), "+&r"(*low), "=&r"(m)
        : "r"(more), "r"(inverse), "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7), "r"(a8),
          "r"(a9), "r"(a10), "r"(a11));
    return m;
}

#define EVERY_SECOND(x, i)                                                                                             \
    x[i], x[i + 2], x[i + 4], x[i + 6], x[i + 8], x[i + 10], x[i + 12], x[i + 14], x[i + 16], x[i + 18], x[i + 20], x[i + 22]
#define chain_half chain_12
#define chain_half_out chain_12_out

#endif
