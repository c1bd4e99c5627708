/* Groth16: keys, witnesses and proofs of snarkjs, and proofs of ours in both forms. TEST_DATA is the folder of circuits. */
#include "constants.h"
#include "check.h"

typedef struct {
  uint8_t *bytes;
  size_t len;
} file;

static const char *path_of(const char *circuit, const char *name) {
  static char path[1024];
  CHECK(snprintf(path, sizeof path, "%s/%s/%s", TEST_DATA, circuit, name) < (int)sizeof path);
  return path;
}

/* A whole file, with a zero behind it. */
static file read_file(const char *circuit, const char *name) {
  FILE *stream = fopen(path_of(circuit, name), "rb");
  CHECK(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
  file contents = {NULL, (size_t)ftell(stream)};
  contents.bytes = (uint8_t *)calloc(contents.len + 1, 1);
  rewind(stream);
  CHECK(contents.bytes != NULL && fread(contents.bytes, 1, contents.len, stream) == contents.len);
  fclose(stream);
  return contents;
}

static char *read_text(const char *circuit, const char *name) { return (char *)read_file(circuit, name).bytes; }

/* The signals of a witness file, which are the end of it, in Montgomery form. */
static zka_bn254_fr *scalars_of(file witness, size_t signals) {
  zka_bn254_fr *scalars = (zka_bn254_fr *)malloc(signals * sizeof *scalars);
  CHECK(scalars != NULL && witness.len > signals * sizeof *scalars);
  memcpy(scalars, witness.bytes + witness.len - signals * sizeof *scalars, signals * sizeof *scalars);
  OK(zka_bn254_fr_to_montgomery(scalars, signals));
  return scalars;
}

/* Appends a coordinate in decimal, between quotes. */
static void append(char *text, const uint64_t *limbs) {
  zka_bn254_fp x;
  char digits[80], *end = digits + sizeof digits, *start = end;
  memcpy(&x, limbs, sizeof x);
  OK(zka_bn254_fp_from_montgomery(&x, 1));
  *--start = 0;
  do {
    uint64_t remainder = 0;
    for (int i = 3; i >= 0; i--) { /* by 32 bits, so that nothing overflows */
      uint64_t high = remainder << 32 | x.limbs[i] >> 32, low = (high % 10) << 32 | (x.limbs[i] & 0xffffffffu);
      x.limbs[i] = (high / 10) << 32 | low / 10;
      remainder = low % 10;
    }
    *--start = (char)('0' + remainder);
  } while (x.limbs[0] | x.limbs[1] | x.limbs[2] | x.limbs[3]);
  strcat(text, "\"");
  strcat(text, start);
  strcat(text, "\"");
}

/* The words of a proof over BN254: eight of A, sixteen of B, eight of C. */
enum { PROOF_WORDS = 32 };

/* The JSON of a proof in words. */
static void json_of(char *text, const uint64_t *proof) {
  const uint64_t *a = proof, *b = proof + 8, *c = proof + 24;
  strcpy(text, "{\"pi_a\":[");
  append(text, a), strcat(text, ","), append(text, a + 4);
  strcat(text, ",\"1\"],\"pi_b\":[[");
  for (int i = 0; i < 4; i++) append(text, b + 4 * i), strcat(text, i == 1 ? "],[" : i == 3 ? "]" : ",");
  strcat(text, ",[\"1\",\"0\"]],\"pi_c\":[");
  append(text, c), strcat(text, ","), append(text, c + 4);
  strcat(text, ",\"1\"],\"protocol\":\"groth16\",\"curve\":\"bn128\"}");
}

static void proofs_of(zka_engine *engine, const char *circuit, size_t expected_signals, size_t expected_public) {
  file key = read_file(circuit, "circuit.zkey"), witness = read_file(circuit, "witness.wtns");
  char *verification_key = read_text(circuit, "verification_key.json"), *their_public = read_text(circuit, "public.json");
  char *their_proof = read_text(circuit, "proof.json"), proof[ZKA_GROTH16_PROOF_BYTES], again[ZKA_GROTH16_PROOF_BYTES];
  zka_groth16_prover *prover = NULL, *opened = NULL;
  uint64_t raw[3][PROOF_WORDS];
  zka_future future;
  size_t signals = 0, public_signals = 0, public_bytes = 0, proof_words = 0;
  uint32_t first = 0, second = 0;
  uint64_t proofs = 0, remade = 0, refused = 0;

  OK(zka_groth16_prover_new(engine, &prover, key.bytes, key.len, 0));
  memset(key.bytes, 0xff, key.len); /* it is copied */
  OK(zka_groth16_prover_open_async(engine, &opened, path_of(circuit, "circuit.zkey"), ZKA_PRECOMPUTE | ZKA_UNCHECKED, &future));
  OK(zka_groth16_prover_shape(prover, &signals, &public_signals, &public_bytes));
  CHECK(signals == expected_signals && public_signals == expected_public);
  CHECK(public_bytes == 82 * public_signals + 3);
  OK(zka_groth16_prover_curves(prover, &first, &second, &proof_words));
  CHECK(first == ZKA_BN254_G1 && second == ZKA_BN254_G2 && proof_words == PROOF_WORDS);
  OK(zka_wait(engine, future));
  CHECK(opened != NULL && opened != prover);

  /* Theirs. */
  OK(zka_groth16_verify(verification_key, their_public, their_proof));
  OK(zka_groth16_prover_verify(prover, their_public, their_proof));

  /* Ours as texts, with just enough room and a byte that is not touched behind it. */
  char *public_json = (char *)malloc(public_bytes + 1);
  CHECK(public_json != NULL);
  public_json[public_bytes] = 'x';
  OK(zka_groth16_prove(engine, proof, public_json, prover, witness.bytes, witness.len, sizeof proof, public_bytes));
  CHECK(public_json[public_bytes] == 'x' && strcmp(public_json, their_public) == 0);
  OK(zka_groth16_verify(verification_key, public_json, proof));
  memset(public_json, 'x', public_bytes);
  OK(zka_groth16_prove_async(engine, again, public_json, opened, witness.bytes, witness.len, sizeof again, public_bytes, &future));
  OK(zka_wait(engine, future));
  CHECK(strcmp(public_json, their_public) == 0 && strcmp(proof, again) != 0); /* each has its own randomness */
  OK(zka_groth16_verify(verification_key, public_json, again));

  /* Ours as words, alone and in a batch. */
  zka_bn254_fr *scalars = scalars_of(witness, signals), *two = (zka_bn254_fr *)malloc(2 * signals * sizeof *two);
  CHECK(two != NULL);
  memcpy(two, scalars, signals * sizeof *two);
  memcpy(two + signals, scalars, signals * sizeof *two);
  OK(zka_groth16_prove_batch(engine, raw[0], prover, scalars[0].limbs, signals, 1, PROOF_WORDS));
  OK(zka_groth16_prove_batch_async(engine, raw[1], prover, two[0].limbs, signals, 2, 2 * PROOF_WORDS, &future));
  OK(zka_wait(engine, future));
  OK(zka_groth16_prove_batch(engine, NULL, prover, NULL, signals, 0, 0));
  for (int i = 0; i < 3; i++) {
    json_of(proof, raw[i]);
    OK(zka_groth16_verify(verification_key, their_public, proof));
  }
  CHECK(memcmp(raw[1], raw[2], sizeof *raw) != 0);
  OK(zka_groth16_prover_account(prover, &proofs, &remade, &refused));
  CHECK(proofs == 4 && remade == 0 && refused == 0);

  /* A false witness: refused, in a batch too; or proved without a look at it, which the verifier sees. */
  two[2 * signals - 1] = MINUS_ONE;
  EXPECT(ZKA_BAD_WITNESS, zka_groth16_prove_batch(engine, raw[0], prover, two[0].limbs, signals, 2, 2 * PROOF_WORDS));
  EXPECT_TEXT("expected a witness that satisfies the circuit of the key");
  OK(zka_groth16_prove_batch_async(engine, raw[0], prover, two[signals].limbs, signals, 1, PROOF_WORDS, &future));
  EXPECT(ZKA_BAD_WITNESS, zka_wait(engine, future));
  EXPECT_TEXT("expected a witness that satisfies the circuit of the key");
  OK(zka_groth16_prove_batch(engine, raw[0], opened, two[signals].limbs, signals, 1, PROOF_WORDS));
  json_of(proof, raw[0]);
  EXPECT(ZKA_NOT_VERIFIED, zka_groth16_verify(verification_key, their_public, proof));
  EXPECT_TEXT("the proof does not verify");
  EXPECT(ZKA_NOT_VERIFIED, zka_groth16_prover_verify(prover, their_public, proof));
  OK(zka_groth16_prover_account(prover, &proofs, &remade, &refused));
  CHECK(proofs == 4 && refused == 2); /* each of which is made again, unless the device is the CPU */

  OK(zka_groth16_prover_free(prover));
  OK(zka_groth16_prover_free(opened));
  free(key.bytes), free(witness.bytes), free(verification_key), free(their_public), free(their_proof);
  free(public_json), free(scalars), free(two);
}

static void wrong_arguments(zka_engine *engine, zka_engine *other) {
  file key = read_file("multiplier", "circuit.zkey"), witness = read_file("multiplier", "witness.wtns");
  file other_witness = read_file("membership", "witness.wtns");
  const char *path = path_of("multiplier", "circuit.zkey");
  char proof[ZKA_GROTH16_PROOF_BYTES], public_json[1024];
  const size_t room = sizeof proof;
  zka_groth16_prover *prover = NULL, *none = NULL;
  uint64_t raw[2 * PROOF_WORDS];
  zka_future future;
  size_t signals, count, bytes;
  uint32_t first, second;
  uint64_t proofs, remade, refused;

  BOTH(ZKA_NULL_POINTER, zka_groth16_prover_new, NULL, &none, key.bytes, key.len, 0);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prover_new, engine, NULL, key.bytes, key.len, 0);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prover_new, engine, &none, NULL, key.len, 0);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prover_new, engine, &none, key.bytes, SIZE_MAX, 0);
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prover_new, engine, &none, key.bytes, key.len, ZKA_VALIDATE);
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prover_new, engine, &none, key.bytes, key.len, 8);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prover_open, NULL, &none, path, 0);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prover_open, engine, NULL, path, 0);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prover_open, engine, &none, NULL, 0);
  EXPECT_TEXT("path is NULL");
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prover_open, engine, &none, path, ZKA_VALIDATE);
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prover_open, engine, &none, "\xff", 0);
  EXPECT_TEXT("expected UTF-8");
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_new_async(engine, &none, key.bytes, key.len, 0, NULL));

  /* What is wrong with contents is told by the operation. */
  EXPECT(ZKA_SYSTEM, zka_groth16_prover_open(engine, &none, "/nowhere/circuit.zkey", 0));
  EXPECT_TEXT("cannot read /nowhere/circuit.zkey");
  OK(zka_groth16_prover_open_async(engine, &none, "/nowhere/circuit.zkey", 0, &future));
  EXPECT(ZKA_SYSTEM, zka_wait(engine, future));
  EXPECT_TEXT("cannot read /nowhere/circuit.zkey");
  EXPECT(ZKA_MALFORMED, zka_groth16_prover_new(engine, &none, NULL, 0, 0));
  EXPECT(ZKA_MALFORMED, zka_groth16_prover_new(engine, &none, key.bytes, key.len - 1, 0));
  EXPECT(ZKA_MALFORMED, zka_groth16_prover_new(engine, &none, witness.bytes, witness.len, 0));
  EXPECT_TEXT("zkey");
  OK(zka_groth16_prover_new_async(engine, &none, key.bytes, key.len - 1, 0, &future));
  EXPECT(ZKA_MALFORMED, zka_wait(engine, future));
  CHECK(none == NULL);

  OK(zka_groth16_prover_new_async(engine, &prover, key.bytes, key.len, 0, &future));
  OK(zka_wait(engine, future));
  OK(zka_groth16_prover_shape(prover, &signals, &count, &bytes));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_shape(NULL, &signals, &count, &bytes));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_shape(prover, NULL, &count, &bytes));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_shape(prover, &signals, NULL, &bytes));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_shape(prover, &signals, &count, NULL));
  EXPECT(ZKA_ALIASED, zka_groth16_prover_shape(prover, &signals, &signals, &bytes));
  EXPECT(ZKA_BAD_ARGUMENT, zka_groth16_prover_shape((zka_groth16_prover *)(void *)engine, &signals, &count, &bytes));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_curves(NULL, &first, &second, &count));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_curves(prover, NULL, &second, &count));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_curves(prover, &first, NULL, &count));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_curves(prover, &first, &second, NULL));
  EXPECT(ZKA_ALIASED, zka_groth16_prover_curves(prover, &first, &first, &count));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_account(NULL, &proofs, &remade, &refused));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_account(prover, &proofs, &remade, NULL));
  EXPECT(ZKA_ALIASED, zka_groth16_prover_account(prover, &proofs, &proofs, &refused));

  memset(proof, 'x', sizeof proof);
  memset(public_json, 'x', sizeof public_json);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove, NULL, proof, public_json, prover, witness.bytes, witness.len, room, bytes);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove, engine, NULL, public_json, prover, witness.bytes, witness.len, room, bytes);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove, engine, proof, NULL, prover, witness.bytes, witness.len, room, bytes);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove, engine, proof, public_json, NULL, witness.bytes, witness.len, room, bytes);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove, engine, proof, public_json, prover, NULL, witness.len, room, bytes);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove, engine, proof, public_json, prover, witness.bytes, SIZE_MAX, room, bytes);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove, engine, proof, public_json, prover, witness.bytes, witness.len, room - 1, bytes);
  EXPECT_TEXT("proof_json has 2047 bytes, expected at least 2048");
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove, engine, proof, public_json, prover, witness.bytes, witness.len, room, bytes - 1);
  EXPECT_TEXT("public_json has 166 bytes, expected at least 167");
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove, engine, NULL, NULL, prover, witness.bytes, witness.len, 0, 0);
  BOTH(ZKA_ALIASED, zka_groth16_prove, engine, proof, proof + 1, prover, witness.bytes, witness.len, room, bytes);
  BOTH(ZKA_ALIASED, zka_groth16_prove, engine, proof, public_json, prover, (uint8_t *)proof, witness.len, room, bytes);
  BOTH(ZKA_WRONG_ENGINE, zka_groth16_prove, other, proof, public_json, prover, witness.bytes, witness.len, room, bytes);
  EXPECT_TEXT("the prover belongs to another engine");
  EXPECT(ZKA_MALFORMED, zka_groth16_prove(engine, proof, public_json, prover, NULL, 0, room, bytes));
  EXPECT(ZKA_MALFORMED, zka_groth16_prove(engine, proof, public_json, prover, witness.bytes, witness.len - 1, room, bytes));
  EXPECT(ZKA_BAD_WITNESS, zka_groth16_prove(engine, proof, public_json, prover, other_witness.bytes, other_witness.len, room, bytes));
  EXPECT_TEXT("signals: found 490, expected 5");
  OK(zka_groth16_prove_async(engine, proof, public_json, prover, witness.bytes, witness.len - 1, room, bytes, &future));
  EXPECT(ZKA_MALFORMED, zka_wait(engine, future));
  CHECK(proof[0] == 'x' && public_json[0] == 'x');

  zka_bn254_fr *scalars = scalars_of(witness, signals), large = {{0, 0, 0, UINT64_MAX}};
  uint64_t *words = scalars[0].limbs;
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove_batch, engine, NULL, prover, words, signals, 1, PROOF_WORDS);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove_batch, engine, raw, NULL, words, signals, 1, PROOF_WORDS);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove_batch, engine, raw, prover, NULL, signals, 1, PROOF_WORDS);
  BOTH(ZKA_BAD_WITNESS, zka_groth16_prove_batch, engine, raw, prover, words, signals - 1, 1, PROOF_WORDS);
  EXPECT_TEXT("signals: found 4, expected 5");
  BOTH(ZKA_BAD_WITNESS, zka_groth16_prove_batch, engine, raw, prover, words, 0, SIZE_MAX, PROOF_WORDS);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove_batch, engine, raw, prover, words, signals, 1, PROOF_WORDS - 1);
  EXPECT_TEXT("out has 31 words, expected at least 32");
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove_batch, engine, raw, prover, words, signals, SIZE_MAX, SIZE_MAX);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove_batch, engine, raw, prover, words, signals, SIZE_MAX / 256, SIZE_MAX);
  BOTH(ZKA_ALIASED, zka_groth16_prove_batch, engine, words, prover, words, signals, 1, PROOF_WORDS);
  BOTH(ZKA_WRONG_ENGINE, zka_groth16_prove_batch, other, raw, prover, words, signals, 1, PROOF_WORDS);
  scalars[0] = MINUS_ONE;
  EXPECT(ZKA_BAD_WITNESS, zka_groth16_prove_batch(engine, raw, prover, words, signals, 1, PROOF_WORDS));
  EXPECT_TEXT("signal 0");
  scalars[0] = ONE;
  scalars[3] = large;
  EXPECT(ZKA_NOT_CANONICAL, zka_groth16_prove_batch(engine, raw, prover, words, signals, 1, PROOF_WORDS));
  EXPECT_TEXT("signal 3 is 0xffffffffffffffff0000");
  OK(zka_groth16_prove_batch_async(engine, raw, prover, words, signals, 1, PROOF_WORDS, &future));
  EXPECT(ZKA_NOT_CANONICAL, zka_wait(engine, future));

  /* The verifier. */
  char *verification_key = read_text("multiplier", "verification_key.json"), *signals_json = read_text("multiplier", "public.json");
  char *true_proof = read_text("multiplier", "proof.json"), *other_proof = read_text("membership", "proof.json");
  char *other_signals = read_text("membership", "public.json");
  OK(zka_groth16_verify(verification_key, signals_json, true_proof));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_verify(NULL, signals_json, true_proof));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_verify(verification_key, NULL, true_proof));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_verify(verification_key, signals_json, NULL));
  EXPECT_TEXT("proof_json is NULL");
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_verify(NULL, signals_json, true_proof));
  EXPECT(ZKA_NULL_POINTER, zka_groth16_prover_verify(prover, NULL, true_proof));
  EXPECT(ZKA_NOT_VERIFIED, zka_groth16_verify(verification_key, signals_json, other_proof));
  EXPECT(ZKA_BAD_LENGTH, zka_groth16_verify(verification_key, other_signals, true_proof));
  EXPECT_TEXT("public signals: found 1, expected 2");
  EXPECT(ZKA_MALFORMED, zka_groth16_verify("", signals_json, true_proof));
  EXPECT(ZKA_MALFORMED, zka_groth16_verify(true_proof, signals_json, true_proof));
  EXPECT(ZKA_MALFORMED, zka_groth16_verify(verification_key, "[1, 2]", true_proof));
  EXPECT(ZKA_MALFORMED, zka_groth16_verify(verification_key, signals_json, "{}"));
  EXPECT_TEXT("expected proof, in JSON as snarkjs writes it");
  EXPECT(ZKA_MALFORMED, zka_groth16_prover_verify(prover, "", true_proof));
  char *digit = strpbrk(true_proof, "0123456789");
  *digit = *digit == '1' ? '2' : '1'; /* off the curve */
  EXPECT(ZKA_MALFORMED, zka_groth16_verify(verification_key, signals_json, true_proof));
  EXPECT_TEXT("pi_a");

  OK(zka_groth16_prover_free(prover));
  EXPECT(ZKA_BAD_ARGUMENT, zka_groth16_prover_free(prover));
  EXPECT_TEXT("expected a live zka_groth16_prover");
  EXPECT(ZKA_BAD_ARGUMENT, zka_groth16_prover_shape(prover, &signals, &count, &bytes));
  EXPECT(ZKA_BAD_ARGUMENT, zka_groth16_prover_verify(prover, signals_json, true_proof));
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prove, engine, proof, public_json, prover, witness.bytes, witness.len, room, bytes);
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prove_batch, engine, raw, prover, words, signals, 1, PROOF_WORDS);
  EXPECT(ZKA_BAD_ARGUMENT, zka_groth16_prover_curves(prover, &first, &second, &count));
  OK(zka_groth16_prover_free(NULL));
  free(key.bytes), free(witness.bytes), free(other_witness.bytes), free(scalars), free(verification_key);
  free(signals_json), free(true_proof), free(other_proof), free(other_signals);
}

