/* Prefix products, lookups, matrices in other shapes, and row programs, over both fields that have them. */
#include "check.h"
#include "constants.h"

/* A field, and its elements -1, 0 and 1. */
typedef struct {
  uint32_t number;
  size_t width;
  const uint64_t *one, *minus_one;
} signs_field;

/* Elements by their signs. */
static void put(const signs_field *field, uint64_t *to, const int *signs, size_t count) {
  memset(to, 0, count * field->width * sizeof *to);
  for (size_t i = 0; i < count; i++)
    if (signs[i] != 0)
      memcpy(to + i * field->width, signs[i] > 0 ? field->one : field->minus_one, field->width * sizeof *to);
}

/* The matrix is column-major, and its elements have these signs. */
static void expect(zka_engine *engine, const signs_field *field, const zka_matrix *matrix, const int *signs, size_t rows, size_t cols) {
  uint64_t found[64], expected[64];
  size_t found_rows = 0, found_cols = 0;
  uint32_t number = 0, layout = 0;
  OK(zka_matrix_shape(matrix, &number, &found_rows, &found_cols, &layout));
  CHECK(number == field->number && found_rows == rows && found_cols == cols && layout == ZKA_COLUMN_MAJOR);
  put(field, expected, signs, rows * cols);
  OK(zka_matrix_download(engine, found, matrix, rows * cols * field->width));
  CHECK(memcmp(found, expected, rows * cols * field->width * sizeof *found) == 0);
}

/* Of the columns (-1, -1, 1) and (1, 0, -1), from ones and from other values. */
static void prefix_products(zka_engine *engine, zka_engine *other, const signs_field *field) {
  static const int entries[6] = {-1, -1, 1, 1, 0, -1}, from_ones[6] = {1, -1, 1, 1, 1, 0}, ends[2] = {1, 0};
  static const int begin[2] = {-1, 1}, from_others[6] = {-1, 1, -1, 1, 1, 0}, others_end[2] = {-1, 0};
  const size_t len = 2 * field->width;
  uint64_t data[24], first[8], last[8], expected[8];
  zka_matrix *matrix = NULL, *made = NULL, *of_other = NULL;
  zka_future future = {0};
  put(field, data, entries, 6);
  put(field, first, begin, 2);
  OK(zka_matrix_upload(engine, &matrix, field->number, data, 3, 2, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_prefix_products(engine, &made, last, matrix, NULL, len));
  expect(engine, field, made, from_ones, 3, 2);
  put(field, expected, ends, 2);
  CHECK(memcmp(last, expected, len * sizeof *last) == 0);
  OK(zka_matrix_free(made));
  OK(zka_matrix_prefix_products_async(engine, &made, last, matrix, first, len, &future));
  memset(first, 0, sizeof first); /* they were read */
  OK(zka_wait(engine, future));
  expect(engine, field, made, from_others, 3, 2);
  put(field, expected, others_end, 2);
  CHECK(memcmp(last, expected, len * sizeof *last) == 0);
  OK(zka_matrix_free(made));
  made = NULL;
  BOTH(ZKA_NULL_POINTER, zka_matrix_prefix_products, engine, NULL, last, matrix, NULL, len);
  BOTH(ZKA_NULL_POINTER, zka_matrix_prefix_products, engine, &made, NULL, matrix, NULL, len);
  BOTH(ZKA_NULL_POINTER, zka_matrix_prefix_products, engine, &made, last, NULL, NULL, len);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_prefix_products, engine, &made, last, matrix, NULL, len + 1);
  EXPECT_TEXT("words for a value of each of 2 columns, expected");
  BOTH(ZKA_BAD_LENGTH, zka_matrix_prefix_products, engine, &made, last, matrix, first, 0);
  BOTH(ZKA_ALIASED, zka_matrix_prefix_products, engine, &made, last, matrix, last, len);
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_prefix_products, other, &made, last, matrix, NULL, len);
  memset(first, 0xff, sizeof first);
  EXPECT(ZKA_NOT_CANONICAL, zka_matrix_prefix_products(engine, &made, last, matrix, first, len));
  OK(zka_matrix_upload(engine, &of_other, ZKA_BN254_FQ, FP_ONE.limbs, 1, 1, ZKA_COLUMN_MAJOR));
  BOTH(ZKA_UNSUPPORTED, zka_matrix_prefix_products, engine, &made, last, of_other, NULL, 4);
  EXPECT_TEXT("prefix products over bn254-fq, expected a field with transforms");
  CHECK(made == NULL);
  OK(zka_matrix_free(of_other));
  OK(zka_matrix_free(matrix));
}

