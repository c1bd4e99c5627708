/* Futures: waited for once, by the right engine; callbacks; shutdown while work is under way. */
#include "check.h"

#include <pthread.h>
#include <sched.h>

/* Large enough to be under way for a while. */
enum { LOG_N = 14, N = 1 << LOG_N, COLS = 4, JOBS = 6 };

static uint64_t *column_matrix(uint64_t seed) {
  uint64_t *matrix = words((size_t)N * COLS);
  fill(matrix, (size_t)N * COLS, seed);
  return matrix;
}

static zka_future start(zka_engine *engine, uint64_t *matrix, uint32_t flags) {
  zka_future future = {0};
  OK(zka_goldilocks_ntt_async(engine, matrix, LOG_N, COLS, root_of_unity(LOG_N), 7, flags, &future));
  CHECK(future.id != 0);
  return future;
}

static void waiting(zka_engine *engine, zka_engine *other) {
  uint64_t *matrices[JOBS], *before = column_matrix(0);
  zka_future futures[JOBS], none = {0}, never = {0}, garbage = {UINT64_MAX};
  int32_t ready = -1;
  for (size_t i = 0; i < JOBS; i++) matrices[i] = column_matrix(0);

  EXPECT(ZKA_FUTURE_UNKNOWN, zka_wait(engine, none));
  EXPECT(ZKA_FUTURE_UNKNOWN, zka_wait(engine, garbage));
  EXPECT(ZKA_NULL_POINTER, zka_wait(NULL, none));

  for (size_t i = 0; i < JOBS; i++) futures[i] = start(engine, matrices[i], 0);
  never.id = futures[JOBS - 1].id + 1000;
  EXPECT(ZKA_FUTURE_UNKNOWN, zka_wait(engine, never));
  EXPECT(ZKA_FUTURE_UNKNOWN, zka_poll(engine, never, &ready));
  EXPECT(ZKA_WRONG_ENGINE, zka_wait(other, futures[0]));
  EXPECT(ZKA_WRONG_ENGINE, zka_poll(other, futures[0], &ready));
  EXPECT(ZKA_WRONG_ENGINE, zka_detach(other, futures[0], NULL, NULL));
  EXPECT(ZKA_NULL_POINTER, zka_poll(engine, futures[0], NULL));

  /* Last first. A wait for one says nothing of the others. */
  for (size_t i = JOBS; i-- > 0;) {
    OK(zka_wait(engine, futures[i]));
    EXPECT(ZKA_FUTURE_CONSUMED, zka_wait(engine, futures[i]));
    EXPECT(ZKA_FUTURE_CONSUMED, zka_poll(engine, futures[i], &ready));
    EXPECT(ZKA_FUTURE_CONSUMED, zka_detach(engine, futures[i], NULL, NULL));
    CHECK(memcmp(matrices[i], matrices[JOBS - 1], sizeof(uint64_t) * N * COLS) == 0);
  }

  zka_future back = start(engine, matrices[0], ZKA_INVERSE);
  do {
    OK(zka_poll(engine, back, &ready));
    CHECK(ready == 0 || ready == 1);
    sched_yield();
  } while (!ready);
  OK(zka_poll(engine, back, &ready));
  OK(zka_wait(engine, back));
  CHECK(memcmp(matrices[0], before, sizeof(uint64_t) * N * COLS) == 0);

  for (size_t i = 0; i < JOBS; i++) free(matrices[i]);
  free(before);
}

/* What a callback is told, and a thread may wait for. */
struct told {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  zka_engine *engine;
  uint64_t *matrix;
  int calls;
  int32_t status;
  int32_t shutdown;
  int32_t inner;
  char text[160];
};

static void done(void *context, int32_t status) {
  struct told *told = (struct told *)context;
  char text[160] = "";
  if (status != ZKA_OK) zka_last_error(text, sizeof text);
  /* A callback may start work and wait for it; it cannot end the engine. */
  int32_t shutdown = zka_engine_shutdown(told->engine);
  zka_future future = {0};
  int32_t inner = zka_goldilocks_ntt_async(told->engine, told->matrix, 3, 1, root_of_unity(3), 1, 0, &future);
  if (inner == ZKA_OK) inner = zka_wait(told->engine, future);
  pthread_mutex_lock(&told->lock);
  told->calls++;
  told->status = status;
  told->shutdown = shutdown;
  told->inner = inner;
  memcpy(told->text, text, sizeof text);
  pthread_cond_signal(&told->changed);
  pthread_mutex_unlock(&told->lock);
}

