/* Matrices that stay on the engine's device, over every field. */
#include "check.h"
#include "constants.h"

enum { LOG_N = 4, N = 1 << LOG_N, COLS = 3, LOG_BLOWUP = 2, EXTENDED = N << LOG_BLOWUP };

/* The values of polynomials are as expected, and so are the polynomials of the values. */
static void evaluate_and_interpolate(zka_engine *engine, const zka_matrix *polynomials, uint32_t log_points, const uint64_t *omega,
                                     const uint64_t *coset, const uint64_t *expected, size_t len) {
  uint64_t *found = words(len), *before = words(len);
  zka_matrix *values = NULL, *back = NULL;
  zka_future future = {0};
  uint32_t field = 0, flags = 0;
  size_t rows = 0, cols = 0;
  OK(zka_matrix_shape(polynomials, &field, &rows, &cols, &flags));
  const size_t width = (field == ZKA_GOLDILOCKS ? 1 : 4) * cols;
  OK(zka_matrix_download(engine, before, polynomials, rows * width));
  for (int i = 0; i < 2; i++) {
    if (i == 0) {
      OK(zka_matrix_evaluate(engine, &values, polynomials, log_points, omega, coset, 0));
      OK(zka_matrix_interpolate(engine, &back, values, rows, omega, coset));
    } else {
      OK(zka_matrix_evaluate_async(engine, &values, polynomials, log_points, omega, coset, 0, &future));
      OK(zka_wait(engine, future));
      OK(zka_matrix_interpolate_async(engine, &back, values, rows, omega, coset, &future));
      OK(zka_wait(engine, future));
    }
    OK(zka_matrix_download(engine, found, values, len));
    CHECK(memcmp(found, expected, len * sizeof *found) == 0);
    OK(zka_matrix_download(engine, found, back, rows * width));
    CHECK(memcmp(found, before, rows * width * sizeof *found) == 0);
    OK(zka_matrix_free(back));
    OK(zka_matrix_free(values));
  }
  free(found);
  free(before);
}