/* The entries of a column or of a row-major matrix, in rows of another length. */
static void shapes(zka_engine *engine, zka_engine *other) {
  uint64_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, found[8];
  zka_matrix *column = NULL, *pairs = NULL, *fours = NULL, *apart = NULL, *scalars = NULL, *made = NULL;
  size_t rows = 0, cols = 0;
  uint32_t field = 0, layout = 99;
  OK(zka_matrix_upload(engine, &column, ZKA_GOLDILOCKS, data, 8, 1, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_reshape(engine, &pairs, column, 4, 2));
  OK(zka_matrix_free(column));
  OK(zka_matrix_reshape(engine, &fours, pairs, 2, 4));
  OK(zka_matrix_shape(fours, &field, &rows, &cols, &layout));
  CHECK(field == ZKA_GOLDILOCKS && rows == 2 && cols == 4 && layout == 0);
  const size_t index = 1;
  OK(zka_matrix_rows(engine, found, pairs, &index, 1));
  CHECK(found[0] == 3 && found[1] == 4);
  OK(zka_matrix_download(engine, found, fours, 8));
  CHECK(memcmp(found, data, sizeof data) == 0);
  EXPECT(ZKA_BAD_LENGTH, zka_matrix_reshape(engine, &made, pairs, 4, 4));
  EXPECT(ZKA_BAD_LENGTH, zka_matrix_reshape(engine, &made, pairs, 0, 8));
  EXPECT(ZKA_BAD_LENGTH, zka_matrix_reshape(engine, &made, pairs, SIZE_MAX, 8));
  EXPECT(ZKA_NULL_POINTER, zka_matrix_reshape(engine, NULL, pairs, 8, 1));
  EXPECT(ZKA_NULL_POINTER, zka_matrix_reshape(engine, &made, NULL, 8, 1));
  EXPECT(ZKA_WRONG_ENGINE, zka_matrix_reshape(other, &made, pairs, 8, 1));
  /* Columns one after another are not rows; over a prime field they always are. */
  OK(zka_matrix_upload(engine, &apart, ZKA_GOLDILOCKS, data, 4, 2, ZKA_COLUMN_MAJOR));
  EXPECT(ZKA_BAD_LENGTH, zka_matrix_reshape(engine, &made, apart, 8, 1));
  OK(zka_matrix_upload(engine, &scalars, ZKA_BN254_FR, ONE.limbs, 1, 1, 0));
  OK(zka_matrix_reshape(engine, &made, scalars, 1, 1));
  OK(zka_matrix_free(made));
  OK(zka_matrix_free(scalars));
  OK(zka_matrix_free(apart));
  OK(zka_matrix_free(fours));
  OK(zka_matrix_free(pairs));
}

enum { NODES = 9, COLUMN_LEN = 4 };

/* Of each x and the next y: x y less the value, that times -1, that times x, and the sum of the first two. */
static const zka_node PRODUCTS_OF_NEIGHBOURS[NODES] = {
    {ZKA_NODE_COLUMN, 0, 0, 0},   {ZKA_NODE_COLUMN, 0, 0, 1}, {ZKA_NODE_MUL, 0, 1, 0}, {ZKA_NODE_VALUE, 0, 0, 0}, {ZKA_NODE_SUB, 2, 3, 0},
    {ZKA_NODE_CONSTANT, 1, 0, 0}, {ZKA_NODE_MUL, 4, 5, 0},    {ZKA_NODE_MUL, 6, 0, 0}, {ZKA_NODE_ADD, 4, 6, 0},
};
static const uint32_t OUTPUTS[4] = {4, 6, 7, 8};

/* Of the column (1, -1, -1, 1) and the value 0, in natural order and in bit-reversed order. */
static void programs(zka_engine *engine, zka_engine *other, const signs_field *field) {
  static const int column[4] = {1, -1, -1, 1}, reversed[4] = {1, -1, -1, 1}, all[2] = {1, -1};
  static const int expected[16] = {-1, 1, -1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
  static const int expected_reversed[16] = {-1, -1, 1, 1, 1, 1, -1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  const uint64_t zero[4] = {0};
  uint64_t data[16], constants[8];
  zka_program *program = NULL, *none = NULL;
  zka_matrix *input = NULL, *in_reverse = NULL, *of_other = NULL, *three = NULL, *made = NULL;
  zka_future future = {0};
  uint32_t number = 0;
  size_t inputs = 0, outputs = 0, values = 0;
  put(field, constants, all, 2);
  OK(zka_program_new(&program, field->number, PRODUCTS_OF_NEIGHBOURS, constants, OUTPUTS, NODES, 2, 4));
  memset(constants, 0xff, sizeof constants); /* nothing is kept */
  OK(zka_program_shape(program, &number, &inputs, &outputs, &values));
  CHECK(number == field->number && inputs == 1 && outputs == 4 && values == 1);
  put(field, data, column, 4);
  OK(zka_matrix_upload(engine, &input, field->number, data, COLUMN_LEN, 1, ZKA_COLUMN_MAJOR));
  put(field, data, reversed, 4);
  OK(zka_matrix_upload(engine, &in_reverse, field->number, data, COLUMN_LEN, 1, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_upload(engine, &three, field->number, data, 3, 1, ZKA_COLUMN_MAJOR));
  const zka_matrix *const natural[1] = {input}, *const other_order[1] = {in_reverse}, *const null[1] = {NULL}, *const odd[1] = {three};
  OK(zka_program_run(engine, &made, program, natural, zero, 1, 1, COLUMN_LEN, 1, 0));
  expect(engine, field, made, expected, COLUMN_LEN, 4);
  OK(zka_matrix_free(made));
  OK(zka_program_run_async(engine, &made, program, other_order, zero, 1, 1, COLUMN_LEN, 1, ZKA_IN_BITREV, &future));
  OK(zka_wait(engine, future));
  expect(engine, field, made, expected_reversed, COLUMN_LEN, 4);
  OK(zka_matrix_free(made));
  made = NULL;

  BOTH(ZKA_NULL_POINTER, zka_program_run, engine, NULL, program, natural, zero, 1, 1, COLUMN_LEN, 1, 0);
  BOTH(ZKA_NULL_POINTER, zka_program_run, engine, &made, NULL, natural, zero, 1, 1, COLUMN_LEN, 1, 0);
  BOTH(ZKA_NULL_POINTER, zka_program_run, engine, &made, program, NULL, zero, 1, 1, COLUMN_LEN, 1, 0);
  BOTH(ZKA_NULL_POINTER, zka_program_run, engine, &made, program, null, zero, 1, 1, COLUMN_LEN, 1, 0);
  BOTH(ZKA_NULL_POINTER, zka_program_run, engine, &made, program, natural, NULL, 1, 1, COLUMN_LEN, 1, 0);
  BOTH(ZKA_BAD_LENGTH, zka_program_run, engine, &made, program, natural, zero, 0, 1, COLUMN_LEN, 1, 0);
  EXPECT_TEXT("0 input matrices, expected 1, those of the program");
  BOTH(ZKA_BAD_LENGTH, zka_program_run, engine, &made, program, natural, zero, 1, 0, COLUMN_LEN, 1, 0);
  BOTH(ZKA_BAD_LENGTH, zka_program_run, engine, &made, program, natural, zero, 1, 1, 3, 1, 0);
  BOTH(ZKA_BAD_LENGTH, zka_program_run, engine, &made, program, odd, zero, 1, 1, COLUMN_LEN, 1, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_program_run, engine, &made, program, natural, zero, 1, 1, COLUMN_LEN, 1, ZKA_OUT_BITREV);
  BOTH(ZKA_WRONG_ENGINE, zka_program_run, other, &made, program, natural, zero, 1, 1, COLUMN_LEN, 1, 0);
  OK(zka_matrix_upload(engine, &of_other, ZKA_BN254_FQ, FP_ONE.limbs, 1, 1, ZKA_COLUMN_MAJOR));
  const zka_matrix *const of_another_field[1] = {of_other};
  BOTH(ZKA_BAD_ARGUMENT, zka_program_run, engine, &made, program, of_another_field, zero, 1, 1, COLUMN_LEN, 1, 0);
  EXPECT_TEXT("input matrix 0 is over bn254-fq, expected");
  CHECK(made == NULL);

  /* What makes no program: each has one error. */
  const zka_node *nodes = PRODUCTS_OF_NEIGHBOURS;
  put(field, constants, all, 2);
  EXPECT(ZKA_NULL_POINTER, zka_program_new(NULL, field->number, nodes, constants, OUTPUTS, NODES, 2, 4));
  EXPECT(ZKA_NULL_POINTER, zka_program_new(&none, field->number, NULL, constants, OUTPUTS, NODES, 2, 4));
  EXPECT(ZKA_NULL_POINTER, zka_program_new(&none, field->number, nodes, NULL, OUTPUTS, NODES, 2, 4));
  EXPECT(ZKA_NULL_POINTER, zka_program_new(&none, field->number, nodes, constants, NULL, NODES, 2, 4));
  EXPECT(ZKA_BAD_LENGTH, zka_program_new(&none, field->number, nodes, constants, OUTPUTS, NODES, SIZE_MAX, 4));
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_new(&none, 99, nodes, constants, OUTPUTS, NODES, 2, 4));
  EXPECT(ZKA_UNSUPPORTED, zka_program_new(&none, ZKA_BN254_FQ, nodes, constants, OUTPUTS, NODES, 2, 4));
  EXPECT_TEXT("row programs over bn254-fq, expected a field with transforms");
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_new(&none, field->number, nodes, constants, OUTPUTS, NODES, 1, 4));
  EXPECT_TEXT("node 5 is constant 1, expected an index below 1");
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_new(&none, field->number, nodes, constants, OUTPUTS, NODES - 1, 2, 4));
  EXPECT_TEXT("output 3 names node 8, expected an index below 8");
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_new(&none, field->number, nodes + 1, constants, OUTPUTS, NODES - 1, 2, 1));
  EXPECT_TEXT("node 1 names node 1, expected an index below 1");
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_new(&none, field->number, nodes, constants, OUTPUTS, NODES, 2, 0));
  static const zka_node wrong[4] = {{7, 0, 0, 0}, {ZKA_NODE_VALUE, 0, 1, 0}, {ZKA_NODE_CONSTANT, 0, 0, -1}, {ZKA_NODE_COLUMN, 8, 0, 0}};
  static const char *const texts[4] = {
      "node 0 is of kind 7, expected one of 1 to 6",
      "fields b and offset of node 0 are 1 and 0, expected 0",
      "fields b and offset of node 0 are 0 and -1, expected 0",
      "input matrix 8, expected an index below 8",
  };
  static const uint32_t first_node = 0;
  for (int i = 0; i < 4; i++) {
    EXPECT(ZKA_BAD_ARGUMENT, zka_program_new(&none, field->number, &wrong[i], constants, &first_node, 1, 2, 1));
    EXPECT_TEXT(texts[i]);
  }
  memset(constants, 0xff, sizeof constants);
  EXPECT(ZKA_NOT_CANONICAL, zka_program_new(&none, field->number, nodes, constants, OUTPUTS, NODES, 2, 4));
  CHECK(none == NULL);
  EXPECT(ZKA_NULL_POINTER, zka_program_shape(program, NULL, &inputs, &outputs, &values));
  EXPECT(ZKA_ALIASED, zka_program_shape(program, &number, &inputs, &inputs, &values));
  OK(zka_program_free(program));
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_free(program));
  EXPECT(ZKA_BAD_ARGUMENT, zka_program_shape(program, &number, &inputs, &outputs, &values));
  BOTH(ZKA_BAD_ARGUMENT, zka_program_run, engine, &made, program, natural, zero, 1, 1, COLUMN_LEN, 1, 0);
  OK(zka_program_free(NULL));
  OK(zka_matrix_free(of_other));
  OK(zka_matrix_free(three));
  OK(zka_matrix_free(in_reverse));
  OK(zka_matrix_free(input));
}