/* A prover keeps its engine; proofs under way keep their prover, and a shutdown waits for them. */
static void any_order_of_freeing(void) {
  file key = read_file("multiplier", "circuit.zkey"), witness = read_file("multiplier", "witness.wtns");
  char *signals_json = read_text("multiplier", "public.json");
  char proof[ZKA_GROTH16_PROOF_BYTES], public_json[256];
  zka_engine *engine = engine_with(1);
  zka_groth16_prover *prover = NULL, *kept = NULL;
  zka_future future;
  OK(zka_groth16_prover_new(engine, &prover, key.bytes, key.len, 0));
  OK(zka_groth16_prover_new(engine, &kept, key.bytes, key.len, 0));
  OK(zka_groth16_prove_async(engine, proof, public_json, prover, witness.bytes, witness.len, sizeof proof, sizeof public_json, &future));
  OK(zka_groth16_prover_free(prover));
  OK(zka_engine_shutdown(engine));
  OK(zka_groth16_prover_verify(kept, public_json, proof));
  OK(zka_groth16_prover_verify(kept, signals_json, proof));
  EXPECT(ZKA_SHUTTING_DOWN, zka_groth16_prove(engine, proof, public_json, kept, witness.bytes, witness.len, sizeof proof, sizeof public_json));
  OK(zka_groth16_prover_free(kept));
  free(key.bytes), free(witness.bytes), free(signals_json);
}