/* Inverses of inverses are the elements, zeros and ones among them; those of 1 and 0 are themselves. */
static void inverses(zka_engine *engine, uint32_t field, const uint64_t *data, size_t rows, size_t cols, size_t width) {
  const size_t len = rows * cols * width;
  uint64_t *found = words(len);
  zka_matrix *matrix = NULL, *inverted = NULL, *again = NULL;
  zka_future future = {0};
  OK(zka_matrix_upload(engine, &matrix, field, data, rows, cols, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_invert(engine, &inverted, matrix));
  OK(zka_matrix_download(engine, found, inverted, len));
  CHECK(memcmp(found, data, 2 * width * sizeof *found) == 0);
  CHECK(memcmp(found, data, len * sizeof *found) != 0);
  OK(zka_matrix_invert_async(engine, &again, inverted, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_download(engine, found, again, len));
  CHECK(memcmp(found, data, len * sizeof *found) == 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_invert, engine, NULL, matrix);
  BOTH(ZKA_NULL_POINTER, zka_matrix_invert, engine, &again, NULL);
  OK(zka_matrix_free(again));
  OK(zka_matrix_free(inverted));
  OK(zka_matrix_free(matrix));
  free(found);
}

/* Of a matrix (1, -1) the columns times 1 and -1 are both 1, and its rows times -1 are (-1, 1); of one of two rows, the first row alone
   counts. */
static void combinations(zka_engine *engine, uint32_t field, const uint64_t *one, const uint64_t *minus_one, size_t width) {
  const size_t size = width * sizeof *one;
  const uint32_t flags[2] = {0, ZKA_COLUMN_MAJOR};
  uint64_t data[8] = {0}, twice[16] = {0}, diagonal[16] = {0}, found[8];
  zka_matrix *matrix = NULL, *made = NULL, *weight = NULL, *weights = NULL, *of_other = NULL;
  zka_future future = {0};
  size_t rows = 0, cols = 0;
  uint32_t number = 0, layout = 0;
  memcpy(data, one, size);
  memcpy(data + width, minus_one, size);
  memcpy(twice, one, size);
  memcpy(twice + 2 * width, minus_one, size);
  memcpy(diagonal, one, size);
  memcpy(diagonal + 3 * width, minus_one, size);
  OK(zka_matrix_upload(engine, &matrix, field, data, 1, 2, ZKA_COLUMN_MAJOR));
  for (int i = 0; i < 2; i++) {
    OK(zka_matrix_combine_columns(engine, &made, matrix, diagonal, 2, 2, flags[i]));
    OK(zka_matrix_shape(made, &number, &rows, &cols, &layout));
    CHECK(number == field && rows == 1 && cols == 2 && layout == ZKA_COLUMN_MAJOR);
    OK(zka_matrix_download(engine, found, made, 2 * width));
    CHECK(memcmp(found, one, size) == 0 && memcmp(found + width, one, size) == 0);
    OK(zka_matrix_free(made));
  }
  OK(zka_matrix_combine_columns_async(engine, &made, matrix, data, 2, 1, 0, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_shape(made, &number, &rows, &cols, &layout));
  CHECK(rows == 1 && cols == 1);
  OK(zka_matrix_free(made));
  OK(zka_matrix_upload(engine, &weight, field, minus_one, 1, 1, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_combine_rows(engine, found, weight, matrix, 2 * width));
  CHECK(memcmp(found, minus_one, size) == 0 && memcmp(found + width, one, size) == 0);
  /* Of column-major memory the first row is entries 0 and 2. */
  OK(zka_matrix_upload(engine, &weights, field, twice, 2, 2, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_combine_rows_async(engine, found, weight, weights, 2 * width, &future));
  OK(zka_wait(engine, future));
  CHECK(memcmp(found, minus_one, size) == 0 && memcmp(found + width, one, size) == 0);
  made = NULL;
  BOTH(ZKA_NULL_POINTER, zka_matrix_combine_columns, engine, NULL, matrix, diagonal, 2, 2, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_combine_columns, engine, &made, NULL, diagonal, 2, 2, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_combine_columns, engine, &made, matrix, NULL, 2, 2, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_combine_columns, engine, &made, matrix, diagonal, 1, 2, 0);
  EXPECT_TEXT("1 rows of coefficients, expected 2, one for each column");
  BOTH(ZKA_BAD_LENGTH, zka_matrix_combine_columns, engine, &made, matrix, diagonal, 2, 0, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_combine_columns, engine, &made, matrix, diagonal, 2, 2, ZKA_INVERSE);
  BOTH(ZKA_NULL_POINTER, zka_matrix_combine_rows, engine, NULL, weight, matrix, 2 * width);
  BOTH(ZKA_NULL_POINTER, zka_matrix_combine_rows, engine, found, NULL, matrix, 2 * width);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_combine_rows, engine, found, weight, matrix, 2 * width - 1);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_combine_rows, engine, found, weights, matrix, 4 * width);
  EXPECT_TEXT("2 rows of weights, expected at most 1, as many as of the matrix");
  OK(zka_matrix_upload(engine, &of_other, ZKA_BN254_FQ, FP_ONE.limbs, 1, 1, ZKA_COLUMN_MAJOR));
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_combine_rows, engine, found, of_other, matrix, 2 * width);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_combine_rows, engine, found, of_other, of_other, 4);
  EXPECT_TEXT("combinations over bn254-fq, expected a field with transforms");
  BOTH(ZKA_UNSUPPORTED, zka_matrix_combine_columns, engine, &made, of_other, FP_ONE.limbs, 1, 1, 0);
  CHECK(made == NULL);
  OK(zka_matrix_free(of_other));
  OK(zka_matrix_free(weights));
  OK(zka_matrix_free(weight));
  OK(zka_matrix_free(matrix));
}

/* Products with 1 are the elements, elements less themselves are 0, and the square of -1 is 1. */
static void products(zka_engine *engine, uint32_t field, const uint64_t *one, const uint64_t *minus_one) {
  uint64_t data[12], ones[12], found[12];
  const uint64_t zeros[12] = {0};
  zka_matrix *a = NULL, *b = NULL, *made = NULL, *column = NULL, *words_alone = NULL, *of_other = NULL;
  zka_future future = {0};
  memcpy(data, one, 32);
  memcpy(data + 4, minus_one, 32);
  memset(data + 8, 0, 32);
  for (int i = 0; i < 3; i++) memcpy(ones + 4 * i, one, 32);
  OK(zka_matrix_upload(engine, &a, field, data, 1, 3, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_upload(engine, &b, field, ones, 1, 3, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_upload(engine, &column, field, ones, 3, 1, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_multiply(engine, &made, a, b, NULL));
  OK(zka_matrix_download(engine, found, made, 12));
  CHECK(memcmp(found, data, sizeof found) == 0);
  OK(zka_matrix_free(made));
  OK(zka_matrix_multiply_async(engine, &made, a, b, a, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_download(engine, found, made, 12));
  CHECK(memcmp(found, zeros, sizeof found) == 0);
  OK(zka_matrix_free(made));
  OK(zka_matrix_multiply(engine, &made, a, a, NULL));
  OK(zka_matrix_download(engine, found, made, 12));
  CHECK(memcmp(found, ones, 64) == 0 && memcmp(found + 8, zeros, 32) == 0);
  OK(zka_matrix_free(made));
  made = NULL;
  BOTH(ZKA_NULL_POINTER, zka_matrix_multiply, engine, NULL, a, b, NULL);
  BOTH(ZKA_NULL_POINTER, zka_matrix_multiply, engine, &made, NULL, b, NULL);
  BOTH(ZKA_NULL_POINTER, zka_matrix_multiply, engine, &made, a, NULL, b);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_multiply, engine, &made, a, column, NULL);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_multiply, engine, &made, a, b, column);
  OK(zka_matrix_upload(engine, &words_alone, ZKA_GOLDILOCKS, zeros, 1, 3, 0));
  BOTH(ZKA_UNSUPPORTED, zka_matrix_multiply, engine, &made, words_alone, words_alone, NULL);
  EXPECT_TEXT("products over goldilocks, expected a field of curves");
  const uint32_t other = field == ZKA_BN254_FR ? ZKA_BN254_FQ : ZKA_BN254_FR;
  OK(zka_matrix_upload(engine, &of_other, other, zeros, 1, 3, ZKA_COLUMN_MAJOR));
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_multiply, engine, &made, a, of_other, NULL);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_multiply, engine, &made, a, b, of_other);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_multiply, engine, &made, a, words_alone, NULL);
  CHECK(made == NULL);
  OK(zka_matrix_free(words_alone));
  OK(zka_matrix_free(of_other));
  OK(zka_matrix_free(a));
  OK(zka_matrix_free(b));
  OK(zka_matrix_free(column));
}

