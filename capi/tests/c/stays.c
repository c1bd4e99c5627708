/* What an engine keeps: matrices on its device, scalars. */
#include "check.h"
#include "constants.h"

#define BOTH(status, name, ...)                                           \
  do {                                                                    \
    zka_future unused_ = {0};                                             \
    EXPECT(status, name(__VA_ARGS__));                                    \
    EXPECT(status, name##_async(__VA_ARGS__, &unused_));                  \
    CHECK(unused_.id == 0);                                               \
  } while (0)

enum { LOG_N = 4, N = 1 << LOG_N, COLS = 3, LOG_BLOWUP = 2, EXTENDED = N << LOG_BLOWUP };

/* What is done on the device is what is done in host memory. */
static void matrices(zka_engine *engine, uint32_t layout) {
  const uint64_t omega = root_of_unity(LOG_N), large = root_of_unity(LOG_N + LOG_BLOWUP), coset = 7;
  uint64_t data[N * COLS], back[N * COLS], expected[N * COLS], extension[EXTENDED * COLS], there[EXTENDED * COLS];
  zka_matrix *matrix = NULL, *values = NULL, *extended = NULL;
  zka_future future = {0};
  size_t rows = 0, cols = 0;
  uint32_t flags = 99;
  fill(data, N * COLS, 5);
  OK(zka_matrix_upload(engine, &matrix, data, N, COLS, layout));
  OK(zka_matrix_shape(matrix, &rows, &cols, &flags));
  CHECK(rows == N && cols == COLS && flags == layout);
  OK(zka_matrix_download(engine, back, matrix, N * COLS));
  CHECK(memcmp(back, data, sizeof data) == 0);

  memcpy(expected, data, sizeof data);
  OK(zka_goldilocks_ntt(engine, expected, LOG_N, COLS, omega, coset, ZKA_INVERSE | layout));
  OK(zka_matrix_ntt_async(engine, &values, matrix, omega, coset, ZKA_INVERSE, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_download_async(engine, back, values, N * COLS, &future));
  OK(zka_wait(engine, future));
  CHECK(memcmp(back, expected, sizeof back) == 0);
  OK(zka_matrix_download(engine, back, matrix, N * COLS));
  CHECK(memcmp(back, data, sizeof data) == 0);

  OK(zka_goldilocks_lde(engine, extension, data, LOG_N, LOG_BLOWUP, COLS, large, coset, layout));
  OK(zka_matrix_lde(engine, &extended, matrix, LOG_BLOWUP, large, coset, 0));
  OK(zka_matrix_download(engine, there, extended, EXTENDED * COLS));
  CHECK(memcmp(there, extension, sizeof there) == 0);

  /* Rows by their indices. */
  const size_t indices[3] = {EXTENDED - 1, 0, 5};
  uint64_t some[3 * COLS];
  OK(zka_matrix_rows(engine, some, extended, indices, 3));
  for (size_t i = 0; i < 3; i++)
    for (size_t col = 0; col < COLS; col++) {
      size_t at = layout == 0 ? indices[i] * COLS + col : col * EXTENDED + indices[i];
      CHECK(some[i * COLS + col] == extension[at]);
    }
  OK(zka_matrix_rows_async(engine, some, extended, indices, 3, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_rows(engine, NULL, extended, NULL, 0));

  for (uint32_t hash = ZKA_HASH_RP64_256; hash <= ZKA_HASH_BLAKE3; hash++) {
    zka_tree *tree = NULL, *on_host = NULL;
    zka_digest root, same, path[LOG_N + LOG_BLOWUP], host_path[LOG_N + LOG_BLOWUP], nodes[5], host_nodes[5];
    size_t leaves = 0;
    OK(zka_merkle_commit(engine, &on_host, hash, extension, EXTENDED, COLS, layout));
    if (hash == ZKA_HASH_BLAKE3)
      OK(zka_matrix_merkle(engine, &tree, extended, hash));
    else {
      OK(zka_matrix_merkle_async(engine, &tree, extended, hash, &future));
      OK(zka_wait(engine, future));
    }
    OK(zka_tree_root(tree, &root));
    OK(zka_tree_root(on_host, &same));
    CHECK(memcmp(&root, &same, sizeof root) == 0);
    OK(zka_tree_leaf_count(tree, &leaves));
    CHECK(leaves == EXTENDED);
    OK(zka_tree_open(tree, path, LOG_N + LOG_BLOWUP, 9));
    OK(zka_tree_open(on_host, host_path, LOG_N + LOG_BLOWUP, 9));
    CHECK(memcmp(path, host_path, sizeof path) == 0);
    OK(zka_tree_nodes(tree, nodes, 2 * EXTENDED - 5, 5));
    OK(zka_tree_nodes(on_host, host_nodes, 2 * EXTENDED - 5, 5));
    CHECK(memcmp(nodes, host_nodes, sizeof nodes) == 0);
    EXPECT(ZKA_BAD_LENGTH, zka_tree_nodes(tree, nodes, 2 * EXTENDED - 4, 5));
    OK(zka_tree_free(tree));
    OK(zka_tree_free(on_host));
  }
  OK(zka_matrix_free(extended));
  OK(zka_matrix_free(values));
  OK(zka_matrix_free(matrix));
}

static void wrong_matrices(zka_engine *engine, zka_engine *other) {
  uint64_t data[N * COLS];
  const uint64_t omega = root_of_unity(LOG_N), large = root_of_unity(LOG_N + 1);
  const size_t far_row = N;
  zka_matrix *matrix = NULL, *made = NULL, *odd = NULL;
  zka_tree *tree = NULL;
  size_t rows = 0, cols = 0;
  uint32_t flags = 0;
  fill(data, N * COLS, 6);
  BOTH(ZKA_NULL_POINTER, zka_matrix_upload, engine, &matrix, NULL, N, COLS, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_upload, engine, NULL, data, N, COLS, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, data, 0, COLS, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, data, N, 0, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, data, SIZE_MAX / 2, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_upload, engine, &matrix, data, N, COLS, ZKA_INVERSE);
  data[5] = P;
  EXPECT(ZKA_NOT_CANONICAL, zka_matrix_upload(engine, &matrix, data, N, COLS, 0));
  data[5] = 5;
  OK(zka_matrix_upload(engine, &matrix, data, N, COLS, 0));
  OK(zka_matrix_upload(engine, &odd, data, 3, COLS, 0));

  BOTH(ZKA_BAD_LENGTH, zka_matrix_download, engine, data, matrix, N * COLS - 1);
  BOTH(ZKA_NULL_POINTER, zka_matrix_download, engine, NULL, matrix, N * COLS);
  BOTH(ZKA_NULL_POINTER, zka_matrix_download, engine, data, NULL, N * COLS);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_download, other, data, matrix, N * COLS);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_download, engine, data, (zka_matrix *)(void *)engine, N * COLS);
  EXPECT(ZKA_BAD_ARGUMENT, zka_matrix_rows(engine, data, matrix, &far_row, 1));
  BOTH(ZKA_NULL_POINTER, zka_matrix_rows, engine, data, matrix, NULL, 1);
  BOTH(ZKA_BAD_ROOT, zka_matrix_ntt, engine, &made, matrix, large, 1, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_ntt, engine, &made, matrix, omega, 0, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_ntt, engine, &made, matrix, omega, 1, ZKA_COLUMN_MAJOR);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_ntt, engine, &made, odd, omega, 1, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_ntt, engine, NULL, matrix, omega, 1, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_matrix_lde, engine, &made, matrix, 0, omega, 7, 0);
  BOTH(ZKA_BAD_ROOT, zka_matrix_lde, engine, &made, matrix, 1, omega, 7, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_lde, engine, &made, matrix, 1, large, 7, ZKA_INVERSE);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_merkle, engine, &tree, odd, ZKA_HASH_BLAKE3);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_merkle, engine, &tree, matrix, 99);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_merkle, other, &tree, matrix, ZKA_HASH_BLAKE3);
  EXPECT(ZKA_NULL_POINTER, zka_matrix_shape(matrix, NULL, &cols, &flags));
  EXPECT(ZKA_ALIASED, zka_matrix_shape(matrix, &rows, &rows, &flags));
  OK(zka_matrix_free(odd));
  OK(zka_matrix_free(NULL));
  OK(zka_matrix_free(matrix));
  EXPECT(ZKA_BAD_ARGUMENT, zka_matrix_free(matrix));
  EXPECT(ZKA_BAD_ARGUMENT, zka_matrix_shape(matrix, &rows, &cols, &flags));
  CHECK(made == NULL && tree == NULL);
}