static void wait_for_calls(struct told *told, int calls) {
  pthread_mutex_lock(&told->lock);
  while (told->calls < calls) pthread_cond_wait(&told->changed, &told->lock);
  CHECK(told->calls == calls);
  CHECK(told->shutdown == ZKA_BAD_ARGUMENT);
  CHECK(told->inner == ZKA_OK);
  pthread_mutex_unlock(&told->lock);
}

static void callbacks(uint32_t threads) {
  zka_engine *engine = engine_with(threads);
  struct told told;
  memset(&told, 0, sizeof told);
  pthread_mutex_init(&told.lock, NULL);
  pthread_cond_init(&told.changed, NULL);
  told.engine = engine;
  told.matrix = words(8);
  fill(told.matrix, 8, 1);

  uint64_t *matrix = column_matrix(1);
  zka_future future = start(engine, matrix, 0);
  OK(zka_detach(engine, future, done, &told));
  EXPECT(ZKA_FUTURE_CONSUMED, zka_wait(engine, future));
  EXPECT(ZKA_FUTURE_CONSUMED, zka_detach(engine, future, done, &told));
  wait_for_calls(&told, 1);
  CHECK(told.status == ZKA_OK);

  /* One that is done already. */
  int32_t ready = 0;
  future = start(engine, matrix, ZKA_INVERSE);
  while (!ready) OK(zka_poll(engine, future, &ready));
  OK(zka_detach(engine, future, done, &told));
  wait_for_calls(&told, 2);

  /* One that fails. */
  matrix[3] = P;
  future = start(engine, matrix, 0);
  OK(zka_detach(engine, future, done, &told));
  wait_for_calls(&told, 3);
  CHECK(told.status == ZKA_NOT_CANONICAL && strstr(told.text, "word 3") != NULL);

  /* Nobody is told. */
  matrix[3] = 3;
  OK(zka_detach(engine, start(engine, matrix, 0), NULL, NULL));
  OK(zka_engine_shutdown(engine));
  CHECK(told.calls == 3);
  free(matrix);
  free(told.matrix);
  pthread_cond_destroy(&told.changed);
  pthread_mutex_destroy(&told.lock);
}

static void count(void *context, int32_t status) {
  /* The last thing that the engine does for the operation: a shutdown waits for it. */
  sched_yield();
  if (status == ZKA_OK) __atomic_add_fetch((int *)context, 1, __ATOMIC_SEQ_CST);
}

static void shutdown_drains(void) {
  zka_engine *engine = engine_with(2);
  uint64_t *matrices[JOBS], *expected = column_matrix(2);
  zka_future futures[JOBS], tree_future;
  zka_tree *tree = NULL;
  zka_digest root;
  int called = 0;
  for (size_t i = 0; i < JOBS; i++) {
    matrices[i] = column_matrix(2);
    futures[i] = start(engine, matrices[i], 0);
    if (i % 2 == 1) OK(zka_detach(engine, futures[i], count, &called));
  }
  OK(zka_merkle_commit_async(engine, &tree, ZKA_HASH_BLAKE3, expected, N, COLS, 0, &tree_future));
  OK(zka_engine_shutdown(engine));
  /* All is done, whether waited for or not, and belongs to the caller. */
  CHECK(__atomic_load_n(&called, __ATOMIC_SEQ_CST) == JOBS / 2);
  EXPECT(ZKA_SHUTTING_DOWN, zka_wait(engine, futures[0]));
  zka_engine *other = engine_with(1);
  EXPECT(ZKA_WRONG_ENGINE, zka_wait(other, futures[0]));
  OK(zka_goldilocks_ntt(other, expected, LOG_N, COLS, root_of_unity(LOG_N), 7, 0));
  for (size_t i = 0; i < JOBS; i++) {
    CHECK(memcmp(matrices[i], expected, sizeof(uint64_t) * N * COLS) == 0);
    free(matrices[i]);
  }
  OK(zka_tree_root(tree, &root));
  OK(zka_tree_free(tree));
  OK(zka_engine_shutdown(other));
  free(expected);
}

void test_futures(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  waiting(engine, other);
  OK(zka_engine_shutdown(other));
  OK(zka_engine_shutdown(engine));
  callbacks(1);
  callbacks(3);
  shutdown_drains();
}