/* Of a vector (1, -1, 0) the rows x_0 - x_1, nothing, x_1, and x_2 + x_0 + x_0. */
static void sparse_products(zka_engine *engine, zka_engine *other, uint32_t field, const uint64_t *one, const uint64_t *minus_one) {
  const size_t starts[5] = {0, 2, 2, 3, 6}, late[2] = {1, 1}, falling[4] = {0, 2, 1, 2}, both[2] = {0, 2};
  const uint32_t indices[6] = {0, 1, 1, 2, 0, 0}, past[2] = {0, 3};
  uint64_t values[24], data[12], two[4], found[16], expected[16];
  const uint64_t zeros[12] = {0};
  zka_sparse *sparse = NULL, *again = NULL, *none = NULL;
  zka_matrix *vector = NULL, *made = NULL, *pair = NULL, *words_alone = NULL, *sum = NULL;
  zka_future future = {0};
  size_t rows = 0, cols = 0, entries = 0;
  uint32_t number = 0, flags = 0;
  for (int i = 0; i < 6; i++) memcpy(values + 4 * i, i == 1 ? minus_one : one, 32);
  memcpy(data, one, 32);
  memcpy(data + 4, minus_one, 32);
  memset(data + 8, 0, 32);
  OK(zka_sparse_new(engine, &sparse, field, starts, indices, values, 4, 3, 6));
  OK(zka_sparse_new_async(engine, &again, field, starts, indices, values, 4, 3, 6, &future));
  OK(zka_wait(engine, future));
  OK(zka_sparse_shape(sparse, &number, &rows, &cols, &entries));
  CHECK(number == field && rows == 4 && cols == 3 && entries == 6);
  OK(zka_matrix_upload(engine, &vector, field, data, 3, 1, ZKA_COLUMN_MAJOR));

  /* 2 is 1 - -1 * 1. */
  OK(zka_matrix_upload(engine, &pair, field, data, 1, 3, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_multiply(engine, &sum, vector, vector, vector));
  OK(zka_matrix_download(engine, found, sum, 12));
  memcpy(two, found + 4, 32);
  OK(zka_matrix_free(sum));
  memset(expected, 0, sizeof expected);
  memcpy(expected, two, 32);
  memcpy(expected + 8, minus_one, 32);
  memcpy(expected + 12, two, 32);
  OK(zka_sparse_multiply(engine, &made, sparse, vector));
  OK(zka_matrix_shape(made, &number, &rows, &cols, &flags));
  CHECK(number == field && rows == 4 && cols == 1);
  OK(zka_matrix_download(engine, found, made, 16));
  CHECK(memcmp(found, expected, sizeof found) == 0);
  OK(zka_matrix_free(made));
  OK(zka_sparse_multiply_async(engine, &made, again, vector, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_download(engine, found, made, 16));
  CHECK(memcmp(found, expected, sizeof found) == 0);
  OK(zka_matrix_free(made));
  made = NULL;

  BOTH(ZKA_UNSUPPORTED, zka_sparse_new, engine, &none, ZKA_GOLDILOCKS, starts, indices, values, 4, 3, 6);
  EXPECT_TEXT("sparse matrices over goldilocks, expected a field of curves");
  BOTH(ZKA_BAD_ARGUMENT, zka_sparse_new, engine, &none, 99, starts, indices, values, 4, 3, 6);
  BOTH(ZKA_NULL_POINTER, zka_sparse_new, engine, NULL, field, starts, indices, values, 4, 3, 6);
  BOTH(ZKA_NULL_POINTER, zka_sparse_new, engine, &none, field, NULL, indices, values, 4, 3, 6);
  BOTH(ZKA_NULL_POINTER, zka_sparse_new, engine, &none, field, starts, NULL, values, 4, 3, 6);
  BOTH(ZKA_NULL_POINTER, zka_sparse_new, engine, &none, field, starts, indices, NULL, 4, 3, 6);
  BOTH(ZKA_BAD_LENGTH, zka_sparse_new, engine, &none, field, starts, indices, values, SIZE_MAX, 3, 6);
  EXPECT(ZKA_BAD_LENGTH, zka_sparse_new(engine, &none, field, starts, indices, values, 4, 3, 5));
  EXPECT(ZKA_BAD_LENGTH, zka_sparse_new(engine, &none, field, late, indices, values, 1, 3, 1));
  EXPECT(ZKA_BAD_ARGUMENT, zka_sparse_new(engine, &none, field, falling, indices, values, 3, 3, 2));
  EXPECT(ZKA_BAD_ARGUMENT, zka_sparse_new(engine, &none, field, both, past, values, 1, 3, 2));
  memset(values, 0xff, 32);
  EXPECT(ZKA_NOT_CANONICAL, zka_sparse_new(engine, &none, field, starts, indices, values, 4, 3, 6));
  OK(zka_matrix_upload(engine, &words_alone, ZKA_GOLDILOCKS, zeros, 3, 1, 0));
  BOTH(ZKA_BAD_ARGUMENT, zka_sparse_multiply, engine, &made, sparse, words_alone);
  BOTH(ZKA_BAD_LENGTH, zka_sparse_multiply, engine, &made, sparse, pair);
  BOTH(ZKA_NULL_POINTER, zka_sparse_multiply, engine, NULL, sparse, vector);
  BOTH(ZKA_NULL_POINTER, zka_sparse_multiply, engine, &made, NULL, vector);
  BOTH(ZKA_NULL_POINTER, zka_sparse_multiply, engine, &made, sparse, NULL);
  BOTH(ZKA_WRONG_ENGINE, zka_sparse_multiply, other, &made, sparse, vector);
  CHECK(none == NULL && made == NULL);
  OK(zka_sparse_free(sparse));
  BOTH(ZKA_BAD_ARGUMENT, zka_sparse_multiply, engine, &made, sparse, vector);
  EXPECT(ZKA_BAD_ARGUMENT, zka_sparse_shape(sparse, &number, &rows, &cols, &entries));
  OK(zka_sparse_free(again));
  OK(zka_sparse_free(NULL));
  OK(zka_matrix_free(vector));
  OK(zka_matrix_free(pair));
  OK(zka_matrix_free(words_alone));
}

/* What is done on the device is what is done in host memory. */
static void over_goldilocks(zka_engine *engine, uint32_t layout) {
  const uint64_t omega = root_of_unity(LOG_N), large = root_of_unity(LOG_N + LOG_BLOWUP), coset = 7;
  uint64_t data[N * COLS], back[N * COLS], expected[N * COLS], extension[EXTENDED * COLS], there[EXTENDED * COLS];
  zka_matrix *matrix = NULL, *values = NULL, *extended = NULL;
  zka_future future = {0};
  size_t rows = 0, cols = 0;
  uint32_t field = 99, flags = 99;
  const uint64_t elements[9] = {0, 1, 2, 0, P - 1, 0, 1, 0x100000000, P - 2};
  inverses(engine, ZKA_GOLDILOCKS, elements, 3, 3, 1);
  const uint64_t one = 1, minus_one = UINT64_C(0xffffffff00000000);
  combinations(engine, ZKA_GOLDILOCKS, &one, &minus_one, 1);
  fill(data, N * COLS, 5);
  OK(zka_matrix_upload(engine, &matrix, ZKA_GOLDILOCKS, data, N, COLS, layout));
  OK(zka_matrix_shape(matrix, &field, &rows, &cols, &flags));
  CHECK(field == ZKA_GOLDILOCKS && rows == N && cols == COLS && flags == layout);
  OK(zka_matrix_download(engine, back, matrix, N * COLS));
  CHECK(memcmp(back, data, sizeof data) == 0);

  memcpy(expected, data, sizeof data);
  OK(zka_goldilocks_ntt(engine, expected, LOG_N, COLS, omega, coset, ZKA_INVERSE | layout));
  OK(zka_matrix_ntt_async(engine, &values, matrix, &omega, &coset, ZKA_INVERSE, &future));
  OK(zka_wait(engine, future));
  OK(zka_matrix_download_async(engine, back, values, N * COLS, &future));
  OK(zka_wait(engine, future));
  CHECK(memcmp(back, expected, sizeof back) == 0);
  OK(zka_matrix_download(engine, back, matrix, N * COLS));
  CHECK(memcmp(back, data, sizeof data) == 0);

  OK(zka_goldilocks_lde(engine, extension, data, LOG_N, LOG_BLOWUP, COLS, large, coset, layout));
  OK(zka_matrix_lde(engine, &extended, matrix, LOG_BLOWUP, &large, &coset, 0));
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

  /* The same from coefficients, and back. */
  OK(zka_matrix_ntt(engine, &extended, matrix, &omega, NULL, ZKA_INVERSE));
  evaluate_and_interpolate(engine, extended, LOG_N + LOG_BLOWUP, &large, &coset, extension, EXTENDED * COLS);
  OK(zka_matrix_free(extended));
  OK(zka_matrix_free(values));
  OK(zka_matrix_free(matrix));
}

static void wrong_matrices(zka_engine *engine, zka_engine *other) {
  uint64_t data[N * COLS];
  const uint64_t omega = root_of_unity(LOG_N), large = root_of_unity(LOG_N + 1), zero = 0, seven = 7, not_canonical = P;
  const size_t far_row = N;
  zka_matrix *matrix = NULL, *made = NULL, *odd = NULL;
  zka_tree *tree = NULL;
  size_t rows = 0, cols = 0;
  uint32_t field = 0, flags = 0;
  fill(data, N * COLS, 6);
  BOTH(ZKA_NULL_POINTER, zka_matrix_upload, engine, &matrix, ZKA_GOLDILOCKS, NULL, N, COLS, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_upload, engine, NULL, ZKA_GOLDILOCKS, data, N, COLS, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, ZKA_GOLDILOCKS, data, 0, COLS, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, ZKA_GOLDILOCKS, data, N, 0, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, ZKA_GOLDILOCKS, data, SIZE_MAX / 2, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_upload, engine, &matrix, ZKA_GOLDILOCKS, data, N, COLS, ZKA_INVERSE);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_upload, engine, &matrix, 0, data, N, COLS, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_upload, engine, &matrix, 99, data, N, COLS, 0);
  EXPECT_TEXT("field 99, expected one of 1 to ");
  BOTH(ZKA_BAD_LENGTH, zka_matrix_upload, engine, &matrix, ZKA_BN254_FQ, data, SIZE_MAX / 8, 2, 0);
  BOTH(ZKA_ALIASED, zka_matrix_upload, engine, (zka_matrix **)(void *)(data + 1), ZKA_GOLDILOCKS, data, N, COLS, 0);
  data[5] = P;
  EXPECT(ZKA_NOT_CANONICAL, zka_matrix_upload(engine, &matrix, ZKA_GOLDILOCKS, data, N, COLS, 0));
  data[5] = 5;
  OK(zka_matrix_upload(engine, &matrix, ZKA_GOLDILOCKS, data, N, COLS, 0));
  OK(zka_matrix_upload(engine, &odd, ZKA_GOLDILOCKS, data, 3, COLS, 0));

  BOTH(ZKA_BAD_LENGTH, zka_matrix_download, engine, data, matrix, N * COLS - 1);
  BOTH(ZKA_NULL_POINTER, zka_matrix_download, engine, NULL, matrix, N * COLS);
  BOTH(ZKA_NULL_POINTER, zka_matrix_download, engine, data, NULL, N * COLS);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_download, other, data, matrix, N * COLS);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_download, engine, data, (zka_matrix *)(void *)engine, N * COLS);
  EXPECT(ZKA_BAD_ARGUMENT, zka_matrix_rows(engine, data, matrix, &far_row, 1));
  BOTH(ZKA_NULL_POINTER, zka_matrix_rows, engine, data, matrix, NULL, 1);
  BOTH(ZKA_BAD_ROOT, zka_matrix_ntt, engine, &made, matrix, &large, NULL, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_matrix_ntt, engine, &made, matrix, &not_canonical, NULL, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_matrix_ntt, engine, &made, matrix, &omega, &not_canonical, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_ntt, engine, &made, matrix, &omega, &zero, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_ntt, engine, &made, matrix, &omega, NULL, ZKA_COLUMN_MAJOR);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_ntt, engine, &made, odd, &omega, NULL, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_ntt, engine, NULL, matrix, &omega, NULL, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_ntt, engine, &made, matrix, NULL, NULL, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_ntt, engine, &made, NULL, &omega, NULL, 0);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_ntt, other, &made, matrix, &omega, NULL, 0);
  BOTH(ZKA_ALIASED, zka_matrix_ntt, engine, (zka_matrix **)(void *)data, matrix, &omega, data, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_matrix_lde, engine, &made, matrix, 0, &omega, &seven, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_matrix_lde, engine, &made, matrix, UINT32_MAX, &omega, &seven, 0);
  BOTH(ZKA_BAD_ROOT, zka_matrix_lde, engine, &made, matrix, 1, &omega, &seven, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_lde, engine, &made, matrix, 1, &large, &seven, ZKA_INVERSE);
  BOTH(ZKA_NULL_POINTER, zka_matrix_lde, engine, &made, matrix, 1, NULL, &seven, 0);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_lde, other, &made, matrix, 1, &large, &seven, 0);
  BOTH(ZKA_BAD_ROOT, zka_matrix_evaluate, engine, &made, matrix, LOG_N, &large, NULL, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_matrix_evaluate, engine, &made, matrix, 33, &large, NULL, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_evaluate, engine, &made, odd, LOG_N, &omega, NULL, 0);
  const uint64_t small = root_of_unity(LOG_N - 1);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_evaluate, engine, &made, matrix, LOG_N - 1, &small, NULL, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_evaluate, engine, &made, matrix, LOG_N, &omega, NULL, ZKA_OUT_BITREV);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_evaluate, engine, &made, matrix, LOG_N, &omega, &zero, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_evaluate, engine, NULL, matrix, LOG_N, &omega, NULL, 0);
  BOTH(ZKA_NULL_POINTER, zka_matrix_evaluate, engine, &made, matrix, LOG_N, NULL, NULL, 0);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_evaluate, other, &made, matrix, LOG_N, &omega, NULL, 0);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_interpolate, engine, &made, matrix, 0, &omega, NULL);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_interpolate, engine, &made, matrix, N + 1, &omega, NULL);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_interpolate, engine, &made, odd, 1, &omega, NULL);
  BOTH(ZKA_BAD_ROOT, zka_matrix_interpolate, engine, &made, matrix, N, &large, NULL);
  BOTH(ZKA_NULL_POINTER, zka_matrix_interpolate, engine, NULL, matrix, N, &omega, NULL);
  BOTH(ZKA_NULL_POINTER, zka_matrix_interpolate, engine, &made, NULL, N, &omega, NULL);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_interpolate, other, &made, matrix, N, &omega, NULL);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_merkle, engine, &tree, odd, ZKA_HASH_BLAKE3);
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_merkle, engine, &tree, matrix, 99);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_merkle, other, &tree, matrix, ZKA_HASH_BLAKE3);
  EXPECT(ZKA_NULL_POINTER, zka_matrix_shape(matrix, &field, NULL, &cols, &flags));
  EXPECT(ZKA_NULL_POINTER, zka_matrix_shape(matrix, NULL, &rows, &cols, &flags));
  EXPECT(ZKA_ALIASED, zka_matrix_shape(matrix, &field, &rows, &rows, &flags));
  EXPECT(ZKA_ALIASED, zka_matrix_shape(matrix, &flags, &rows, &cols, &flags));
  OK(zka_matrix_free(odd));
  OK(zka_matrix_free(NULL));
  OK(zka_matrix_free(matrix));
  EXPECT(ZKA_BAD_ARGUMENT, zka_matrix_free(matrix));
  EXPECT(ZKA_BAD_ARGUMENT, zka_matrix_shape(matrix, &field, &rows, &cols, &flags));
  BOTH(ZKA_BAD_ARGUMENT, zka_matrix_ntt, engine, &made, matrix, &omega, NULL, 0);
  CHECK(made == NULL && tree == NULL);
}

