/* Sums over every curve by its number: those over Grumpkin and G2 with known answers, those over BN254 as its own functions have them. */
#include "check.h"
#include "constants.h"

/* The words of a point, and of a sum. */
enum { POINT = 8, SUM = 12 };

static const uint64_t IDENTITY[POINT] = {0};

static int is_point(uint32_t curve, const uint64_t *sum, const uint64_t *expected) {
  uint64_t affine[POINT];
  OK(zka_point_to_aff(curve, affine, sum));
  return memcmp(affine, expected, sizeof affine) == 0;
}

static void on_grumpkin(zka_engine *engine) {
  const uint32_t curve = ZKA_GRUMPKIN;
  uint64_t points[4][POINT], sum[SUM], sums[2][SUM], jacobian[SUM];
  zka_bn254_fp scalars[4] = {FP_ONE, FP_ONE, FP_MINUS_ONE, FP_ONE};
  zka_bases *bases = NULL, *none = NULL;
  zka_matrix *matrix = NULL;
  zka_future future = {0};
  size_t len = 0;
  memcpy(points[0], GRUMPKIN[0], sizeof points[0]);
  memcpy(points[1], GRUMPKIN[1], sizeof points[1]);
  memcpy(points[2], GRUMPKIN[0], sizeof points[2]);
  memset(points[3], 0, sizeof points[3]);

  OK(zka_msm(engine, curve, sum, scalars[0].limbs, points[0], 1));
  CHECK(is_point(curve, sum, GRUMPKIN[0]));
  OK(zka_msm(engine, curve, sum, scalars[0].limbs, points[0], 2)); /* G + 2G */
  CHECK(is_point(curve, sum, GRUMPKIN[2]));
  OK(zka_msm_async(engine, curve, sum, scalars[0].limbs, points[0], 4, &future)); /* G + 2G - G + 0 */
  OK(zka_wait(engine, future));
  CHECK(is_point(curve, sum, GRUMPKIN[1]));
  OK(zka_msm(engine, curve, sum, NULL, NULL, 0));
  CHECK(is_point(curve, sum, IDENTITY));
  CHECK(memcmp(&sum[4], &ONE, sizeof ONE) == 0);
  OK(zka_point_to_jac(curve, jacobian, sum));
  CHECK((jacobian[8] | jacobian[9] | jacobian[10] | jacobian[11]) == 0);

  /* A Jacobian point with Z = 1 is affine. */
  memcpy(sum, GRUMPKIN[2], sizeof GRUMPKIN[2]);
  memcpy(&sum[8], &ONE, sizeof ONE);
  OK(zka_point_to_jac(curve, jacobian, sum));
  CHECK(memcmp(jacobian, sum, sizeof sum) == 0);

  OK(zka_bases_new(engine, &bases, curve, points[0], 4, ZKA_VALIDATE));
  OK(zka_bases_new_async(engine, &none, curve, NULL, 0, ZKA_VALIDATE | ZKA_PRECOMPUTE, &future));
  OK(zka_wait(engine, future));
  OK(zka_bases_len(bases, &len));
  CHECK(len == 4);
  OK(zka_msm_bases(engine, sum, scalars[0].limbs, bases, 1, 2)); /* 2G + G */
  CHECK(is_point(curve, sum, GRUMPKIN[2]));
  OK(zka_msm_bases_async(engine, sum, scalars[1].limbs, bases, 1, 2, &future)); /* 2G - G */
  OK(zka_wait(engine, future));
  CHECK(is_point(curve, sum, GRUMPKIN[0]));
  OK(zka_msm_bases(engine, sum, NULL, none, 0, 0));
  CHECK(is_point(curve, sum, IDENTITY));
  OK(zka_msm_batch(engine, sums[0], scalars[0].limbs, bases, 2, 2)); /* G + 2G, - G + 2G */
  CHECK(is_point(curve, sums[0], GRUMPKIN[2]) && is_point(curve, sums[1], GRUMPKIN[0]));
  OK(zka_msm_batch_async(engine, sums[0], NULL, bases, 0, 2, &future));
  OK(zka_wait(engine, future));
  CHECK(is_point(curve, sums[0], IDENTITY) && is_point(curve, sums[1], IDENTITY));
  OK(zka_msm_batch(engine, NULL, NULL, bases, 4, 0));

  /* Scalars that stay: two columns, and the same as one row of four. */
  OK(zka_matrix_upload(engine, &matrix, ZKA_BN254_FQ, scalars[0].limbs, 2, 2, ZKA_COLUMN_MAJOR));
  OK(zka_msm_matrix(engine, sums[0], matrix, bases, 0, 2, 2));
  CHECK(is_point(curve, sums[0], GRUMPKIN[2]) && is_point(curve, sums[1], GRUMPKIN[0]));
  OK(zka_msm_matrix_async(engine, sum, matrix, bases, 0, 4, 1, &future));
  OK(zka_bases_free(bases)); /* the operation keeps them */
  OK(zka_matrix_free(matrix));
  OK(zka_wait(engine, future));
  CHECK(is_point(curve, sum, GRUMPKIN[1]));
  OK(zka_bases_free(none));
}

