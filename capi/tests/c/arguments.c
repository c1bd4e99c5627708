/* Every sort of wrong argument, and that inputs and engines survive it. */
#include "check.h"

enum { LOG_N = 3, N = 1 << LOG_N, COLS = 2 };

static void versions_and_options(void) {
  zka_engine *engine = NULL;
  zka_options *options = NULL;
  zka_device device;
  uint64_t bits = 0;
  size_t count = 0;

  CHECK(zka_abi_version() == ZKA_ABI_VERSION);
  CHECK(strcmp(zka_status_name(ZKA_OK), "OK") == 0);
  CHECK(strcmp(zka_status_name(ZKA_INTERNAL), "INTERNAL") == 0);
  CHECK(strcmp(zka_status_name(ZKA_CLUSTER), "CLUSTER") == 0);
  CHECK(strcmp(zka_status_name(-1), "unknown status") == 0);
  CHECK(strcmp(zka_status_name(ZKA_CLUSTER + 1), "unknown status") == 0);
  OK(zka_capabilities(&bits));
  CHECK((bits & ZKA_CAN_GOLDILOCKS) != 0 && (bits & ZKA_CAN_ASYNC) != 0);
  EXPECT(ZKA_NULL_POINTER, zka_capabilities(NULL));

  EXPECT(ZKA_ABI_MISMATCH, zka_engine_new(&engine, ZKA_ABI_VERSION + 1, NULL));
  EXPECT(ZKA_ABI_MISMATCH, zka_engine_new(&engine, ZKA_ABI_VERSION + 0x10000, NULL));
  EXPECT(ZKA_ABI_MISMATCH, zka_engine_new(&engine, 0, NULL));
  EXPECT(ZKA_NULL_POINTER, zka_engine_new(NULL, ZKA_ABI_VERSION, NULL));
  EXPECT(ZKA_NULL_POINTER, zka_options_new(NULL));

  OK(zka_options_new(&options));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_device(options, "toaster"));
  EXPECT_TEXT("\"toaster\", expected one of auto, cpu");
  EXPECT(ZKA_NULL_POINTER, zka_options_set_device(options, NULL));
  EXPECT(ZKA_NULL_POINTER, zka_options_set_device(NULL, "cpu"));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_policy(options, 5));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_check(options, 2));
  OK(zka_options_set_check(options, 1));
  OK(zka_options_set_threads(options, 5000));
  EXPECT(ZKA_BAD_ARGUMENT, zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  EXPECT_TEXT("5000 threads");
  OK(zka_options_set_threads(options, 1));

  OK(zka_options_set_device(options, "opencl:99"));
  EXPECT(ZKA_NO_DEVICE, zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  CHECK(engine == NULL);
  OK(zka_options_set_policy(options, ZKA_POLICY_PREFER_GPU));
  OK(zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  OK(zka_engine_device(engine, &device));
  CHECK(strcmp(device.id, "cpu") == 0 && device.kind == ZKA_KIND_CPU && device.units == 1);
  CHECK(strstr(device.reason, "opencl:99 was preferred") != NULL);
  OK(zka_engine_shutdown(engine));

  /* A budget that nothing fits. */
  uint64_t words_in[N] = {0}, words_out[2 * N];
  OK(zka_options_set_device(options, "cpu"));
  OK(zka_options_set_policy(options, ZKA_POLICY_ANY));
  OK(zka_options_set_memory_budget(options, 32));
  OK(zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  EXPECT(ZKA_HOST_OUT_OF_MEMORY, zka_goldilocks_lde(engine, words_out, words_in, LOG_N, 1, 1, root_of_unity(4), 7, 0));
  OK(zka_engine_shutdown(engine));

  OK(zka_options_free(options));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_free(options));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_threads(options, 1));
  EXPECT(ZKA_BAD_ARGUMENT, zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  OK(zka_options_free(NULL));

  OK(zka_device_count(&count));
  CHECK(count >= 1);
  OK(zka_device_info(&device, 0));
  CHECK(strcmp(device.id, "cpu") == 0 && device.reserved == 0);
  EXPECT(ZKA_BAD_ARGUMENT, zka_device_info(&device, count));
  EXPECT(ZKA_NULL_POINTER, zka_device_info(NULL, 0));
  EXPECT(ZKA_NULL_POINTER, zka_device_count(NULL));
}

static void texts(zka_engine *engine) {
  char text[512], small[8];
  EXPECT(ZKA_BAD_ROOT, zka_goldilocks_ntt(engine, NULL, 5, 1, 3, 1, 0));
  OK(zka_last_error(text, sizeof text));
  CHECK(strcmp(text, "3 is no root of unity of order exactly 2^5") == 0);
  memset(small, 'x', sizeof small);
  OK(zka_last_error(small, 5));
  CHECK(strcmp(small, "3 is") == 0 && small[5] == 'x');
  OK(zka_last_error(NULL, 0));
  EXPECT(ZKA_NULL_POINTER, zka_last_error(NULL, 1));
  OK(zka_last_error(small, sizeof small));
  CHECK(strcmp(small, "3 is no") == 0);
}

static void transforms(zka_engine *engine) {
  const uint64_t omega = root_of_unity(LOG_N), large = root_of_unity(LOG_N + 1);
  uint64_t data[N * COLS], before[N * COLS], out[2 * N * COLS];
  fill(data, N * COLS, 4);
  memcpy(before, data, sizeof data);

  BOTH(ZKA_NULL_POINTER, zka_goldilocks_ntt, NULL, data, LOG_N, COLS, omega, 7, 0);
  BOTH(ZKA_NULL_POINTER, zka_goldilocks_ntt, engine, NULL, LOG_N, COLS, omega, 7, 0);
  BOTH(ZKA_BAD_LENGTH, zka_goldilocks_ntt, engine, data, LOG_N, 0, omega, 7, 0);
  BOTH(ZKA_BAD_LENGTH, zka_goldilocks_ntt, engine, data, LOG_N, SIZE_MAX, omega, 7, 0);
  BOTH(ZKA_BAD_LENGTH, zka_goldilocks_ntt, engine, data, LOG_N, SIZE_MAX / N / 8 + 1, omega, 7, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_goldilocks_ntt, engine, data, 33, COLS, omega, 7, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_goldilocks_ntt, engine, data, UINT32_MAX, COLS, omega, 7, 0);
  BOTH(ZKA_BAD_ROOT, zka_goldilocks_ntt, engine, data, LOG_N, COLS, large, 7, 0);
  BOTH(ZKA_BAD_ROOT, zka_goldilocks_ntt, engine, data, LOG_N, COLS, 0, 7, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_goldilocks_ntt, engine, data, LOG_N, COLS, omega + P, 7, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_goldilocks_ntt, engine, data, LOG_N, COLS, omega, P, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_goldilocks_ntt, engine, data, LOG_N, COLS, omega, 0, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_goldilocks_ntt, engine, data, LOG_N, COLS, omega, 7, ZKA_ROWS_ARE_DIGESTS);
  BOTH(ZKA_BAD_ARGUMENT, zka_goldilocks_ntt, engine, data, LOG_N, COLS, omega, 7, 0x80000000u);
  BOTH(ZKA_BAD_ARGUMENT, zka_goldilocks_ntt, engine, (uint64_t *)((char *)data + 4), LOG_N, 1, omega, 7, 0);
  EXPECT_TEXT("not aligned");
  EXPECT(ZKA_NULL_POINTER, zka_goldilocks_ntt_async(engine, data, LOG_N, COLS, omega, 7, 0, NULL));
  EXPECT(ZKA_ALIASED, zka_goldilocks_ntt_async(engine, data, LOG_N, COLS, omega, 7, 0, (zka_future *)(data + 5)));
  CHECK(memcmp(data, before, sizeof data) == 0);

  BOTH(ZKA_NULL_POINTER, zka_goldilocks_lde, engine, NULL, data, LOG_N, 1, COLS, large, 7, 0);
  BOTH(ZKA_NULL_POINTER, zka_goldilocks_lde, engine, out, NULL, LOG_N, 1, COLS, large, 7, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_goldilocks_lde, engine, out, data, LOG_N, 0, COLS, omega, 7, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_goldilocks_lde, engine, out, data, 30, 3, COLS, large, 7, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_goldilocks_lde, engine, out, data, UINT32_MAX, 1, COLS, large, 7, 0);
  BOTH(ZKA_BAD_LENGTH, zka_goldilocks_lde, engine, out, data, LOG_N, 1, SIZE_MAX / 8, large, 7, 0);
  BOTH(ZKA_BAD_LENGTH, zka_goldilocks_lde, engine, out, data, LOG_N, 1, 0, large, 7, 0);
  BOTH(ZKA_BAD_ROOT, zka_goldilocks_lde, engine, out, data, LOG_N, 1, COLS, omega, 7, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_goldilocks_lde, engine, out, data, LOG_N, 1, COLS, large, 7, ZKA_INVERSE);
  BOTH(ZKA_BAD_ARGUMENT, zka_goldilocks_lde, engine, out, data, LOG_N, 1, COLS, large, 7, ZKA_IN_BITREV);
  BOTH(ZKA_ALIASED, zka_goldilocks_lde, engine, out, out, LOG_N, 1, COLS, large, 7, 0);
  BOTH(ZKA_ALIASED, zka_goldilocks_lde, engine, out, out + N, LOG_N, 1, COLS, large, 7, 0);
  CHECK(memcmp(data, before, sizeof data) == 0);

  /* The contents are looked at by the operation: a job tells at the wait. */
  zka_future future;
  data[5] = P;
  memcpy(before, data, sizeof data);
  EXPECT(ZKA_NOT_CANONICAL, zka_goldilocks_ntt(engine, data, LOG_N, COLS, omega, 7, 0));
  EXPECT_TEXT("word 5 is 18446744069414584321");
  OK(zka_goldilocks_ntt_async(engine, data, LOG_N, COLS, omega, 7, 0, &future));
  EXPECT(ZKA_NOT_CANONICAL, zka_wait(engine, future));
  EXPECT_TEXT("word 5 is 18446744069414584321");
  EXPECT(ZKA_NOT_CANONICAL, zka_goldilocks_lde(engine, out, data, LOG_N, 1, COLS, large, 7, 0));
  CHECK(memcmp(data, before, sizeof data) == 0);
}

static void trees(zka_engine *engine) {
  uint64_t matrix[N * COLS];
  zka_tree *tree = NULL;
  zka_digest root, path[LOG_N];
  size_t leaves;
  int32_t valid = 1;
  fill(matrix, N * COLS, 5);

  BOTH(ZKA_NULL_POINTER, zka_merkle_commit, engine, NULL, ZKA_HASH_RP64_256, matrix, N, COLS, 0);
  BOTH(ZKA_NULL_POINTER, zka_merkle_commit, engine, &tree, ZKA_HASH_RP64_256, NULL, N, COLS, 0);
  BOTH(ZKA_NULL_POINTER, zka_merkle_commit, NULL, &tree, ZKA_HASH_RP64_256, matrix, N, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_merkle_commit, engine, &tree, 0, matrix, N, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_merkle_commit, engine, &tree, UINT32_MAX, matrix, N, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, N, COLS, ZKA_INVERSE);
  BOTH(ZKA_BAD_ARGUMENT, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, 4, 4,
       ZKA_ROWS_ARE_DIGESTS | ZKA_COLUMN_MAJOR);
  BOTH(ZKA_BAD_LENGTH, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, N, COLS, ZKA_ROWS_ARE_DIGESTS);
  BOTH(ZKA_BAD_LENGTH, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, 0, COLS, 0);
  BOTH(ZKA_BAD_LENGTH, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, 3, COLS, 0);
  BOTH(ZKA_BAD_LENGTH, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, N, 0, 0);
  BOTH(ZKA_BAD_LENGTH, zka_merkle_commit, engine, &tree, ZKA_HASH_BLAKE3, matrix, (size_t)1 << 63, 2, 0);
  BOTH(ZKA_ALIASED, zka_merkle_commit, engine, (zka_tree **)(void *)(matrix + 1), ZKA_HASH_BLAKE3, matrix, N, COLS, 0);
  CHECK(tree == NULL);

  zka_digest rows[N];
  BOTH(ZKA_NULL_POINTER, zka_hash_rows, engine, NULL, ZKA_HASH_BLAKE3, matrix, N, COLS, 0);
  BOTH(ZKA_NULL_POINTER, zka_hash_rows, engine, rows, ZKA_HASH_BLAKE3, NULL, N, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_hash_rows, engine, rows, 0, matrix, N, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_hash_rows, engine, rows, ZKA_HASH_BLAKE3, matrix, N, COLS, ZKA_ROWS_ARE_DIGESTS);
  BOTH(ZKA_BAD_LENGTH, zka_hash_rows, engine, rows, ZKA_HASH_BLAKE3, matrix, N, 0, 0);
  BOTH(ZKA_BAD_LENGTH, zka_hash_rows, engine, rows, ZKA_HASH_BLAKE3, matrix, SIZE_MAX, COLS, 0);
  BOTH(ZKA_ALIASED, zka_hash_rows, engine, (zka_digest *)(void *)(matrix + 1), ZKA_HASH_BLAKE3, matrix, 1, COLS, 0);

  OK(zka_merkle_commit(engine, &tree, ZKA_HASH_BLAKE3, matrix, N, COLS, 0));
  EXPECT(ZKA_NULL_POINTER, zka_tree_nodes(tree, NULL, 1, 1));
  EXPECT(ZKA_NULL_POINTER, zka_tree_nodes(NULL, rows, 1, 1));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_nodes(tree, rows, 0, 1));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_nodes(tree, rows, 2 * N, 1));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_nodes(tree, rows, 2 * N - 1, 2));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_nodes(tree, rows, SIZE_MAX, 2));
  EXPECT(ZKA_NULL_POINTER, zka_tree_root(NULL, &root));
  EXPECT(ZKA_NULL_POINTER, zka_tree_root(tree, NULL));
  EXPECT(ZKA_NULL_POINTER, zka_tree_leaf_count(tree, NULL));
  EXPECT(ZKA_BAD_ARGUMENT, zka_tree_root((zka_tree *)(void *)engine, &root));
  EXPECT(ZKA_BAD_ARGUMENT, zka_tree_root((zka_tree *)(void *)matrix, &root));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_open(tree, path, LOG_N - 1, 0));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_open(tree, NULL, 0, 0));
  EXPECT(ZKA_NULL_POINTER, zka_tree_open(tree, NULL, LOG_N, 0));
  EXPECT(ZKA_BAD_ARGUMENT, zka_tree_open(tree, path, LOG_N, N));
  EXPECT(ZKA_BAD_LENGTH, zka_tree_open(tree, path, SIZE_MAX, 0));

  OK(zka_tree_root(tree, &root));
  OK(zka_tree_open(tree, path, LOG_N, 1));
  const uint64_t *row = matrix + COLS;
  EXPECT(ZKA_NULL_POINTER, zka_merkle_verify(NULL, ZKA_HASH_BLAKE3, &root, N, 1, row, COLS, path, LOG_N, 0));
  EXPECT(ZKA_NULL_POINTER, zka_merkle_verify(&valid, ZKA_HASH_BLAKE3, NULL, N, 1, row, COLS, path, LOG_N, 0));
  EXPECT(ZKA_BAD_ARGUMENT, zka_merkle_verify(&valid, 99, &root, N, 1, row, COLS, path, LOG_N, 0));
  EXPECT(ZKA_BAD_ARGUMENT, zka_merkle_verify(&valid, ZKA_HASH_BLAKE3, &root, N, N + 1, row, COLS, path, LOG_N, 0));
  EXPECT(ZKA_BAD_LENGTH, zka_merkle_verify(&valid, ZKA_HASH_BLAKE3, &root, N, 1, row, COLS, path, LOG_N - 1, 0));
  EXPECT(ZKA_BAD_LENGTH, zka_merkle_verify(&valid, ZKA_HASH_BLAKE3, &root, N / 2, 1, row, COLS, path, LOG_N, 0));
  EXPECT(ZKA_BAD_LENGTH, zka_merkle_verify(&valid, ZKA_HASH_BLAKE3, &root, 7, 1, row, COLS, path, LOG_N, 0));
  EXPECT(ZKA_BAD_LENGTH, zka_merkle_verify(&valid, ZKA_HASH_BLAKE3, &root, N, 1, row, 0, path, LOG_N, 0));
  CHECK(valid == 0);
  memset(&root, 0xff, sizeof root);
  EXPECT(ZKA_NOT_CANONICAL, zka_merkle_verify(&valid, ZKA_HASH_RP64_256, &root, N, 1, row, COLS, path, LOG_N, 0));

  OK(zka_tree_free(tree));
  EXPECT(ZKA_BAD_ARGUMENT, zka_tree_free(tree));
  EXPECT(ZKA_BAD_ARGUMENT, zka_tree_leaf_count(tree, &leaves));
  OK(zka_tree_free(NULL));
}

void test_arguments(void) {
  versions_and_options();
  zka_engine *engine = engine_with(2);
  zka_device device;
  texts(engine);
  transforms(engine);
  trees(engine);
  EXPECT(ZKA_NULL_POINTER, zka_engine_device(engine, NULL));
  EXPECT(ZKA_NULL_POINTER, zka_engine_device(NULL, &device));
  EXPECT(ZKA_NULL_POINTER, zka_engine_shutdown(NULL));
  EXPECT(ZKA_BAD_ARGUMENT, zka_engine_shutdown((zka_engine *)(void *)&device));
  OK(zka_engine_shutdown(engine));
  EXPECT(ZKA_SHUTTING_DOWN, zka_engine_shutdown(engine));
  EXPECT(ZKA_SHUTTING_DOWN, zka_engine_device(engine, &device));
}
