/* Commits to an execution trace, opens a row, and verifies it as someone who knows the root alone.
 *
 *   cc -std=c99 commit.c $(pkg-config --cflags --libs zkaccel) && ./a.out
 */
#include <zkaccel.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* 2^11 steps of 4 registers, extended eightfold. */
enum { LOG_STEPS = 11, REGISTERS = 4, LOG_BLOWUP = 3, LOG_ROWS = LOG_STEPS + LOG_BLOWUP };

/* winterfell's root of unity of order 2^14, and its coset shift. */
static const uint64_t OMEGA = UINT64_C(7126024226993609386);
static const uint64_t COSET = 7;

static void check(zka_status status, const char *what) {
  if (status != ZKA_OK) {
    char text[256];
    zka_last_error(text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, zka_status_name(status), text);
    exit(1);
  }
}

int main(void) {
  const size_t steps = (size_t)1 << LOG_STEPS, rows = (size_t)1 << LOG_ROWS;
  zka_engine *engine = NULL;
  zka_device device;
  check(zka_engine_new(&engine, ZKA_ABI_VERSION, NULL), "engine");
  check(zka_engine_device(engine, &device), "device");
  printf("device  %s, %s (%s)\n", device.id, device.description, device.reason);

  /* A small machine: two registers that add, two that count. */
  uint64_t *trace = malloc(steps * REGISTERS * sizeof *trace);
  uint64_t *extension = malloc(rows * REGISTERS * sizeof *extension);
  if (trace == NULL || extension == NULL) return 1;
  for (size_t i = 0; i < steps; i++) {
    uint64_t *row = trace + i * REGISTERS;
    const uint64_t *before = row - REGISTERS;
    row[0] = i == 0 ? 1 : before[1];
    row[1] = i == 0 ? 1 : (before[0] + before[1]) % 1000003;
    row[2] = i;
    row[3] = steps - i;
  }

  /* The extension as a job, as one would start it beside other work; then the tree over its rows. */
  zka_future future;
  check(zka_goldilocks_lde_async(engine, extension, trace, LOG_STEPS, LOG_BLOWUP, REGISTERS, OMEGA, COSET, 0, &future),
        "start of the extension");
  check(zka_wait(engine, future), "extension");
  zka_tree *tree = NULL;
  check(zka_merkle_commit(engine, &tree, ZKA_HASH_RP64_256, extension, rows, REGISTERS, 0), "tree");

  zka_digest root;
  check(zka_tree_root(tree, &root), "root");
  printf("root    ");
  for (size_t i = 0; i < sizeof root.bytes; i++) printf("%02x", root.bytes[i]);
  printf("\n");

  /* The prover opens a row. */
  const size_t index = 77;
  zka_digest path[LOG_ROWS];
  check(zka_tree_open(tree, path, LOG_ROWS, index), "opening");
  const uint64_t *row = extension + index * REGISTERS;

  /* The verifier has the root, the numbers of rows and columns, the row and the path. */
  int32_t valid = 0;
  check(zka_merkle_verify(&valid, ZKA_HASH_RP64_256, &root, rows, index, row, REGISTERS, path, LOG_ROWS, 0), "verification");
  printf("row %zu  %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ": %s\n", index, row[0], row[1], row[2], row[3],
         valid ? "verified" : "NOT verified");

  check(zka_engine_shutdown(engine), "shutdown");
  check(zka_tree_free(tree), "tree");
  free(trace);
  free(extension);
  return valid ? 0 : 1;
}
