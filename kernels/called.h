// A function that is called, not copied to where it is used: a sum of points is thousands of instructions.
#ifdef __OPENCL_VERSION__
#define CALLED static __attribute__((noinline))
#else
#define CALLED static __device__ __noinline__
#endif