/* Points of sixteen words, and sums of twenty-four. */
static void on_g2(zka_engine *engine) {
  const uint32_t curve = ZKA_BN254_G2;
  uint64_t points[4][16], sum[24], sums[2][24], jacobian[24], affine[16];
  const zka_bn254_fr scalars[4] = {ONE, ONE, MINUS_ONE, ONE};
  zka_bases *bases = NULL;
  memcpy(points[0], G2_POINTS[0], sizeof points[0]);
  memcpy(points[1], G2_POINTS[1], sizeof points[1]);
  memcpy(points[2], G2_POINTS[0], sizeof points[2]);
  memset(points[3], 0, sizeof points[3]);

  OK(zka_msm(engine, curve, sum, scalars[0].limbs, points[0], 2)); /* G + 2G */
  OK(zka_point_to_aff(curve, affine, sum));
  CHECK(memcmp(affine, G2_POINTS[2], sizeof affine) == 0);
  OK(zka_msm(engine, curve, sum, scalars[0].limbs, points[0], 4)); /* G + 2G - G + 0 */
  OK(zka_point_to_aff(curve, affine, sum));
  CHECK(memcmp(affine, G2_POINTS[1], sizeof affine) == 0);
  OK(zka_msm(engine, curve, sum, NULL, NULL, 0));
  OK(zka_point_to_aff(curve, affine, sum));
  CHECK(memcmp(affine, points[3], sizeof affine) == 0);
  OK(zka_point_to_jac(curve, jacobian, sum));
  for (size_t i = 16; i < 24; i++) CHECK(jacobian[i] == 0);
  /* A Jacobian point with Z = 1 is affine. */
  memset(sum, 0, sizeof sum);
  memcpy(sum, G2_POINTS[2], sizeof G2_POINTS[2]);
  memcpy(&sum[16], &FP_ONE, sizeof FP_ONE);
  OK(zka_point_to_jac(curve, jacobian, sum));
  CHECK(memcmp(jacobian, sum, sizeof sum) == 0);

  OK(zka_bases_new(engine, &bases, curve, points[0], 4, ZKA_VALIDATE | ZKA_PRECOMPUTE));
  OK(zka_msm_batch(engine, sums[0], scalars[0].limbs, bases, 2, 2)); /* G + 2G, - G + 2G */
  OK(zka_point_to_aff(curve, affine, sums[0]));
  CHECK(memcmp(affine, G2_POINTS[2], sizeof affine) == 0);
  OK(zka_point_to_aff(curve, affine, sums[1]));
  CHECK(memcmp(affine, G2_POINTS[0], sizeof affine) == 0);
  OK(zka_bases_free(bases));

  memcpy(points[3], OUTSIDE_G2, sizeof OUTSIDE_G2);
  EXPECT(ZKA_NOT_ON_CURVE, zka_bases_new(engine, &bases, curve, points[0], 4, ZKA_VALIDATE));
  EXPECT_TEXT("point 3 is on the curve but not in the group");
  memcpy(&points[2][12], PRIME, sizeof PRIME);
  EXPECT(ZKA_NOT_CANONICAL, zka_msm(engine, curve, sum, scalars[0].limbs, points[0], 4));
  EXPECT_TEXT("y of point 2 is 0x30644e72");
}

