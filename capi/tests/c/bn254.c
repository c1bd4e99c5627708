/* BN254: sums with known answers, transforms of known polynomials, every wrong argument. */
#include "check.h"
#include "constants.h"

enum { N = 300 };

/* a + b modulo r. */
static zka_bn254_fr add_fr(zka_bn254_fr a, zka_bn254_fr b) {
  zka_bn254_fr sum, reduced;
  uint64_t carry = 0, borrow = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t s = a.limbs[i] + b.limbs[i];
    uint64_t carried = s < a.limbs[i];
    sum.limbs[i] = s + carry;
    carry = carried | (sum.limbs[i] < s);
  }
  for (int i = 0; i < 4; i++) {
    uint64_t d = sum.limbs[i] - ORDER[i];
    uint64_t borrowed = sum.limbs[i] < ORDER[i];
    reduced.limbs[i] = d - borrow;
    borrow = borrowed | (d < borrow);
  }
  return borrow ? sum : reduced;
}

static int is_identity(const zka_bn254_g1_prj *point) {
  zka_bn254_g1_aff affine, zero;
  memset(&zero, 0, sizeof zero);
  OK(zka_bn254_g1_to_aff(&affine, point));
  return memcmp(&affine, &zero, sizeof zero) == 0;
}

static int equal(const zka_bn254_g1_prj *point, const zka_bn254_g1_aff *expected) {
  zka_bn254_g1_aff affine;
  OK(zka_bn254_g1_to_aff(&affine, point));
  return memcmp(&affine, expected, sizeof affine) == 0;
}

/* Scalars 1, 2, ..., N, and their sum. */
static zka_bn254_fr count_up(zka_bn254_fr *scalars) {
  zka_bn254_fr sum = {{0, 0, 0, 0}}, last = {{0, 0, 0, 0}};
  for (int i = 0; i < N; i++) {
    last = add_fr(last, ONE);
    scalars[i] = last;
    sum = add_fr(sum, last);
  }
  return sum;
}

