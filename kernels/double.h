// Doubles, where a program computes with them: bits, fused multiply-adds, additions rounded down and up.

#ifdef __OPENCL_VERSION__

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define FMA(a, b, c) fma(a, b, c)
#define DOUBLE_OF(high, low) as_double((u64)(high) << 32 | (u64)(low))
#define LOW_WORD(d) ((u32)as_ulong(d))
#define HIGH_WORD(d) ((u32)(as_ulong(d) >> 32))

#else

#define FMA(a, b, c) __fma_rn(a, b, c)
#define DOUBLE_OF(high, low) __hiloint2double((int)(high), (int)(low))
#define LOW_WORD(d) ((u32)__double2loint(d))
#define HIGH_WORD(d) ((u32)__double2hiint(d))

#endif

#ifdef INLINE_PTX

DEVICE double add_down(double a, double b) {
    double sum;
    asm("add.rm.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
    return sum;
}
DEVICE double add_up(double a, double b) {
    double sum;
    asm("add.rp.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
    return sum;
}

// The halves of two words, side by side: the lower half of each, the upper half of each.
DEVICE u32 lower_halves(u32 low, u32 high) {
    u32 halves;
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(halves) : "r"(low), "r"(high));
    return halves;
}
DEVICE u32 upper_and_lower_half(u32 low, u32 high) {
    u32 halves;
    asm("prmt.b32 %0, %1, %2, 0x5432;" : "=r"(halves) : "r"(low), "r"(high));
    return halves;
}

#else

DEVICE u32 lower_halves(u32 low, u32 high) { return (low & 0xffffu) | high << 16; }
DEVICE u32 upper_and_lower_half(u32 low, u32 high) { return low >> 16 | high << 16; }

#endif