/* What has been transformed on the device is summed there: the values of X - 1 on the points 1, i, -1, -i add up to -4. */
static void of_transforms(zka_engine *engine) {
  const zka_bn254_fr polynomials[8] = {MINUS_ONE, ONE, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}, ONE, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
  const zka_bn254_g1_aff points[5] = {G, G, G, G, G};
  zka_bn254_fr four[4] = {ONE, ONE, ONE, ONE};
  zka_bn254_g1_prj sums[2];
  zka_bn254_g1_aff minus, plus, expected;
  zka_matrix *coefficients = NULL, *values = NULL;
  zka_bases *bases = NULL;
  OK(zka_matrix_upload(engine, &coefficients, ZKA_BN254_FR, polynomials[0].limbs, 4, 2, ZKA_COLUMN_MAJOR));
  OK(zka_matrix_ntt(engine, &values, coefficients, OMEGA_4.limbs, NULL, 0));
  OK(zka_bn254_g1_bases_new(engine, &bases, points, 5, ZKA_VALIDATE));
  OK(zka_msm_matrix(engine, sums[0].x.limbs, values, bases, 1, 4, 2));
  OK(zka_bn254_g1_to_aff(&minus, &sums[0]));
  OK(zka_bn254_g1_to_aff(&plus, &sums[1]));
  OK(zka_bn254_g1_msm(engine, &sums[0], four, points, 4));
  OK(zka_bn254_g1_to_aff(&expected, &sums[0]));
  CHECK(memcmp(&plus, &expected, sizeof plus) == 0);
  CHECK(memcmp(&minus.x, &plus.x, sizeof plus.x) == 0 && memcmp(&minus.y, &plus.y, sizeof plus.y) != 0);

  /* The functions of BN254 and those of every curve are the same. */
  OK(zka_msm_bases(engine, sums[1].x.limbs, four[0].limbs, bases, 0, 4));
  CHECK(is_point(ZKA_BN254_G1, sums[1].x.limbs, expected.x.limbs));
  OK(zka_bases_free(bases));
  OK(zka_bases_new(engine, &bases, ZKA_BN254_G1, points[0].x.limbs, 5, 0));
  OK(zka_bn254_g1_msm_bases(engine, &sums[1], four, bases, 0, 4));
  CHECK(is_point(ZKA_BN254_G1, sums[1].x.limbs, expected.x.limbs));
  OK(zka_bases_free(bases));
  OK(zka_matrix_free(values));
  OK(zka_matrix_free(coefficients));
}