static void sums(zka_engine *engine) {
  static zka_bn254_fr scalars[2 * N];
  static zka_bn254_g1_aff points[N];
  zka_bn254_g1_prj sum, total, rows[2];
  zka_bn254_g1_aff expected;
  zka_bn254_g1_jac jacobian;

  /* One and one make two; one and minus one make nothing; of nothing there is nothing. */
  zka_bn254_fr pair[2] = {ONE, ONE};
  zka_bn254_g1_aff generators[2] = {G, G};
  OK(zka_bn254_g1_msm(engine, &sum, pair, generators, 2));
  CHECK(equal(&sum, &TWO_G));
  OK(zka_bn254_g1_to_jac(&jacobian, &sum));
  CHECK(memcmp(&jacobian.z, &sum.z, sizeof sum.z) == 0);
  pair[1] = MINUS_ONE;
  OK(zka_bn254_g1_msm(engine, &sum, pair, generators, 2));
  CHECK(is_identity(&sum));
  OK(zka_bn254_g1_to_jac(&jacobian, &sum));
  CHECK((jacobian.z.limbs[0] | jacobian.z.limbs[1] | jacobian.z.limbs[2] | jacobian.z.limbs[3]) == 0);
  OK(zka_bn254_g1_msm(engine, &sum, NULL, NULL, 0));
  CHECK(is_identity(&sum));
  CHECK(memcmp(&sum.y, &FP_ONE, sizeof FP_ONE) == 0);

  /* A Jacobian point with Z = 1 is affine. */
  zka_bn254_g1_prj affine = {G.x, G.y, FP_ONE};
  OK(zka_bn254_g1_to_jac(&jacobian, &affine));
  CHECK(memcmp(&jacobian, &affine, sizeof affine) == 0);

  /* The sum of i G is (sum of i) G, with bases used once and kept, all of them and a part, alone and in a batch. */
  zka_bn254_fr all = count_up(scalars);
  for (int i = 0; i < N; i++) points[i] = G;
  OK(zka_bn254_g1_msm(engine, &total, &all, &G, 1));
  OK(zka_bn254_g1_to_aff(&expected, &total));
  OK(zka_bn254_g1_msm(engine, &sum, scalars, points, N));
  CHECK(equal(&sum, &expected));

  zka_bases *bases = NULL, *precomputed = NULL;
  zka_future futures[3];
  size_t len = 0;
  OK(zka_bn254_g1_bases_new(engine, &bases, points, N, ZKA_VALIDATE));
  OK(zka_bn254_g1_bases_new_async(engine, &precomputed, points, N, ZKA_VALIDATE | ZKA_PRECOMPUTE, &futures[0]));
  OK(zka_wait(engine, futures[0]));
  OK(zka_bases_len(precomputed, &len));
  CHECK(len == N);

  /* Three sums in flight. */
  zka_bn254_g1_prj results[3];
  OK(zka_bn254_g1_msm_async(engine, &results[0], scalars, points, N, &futures[0]));
  OK(zka_bn254_g1_msm_bases_async(engine, &results[1], scalars, bases, 0, N, &futures[1]));
  OK(zka_bn254_g1_msm_bases_async(engine, &results[2], scalars, precomputed, 0, N, &futures[2]));
  OK(zka_bases_free(precomputed)); /* the operation keeps it */
  for (int i = 3; i-- > 0;) OK(zka_wait(engine, futures[i]));
  for (int i = 0; i < 3; i++) CHECK(equal(&results[i], &expected));

  OK(zka_bn254_g1_msm_bases(engine, &sum, scalars, bases, N - 2, 2)); /* 1 + 2 */
  OK(zka_bn254_g1_msm(engine, &total, &scalars[2], &G, 1));
  OK(zka_bn254_g1_to_aff(&expected, &total));
  CHECK(equal(&sum, &expected));

  memcpy(scalars + N, scalars, N * sizeof *scalars);
  OK(zka_bn254_g1_msm_batch(engine, rows, scalars, bases, 2, 2)); /* 1 + 2, 3 + 4 */
  CHECK(equal(&rows[0], &expected));
  OK(zka_bn254_g1_msm(engine, &total, &scalars[6], &G, 1));
  OK(zka_bn254_g1_to_aff(&expected, &total));
  CHECK(equal(&rows[1], &expected));
  OK(zka_bn254_g1_msm_batch_async(engine, rows, NULL, bases, 0, 2, &futures[0]));
  OK(zka_wait(engine, futures[0]));
  CHECK(is_identity(&rows[0]) && is_identity(&rows[1]));
  OK(zka_bn254_g1_msm_batch(engine, NULL, NULL, bases, N, 0));
  OK(zka_bases_free(bases));
}

static void transforms(zka_engine *engine) {
  enum { SIZE = 8 };
  zka_bn254_fr data[2 * SIZE], before[2 * SIZE];
  /* Two polynomials, X and 1. */
  memset(data, 0, sizeof data);
  data[1] = ONE;
  data[SIZE] = ONE;
  memcpy(before, data, sizeof data);
  OK(zka_bn254_fr_fft(engine, data, 3, 2, &OMEGA_8, NULL, 0));
  CHECK(memcmp(&data[0], &ONE, sizeof ONE) == 0);
  CHECK(memcmp(&data[1], &OMEGA_8, sizeof ONE) == 0);
  CHECK(memcmp(&data[2], &OMEGA_4, sizeof ONE) == 0);
  CHECK(memcmp(&data[4], &MINUS_ONE, sizeof ONE) == 0);
  for (int i = 0; i < SIZE; i++) CHECK(memcmp(&data[SIZE + i], &ONE, sizeof ONE) == 0);
  OK(zka_bn254_fr_fft(engine, data, 3, 2, &OMEGA_8, NULL, ZKA_INVERSE));
  CHECK(memcmp(data, before, sizeof data) == 0);

  /* On the coset by omega the values begin one further; in bit-reversed order the second is in the middle. */
  zka_future future;
  OK(zka_bn254_fr_fft_async(engine, data, 3, 2, &OMEGA_8, &OMEGA_8, ZKA_OUT_BITREV, &future));
  OK(zka_wait(engine, future));
  CHECK(memcmp(&data[0], &OMEGA_8, sizeof ONE) == 0);
  CHECK(memcmp(&data[4], &OMEGA_4, sizeof ONE) == 0);
  OK(zka_bn254_fr_fft(engine, data, 3, 2, &OMEGA_8, &OMEGA_8, ZKA_IN_BITREV | ZKA_INVERSE));
  CHECK(memcmp(data, before, sizeof data) == 0);
}

