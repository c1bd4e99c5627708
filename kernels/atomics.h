// Additions to words that other items add to as well; each returns what the word was before.

#ifdef __OPENCL_VERSION__
#define ATOMIC_ADD(word, value) atomic_add(word, value)
#else
#define ATOMIC_ADD(word, value) atomicAdd(word, value)
#endif

#ifdef __OPENCL_VERSION__
#define COUNT_LEADING_ZEROS(x) clz(x)
#else
#define COUNT_LEADING_ZEROS(x) ((u32)__clz((int)(x)))
#endif