/* With two strides, values and a program without inputs. */
static void numbers(zka_engine *engine) {
  const uint64_t column[4] = {2, 3, 5, 7}, values[2] = {10, 20};
  const uint32_t product = 2, value = 0;
  const zka_node nodes[3] = {{ZKA_NODE_COLUMN, 0, 0, -1}, {ZKA_NODE_VALUE, 1, 0, 0}, {ZKA_NODE_MUL, 0, 1, 0}};
  uint64_t found[4];
  zka_program *program = NULL;
  zka_matrix *input = NULL, *made = NULL;
  OK(zka_matrix_upload(engine, &input, ZKA_GOLDILOCKS, column, 4, 1, 0));
  const zka_matrix *const inputs[1] = {input};
  OK(zka_program_new(&program, ZKA_GOLDILOCKS, nodes, NULL, &product, 3, 0, 1));
  OK(zka_program_run(engine, &made, program, inputs, values, 1, 2, 4, 2, 0));
  OK(zka_matrix_download(engine, found, made, 4));
  CHECK(found[0] == 100 && found[1] == 140 && found[2] == 40 && found[3] == 60);
  OK(zka_matrix_free(made));
  OK(zka_program_free(program));
  OK(zka_program_new(&program, ZKA_GOLDILOCKS, &nodes[1], NULL, &value, 1, 0, 1));
  OK(zka_program_run(engine, &made, program, NULL, values, 0, 2, 2, 1, 0));
  OK(zka_matrix_download(engine, found, made, 2));
  CHECK(found[0] == 20 && found[1] == 20);
  OK(zka_matrix_free(made));
  OK(zka_program_free(program));
  OK(zka_matrix_free(input));
}