/* Roots of unity by name, and Montgomery form from and to integers. */
static void elements(void) {
  zka_bn254_fr root, squared, scalars[4];
  zka_bn254_fp coordinates[2];
  OK(zka_bn254_fr_root_of_unity(&root, 3, ZKA_ROOT_HALO2));
  CHECK(memcmp(&root, &OMEGA_8, sizeof root) == 0);
  OK(zka_bn254_fr_root_of_unity(&root, 2, ZKA_ROOT_HALO2));
  CHECK(memcmp(&root, &OMEGA_4, sizeof root) == 0);
  OK(zka_bn254_fr_root_of_unity(&root, 0, ZKA_ROOT_ARKWORKS));
  CHECK(memcmp(&root, &ONE, sizeof root) == 0);
  OK(zka_bn254_fr_root_of_unity(&root, 1, ZKA_ROOT_ARKWORKS));
  CHECK(memcmp(&root, &MINUS_ONE, sizeof root) == 0);
  /* 19103219067921713944291392827692070036145651957329286315305642004821462161904, as ark-bn254 has it; another root than halo2curves'. */
  OK(zka_bn254_fr_root_of_unity(&root, 28, ZKA_ROOT_ARKWORKS));
  OK(zka_bn254_fr_from_montgomery(&root, 1));
  CHECK(root.limbs[0] == UINT64_C(0x9bd61b6e725b19f0) && root.limbs[3] == UINT64_C(0x2a3c09f0a58a7e85));
  OK(zka_bn254_fr_root_of_unity(&squared, 28, ZKA_ROOT_HALO2));
  OK(zka_bn254_fr_from_montgomery(&squared, 1));
  CHECK(memcmp(&root, &squared, sizeof root) != 0);

  EXPECT(ZKA_NULL_POINTER, zka_bn254_fr_root_of_unity(NULL, 3, ZKA_ROOT_HALO2));
  EXPECT(ZKA_BAD_LOG_SIZE, zka_bn254_fr_root_of_unity(&root, 29, ZKA_ROOT_HALO2));
  EXPECT(ZKA_BAD_LOG_SIZE, zka_bn254_fr_root_of_unity(&root, UINT32_MAX, ZKA_ROOT_ARKWORKS));
  EXPECT(ZKA_BAD_ARGUMENT, zka_bn254_fr_root_of_unity(&root, 3, ZKA_ROOT_PLONKY3));
  EXPECT_TEXT("convention 2, expected ZKA_ROOT_HALO2 or ZKA_ROOT_ARKWORKS");

  memset(scalars, 0, sizeof scalars);
  for (int i = 0; i < 4; i++) scalars[1].limbs[i] = ORDER[i];
  scalars[0].limbs[0] = 1;
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_fr_to_montgomery(scalars, 4));
  EXPECT_TEXT("element 1 is 0x30644e72");
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_fr_from_montgomery(scalars, 4));
  CHECK(scalars[0].limbs[0] == 1);
  scalars[1].limbs[0]--; /* r - 1 */
  OK(zka_bn254_fr_to_montgomery(scalars, 4));
  CHECK(memcmp(&scalars[0], &ONE, sizeof ONE) == 0 && memcmp(&scalars[1], &MINUS_ONE, sizeof ONE) == 0);
  OK(zka_bn254_fr_from_montgomery(scalars, 4));
  CHECK(scalars[0].limbs[0] == 1 && scalars[1].limbs[0] == ORDER[0] - 1 && scalars[2].limbs[0] == 0);
  OK(zka_bn254_fr_to_montgomery(NULL, 0));
  EXPECT(ZKA_NULL_POINTER, zka_bn254_fr_to_montgomery(NULL, 1));
  EXPECT(ZKA_BAD_LENGTH, zka_bn254_fr_from_montgomery(scalars, SIZE_MAX));

  /* The generator is (1, 2). */
  zka_bn254_g1_aff point = G;
  OK(zka_bn254_fp_from_montgomery(&point.x, 2));
  CHECK(point.x.limbs[0] == 1 && point.y.limbs[0] == 2 && (point.x.limbs[1] | point.y.limbs[3]) == 0);
  OK(zka_bn254_fp_to_montgomery(&point.x, 2));
  CHECK(memcmp(&point, &G, sizeof G) == 0);
  memset(coordinates, 0xff, sizeof coordinates);
  coordinates[0] = FP_ONE;
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_fp_to_montgomery(coordinates, 2));
  EXPECT_TEXT("element 1 is 0xffff");
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_fp_from_montgomery(coordinates, 2));
  CHECK(memcmp(&coordinates[0], &FP_ONE, sizeof FP_ONE) == 0);
}

