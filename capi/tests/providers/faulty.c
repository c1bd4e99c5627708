/* A provider with a fault, which is chosen when it is compiled. */
#include "zkaccel.h"

#include <string.h>

#ifndef VERSION
#define VERSION ZKA_ABI_VERSION
#endif
#ifndef CAPABILITIES
#define CAPABILITIES (ZKA_CAN_GOLDILOCKS | ZKA_CAN_BN254_MSM | ZKA_CAN_BN254_FFT | ZKA_CAN_BLAKE3)
#endif
#ifndef STATUS
#define STATUS ZKA_OK
#endif

#ifndef NO_VERSION
uint32_t zka_abi_version(void) { return VERSION; }
#endif

zka_status zka_capabilities(uint64_t *bits) {
  *bits = CAPABILITIES;
  return ZKA_OK;
}

zka_status zka_engine_new(zka_engine **out, uint32_t abi, const zka_options *options) {
  static int engine;
  (void)abi, (void)options;
#ifdef NO_ENGINE
  return ZKA_NO_DEVICE;
#endif
  *out = (zka_engine *)(void *)&engine;
  return ZKA_OK;
}

zka_status zka_engine_shutdown(zka_engine *engine) {
  (void)engine;
  return ZKA_OK;
}

zka_status zka_last_error(char *buf, size_t cap) {
  strncpy(buf, "the card is not plugged in", cap);
  return ZKA_OK;
}

#ifndef NO_NTT
/* Answers with what it was given, or with words that are none. */
zka_status zka_goldilocks_ntt(zka_engine *engine, uint64_t *data, uint32_t log_n, size_t cols, uint64_t omega,
                              uint64_t coset, uint32_t flags) {
  (void)engine, (void)log_n, (void)cols, (void)omega, (void)coset, (void)flags;
  (void)data;
#ifdef NOT_CANONICAL
  data[0] = UINT64_MAX;
#endif
  return STATUS;
}
#endif

/* Answers with the first point. */
zka_status zka_bn254_g1_msm(zka_engine *engine, zka_bn254_g1_prj *out, const zka_bn254_fr *scalars,
                            const zka_bn254_g1_aff *points, size_t len) {
  (void)engine, (void)scalars, (void)len;
  memset(out, 0, sizeof *out);
#ifndef NOT_CANONICAL
  static const zka_bn254_fp one = {{UINT64_C(0xd35d438dc58f0d9d), UINT64_C(0x0a78eb28f5c70b3d),
                                    UINT64_C(0x666ea36f7879462c), UINT64_C(0x0e0a77c19a07df2f)}};
  out->x = points[0].x;
  out->y = points[0].y;
  out->z = one;
#else
  (void)points;
#endif
  return STATUS;
}

zka_status zka_bn254_fr_fft(zka_engine *engine, zka_bn254_fr *data, uint32_t log_n, size_t batch,
                            const zka_bn254_fr *omega, const zka_bn254_fr *coset, uint32_t flags) {
  (void)engine, (void)data, (void)log_n, (void)batch, (void)omega, (void)coset, (void)flags;
#ifdef NOT_CANONICAL
  memset(data, 0xff, sizeof *data);
#endif
  return STATUS;
}

/* Digests of zero. */
zka_status zka_hash_rows(zka_engine *engine, zka_digest *out, uint32_t hash, const uint64_t *matrix, size_t rows,
                         size_t cols, uint32_t flags) {
  (void)engine, (void)hash, (void)matrix, (void)cols, (void)flags;
  memset(out, 0, rows * sizeof *out);
  return STATUS;
}

/* A tree of zeros. */
zka_status zka_merkle_commit(zka_engine *engine, zka_tree **out, uint32_t hash, const uint64_t *matrix, size_t rows,
                             size_t cols, uint32_t flags) {
  static int tree;
  (void)engine, (void)hash, (void)matrix, (void)rows, (void)cols, (void)flags;
  *out = (zka_tree *)(void *)&tree;
  return STATUS;
}

zka_status zka_tree_nodes(const zka_tree *tree, zka_digest *out, size_t first, size_t len) {
  (void)tree, (void)first;
  memset(out, 0, len * sizeof *out);
  return STATUS;
}

zka_status zka_tree_free(zka_tree *tree) {
  (void)tree;
  return STATUS;
}