static void wrong_arguments(zka_engine *engine, zka_engine *other) {
  uint64_t points[2][POINT], sum[SUM], sums[2][SUM];
  zka_bn254_fp scalars[2] = {FP_ONE, FP_ONE};
  zka_bn254_g1_prj of_bn254;
  zka_bases *bases = NULL, *none = NULL;
  zka_matrix *matrix = NULL, *over_fr = NULL;
  zka_future future = {0};
  memcpy(points, GRUMPKIN, sizeof points);

  BOTH(ZKA_BAD_ARGUMENT, zka_msm, engine, 0, sum, scalars[0].limbs, points[0], 2);
  BOTH(ZKA_BAD_ARGUMENT, zka_msm, engine, 99, sum, scalars[0].limbs, points[0], 2);
  EXPECT_TEXT("curve 99, expected one of 1 to ");
  BOTH(ZKA_BAD_ARGUMENT, zka_bases_new, engine, &none, UINT32_MAX, points[0], 2, 0);
  EXPECT(ZKA_BAD_ARGUMENT, zka_point_to_aff(0, sums[0], sum));
  EXPECT(ZKA_BAD_ARGUMENT, zka_point_to_jac(99, sums[0], sum));
  BOTH(ZKA_NULL_POINTER, zka_msm, NULL, ZKA_GRUMPKIN, sum, scalars[0].limbs, points[0], 2);
  BOTH(ZKA_NULL_POINTER, zka_msm, engine, ZKA_GRUMPKIN, NULL, scalars[0].limbs, points[0], 2);
  BOTH(ZKA_NULL_POINTER, zka_msm, engine, ZKA_GRUMPKIN, sum, NULL, points[0], 2);
  BOTH(ZKA_NULL_POINTER, zka_msm, engine, ZKA_GRUMPKIN, sum, scalars[0].limbs, NULL, 2);
  BOTH(ZKA_BAD_LENGTH, zka_msm, engine, ZKA_GRUMPKIN, sum, scalars[0].limbs, points[0], SIZE_MAX / 64);
  BOTH(ZKA_ALIASED, zka_msm, engine, ZKA_GRUMPKIN, points[0], scalars[0].limbs, points[0], 2);
  EXPECT(ZKA_NULL_POINTER, zka_msm_async(engine, ZKA_GRUMPKIN, sum, scalars[0].limbs, points[0], 2, NULL));

  /* r is no coordinate of Grumpkin, and q no scalar of it. */
  memcpy(&points[1][4], ORDER, sizeof ORDER);
  EXPECT(ZKA_NOT_CANONICAL, zka_msm(engine, ZKA_GRUMPKIN, sum, scalars[0].limbs, points[0], 2));
  EXPECT_TEXT("y of point 1 is 0x30644e72");
  OK(zka_bases_new_async(engine, &none, ZKA_GRUMPKIN, points[0], 2, 0, &future));
  EXPECT(ZKA_NOT_CANONICAL, zka_wait(engine, future));
  memcpy(&points[1][4], GRUMPKIN[0], sizeof ORDER);
  EXPECT(ZKA_NOT_ON_CURVE, zka_bases_new(engine, &none, ZKA_GRUMPKIN, points[0], 2, ZKA_VALIDATE));
  EXPECT_TEXT("point 1");
  /* A point of one curve is none of the other. */
  EXPECT(ZKA_NOT_ON_CURVE, zka_bases_new(engine, &none, ZKA_BN254_G1, points[0], 1, ZKA_VALIDATE));
  memcpy(points, GRUMPKIN, sizeof points);
  memcpy(scalars[1].limbs, PRIME, sizeof PRIME);
  EXPECT(ZKA_NOT_CANONICAL, zka_msm(engine, ZKA_GRUMPKIN, sum, scalars[0].limbs, points[0], 2));
  EXPECT_TEXT("scalar 1 is 0x30644e72");
  scalars[1] = FP_ONE;
  BOTH(ZKA_NULL_POINTER, zka_bases_new, engine, NULL, ZKA_GRUMPKIN, points[0], 2, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_bases_new, engine, &none, ZKA_GRUMPKIN, points[0], 2, 4);
  CHECK(none == NULL);

  OK(zka_bases_new(engine, &bases, ZKA_GRUMPKIN, points[0], 2, 0));
  OK(zka_matrix_upload(engine, &matrix, ZKA_BN254_FQ, scalars[0].limbs, 1, 2, 0));
  OK(zka_matrix_upload(engine, &over_fr, ZKA_BN254_FR, ONE.limbs, 1, 1, 0));
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_g1_msm_bases, engine, &of_bn254, &ONE, bases, 0, 1);
  EXPECT_TEXT("bases of grumpkin, expected bn254-g1");
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_g1_msm_batch, engine, &of_bn254, &ONE, bases, 1, 1);
  BOTH(ZKA_WRONG_ENGINE, zka_msm_bases, other, sum, scalars[0].limbs, bases, 0, 2);
  BOTH(ZKA_BAD_LENGTH, zka_msm_bases, engine, sum, scalars[0].limbs, bases, 1, 2);
  BOTH(ZKA_NULL_POINTER, zka_msm_bases, engine, sum, NULL, bases, 0, 2);
  BOTH(ZKA_NULL_POINTER, zka_msm_bases, engine, sum, scalars[0].limbs, NULL, 0, 2);
  BOTH(ZKA_BAD_ARGUMENT, zka_msm_bases, engine, sum, scalars[0].limbs, (zka_bases *)(void *)matrix, 0, 2);
  BOTH(ZKA_BAD_LENGTH, zka_msm_batch, engine, sums[0], scalars[0].limbs, bases, 3, 1);
  BOTH(ZKA_BAD_LENGTH, zka_msm_batch, engine, sums[0], scalars[0].limbs, bases, 2, SIZE_MAX / 8);
  BOTH(ZKA_ALIASED, zka_msm_batch, engine, scalars[0].limbs, scalars[0].limbs, bases, 2, 1);

  BOTH(ZKA_BAD_ARGUMENT, zka_msm_matrix, engine, sum, over_fr, bases, 0, 1, 1);
  EXPECT_TEXT("the matrix is over another field than that of the scalars of grumpkin");
  BOTH(ZKA_BAD_LENGTH, zka_msm_matrix, engine, sum, matrix, bases, 0, 1, 1);
  BOTH(ZKA_BAD_LENGTH, zka_msm_matrix, engine, sum, matrix, bases, 1, 2, 1);
  BOTH(ZKA_BAD_LENGTH, zka_msm_matrix, engine, sum, matrix, bases, 0, 0, 2);
  BOTH(ZKA_BAD_LENGTH, zka_msm_matrix, engine, sum, matrix, bases, 0, 2, SIZE_MAX);
  BOTH(ZKA_NULL_POINTER, zka_msm_matrix, engine, NULL, matrix, bases, 0, 2, 1);
  BOTH(ZKA_NULL_POINTER, zka_msm_matrix, engine, sum, NULL, bases, 0, 2, 1);
  BOTH(ZKA_NULL_POINTER, zka_msm_matrix, engine, sum, matrix, NULL, 0, 2, 1);
  BOTH(ZKA_BAD_ARGUMENT, zka_msm_matrix, engine, sum, (zka_matrix *)(void *)bases, bases, 0, 2, 1);
  BOTH(ZKA_WRONG_ENGINE, zka_msm_matrix, other, sum, matrix, bases, 0, 2, 1);
  OK(zka_matrix_free(matrix));
  BOTH(ZKA_BAD_ARGUMENT, zka_msm_matrix, engine, sum, matrix, bases, 0, 2, 1);
  OK(zka_bases_free(bases));
  BOTH(ZKA_BAD_ARGUMENT, zka_msm_bases, engine, sum, scalars[0].limbs, bases, 0, 2);
  OK(zka_matrix_free(over_fr));

  memset(sum, 0xff, sizeof sum);
  EXPECT(ZKA_NOT_CANONICAL, zka_point_to_aff(ZKA_GRUMPKIN, sums[0], sum));
  EXPECT(ZKA_NOT_CANONICAL, zka_point_to_jac(ZKA_GRUMPKIN, sums[0], sum));
  EXPECT(ZKA_NULL_POINTER, zka_point_to_aff(ZKA_GRUMPKIN, NULL, sum));
  EXPECT(ZKA_NULL_POINTER, zka_point_to_jac(ZKA_GRUMPKIN, sums[0], NULL));
  EXPECT(ZKA_ALIASED, zka_point_to_aff(ZKA_GRUMPKIN, &sum[4], sum));
}

