/* Three multi-scalar multiplications in flight at once over bases that the engine keeps, as a batch verification of KZG openings
 * starts them; then their affine coordinates.
 *
 *   cc -std=c99 msm.c $(pkg-config --cflags --libs zkaccel) && ./a.out
 */
#include <zkaccel.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 1000, SUMS = 3 };

/* The scalar 1 and the generator (1, 2), in Montgomery form. */
static const zka_bn254_fr ONE = {{UINT64_C(0xac96341c4ffffffb), UINT64_C(0x36fc76959f60cd29),
                                  UINT64_C(0x666ea36f7879462e), UINT64_C(0x0e0a77c19a07df2f)}};
static const zka_bn254_g1_aff GENERATOR = {{{UINT64_C(0xd35d438dc58f0d9d), UINT64_C(0x0a78eb28f5c70b3d),
                                             UINT64_C(0x666ea36f7879462c), UINT64_C(0x0e0a77c19a07df2f)}},
                                           {{UINT64_C(0xa6ba871b8b1e1b3a), UINT64_C(0x14f1d651eb8e167b),
                                             UINT64_C(0xccdd46def0f28c58), UINT64_C(0x1c14ef83340fbe5e)}}};

static void check(zka_status status, const char *what) {
  if (status != ZKA_OK) {
    char text[256];
    zka_last_error(text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, zka_status_name(status), text);
    exit(1);
  }
}

int main(void) {
  static zka_bn254_g1_aff points[LEN];
  static zka_bn254_fr scalars[LEN];
  for (size_t i = 0; i < LEN; i++) {
    points[i] = GENERATOR;
    scalars[i] = ONE;
  }

  zka_engine *engine = NULL;
  zka_bases *bases = NULL;
  check(zka_engine_new(&engine, ZKA_ABI_VERSION, NULL), "engine");
  check(zka_bn254_g1_bases_new(engine, &bases, points, LEN, ZKA_VALIDATE), "bases");

  /* All of the bases, their first half, and the second. */
  zka_bn254_g1_prj sums[SUMS];
  zka_future futures[SUMS];
  check(zka_bn254_g1_msm_bases_async(engine, &sums[0], scalars, bases, 0, LEN, &futures[0]), "first sum");
  check(zka_bn254_g1_msm_bases_async(engine, &sums[1], scalars, bases, 0, LEN / 2, &futures[1]), "second sum");
  check(zka_bn254_g1_msm_bases_async(engine, &sums[2], scalars, bases, LEN / 2, LEN / 2, &futures[2]), "third sum");

  zka_bn254_g1_aff affine[SUMS];
  for (size_t i = 0; i < SUMS; i++) {
    check(zka_wait(engine, futures[i]), "sum");
    check(zka_bn254_g1_to_aff(&affine[i], &sums[i]), "coordinates");
    printf("sum %zu  x = ", i + 1);
    for (size_t limb = 4; limb-- > 0;) printf("%016" PRIx64, affine[i].x.limbs[limb]);
    printf(" (times 2^256)\n");
  }

  /* The halves are equal here, and another point than the whole. */
  int halves_agree = memcmp(&affine[1], &affine[2], sizeof affine[1]) == 0;
  int whole_differs = memcmp(&affine[0], &affine[1], sizeof affine[0]) != 0;
  check(zka_bases_free(bases), "bases");
  check(zka_engine_shutdown(engine), "shutdown");
  puts(halves_agree && whole_differs ? "as expected" : "NOT as expected");
  return halves_agree && whole_differs ? 0 : 1;
}
