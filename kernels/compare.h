// Changes of words that depend on what they are, where other items change them as well; each returns what the word was before.

#ifdef __OPENCL_VERSION__
#define ATOMIC_MIN(word, value) atomic_min(word, value)
#define ATOMIC_MAX(word, value) atomic_max(word, value)
#define ATOMIC_COMPARE(word, expected, value) atomic_cmpxchg(word, expected, value)
#else
#define ATOMIC_MIN(word, value) atomicMin(word, value)
#define ATOMIC_MAX(word, value) atomicMax(word, value)
#define ATOMIC_COMPARE(word, expected, value) atomicCAS(word, expected, value)
#endif