/* The same over any field: the root of order 2 is the modulus less one as an integer, in the words of an element and no more. */
static void elements_of_any_field(void) {
  static const uint64_t moduli[][4] = {
      {UINT64_C(0xffffffff00000001)},
      {UINT64_C(0x43e1f593f0000001), UINT64_C(0x2833e84879b97091), UINT64_C(0xb85045b68181585d), UINT64_C(0x30644e72e131a029)},
      {UINT64_C(0x3c208c16d87cfd47), UINT64_C(0x97816a916871ca8d), UINT64_C(0xb85045b68181585d), UINT64_C(0x30644e72e131a029)},
      {UINT64_C(0x992d30ed00000001), UINT64_C(0x224698fc094cf91b), 0, UINT64_C(0x4000000000000000)},
      {UINT64_C(0x8c46eb2100000001), UINT64_C(0x224698fc0994a8dd), 0, UINT64_C(0x4000000000000000)},
      {UINT64_C(0xffffffff00000001), UINT64_C(0x53bda402fffe5bfe), UINT64_C(0x3339d80809a1d805), UINT64_C(0x73eda753299d7d48)},
      {UINT64_C(0x0a11800000000001), UINT64_C(0x59aa76fed0000001), UINT64_C(0x60b44d1e5c37b001), UINT64_C(0x12ab655e9a2ca556)},
  };
  static const uint32_t conventions[] = {ZKA_ROOT_PLONKY3, ZKA_ROOT_HALO2, ZKA_ROOT_HALO2, ZKA_ROOT_ARKWORKS, ZKA_ROOT_HALO2, ZKA_ROOT_ARKWORKS, ZKA_ROOT_HALO2};
  for (uint32_t field = ZKA_GOLDILOCKS; field <= ZKA_BLS12_377_FR; field++) {
    const uint64_t *modulus = moduli[field - 1];
    const size_t words = field == ZKA_GOLDILOCKS ? 1 : 4;
    uint64_t data[5], one[4] = {1}, untouched = UINT64_C(0x123456789abcdef);
    for (int i = 0; i < 5; i++) data[i] = untouched;
    if (field == ZKA_BN254_FQ) {
      EXPECT(ZKA_UNSUPPORTED, zka_root_of_unity(field, data, 1, ZKA_ROOT_HALO2));
      memcpy(data, modulus, words * 8);
      data[0]--;
      OK(zka_from_integers(field, data, 1));
    } else {
      OK(zka_root_of_unity(field, data, 1, conventions[field - 1]));
      EXPECT(ZKA_BAD_ARGUMENT, zka_root_of_unity(field, data, 1, field == ZKA_GOLDILOCKS ? ZKA_ROOT_HALO2 : ZKA_ROOT_WINTERFELL));
      EXPECT(ZKA_BAD_LOG_SIZE, zka_root_of_unity(field, data, 48, conventions[field - 1]));
    }
    OK(zka_to_integers(field, data, 1));
    CHECK(data[0] == modulus[0] - 1 && memcmp(data + 1, modulus + 1, 8 * (words - 1)) == 0);
    for (size_t i = words; i < 5; i++) CHECK(data[i] == untouched);
    data[0]++;
    EXPECT(ZKA_NOT_CANONICAL, zka_to_integers(field, data, 1));
    EXPECT(ZKA_NOT_CANONICAL, zka_from_integers(field, data, 1));
    CHECK(memcmp(data, modulus, words * 8) == 0);
    OK(zka_from_integers(field, one, 1));
    OK(zka_to_integers(field, one, 1));
    CHECK(one[0] == 1 && (one[1] | one[2] | one[3]) == 0);
    OK(zka_from_integers(field, NULL, 0));
    EXPECT(ZKA_NULL_POINTER, zka_to_integers(field, NULL, 1));
    EXPECT(ZKA_BAD_LENGTH, zka_to_integers(field, data, SIZE_MAX));
  }
  uint64_t word = 1;
  EXPECT(ZKA_BAD_ARGUMENT, zka_root_of_unity(8, &word, 1, ZKA_ROOT_HALO2));
  EXPECT(ZKA_BAD_ARGUMENT, zka_from_integers(0, &word, 1));
}