/* x 2^256 modulo the order of BLS12-381's groups, of which the double has room, by doubling. */
static void to_montgomery(uint64_t *x) {
  static const uint64_t r[4] = {UINT64_C(0xffffffff00000001), UINT64_C(0x53bda402fffe5bfe), UINT64_C(0x3339d80809a1d805), UINT64_C(0x73eda753299d7d48)};
  for (int bit = 0; bit < 256; bit++) {
    uint64_t twice[4], reduced[4], carry = 0, borrow = 0;
    for (int i = 0; i < 4; i++) twice[i] = x[i] << 1 | carry, carry = x[i] >> 63;
    for (int i = 0; i < 4; i++) {
      reduced[i] = twice[i] - r[i] - borrow;
      borrow = twice[i] < r[i] || (twice[i] == r[i] && borrow);
    }
    memcpy(x, borrow ? twice : reduced, sizeof twice);
  }
}

/* Over BLS12-381, which the key says: texts, and words that are points of its curves. */
static void another_curve(zka_engine *engine) {
  const char *circuit = "multiplier-bls12-381";
  file key = read_file(circuit, "circuit.zkey"), witness = read_file(circuit, "witness.wtns");
  file other = read_file("multiplier", "witness.wtns");
  char *verification_key = read_text(circuit, "verification_key.json"), *their_public = read_text(circuit, "public.json");
  char *their_proof = read_text(circuit, "proof.json"), *other_proof = read_text("multiplier", "proof.json");
  char *other_key = read_text("multiplier", "verification_key.json");
  char proof[ZKA_GROTH16_PROOF_BYTES], public_json[256];
  zka_groth16_prover *prover = NULL;
  zka_bases *bases = NULL;
  size_t proof_words = 0;
  uint32_t first = 0, second = 0;
  uint64_t raw[48];
  OK(zka_groth16_prover_new(engine, &prover, key.bytes, key.len, 0));
  OK(zka_groth16_prover_curves(prover, &first, &second, &proof_words));
  CHECK(first == ZKA_BLS12_381_G1 && second == ZKA_BLS12_381_G2 && proof_words == 48);
  OK(zka_groth16_prove(engine, proof, public_json, prover, witness.bytes, witness.len, sizeof proof, sizeof public_json));
  CHECK(strcmp(public_json, their_public) == 0);
  OK(zka_groth16_verify(verification_key, public_json, proof));
  OK(zka_groth16_prover_verify(prover, their_public, their_proof));

  uint64_t scalars[5 * 4] = {0};
  EXPECT(ZKA_BAD_LENGTH, zka_groth16_prove_batch(engine, raw, prover, scalars, 5, 1, 47));
  EXPECT_TEXT("out has 47 words, expected at least 48");
  EXPECT(ZKA_BAD_WITNESS, zka_groth16_prove_batch(engine, raw, prover, scalars, 5, 1, 48));
  EXPECT_TEXT("signal 0: found 0, expected 1");
  memcpy(scalars, witness.bytes + witness.len - sizeof scalars, sizeof scalars);
  for (int i = 0; i < 5; i++) to_montgomery(scalars + 4 * i);
  OK(zka_groth16_prove_batch(engine, raw, prover, scalars, 5, 1, 48));
  OK(zka_bases_new(engine, &bases, first, raw, 1, ZKA_VALIDATE));
  OK(zka_bases_free(bases));
  OK(zka_bases_new(engine, &bases, second, raw + 12, 1, ZKA_VALIDATE));
  OK(zka_bases_free(bases));
  OK(zka_bases_new(engine, &bases, first, raw + 36, 1, ZKA_VALIDATE));
  OK(zka_bases_free(bases));

  /* Files of two curves. */
  EXPECT(ZKA_MALFORMED, zka_groth16_prove(engine, proof, public_json, prover, other.bytes, other.len, sizeof proof, sizeof public_json));
  EXPECT_TEXT("of BLS12-381");
  EXPECT(ZKA_MALFORMED, zka_groth16_verify(verification_key, their_public, other_proof));
  EXPECT_TEXT("expected \"bls12381\", which is BLS12-381");
  EXPECT(ZKA_MALFORMED, zka_groth16_verify(other_key, their_public, their_proof));
  EXPECT_TEXT("expected \"bn128\", which is BN254");
  OK(zka_groth16_prover_free(prover));
  free(key.bytes), free(witness.bytes), free(other.bytes), free(verification_key), free(their_public), free(their_proof);
  free(other_proof), free(other_key);
}

void test_groth16(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  proofs_of(engine, "multiplier", 5, 2);
  proofs_of(engine, "membership", 490, 1);
  another_curve(engine);
  wrong_arguments(engine, other);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
  any_order_of_freeing();
}