/* Rows of scalars, and what they are as columns, one after another. */
enum { POINTS = 8, WIDTH = 2 };

/* Matrices over BN254's scalars: what is done on the device is what zka_bn254_fr_fft does with the columns. */
static void over_scalars(zka_engine *engine, uint32_t layout) {
  zka_bn254_fr rows_first[POINTS * WIDTH], columns[POINTS * WIDTH], expected[POINTS * WIDTH], found[POINTS * WIDTH];
  /* 0, 1 and r - 1 are among the entries, and elements of no pattern. */
  memset(columns, 0, sizeof columns);
  columns[1] = ONE;
  columns[2] = columns[POINTS] = MINUS_ONE;
  columns[3] = columns[POINTS + 7] = OMEGA_8;
  columns[5] = OMEGA_4;
  for (int i = 0; i < POINTS * WIDTH; i++) rows_first[i] = columns[i % WIDTH * POINTS + i / WIDTH];
  const uint64_t *given = layout == 0 ? rows_first[0].limbs : columns[0].limbs, *omega = OMEGA_8.limbs, *coset = OMEGA_4.limbs;
  zka_matrix *matrix = NULL, *made = NULL, *half = NULL;
  zka_future future = {0};
  uint32_t field = 0, flags = 0;
  size_t rows = 0, cols = 0;
  const size_t len = POINTS * WIDTH * 4;
  inverses(engine, ZKA_BN254_FR, columns[0].limbs, POINTS * WIDTH, 1, 4);
  products(engine, ZKA_BN254_FR, ONE.limbs, MINUS_ONE.limbs);
  combinations(engine, ZKA_BN254_FR, ONE.limbs, MINUS_ONE.limbs, 4);

  if (layout == 0)
    OK(zka_matrix_upload(engine, &matrix, ZKA_BN254_FR, given, POINTS, WIDTH, layout));
  else {
    OK(zka_matrix_upload_async(engine, &matrix, ZKA_BN254_FR, given, POINTS, WIDTH, layout, &future));
    OK(zka_wait(engine, future));
  }
  OK(zka_matrix_shape(matrix, &field, &rows, &cols, &flags));
  CHECK(field == ZKA_BN254_FR && rows == POINTS && cols == WIDTH && flags == ZKA_COLUMN_MAJOR);
  OK(zka_matrix_download(engine, found[0].limbs, matrix, len));
  CHECK(memcmp(found, columns, sizeof columns) == 0);
  const size_t indices[2] = {5, 0};
  OK(zka_matrix_rows(engine, found[0].limbs, matrix, indices, 2));
  CHECK(memcmp(&found[0], &rows_first[5 * WIDTH], WIDTH * sizeof ONE) == 0);
  CHECK(memcmp(&found[WIDTH], &rows_first[0], WIDTH * sizeof ONE) == 0);

  static const uint32_t all_flags[3] = {0, ZKA_INVERSE, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV};
  for (int i = 0; i < 3; i++) {
    const zka_bn254_fr *shift = i == 0 ? NULL : &OMEGA_4;
    memcpy(expected, columns, sizeof columns);
    OK(zka_bn254_fr_fft(engine, expected, 3, WIDTH, &OMEGA_8, shift, all_flags[i]));
    OK(zka_matrix_ntt(engine, &made, matrix, omega, i == 0 ? NULL : coset, all_flags[i]));
    OK(zka_matrix_download(engine, found[0].limbs, made, len));
    CHECK(memcmp(found, expected, sizeof expected) == 0);
    OK(zka_matrix_free(made));
  }

  /* Four values a column, on the subgroup of order 4, by their coefficients: the first half of the memory. */
  memset(expected, 0, sizeof expected);
  for (int col = 0; col < WIDTH; col++) memcpy(&expected[col * POINTS], &columns[col * 4], 4 * sizeof ONE);
  for (int col = 0; col < WIDTH; col++) OK(zka_bn254_fr_fft(engine, &expected[col * POINTS], 2, 1, &OMEGA_4, NULL, ZKA_INVERSE));
  OK(zka_bn254_fr_fft(engine, expected, 3, WIDTH, &OMEGA_8, &OMEGA_8, 0));
  OK(zka_matrix_upload(engine, &half, ZKA_BN254_FR, columns[0].limbs, 4, WIDTH, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_lde(engine, &made, half, 1, omega, omega, 0));
  OK(zka_matrix_download(engine, found[0].limbs, made, len));
  CHECK(memcmp(found, expected, sizeof expected) == 0);
  OK(zka_matrix_free(made));
  OK(zka_matrix_ntt_async(engine, &made, half, OMEGA_4.limbs, NULL, ZKA_INVERSE, &future));
  OK(zka_wait(engine, future));
  evaluate_and_interpolate(engine, made, 3, omega, omega, expected[0].limbs, len);
  OK(zka_matrix_free(made));

  /* Of a polynomial cut short only its lowest coefficients are left. */
  OK(zka_matrix_interpolate(engine, &made, matrix, 3, omega, NULL));
  OK(zka_matrix_shape(made, &field, &rows, &cols, &flags));
  CHECK(field == ZKA_BN254_FR && rows == 3 && cols == WIDTH);
  memcpy(expected, columns, sizeof columns);
  OK(zka_bn254_fr_fft(engine, expected, 3, WIDTH, &OMEGA_8, NULL, ZKA_INVERSE));
  OK(zka_matrix_download(engine, found[0].limbs, made, 3 * WIDTH * 4));
  for (int col = 0; col < WIDTH; col++) CHECK(memcmp(&found[3 * col], &expected[POINTS * col], 3 * sizeof ONE) == 0);
  OK(zka_matrix_free(made));

  zka_tree *tree = NULL;
  zka_matrix *none = NULL;
  BOTH(ZKA_BAD_LENGTH, zka_matrix_download, engine, found[0].limbs, matrix, len / 4);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_merkle, engine, &tree, matrix, ZKA_HASH_BLAKE3);
  EXPECT_TEXT("hashes of rows over bn254-fr, expected Goldilocks");
  BOTH(ZKA_BAD_ROOT, zka_matrix_ntt, engine, &none, matrix, OMEGA_4.limbs, NULL, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_matrix_ntt, engine, &none, matrix, ORDER, NULL, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_matrix_ntt, engine, &none, matrix, omega, ORDER, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_matrix_evaluate, engine, &none, matrix, 29, omega, NULL, 0);
  CHECK(tree == NULL && none == NULL);
  OK(zka_matrix_free(half));
  OK(zka_matrix_free(matrix));
}