/* -G + 2G over Pallas and Vesta, which have scalars and coordinates exchanged; a scalar and a coordinate that are not below their primes. */
static void on_pasta(zka_engine *engine) {
  const uint32_t curves[2] = {ZKA_PALLAS, ZKA_VESTA}, fields[2] = {ZKA_PASTA_FQ, ZKA_PASTA_FP};
  for (int i = 0; i < 2; i++) {
    uint64_t points[2][POINT], sum[SUM], scalars[POINT];
    zka_bases *bases = NULL;
    zka_matrix *matrix = NULL;
    memcpy(points[0], PASTA[i], sizeof points[0]);
    memcpy(points[1], PASTA[i], sizeof points[1]);
    memcpy(scalars, PASTA[1 - i], sizeof scalars);
    OK(zka_msm(engine, curves[i], sum, scalars, points[0], 2));
    CHECK(is_point(curves[i], sum, PASTA[i]));
    OK(zka_bases_new(engine, &bases, curves[i], points[0], 2, ZKA_VALIDATE | ZKA_PRECOMPUTE));
    OK(zka_matrix_upload(engine, &matrix, fields[i], scalars, 2, 1, ZKA_COLUMN_MAJOR));
    memset(sum, 0, sizeof sum);
    OK(zka_msm_matrix(engine, sum, matrix, bases, 0, 2, 1));
    CHECK(is_point(curves[i], sum, PASTA[i]));
    OK(zka_matrix_free(matrix));
    OK(zka_bases_free(bases));
    points[1][0] ^= 1;
    EXPECT(ZKA_NOT_ON_CURVE, zka_bases_new(engine, &bases, curves[i], points[0], 2, ZKA_VALIDATE));
  }
  uint64_t points[2][POINT] = {{0}}, sum[SUM];
  memcpy(points[1], PASTA_Q, sizeof PASTA_Q);
  EXPECT(ZKA_NOT_CANONICAL, zka_msm(engine, ZKA_VESTA, sum, PASTA[0], points[0], 2));
  EXPECT(ZKA_NOT_CANONICAL, zka_msm(engine, ZKA_PALLAS, sum, points[1], PASTA[0], 1));
}

