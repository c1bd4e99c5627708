/* Results, against sums and products written out. */
#include "check.h"

enum { LOG_N = 4, N = 1 << LOG_N, COLS = 3, LOG_BLOWUP = 2, EXTENDED = N << LOG_BLOWUP };

static size_t reversed(size_t index, uint32_t bits) {
  size_t result = 0;
  for (uint32_t i = 0; i < bits; i++) result |= (index >> i & 1) << (bits - 1 - i);
  return result;
}

/* The value of the polynomial in column `col` of row-major coefficients. */
static uint64_t value_at(const uint64_t *coefficients, size_t col, uint64_t point) {
  uint64_t value = 0;
  for (size_t i = N; i-- > 0;) value = add(mul(value, point), coefficients[i * COLS + col]);
  return value;
}

static void transforms(zka_engine *engine) {
  uint64_t coefficients[N * COLS], data[N * COLS], columns[N * COLS];
  const uint64_t omega = root_of_unity(LOG_N), coset = 7;
  fill(coefficients, N * COLS, 1);

  memcpy(data, coefficients, sizeof data);
  OK(zka_goldilocks_ntt(engine, data, LOG_N, COLS, omega, coset, 0));
  for (size_t i = 0; i < N; i++)
    for (size_t col = 0; col < COLS; col++)
      CHECK(data[i * COLS + col] == value_at(coefficients, col, mul(coset, power(omega, i))));

  /* Columns side by side, values in bit-reversed order, as a job. */
  for (size_t i = 0; i < N; i++)
    for (size_t col = 0; col < COLS; col++) columns[col * N + i] = coefficients[i * COLS + col];
  zka_future future = {0};
  OK(zka_goldilocks_ntt_async(engine, columns, LOG_N, COLS, omega, coset, ZKA_OUT_BITREV | ZKA_COLUMN_MAJOR, &future));
  OK(zka_wait(engine, future));
  for (size_t i = 0; i < N; i++)
    for (size_t col = 0; col < COLS; col++) CHECK(columns[col * N + reversed(i, LOG_N)] == data[i * COLS + col]);

  OK(zka_goldilocks_ntt(engine, columns, LOG_N, COLS, omega, coset, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_COLUMN_MAJOR));
  for (size_t i = 0; i < N; i++)
    for (size_t col = 0; col < COLS; col++) CHECK(columns[col * N + i] == coefficients[i * COLS + col]);

  /* An extension of values on the subgroup. */
  uint64_t in[N * COLS], before[N * COLS], out[EXTENDED * COLS], again[EXTENDED * COLS];
  const uint64_t large = root_of_unity(LOG_N + LOG_BLOWUP);
  memcpy(in, coefficients, sizeof in);
  OK(zka_goldilocks_ntt(engine, in, LOG_N, COLS, omega, 1, 0));
  memcpy(before, in, sizeof in);
  OK(zka_goldilocks_lde(engine, out, in, LOG_N, LOG_BLOWUP, COLS, large, coset, 0));
  for (size_t i = 0; i < EXTENDED; i++)
    for (size_t col = 0; col < COLS; col++)
      CHECK(out[i * COLS + col] == value_at(coefficients, col, mul(coset, power(large, i))));
  OK(zka_goldilocks_lde_async(engine, again, in, LOG_N, LOG_BLOWUP, COLS, large, coset, 0, &future));
  OK(zka_wait(engine, future));
  CHECK(memcmp(out, again, sizeof out) == 0);
  CHECK(memcmp(in, before, sizeof in) == 0);
}