/* Matrices over BN254's coordinates stay and come back; there are no transforms of them. */
static void over_coordinates(zka_engine *engine) {
  zka_bn254_fp data[4] = {FP_ONE, FP_MINUS_ONE, {{0, 0, 0, 0}}, G.y}, found[4];
  const size_t last = 1;
  zka_matrix *matrix = NULL, *none = NULL;
  zka_tree *tree = NULL;
  zka_future future;
  OK(zka_matrix_upload(engine, &matrix, ZKA_BN254_FQ, data[0].limbs, 2, 2, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_download(engine, found[0].limbs, matrix, 16));
  CHECK(memcmp(found, data, sizeof data) == 0);
  products(engine, ZKA_BN254_FQ, FP_ONE.limbs, FP_MINUS_ONE.limbs);
  OK(zka_matrix_rows(engine, found[0].limbs, matrix, &last, 1));
  CHECK(memcmp(&found[0], &data[1], sizeof *data) == 0 && memcmp(&found[1], &data[3], sizeof *data) == 0);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_ntt, engine, &none, matrix, FP_MINUS_ONE.limbs, NULL, 0);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_invert, engine, &none, matrix);
  EXPECT_TEXT("transforms over bn254-fq, which has no roots of unity for them");
  BOTH(ZKA_UNSUPPORTED, zka_matrix_lde, engine, &none, matrix, 1, FP_MINUS_ONE.limbs, NULL, 0);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_evaluate, engine, &none, matrix, 1, FP_MINUS_ONE.limbs, NULL, 0);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_interpolate, engine, &none, matrix, 1, FP_MINUS_ONE.limbs, NULL);
  BOTH(ZKA_UNSUPPORTED, zka_matrix_merkle, engine, &tree, matrix, ZKA_HASH_BLAKE3);
  OK(zka_matrix_free(matrix));

  /* The primes themselves are the least that are refused; r is below q. */
  memcpy(data[2].limbs, PRIME, sizeof PRIME);
  EXPECT(ZKA_NOT_CANONICAL, zka_matrix_upload(engine, &none, ZKA_BN254_FQ, data[0].limbs, 2, 2, 0));
  EXPECT_TEXT("element 2 is 0x30644e72");
  OK(zka_matrix_upload_async(engine, &none, ZKA_BN254_FQ, data[0].limbs, 2, 2, 0, &future));
  EXPECT(ZKA_NOT_CANONICAL, zka_wait(engine, future));
  memcpy(data[2].limbs, ORDER, sizeof ORDER);
  EXPECT(ZKA_NOT_CANONICAL, zka_matrix_upload(engine, &none, ZKA_BN254_FR, data[0].limbs, 2, 2, 0));
  CHECK(none == NULL && tree == NULL);
  OK(zka_matrix_upload(engine, &matrix, ZKA_BN254_FQ, data[0].limbs, 2, 2, 0));
  OK(zka_matrix_free(matrix));
}