/* A group whose coordinates have coefficients of six words, and its field of scalars. */
typedef struct {
  uint32_t curve, field;
  /* The generator and a point outside the group, of so many words each; the scalars 3 and -2, and the prime of the coordinates. */
  const uint64_t *known, *scalars, *prime;
  size_t words;
} six_words;

/* 3 G - 2 G over such a group; a point outside the group, and a word that is not below the prime. */
static void on_six_words(zka_engine *engine, six_words of) {
  const size_t size = of.words * sizeof *of.known;
  uint64_t points[48], sum[36], affine[24];
  zka_bases *bases = NULL;
  zka_matrix *matrix = NULL;
  memcpy(points, of.known, size);
  memcpy(&points[of.words], of.known, size);
  OK(zka_msm(engine, of.curve, sum, of.scalars, points, 2));
  OK(zka_point_to_aff(of.curve, affine, sum));
  CHECK(memcmp(affine, of.known, size) == 0);
  OK(zka_bases_new(engine, &bases, of.curve, points, 2, ZKA_VALIDATE | ZKA_PRECOMPUTE));
  OK(zka_matrix_upload(engine, &matrix, of.field, of.scalars, 2, 1, ZKA_COLUMN_MAJOR));
  memset(sum, 0, sizeof sum);
  OK(zka_msm_matrix(engine, sum, matrix, bases, 0, 2, 1));
  OK(zka_point_to_aff(of.curve, affine, sum));
  CHECK(memcmp(affine, of.known, size) == 0);
  OK(zka_matrix_free(matrix));
  OK(zka_bases_free(bases));
  memcpy(&points[of.words], &of.known[of.words], size);
  EXPECT(ZKA_NOT_ON_CURVE, zka_bases_new(engine, &bases, of.curve, points, 2, ZKA_VALIDATE));
  EXPECT_TEXT("point 1 is on the curve but not in the group");
  memcpy(&points[2 * of.words - 6], of.prime, 6 * sizeof *of.prime);
  EXPECT(ZKA_NOT_CANONICAL, zka_msm(engine, of.curve, sum, of.scalars, points, 2));
}

static void on_bls12(zka_engine *engine) {
  const six_words groups[] = {
      {ZKA_BLS12_381_G1, ZKA_BLS12_381_FR, BLS12_381[0], BLS12_381_SCALARS, BLS12_381_Q, 12},
      {ZKA_BLS12_381_G2, ZKA_BLS12_381_FR, BLS12_381_TWISTED[0], BLS12_381_SCALARS, BLS12_381_Q, 24},
      {ZKA_BLS12_377_G1, ZKA_BLS12_377_FR, BLS12_377[0], BLS12_377_SCALARS, BLS12_377_Q, 12},
      {ZKA_BLS12_377_G2, ZKA_BLS12_377_FR, BLS12_377_TWISTED[0], BLS12_377_SCALARS, BLS12_377_Q, 24},
  };
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) on_six_words(engine, groups[i]);
}

void test_curves(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  on_grumpkin(engine);
  on_pasta(engine);
  on_bls12(engine);
  on_g2(engine);
  of_transforms(engine);
  wrong_arguments(engine, other);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
}