/* The sum of kept scalars and kept bases: 1 G + 1 G, and - 1 G - 1 G. */
static void scalars(zka_engine *engine, zka_engine *other) {
  const zka_bn254_fr some[4] = {ONE, ONE, MINUS_ONE, MINUS_ONE};
  const zka_bn254_g1_aff points[3] = {G, G, G};
  zka_bn254_g1_prj sums[2];
  zka_bn254_g1_aff affine;
  zka_scalars *kept = NULL, *none = NULL;
  zka_bases *bases = NULL;
  zka_future future = {0};
  size_t len = 0;
  OK(zka_bn254_fr_scalars_new(engine, &kept, some, 4));
  OK(zka_bn254_fr_scalars_new_async(engine, &none, NULL, 0, &future));
  OK(zka_wait(engine, future));
  OK(zka_scalars_len(kept, &len));
  CHECK(len == 4);
  OK(zka_bn254_g1_bases_new(engine, &bases, points, 3, ZKA_VALIDATE));
  for (int i = 0; i < 2; i++) {
    memset(sums, 0, sizeof sums);
    if (i == 0)
      OK(zka_bn254_g1_msm_scalars(engine, sums, kept, bases, 1, 2, 2));
    else {
      OK(zka_bn254_g1_msm_scalars_async(engine, sums, kept, bases, 1, 2, 2, &future));
      OK(zka_wait(engine, future));
    }
    OK(zka_bn254_g1_to_aff(&affine, &sums[0]));
    CHECK(memcmp(&affine, &TWO_G, sizeof affine) == 0);
    OK(zka_bn254_g1_to_aff(&affine, &sums[1]));
    CHECK(memcmp(&affine.x, &TWO_G.x, sizeof affine.x) == 0 && memcmp(&affine.y, &TWO_G.y, sizeof affine.y) != 0);
  }
  OK(zka_bn254_g1_msm_scalars(engine, sums, none, bases, 0, 0, 2));
  OK(zka_bn254_g1_to_aff(&affine, &sums[1]));
  for (int i = 0; i < 4; i++) CHECK(affine.x.limbs[i] == 0 && affine.y.limbs[i] == 0);

  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_scalars, engine, sums, kept, bases, 0, 3, 1);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_scalars, engine, sums, kept, bases, 2, 2, 2);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_scalars, engine, sums, kept, bases, 1, 2, SIZE_MAX);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm_scalars, engine, NULL, kept, bases, 1, 2, 2);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm_scalars, engine, sums, NULL, bases, 1, 2, 2);
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_g1_msm_scalars, engine, sums, (zka_scalars *)(void *)bases, bases, 1, 2, 2);
  BOTH(ZKA_WRONG_ENGINE, zka_bn254_g1_msm_scalars, other, sums, kept, bases, 1, 2, 2);
  BOTH(ZKA_NULL_POINTER, zka_bn254_fr_scalars_new, engine, &none, NULL, 1);
  BOTH(ZKA_NULL_POINTER, zka_bn254_fr_scalars_new, engine, NULL, some, 4);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_fr_scalars_new, engine, &none, some, SIZE_MAX);
  const zka_bn254_fr large = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_fr_scalars_new(engine, &none, &large, 1));
  EXPECT(ZKA_NULL_POINTER, zka_scalars_len(kept, NULL));
  OK(zka_bases_free(bases));
  OK(zka_scalars_free(none));
  OK(zka_scalars_free(NULL));
  OK(zka_scalars_free(kept));
  EXPECT(ZKA_BAD_ARGUMENT, zka_scalars_free(kept));
  EXPECT(ZKA_BAD_ARGUMENT, zka_scalars_len(kept, &len));
}

/* Handles keep their engine alive. */
static void any_order_of_freeing(void) {
  zka_engine *engine = engine_with(1);
  uint64_t words_in[4] = {1, 2, 3, 4};
  size_t rows = 0, cols = 0;
  uint32_t flags = 0;
  zka_matrix *matrix = NULL;
  OK(zka_matrix_upload(engine, &matrix, words_in, 2, 2, 0));
  OK(zka_engine_shutdown(engine));
  OK(zka_matrix_shape(matrix, &rows, &cols, &flags));
  CHECK(rows == 2 && cols == 2);
  EXPECT(ZKA_SHUTTING_DOWN, zka_matrix_download(engine, words_in, matrix, 4));
  OK(zka_matrix_free(matrix));
}

void test_stays(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  matrices(engine, 0);
  matrices(engine, ZKA_COLUMN_MAJOR);
  wrong_matrices(engine, other);
  scalars(engine, other);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
  any_order_of_freeing();
}