static void trees(zka_engine *engine) {
  uint64_t matrix[N * COLS], columns[N * COLS];
  fill(matrix, N * COLS, 2);
  for (size_t i = 0; i < N; i++)
    for (size_t col = 0; col < COLS; col++) columns[col * N + i] = matrix[i * COLS + col];

  for (uint32_t hash = ZKA_HASH_RP64_256; hash <= ZKA_HASH_BLAKE3; hash++) {
    zka_tree *tree = NULL, *same = NULL;
    zka_digest root, again, path[LOG_N];
    zka_future future;
    size_t leaves = 0;
    OK(zka_merkle_commit(engine, &tree, hash, matrix, N, COLS, 0));
    OK(zka_tree_root(tree, &root));
    OK(zka_tree_leaf_count(tree, &leaves));
    CHECK(leaves == N);
    OK(zka_merkle_commit_async(engine, &same, hash, columns, N, COLS, ZKA_COLUMN_MAJOR, &future));
    OK(zka_wait(engine, future));
    OK(zka_tree_root(same, &again));
    CHECK(memcmp(&root, &again, sizeof root) == 0);

    /* The nodes: leaves are the digests of rows, by either layout; node 1 is the root. */
    zka_digest nodes[2 * N - 1], rows[N];
    OK(zka_tree_nodes(tree, nodes, 1, 2 * N - 1));
    CHECK(memcmp(&nodes[0], &root, sizeof root) == 0);
    OK(zka_hash_rows(engine, rows, hash, matrix, N, COLS, 0));
    CHECK(memcmp(rows, nodes + N - 1, sizeof rows) == 0);
    memset(rows, 0, sizeof rows);
    OK(zka_hash_rows_async(engine, rows, hash, columns, N, COLS, ZKA_COLUMN_MAJOR, &future));
    OK(zka_wait(engine, future));
    CHECK(memcmp(rows, nodes + N - 1, sizeof rows) == 0);
    OK(zka_hash_rows(engine, NULL, hash, NULL, 0, COLS, 0));

    for (size_t i = 0; i < N; i++) {
      int32_t valid = -1;
      uint64_t row[COLS];
      memcpy(row, matrix + i * COLS, sizeof row);
      OK(zka_tree_open(tree, path, LOG_N, i));
      OK(zka_merkle_verify(&valid, hash, &root, N, i, row, COLS, path, LOG_N, 0));
      CHECK(valid == 1);
      /* Another row, another place, another root. */
      row[i % COLS] ^= 1;
      OK(zka_merkle_verify(&valid, hash, &root, N, i, row, COLS, path, LOG_N, 0));
      CHECK(valid == 0);
      row[i % COLS] ^= 1;
      OK(zka_merkle_verify(&valid, hash, &root, N, i ^ 1, row, COLS, path, LOG_N, 0));
      CHECK(valid == 0);
      again = root;
      again.bytes[0] ^= 1;
      OK(zka_merkle_verify(&valid, hash, &again, N, i, row, COLS, path, LOG_N, 0));
      CHECK(valid == 0);
    }
    OK(zka_tree_free(tree));
    OK(zka_tree_free(same));

    /* Rows that are digests: the tree over them has the row itself as its leaf. */
    uint64_t digests[2 * 4];
    int32_t valid = 0;
    fill(digests, 8, 3);
    OK(zka_merkle_commit(engine, &tree, hash, digests, 2, 4, ZKA_ROWS_ARE_DIGESTS));
    OK(zka_tree_root(tree, &root));
    OK(zka_tree_open(tree, path, 1, 0));
    CHECK(memcmp(path, digests + 4, 32) == 0);
    OK(zka_merkle_verify(&valid, hash, &root, 2, 0, digests, 4, path, 1, ZKA_ROWS_ARE_DIGESTS));
    CHECK(valid == 1);
    OK(zka_tree_free(tree));
  }
}

/* Roots of unity by name: those of order 2^32 as their libraries print them, the others by squaring. */
static void roots(void) {
  static const struct { uint32_t convention; uint64_t root; uint64_t of_order_64; } known[] = {
      {ZKA_ROOT_WINTERFELL, UINT64_C(7277203076849721926), 8},
      {ZKA_ROOT_PLONKY3, UINT64_C(1753635133440165772), UINT64_C(1) << 39},
  };
  uint64_t root = 0;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    OK(zka_goldilocks_root_of_unity(&root, 32, known[i].convention));
    CHECK(root == known[i].root);
    OK(zka_goldilocks_root_of_unity(&root, 6, known[i].convention));
    CHECK(root == known[i].of_order_64);
    OK(zka_goldilocks_root_of_unity(&root, 0, known[i].convention));
    CHECK(root == 1);
    EXPECT(ZKA_BAD_LOG_SIZE, zka_goldilocks_root_of_unity(&root, 33, known[i].convention));
    EXPECT(ZKA_BAD_LOG_SIZE, zka_goldilocks_root_of_unity(&root, UINT32_MAX, known[i].convention));
    EXPECT(ZKA_NULL_POINTER, zka_goldilocks_root_of_unity(NULL, 3, known[i].convention));
  }
  OK(zka_goldilocks_root_of_unity(&root, LOG_N, ZKA_ROOT_WINTERFELL));
  CHECK(root == root_of_unity(LOG_N));
  EXPECT(ZKA_BAD_ARGUMENT, zka_goldilocks_root_of_unity(&root, 3, 0));
  EXPECT(ZKA_BAD_ARGUMENT, zka_goldilocks_root_of_unity(&root, 3, ZKA_ROOT_HALO2));
  CHECK(root == root_of_unity(LOG_N));
}

/* The root of the library's first example: 16 steps of 5 registers, extended eightfold. */
static void known_root(zka_engine *engine) {
  static const uint8_t expected[4] = {0x76, 0x2f, 0xee, 0xf5};
  static uint64_t trace[16 * 5], extension[128 * 5];
  for (size_t i = 0; i < 16 * 5; i++) trace[i] = i;
  zka_tree *tree = NULL;
  zka_digest root;
  OK(zka_goldilocks_lde(engine, extension, trace, 4, 3, 5, root_of_unity(7), 7, 0));
  OK(zka_merkle_commit(engine, &tree, ZKA_HASH_RP64_256, extension, 128, 5, 0));
  OK(zka_tree_root(tree, &root));
  CHECK(memcmp(root.bytes, expected, sizeof expected) == 0);
  OK(zka_tree_free(tree));
}

void test_operations(void) {
  zka_engine *engine = engine_with(2);
  transforms(engine);
  roots();
  trees(engine);
  known_root(engine);
  OK(zka_engine_shutdown(engine));
}
