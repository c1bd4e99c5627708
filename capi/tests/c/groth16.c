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

/* The JSON of a proof in words. */
static void json_of(char *text, const zka_groth16_proof *proof) {
  strcpy(text, "{\"pi_a\":[");
  append(text, proof->a.x.limbs), strcat(text, ","), append(text, proof->a.y.limbs);
  strcat(text, ",\"1\"],\"pi_b\":[[");
  for (int i = 0; i < 4; i++) append(text, proof->b + 4 * i), strcat(text, i == 1 ? "],[" : i == 3 ? "]" : ",");
  strcat(text, ",[\"1\",\"0\"]],\"pi_c\":[");
  append(text, proof->c.x.limbs), strcat(text, ","), append(text, proof->c.y.limbs);
  strcat(text, ",\"1\"],\"protocol\":\"groth16\",\"curve\":\"bn128\"}");
}

static void proofs_of(zka_engine *engine, const char *circuit, size_t expected_signals, size_t expected_public) {
  file key = read_file(circuit, "circuit.zkey"), witness = read_file(circuit, "witness.wtns");
  char *verification_key = read_text(circuit, "verification_key.json"), *their_public = read_text(circuit, "public.json");
  char *their_proof = read_text(circuit, "proof.json"), proof[ZKA_GROTH16_PROOF_BYTES], again[ZKA_GROTH16_PROOF_BYTES];
  zka_groth16_prover *prover = NULL, *opened = NULL;
  zka_groth16_proof raw[3];
  zka_future future;
  size_t signals = 0, public_signals = 0, public_bytes = 0;
  uint64_t proofs = 0, remade = 0, refused = 0;

  OK(zka_groth16_prover_new(engine, &prover, key.bytes, key.len, 0));
  memset(key.bytes, 0xff, key.len); /* it is copied */
  OK(zka_groth16_prover_open_async(engine, &opened, path_of(circuit, "circuit.zkey"), ZKA_PRECOMPUTE | ZKA_UNCHECKED, &future));
  OK(zka_groth16_prover_shape(prover, &signals, &public_signals, &public_bytes));
  CHECK(signals == expected_signals && public_signals == expected_public);
  CHECK(public_bytes == 82 * public_signals + 3);
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
  OK(zka_groth16_prove_batch(engine, raw, prover, scalars, signals, 1));
  OK(zka_groth16_prove_batch_async(engine, raw + 1, prover, two, signals, 2, &future));
  OK(zka_wait(engine, future));
  OK(zka_groth16_prove_batch(engine, NULL, prover, NULL, signals, 0));
  for (int i = 0; i < 3; i++) {
    json_of(proof, &raw[i]);
    OK(zka_groth16_verify(verification_key, their_public, proof));
  }
  CHECK(memcmp(&raw[1], &raw[2], sizeof *raw) != 0);
  OK(zka_groth16_prover_account(prover, &proofs, &remade, &refused));
  CHECK(proofs == 4 && remade == 0 && refused == 0);

  /* A false witness: refused, in a batch too; or proved without a look at it, which the verifier sees. */
  two[2 * signals - 1] = MINUS_ONE;
  EXPECT(ZKA_BAD_WITNESS, zka_groth16_prove_batch(engine, raw, prover, two, signals, 2));
  EXPECT_TEXT("expected a witness that satisfies the circuit of the key");
  OK(zka_groth16_prove_batch_async(engine, raw, prover, two + signals, signals, 1, &future));
  EXPECT(ZKA_BAD_WITNESS, zka_wait(engine, future));
  EXPECT_TEXT("expected a witness that satisfies the circuit of the key");
  OK(zka_groth16_prove_batch(engine, raw, opened, two + signals, signals, 1));
  json_of(proof, raw);
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
  zka_groth16_proof raw[2];
  zka_future future;
  size_t signals, count, bytes;
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
  EXPECT_TEXT("proof_json has 1023 bytes, expected at least 1024");
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
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove_batch, engine, NULL, prover, scalars, signals, 1);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove_batch, engine, raw, NULL, scalars, signals, 1);
  BOTH(ZKA_NULL_POINTER, zka_groth16_prove_batch, engine, raw, prover, NULL, signals, 1);
  BOTH(ZKA_BAD_WITNESS, zka_groth16_prove_batch, engine, raw, prover, scalars, signals - 1, 1);
  EXPECT_TEXT("signals: found 4, expected 5");
  BOTH(ZKA_BAD_WITNESS, zka_groth16_prove_batch, engine, raw, prover, scalars, 0, SIZE_MAX);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove_batch, engine, raw, prover, scalars, signals, SIZE_MAX);
  BOTH(ZKA_BAD_LENGTH, zka_groth16_prove_batch, engine, raw, prover, scalars, signals, SIZE_MAX / 256);
  BOTH(ZKA_ALIASED, zka_groth16_prove_batch, engine, (zka_groth16_proof *)(void *)scalars, prover, scalars, signals, 1);
  BOTH(ZKA_WRONG_ENGINE, zka_groth16_prove_batch, other, raw, prover, scalars, signals, 1);
  scalars[0] = MINUS_ONE;
  EXPECT(ZKA_BAD_WITNESS, zka_groth16_prove_batch(engine, raw, prover, scalars, signals, 1));
  EXPECT_TEXT("signal 0");
  scalars[0] = ONE;
  scalars[3] = large;
  EXPECT(ZKA_NOT_CANONICAL, zka_groth16_prove_batch(engine, raw, prover, scalars, signals, 1));
  EXPECT_TEXT("scalar 3 is 0xffffffffffffffff0000");
  OK(zka_groth16_prove_batch_async(engine, raw, prover, scalars, signals, 1, &future));
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
  BOTH(ZKA_BAD_ARGUMENT, zka_groth16_prove_batch, engine, raw, prover, scalars, signals, 1);
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

void test_groth16(void) {
  zka_engine *engine = engine_with(2), *other = engine_with(1);
  proofs_of(engine, "multiplier", 5, 2);
  proofs_of(engine, "membership", 490, 1);
  wrong_arguments(engine, other);
  OK(zka_engine_shutdown(engine));
  OK(zka_engine_shutdown(other));
  any_order_of_freeing();
}
