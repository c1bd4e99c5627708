/* What the test programs share: expectations, and arithmetic in Goldilocks that is slow and obvious. */
#ifndef CHECK_H
#define CHECK_H

#include "zkaccel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call must return this status; any other ends the program. */
#define EXPECT(status, call)                                                                                  \
  do {                                                                                                        \
    int32_t found_ = (call);                                                                                  \
    if (found_ != (status)) {                                                                                 \
      char text_[512] = "";                                                                                   \
      zka_last_error(text_, sizeof text_);                                                                    \
      fprintf(stderr, "%s:%d: %s: %s, expected %s: %s\n", __FILE__, __LINE__, #call, zka_status_name(found_), \
              zka_status_name(status), text_);                                                                \
      exit(1);                                                                                                \
    }                                                                                                         \
  } while (0)

#define OK(call) EXPECT(ZKA_OK, call)

/* A call and its asynchronous form must both return this error. */
#define BOTH(status, name, ...)                          \
  do {                                                   \
    zka_future unused_ = {0};                            \
    EXPECT(status, name(__VA_ARGS__));                   \
    EXPECT(status, name##_async(__VA_ARGS__, &unused_)); \
    CHECK(unused_.id == 0);                              \
  } while (0)

/* A condition must hold. */
#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);   \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

/* The text of the last error must hold these words. */
#define EXPECT_TEXT(words)                                                                       \
  do {                                                                                           \
    char text_[512];                                                                             \
    OK(zka_last_error(text_, sizeof text_));                                                     \
    if (strstr(text_, words) == NULL) {                                                          \
      fprintf(stderr, "%s:%d: \"%s\", expected \"%s\"\n", __FILE__, __LINE__, text_, words);     \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

#define P UINT64_C(0xffffffff00000001)

static inline uint64_t add(uint64_t a, uint64_t b) { return a >= P - b ? a - (P - b) : a + b; }

/* By doubling and adding. */
static inline uint64_t mul(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  for (; b > 0; b >>= 1, a = add(a, a))
    if (b & 1) product = add(product, a);
  return product;
}

static inline uint64_t power(uint64_t x, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, x = mul(x, x))
    if (exponent & 1) result = mul(result, x);
  return result;
}

/* The root of unity of order 2^log_n that winterfell uses. */
static inline uint64_t root_of_unity(uint32_t log_n) {
  uint64_t root = UINT64_C(7277203076849721926);
  for (uint32_t k = 32; k > log_n; k--) root = mul(root, root);
  return root;
}

/* Words that are different, below p, and the same in every run. */
static inline void fill(uint64_t *words, size_t len, uint64_t seed) {
  for (size_t i = 0; i < len; i++) words[i] = mul(add(seed, i + 1), UINT64_C(11400714819323198485) % P);
}

static inline uint64_t *words(size_t len) {
  uint64_t *memory = (uint64_t *)malloc(len * sizeof(uint64_t));
  CHECK(memory != NULL);
  return memory;
}

/* An engine on the device that ZKACCEL_TEST_DEVICE names, or on the CPU. */
static inline zka_engine *engine_with(uint32_t threads) {
  const char *device = getenv("ZKACCEL_TEST_DEVICE");
  zka_options *options = NULL;
  zka_engine *engine = NULL;
  OK(zka_options_new(&options));
  OK(zka_options_set_device(options, device != NULL ? device : "cpu"));
  OK(zka_options_set_threads(options, threads));
  OK(zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  OK(zka_options_free(options));
  return engine;
}

void test_operations(void);
void test_arguments(void);
void test_futures(void);
void test_threads(void);
void test_bn254(void);
void test_matrices(void);
void test_programs(void);
void test_curves(void);
void test_groth16(void);
void test_devices(void);
void test_h2k(void);

#endif