/* 1 1 -1 1 in a table -1 0 1 0, of which three rows or all are permuted. */
static void lookups(zka_engine *engine, zka_engine *other, const signs_field *field) {
  static const int entries[8] = {1, 1, -1, 1, -1, 0, 1, 0}, of_three[8] = {-1, 1, 1, 1, -1, 1, 0, 0};
  static const int missing[8] = {1, 1, 0, 1, 1, 1, 1, 1};
  uint64_t data[32];
  zka_matrix *matrix = NULL, *made = NULL, *wrong = NULL, *of_other = NULL;
  zka_future future = {0};
  put(field, data, entries, 8);
  OK(zka_matrix_upload(engine, &matrix, field->number, data, 4, 2, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_permute_lookups(engine, &made, matrix, 3));
  expect(engine, field, made, of_three, 4, 2);
  OK(zka_matrix_free(made));
  OK(zka_matrix_permute_lookups_async(engine, &made, matrix, 4, &future));
  OK(zka_wait(engine, future));
  expect(engine, field, made, of_three, 4, 2); /* the fourth has a 1 beside a 0, too */
  OK(zka_matrix_free(made));
  made = NULL;
  BOTH(ZKA_NULL_POINTER, zka_matrix_permute_lookups, engine, NULL, matrix, 4);
  BOTH(ZKA_NULL_POINTER, zka_matrix_permute_lookups, engine, &made, NULL, 4);
  BOTH(ZKA_BAD_LENGTH, zka_matrix_permute_lookups, engine, &made, matrix, 5);
  EXPECT_TEXT("lookups of 5 rows in a matrix of 4 rows and 2 columns, expected");
  BOTH(ZKA_WRONG_ENGINE, zka_matrix_permute_lookups, other, &made, matrix, 4);
  put(field, data, missing, 8);
  OK(zka_matrix_upload(engine, &wrong, field->number, data, 4, 2, ZKA_COLUMN_MAJOR));
  EXPECT(ZKA_BAD_WITNESS, zka_matrix_permute_lookups(engine, &made, wrong, 4));
  EXPECT_TEXT("row 2 of the input of lookup 0 is not in its table");
  OK(zka_matrix_free(wrong));
  memset(data, 0, sizeof data);
  OK(zka_matrix_upload(engine, &of_other, ZKA_BN254_FQ, data, 4, 2, ZKA_COLUMN_MAJOR));
  BOTH(ZKA_UNSUPPORTED, zka_matrix_permute_lookups, engine, &made, of_other, 4);
  EXPECT_TEXT("permutations of lookups over bn254-fq, expected a field with transforms");
  OK(zka_matrix_free(of_other));
  OK(zka_matrix_upload(engine, &of_other, field->number, data, 4, 1, ZKA_COLUMN_MAJOR));
  BOTH(ZKA_BAD_LENGTH, zka_matrix_permute_lookups, engine, &made, of_other, 4);
  CHECK(made == NULL);
  OK(zka_matrix_free(of_other));
  OK(zka_matrix_free(matrix));
}

void test_programs(void) {
  static const uint64_t one = 1, minus_one = P - 1;
  const signs_field fields[2] = {{ZKA_GOLDILOCKS, 1, &one, &minus_one}, {ZKA_BN254_FR, 4, ONE.limbs, MINUS_ONE.limbs}};
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  for (int i = 0; i < 2; i++) {
    prefix_products(engine, other, &fields[i]);
    programs(engine, other, &fields[i]);
    lookups(engine, other, &fields[i]);
  }
  shapes(engine, other);
  numbers(engine);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
}
