// One dialect of C for two compilers: OpenCL C 1.2, and CUDA C++ through NVRTC. Kernels are written in these names only.
//
// A kernel's parameters are buffers and 64-bit words, nothing else. A buffer travels as a pointer and an offset in
// elements, because OpenCL has no pointers into the middle of a buffer: declare it with BUFFER(type, name) and use
// it through AT(name). What the launch calls items is reached by FOR_EACH, whatever their number.
//
// BARRIER orders accesses to work-group memory among the items of a group, BARRIER_GLOBAL those to buffers too. A
// BOUNDED_KERNEL is launched with groups of at most `items`, and registers allow `groups` of them on a multiprocessor; a
// FIXED_KERNEL with groups of exactly `items`.

#ifdef __OPENCL_VERSION__

typedef ulong u64;
typedef uint u32;
typedef uchar u8;

#define KERNEL __kernel
#define BOUNDED_KERNEL(items, groups) __kernel void
#define FIXED_KERNEL(items, groups) __attribute__((reqd_work_group_size(items, 1, 1))) __kernel void
// The compiler decides what to inline: forcing it makes CPU devices compile for minutes.
#define DEVICE static
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER __local
// Pointers to buffers, in work-group memory.
#define LOCAL_POINTERS(type, name, count) GLOBAL type *__local name[count]
#define CONSTANT __constant
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define UNROLL _Pragma("unroll")
#define UNROLL_BY_4 _Pragma("unroll 4")
#define NO_UNROLL _Pragma("unroll 1")

DEVICE u64 local_id(void) { return get_local_id(0); }
DEVICE u64 local_size(void) { return get_local_size(0); }
DEVICE u64 group_id(void) { return get_group_id(0); }
DEVICE u64 global_id(void) { return get_global_id(0); }
DEVICE u64 global_size(void) { return get_global_size(0); }

// The upper half of a 128-bit product.
DEVICE u64 mul_high(u64 a, u64 b) { return mul_hi(a, b); }
DEVICE u32 rotate_right(u32 x, u32 n) { return rotate(x, 32 - n); }
DEVICE u32 reverse32(u32 x) {
    x = (x & 0xaaaaaaaau) >> 1 | (x & 0x55555555u) << 1;
    x = (x & 0xccccccccu) >> 2 | (x & 0x33333333u) << 2;
    x = (x & 0xf0f0f0f0u) >> 4 | (x & 0x0f0f0f0fu) << 4;
    x = (x & 0xff00ff00u) >> 8 | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

// Two neighbouring words, aligned to 16 bytes.
DEVICE void load_pair(GLOBAL const u64 *from, u64 *a, u64 *b) {
    ulong2 pair = vload2(0, from);
    *a = pair.x;
    *b = pair.y;
}

#else

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned char u8;

#define KERNEL extern "C" __global__
#define BOUNDED_KERNEL(items, groups) extern "C" __global__ void __launch_bounds__(items, groups)
#define FIXED_KERNEL(items, groups) BOUNDED_KERNEL(items, groups)
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER
#define LOCAL_POINTERS(type, name, count) __shared__ type *name[count]
#define CONSTANT static __constant__ const
#define BARRIER() __syncthreads()
#define BARRIER_GLOBAL() __syncthreads()
#define UNROLL _Pragma("unroll")
#define UNROLL_BY_4 _Pragma("unroll 4")
#define NO_UNROLL _Pragma("unroll 1")

DEVICE u64 local_id(void) { return threadIdx.x; }
DEVICE u64 local_size(void) { return blockDim.x; }
DEVICE u64 group_id(void) { return blockIdx.x; }
DEVICE u64 global_id(void) { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE u64 global_size(void) { return (u64)gridDim.x * blockDim.x; }

DEVICE u64 mul_high(u64 a, u64 b) { return __umul64hi(a, b); }
DEVICE u32 rotate_right(u32 x, u32 n) { return __funnelshift_r(x, x, n); }
DEVICE u32 reverse32(u32 x) { return __brev(x); }

DEVICE void load_pair(GLOBAL const u64 *from, u64 *a, u64 *b) {
    ulonglong2 pair = __ldg((const ulonglong2 *)from);
    *a = pair.x;
    *b = pair.y;
}

#endif

// PTX can be written inside C for CUDA, and in NVIDIA's OpenCL.
#if !defined(__OPENCL_VERSION__) || defined(__NV_CL_C_VERSION)
#define INLINE_PTX
#endif

// The whole product of two words of 32 bits.
DEVICE u64 mul_wide(u32 a, u32 b) {
#ifdef INLINE_PTX
    // Of the C form the compiler makes a 64-bit product with additions of zero.
    u64 product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (u64)a * b;
#endif
}

// The whole product of two words of 64 bits.
DEVICE void mul_full(u64 a, u64 b, u64 *low, u64 *high) {
#ifdef INLINE_PTX
    // The assembler makes four multiply-adds and three additions of this; of a product and its upper half apart, three more.
    u32 r0, r1, r2, r3;
    asm("{\n\t"
        ".reg .u64 p, m;\n\t"
        ".reg .u32 p1, m0, m1, carry;\n\t"
        "mul.wide.u32 p, %4, %6;\n\t"
        "mul.wide.u32 m, %4, %7;\n\t"
        "mov.b64 {%0, p1}, p;\n\t"
        "mov.b64 {m0, m1}, m;\n\t"
        "mad.lo.cc.u32 m0, %5, %6, m0;\n\t"
        "madc.hi.cc.u32 m1, %5, %6, m1;\n\t"
        "addc.u32 carry, 0, 0;\n\t"
        "add.cc.u32 %1, p1, m0;\n\t"
        "madc.lo.cc.u32 %2, %5, %7, m1;\n\t"
        "madc.hi.u32 %3, %5, %7, carry;\n\t"
        "}"
        : "=&r"(r0), "=&r"(r1), "=&r"(r2), "=&r"(r3)
        : "r"((u32)a), "r"((u32)(a >> 32)), "r"((u32)b), "r"((u32)(b >> 32)));
    *low = (u64)r1 << 32 | r0;
    *high = (u64)r3 << 32 | r2;
#else
    *low = a * b;
    *high = mul_high(a, b);
#endif
}

// The lowest `bits` bits of x in reverse; those above must be zero.
DEVICE u32 reverse_bits(u32 x, u32 bits) { return bits == 0 ? 0 : reverse32(x) >> (32 - bits); }

// A pointer moved by a number of bytes.
#define BEHIND(type, pointer, bytes) ((type *)((GLOBAL u8 *)(pointer) + (bytes)))

#define BUFFER(type, name) GLOBAL type *name##_base, u64 name##_offset
#define AT(name) (name##_base + name##_offset)
#define FOR_EACH(i, count) for (u64 i = global_id(); i < (count); i += global_size())

// The same for kernels whose registers are scarce. CUDA launches as many items as there are things, so that each has at
// most one, and nothing need be kept for a second.
#ifdef __OPENCL_VERSION__
#define FOR_ONE(i, count) FOR_EACH(i, count)
#else
#define FOR_ONE(i, count) for (u64 i = global_id(), i##_end = (count); i < i##_end; i = i##_end)
#endif

// a + b and whether it carried; a - b and whether it borrowed.
DEVICE u64 add_carry(u64 a, u64 b, u32 *carry) {
    u64 sum = a + b;
    *carry = sum < a;
    return sum;
}

DEVICE u64 sub_borrow(u64 a, u64 b, u32 *borrow) {
    *borrow = a < b;
    return a - b;
}