static void wrong_arguments(zka_engine *engine, zka_engine *other) {
  zka_bn254_fr scalars[8], zero = {{0, 0, 0, 0}}, large = {{0, 0, 0, UINT64_MAX}};
  zka_bn254_g1_aff points[8];
  zka_bn254_g1_prj out;
  zka_bases *bases = NULL, *none = NULL;
  zka_future future;
  size_t len;
  for (int i = 0; i < 8; i++) scalars[i] = ONE, points[i] = G;

  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm, NULL, &out, scalars, points, 8);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm, engine, NULL, scalars, points, 8);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm, engine, &out, NULL, points, 8);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm, engine, &out, scalars, NULL, 8);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm, engine, &out, scalars, points, SIZE_MAX);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm, engine, &out, scalars, points, SIZE_MAX / 64);
  BOTH(ZKA_ALIASED, zka_bn254_g1_msm, engine, (zka_bn254_g1_prj *)(void *)points, scalars, points, 8);
  BOTH(ZKA_ALIASED, zka_bn254_g1_msm, engine, (zka_bn254_g1_prj *)(void *)(scalars + 4), scalars, points, 8);
  EXPECT(ZKA_NULL_POINTER, zka_bn254_g1_msm_async(engine, &out, scalars, points, 8, NULL));

  scalars[3] = large;
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_g1_msm(engine, &out, scalars, points, 8));
  EXPECT_TEXT("scalar 3 is 0xffffffffffffffff0000");
  OK(zka_bn254_g1_msm_async(engine, &out, scalars, points, 8, &future));
  EXPECT(ZKA_NOT_CANONICAL, zka_wait(engine, future));
  scalars[3] = ONE;
  memcpy(&points[5].y, &large, sizeof large);
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_g1_msm(engine, &out, scalars, points, 8));
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_g1_bases_new(engine, &none, points, 8, 0));
  points[5] = G;
  points[6].y = G.x;
  EXPECT(ZKA_NOT_ON_CURVE, zka_bn254_g1_bases_new(engine, &none, points, 8, ZKA_VALIDATE));
  EXPECT_TEXT("point 6");
  OK(zka_bn254_g1_bases_new_async(engine, &none, points, 8, ZKA_VALIDATE, &future));
  EXPECT(ZKA_NOT_ON_CURVE, zka_wait(engine, future));
  points[6] = G;

  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_bases_new, engine, NULL, points, 8, 0);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_bases_new, engine, &none, NULL, 8, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_g1_bases_new, engine, &none, points, 8, 4);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_bases_new, engine, &none, points, SIZE_MAX, 0);
  CHECK(none == NULL);

  OK(zka_bn254_g1_bases_new(engine, &bases, points, 8, 0));
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm_bases, engine, &out, scalars, NULL, 0, 8);
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_g1_msm_bases, engine, &out, scalars, (zka_bases *)(void *)engine, 0, 8);
  BOTH(ZKA_WRONG_ENGINE, zka_bn254_g1_msm_bases, other, &out, scalars, bases, 0, 8);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_bases, engine, &out, scalars, bases, 0, 9);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_bases, engine, &out, scalars, bases, 9, 0);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_bases, engine, &out, scalars, bases, SIZE_MAX, 2);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_batch, engine, &out, scalars, bases, 9, 1);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_g1_msm_batch, engine, &out, scalars, bases, 8, SIZE_MAX / 8);
  BOTH(ZKA_NULL_POINTER, zka_bn254_g1_msm_batch, engine, NULL, scalars, bases, 8, 1);
  EXPECT(ZKA_NULL_POINTER, zka_bases_len(bases, NULL));
  OK(zka_bases_free(bases));
  EXPECT(ZKA_BAD_ARGUMENT, zka_bases_free(bases));
  EXPECT(ZKA_BAD_ARGUMENT, zka_bases_len(bases, &len));
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_g1_msm_bases, engine, &out, scalars, bases, 0, 8);
  OK(zka_bases_free(NULL));

  BOTH(ZKA_NULL_POINTER, zka_bn254_fr_fft, engine, NULL, 3, 1, &OMEGA_8, NULL, 0);
  BOTH(ZKA_NULL_POINTER, zka_bn254_fr_fft, engine, scalars, 3, 1, NULL, NULL, 0);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_fr_fft, engine, scalars, 3, 0, &OMEGA_8, NULL, 0);
  BOTH(ZKA_BAD_LENGTH, zka_bn254_fr_fft, engine, scalars, 3, SIZE_MAX, &OMEGA_8, NULL, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_bn254_fr_fft, engine, scalars, 29, 1, &OMEGA_8, NULL, 0);
  BOTH(ZKA_BAD_LOG_SIZE, zka_bn254_fr_fft, engine, scalars, UINT32_MAX, 1, &OMEGA_8, NULL, 0);
  BOTH(ZKA_BAD_ROOT, zka_bn254_fr_fft, engine, scalars, 2, 1, &OMEGA_8, NULL, 0);
  BOTH(ZKA_BAD_ROOT, zka_bn254_fr_fft, engine, scalars, 3, 1, &OMEGA_4, NULL, 0);
  BOTH(ZKA_BAD_ROOT, zka_bn254_fr_fft, engine, scalars, 3, 1, &zero, NULL, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_bn254_fr_fft, engine, scalars, 3, 1, &large, NULL, 0);
  BOTH(ZKA_NOT_CANONICAL, zka_bn254_fr_fft, engine, scalars, 3, 1, &OMEGA_8, &large, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_fr_fft, engine, scalars, 3, 1, &OMEGA_8, &zero, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_bn254_fr_fft, engine, scalars, 3, 1, &OMEGA_8, NULL, ZKA_COLUMN_MAJOR);
  BOTH(ZKA_ALIASED, zka_bn254_fr_fft, engine, scalars, 3, 1, &OMEGA_8, &scalars[2], 0);
  for (int i = 0; i < 8; i++) CHECK(memcmp(&scalars[i], &ONE, sizeof ONE) == 0);
  scalars[7] = large;
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_fr_fft(engine, scalars, 3, 1, &OMEGA_8, NULL, 0));
  for (int i = 0; i < 7; i++) CHECK(memcmp(&scalars[i], &ONE, sizeof ONE) == 0);

  zka_bn254_g1_aff affine;
  zka_bn254_g1_jac jacobian;
  memset(&out, 0xff, sizeof out);
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_g1_to_aff(&affine, &out));
  EXPECT(ZKA_NOT_CANONICAL, zka_bn254_g1_to_jac(&jacobian, &out));
  EXPECT(ZKA_NULL_POINTER, zka_bn254_g1_to_aff(NULL, &out));
  EXPECT(ZKA_NULL_POINTER, zka_bn254_g1_to_jac(&jacobian, NULL));
  EXPECT(ZKA_ALIASED, zka_bn254_g1_to_jac((zka_bn254_g1_jac *)(void *)&out, &out));
}

/* Handles keep their engine alive. */
static void any_order_of_freeing(void) {
  zka_engine *engine = engine_with(1);
  zka_bases *bases = NULL;
  zka_bn254_g1_prj out;
  size_t len = 0;
  OK(zka_bn254_g1_bases_new(engine, &bases, &G, 1, ZKA_PRECOMPUTE));
  OK(zka_engine_shutdown(engine));
  OK(zka_bases_len(bases, &len));
  CHECK(len == 1);
  EXPECT(ZKA_SHUTTING_DOWN, zka_bn254_g1_msm_bases(engine, &out, &ONE, bases, 0, 1));
  OK(zka_bases_free(bases));
}

void test_bn254(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  sums(engine);
  transforms(engine);
  elements();
  elements_of_any_field();
  wrong_arguments(engine, other);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
  any_order_of_freeing();
}
