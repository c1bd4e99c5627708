// One small dialect for CUDA C++ and OpenCL C 1.2: what differs between the two is named here and nowhere else.
#ifndef ZK_DIALECT_H
#define ZK_DIALECT_H

#ifdef __CUDACC__
typedef unsigned long long u64;
typedef unsigned int u32;
typedef int i32;
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_PTR
#define CONSTANT const
#define FN static __device__ __forceinline__
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()
#define LOCAL_ID ((u32)threadIdx.x)
#define GROUP_ID ((u64)blockIdx.x)
#define GROUP_SIZE(threads, groups) __launch_bounds__(threads, groups)
#define UNROLL _Pragma("unroll")
#define MUL_HI64(a, b) __umul64hi(a, b)
#define REVERSE32(x) __brev(x)
#define LOAD_TABLE(p) __ldg(p)
FN u64 wide(u32 a, u32 b) { return (u64)a * b; }
// Two neighbouring words, 16-byte aligned, in one load.
FN void load_pair(const u64 *p, u64 *a, u64 *b) {
    const ulonglong2 v = __ldg((const ulonglong2 *)p);
    *a = v.x;
    *b = v.y;
}
// Two 16-bit halves side by side: the lower one from lo, the upper one the low half of hi.
#define LOW_LOW(lo, hi) __byte_perm(lo, hi, 0x5410)
#define HIGH_LOW(lo, hi) __byte_perm(lo, hi, 0x5432)
// A constant that the compiler cannot see, so that it stays in a register instead of being moved there before every use.
FN u32 opaque(u32 x) {
    u32 r;
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0xffffffff;" : "=r"(r) : "r"(x));
    return r;
}
#define DOUBLE_OF(hi, lo) __hiloint2double((int)(hi), (int)(lo))
#define DOUBLE_LO(d) ((u32)__double2loint(d))
#define DOUBLE_HI(d) ((u32)__double2hiint(d))
#define FMA(a, b, c) __fma_rn(a, b, c)
#else
#ifdef NTT_FORM_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#endif
typedef ulong u64;
typedef uint u32;
typedef int i32;
#define KERNEL __kernel void
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_PTR __local
#define CONSTANT __constant
#define FN static inline
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID ((u32)get_local_id(0))
#define GROUP_ID ((u64)get_group_id(0))
#define GROUP_SIZE(threads, groups) __attribute__((reqd_work_group_size(threads, 1, 1)))
#define UNROLL _Pragma("unroll")
#define MUL_HI64(a, b) mul_hi((ulong)(a), (ulong)(b))
#define LOAD_TABLE(p) (*(p))
FN u32 reverse32(u32 x) {
    x = (x >> 16) | (x << 16);
    x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
    x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
    return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}
#define REVERSE32(x) reverse32(x)
FN u64 wide(u32 a, u32 b) { return (u64)a * b; }
FN void load_pair(const GLOBAL u64 *p, u64 *a, u64 *b) {
    const ulong2 v = vload2(0, p);
    *a = v.x;
    *b = v.y;
}
#define opaque(x) (x)
#define LOW_LOW(lo, hi) (((lo) & 0xffffu) | ((hi) << 16))
#define HIGH_LOW(lo, hi) (((lo) >> 16) | ((hi) << 16))
#define DOUBLE_OF(hi, lo) as_double(((ulong)(hi) << 32) | (ulong)(lo))
#define DOUBLE_LO(d) ((u32)as_ulong(d))
#define DOUBLE_HI(d) ((u32)(as_ulong(d) >> 32))
#define FMA(a, b, c) fma(a, b, c)
#endif
#endif
