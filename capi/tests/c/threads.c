/* Four threads on one engine, and a shutdown that meets them. */
#include "check.h"

#include <pthread.h>

enum { LOG_N = 10, N = 1 << LOG_N, COLS = 3, ROUNDS = 8, THREADS = 4 };

static void *work(void *context) {
  zka_engine *engine = (zka_engine *)context;
  uint64_t *matrix = words(N * COLS), *before = words(N * COLS), *extended = words(2 * N * COLS);
  zka_digest roots[2];
  for (uint64_t round = 0; round < ROUNDS; round++) {
    zka_tree *tree = NULL;
    zka_future futures[2];
    fill(matrix, N * COLS, round);
    memcpy(before, matrix, sizeof(uint64_t) * N * COLS);
    OK(zka_goldilocks_lde_async(engine, extended, before, LOG_N, 1, COLS, root_of_unity(LOG_N + 1), 7, 0, &futures[0]));
    OK(zka_goldilocks_ntt_async(engine, matrix, LOG_N, COLS, root_of_unity(LOG_N), 7, ZKA_OUT_BITREV, &futures[1]));
    OK(zka_wait(engine, futures[1]));
    OK(zka_goldilocks_ntt(engine, matrix, LOG_N, COLS, root_of_unity(LOG_N), 7, ZKA_IN_BITREV | ZKA_INVERSE));
    CHECK(memcmp(matrix, before, sizeof(uint64_t) * N * COLS) == 0);
    /* The text of an error is this thread's own. */
    EXPECT(ZKA_BAD_ROOT, zka_goldilocks_ntt(engine, matrix, LOG_N, COLS, 2 + round, 1, 0));
    char expected[64];
    snprintf(expected, sizeof expected, "%" PRIu64 " is no root", 2 + round);
    EXPECT_TEXT(expected);
    OK(zka_wait(engine, futures[0]));
    OK(zka_merkle_commit(engine, &tree, ZKA_HASH_BLAKE3, extended, 2 * N, COLS, 0));
    OK(zka_tree_root(tree, &roots[round % 2]));
    if (round > 0) CHECK(memcmp(&roots[0], &roots[1], sizeof roots[0]) != 0);
    OK(zka_tree_free(tree));
  }
  zka_digest *last = (zka_digest *)malloc(sizeof *last);
  CHECK(last != NULL);
  *last = roots[(ROUNDS - 1) % 2];
  free(matrix);
  free(before);
  free(extended);
  return last;
}

/* Works until the engine is no more. */
static void *work_until_shutdown(void *context) {
  uint64_t *matrix = words(N * COLS);
  fill(matrix, N * COLS, 1);
  for (;;) {
    int32_t status = zka_goldilocks_ntt((zka_engine *)context, matrix, LOG_N, COLS, root_of_unity(LOG_N), 7, 0);
    if (status == ZKA_SHUTTING_DOWN) break;
    CHECK(status == ZKA_OK);
  }
  free(matrix);
  return NULL;
}

static void *shut_down(void *context) {
  static const int32_t statuses[] = {ZKA_OK, ZKA_SHUTTING_DOWN};
  int32_t status = zka_engine_shutdown((zka_engine *)context);
  CHECK(status == ZKA_OK || status == ZKA_SHUTTING_DOWN);
  return (void *)(uintptr_t)&statuses[status != ZKA_OK];
}

void test_threads(void) {
  zka_engine *engine = engine_with(2);
  pthread_t threads[THREADS];
  void *results[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, engine) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], &results[i]) == 0);
  for (int i = 1; i < THREADS; i++) CHECK(memcmp(results[0], results[i], sizeof(zka_digest)) == 0);
  for (int i = 0; i < THREADS; i++) free(results[i]);

  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, work_until_shutdown, engine) == 0);
  for (int i = 2; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, shut_down, engine) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], &results[i]) == 0);
  int shutdowns = (*(const int32_t *)results[2] == ZKA_OK) + (*(const int32_t *)results[3] == ZKA_OK);
  CHECK(shutdowns == 1);
}