/* Handles keep their engine alive. */
static void any_order_of_freeing(void) {
  zka_engine *engine = engine_with(1);
  uint64_t words_in[4] = {1, 2, 3, 4};
  size_t rows = 0, cols = 0;
  uint32_t field = 0, flags = 0;
  zka_matrix *matrix = NULL;
  OK(zka_matrix_upload(engine, &matrix, ZKA_GOLDILOCKS, words_in, 2, 2, 0));
  OK(zka_engine_shutdown(engine));
  OK(zka_matrix_shape(matrix, &field, &rows, &cols, &flags));
  CHECK(rows == 2 && cols == 2);
  EXPECT(ZKA_SHUTTING_DOWN, zka_matrix_download(engine, words_in, matrix, 4));
  OK(zka_matrix_free(matrix));
}

void test_matrices(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  over_goldilocks(engine, 0);
  over_goldilocks(engine, ZKA_COLUMN_MAJOR);
  over_scalars(engine, 0);
  over_scalars(engine, ZKA_COLUMN_MAJOR);
  over_coordinates(engine);
  wrong_matrices(engine, other);
  sparse_products(engine, other, ZKA_BN254_FR, ONE.limbs, MINUS_ONE.limbs);
  sparse_products(engine, other, ZKA_BN254_FQ, FP_ONE.limbs, FP_MINUS_ONE.limbs);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
  any_order_of_freeing();
}
