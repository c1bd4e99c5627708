/* Ranks of C under a launcher of MPI: every operation beside one engine, and arguments that one rank has wrong.
 *
 *     check world           over all processes; MPI is initialised and finalised by the cluster
 *     check communicator    over a communicator of the program's, the ranks in the other order (built with -DWITH_MPI)
 *     check abort           rank 1 ends all
 *     check survive         the last rank is killed in the midst of a commitment, which those that are left make again (under `mpirun --with-ft ulfm`)
 */
#include "check.h"

#include <math.h>
#include <signal.h>

#ifdef WITH_MPI
#include <mpi.h>
#ifdef MPI_ABI_VERSION
/* As the standard interface calls it. */
#define MPI_Comm_c2f MPI_Comm_toint
#endif
#endif

/* What rank `wrong` gets for its own, and all others for that. */
#define WRONG(status, call) EXPECT(rank == wrong ? (status) : ZKA_CLUSTER, call)

enum { ROWS = 256, COLS = 5, LOG_BLOWUP = 3, EXTENDED = ROWS << LOG_BLOWUP, DEPTH = 11, LEAVES = 1024, POINTS = 1 << 12, PAIRS = 100 };

static uint64_t trace[ROWS * COLS], extension[EXTENDED * COLS], coset[EXTENDED * COLS], polynomial[POINTS], values[POINTS];
static zka_digest leaves[LEAVES];
static uint64_t scalars[PAIRS * 4], points[PAIRS * 8];

/* Multiples of the generator (1, 2), i times it for scalar i. */
static void make_pairs(zka_engine *engine) {
  uint64_t generator[8] = {1, 0, 0, 0, 2}, sum[12];
  OK(zka_bn254_fp_to_montgomery((zka_bn254_fp *)generator, 2));
  for (size_t i = 0; i < PAIRS; i++) {
    uint64_t *scalar = scalars + 4 * i;
    scalar[0] = i + 1;
    OK(zka_bn254_fr_to_montgomery((zka_bn254_fr *)scalar, 1));
    OK(zka_msm(engine, ZKA_BN254_G1, sum, scalar, generator, 1));
    OK(zka_point_to_aff(ZKA_BN254_G1, points + 8 * i, sum));
  }
}

/* The extension of the trace, and the root over its rows. */
static zka_digest commit(zka_engine *engine) {
  uint64_t omega;
  zka_tree *tree;
  zka_digest root;
  OK(zka_goldilocks_root_of_unity(&omega, DEPTH, ZKA_ROOT_PLONKY3));
  OK(zka_goldilocks_lde(engine, extension, trace, 8, LOG_BLOWUP, COLS, omega, 7, 0));
  OK(zka_merkle_commit(engine, &tree, ZKA_HASH_POSEIDON2_8, extension, EXTENDED, COLS, 0));
  OK(zka_tree_root(tree, &root));
  OK(zka_tree_free(tree));
  return root;
}

static void check(zka_engine *engine, zka_cluster *cluster) {
  size_t rank, size, first, len, count;
  OK(zka_cluster_rank(cluster, &rank, &size));
  const size_t wrong = size > 1 ? 1 : 0;

  /* A commitment is that of an extension and a tree. */
  uint64_t omega;
  zka_tree *tree;
  zka_digest expected = commit(engine), root, path[DEPTH];
  OK(zka_cluster_rows(cluster, &first, &len, ROWS));
  const uint64_t *own = trace + first * COLS;
  zka_cluster_commitment *commitment;
  OK(zka_cluster_commit(cluster, &commitment, ZKA_HASH_POSEIDON2_8, own, ROWS, COLS, LOG_BLOWUP, ZKA_ROOT_PLONKY3, 7));
  OK(zka_cluster_commitment_root(commitment, &root));
  CHECK(memcmp(&root, &expected, sizeof root) == 0);

  uint64_t row[COLS];
  int32_t valid;
  OK(zka_cluster_open_row(cluster, commitment, row, COLS, path, DEPTH, 1234));
  CHECK(memcmp(row, extension + 1234 * COLS, sizeof row) == 0);
  OK(zka_merkle_verify(&valid, ZKA_HASH_POSEIDON2_8, &root, EXTENDED, 1234, row, COLS, path, DEPTH, 0));
  CHECK(valid == 1);

  OK(zka_cluster_commitment_cosets(commitment, &first, &len, &count));
  for (size_t k = first; k < first + len; k++) {
    const size_t rows = EXTENDED / count;
    OK(zka_cluster_commitment_coset(commitment, coset, rows * COLS, k));
    for (size_t i = 0; i < rows; i++) CHECK(memcmp(coset + i * COLS, extension + (k + i * count) * COLS, sizeof row) == 0);
    EXPECT(ZKA_BAD_LENGTH, zka_cluster_commitment_coset(commitment, coset, rows * COLS - 1, k));
  }
  EXPECT(ZKA_BAD_ARGUMENT, zka_cluster_commitment_coset(commitment, coset, EXTENDED / count * COLS, first + len));

  /* A tree. */
  OK(zka_merkle_commit(engine, &tree, ZKA_HASH_RP64_256, (const uint64_t *)leaves, LEAVES, 4, ZKA_ROWS_ARE_DIGESTS));
  OK(zka_tree_root(tree, &expected));
  OK(zka_tree_free(tree));
  OK(zka_cluster_leaves(cluster, &first, &len, LEAVES));
  OK(zka_cluster_merkle_root(cluster, &root, ZKA_HASH_RP64_256, leaves + first, LEAVES));
  CHECK(memcmp(&root, &expected, sizeof root) == 0);

  /* A transform. */
  if ((size & (size - 1)) == 0) {
    OK(zka_goldilocks_root_of_unity(&omega, 12, ZKA_ROOT_WINTERFELL));
    memcpy(values, polynomial, sizeof values);
    OK(zka_goldilocks_ntt(engine, values, 12, 1, omega, 7, 0));
    len = POINTS / size;
    memcpy(coset, polynomial + rank * len, len * sizeof *coset);
    OK(zka_cluster_goldilocks_ntt(cluster, coset, len, 12, omega, 7));
    for (size_t i = 0; i < len; i++) CHECK(coset[i] == values[rank + i * size]);
  }

  /* Sums. */
  uint64_t whole[12], sums[24], affine[8], other[8];
  OK(zka_msm(engine, ZKA_BN254_G1, whole, scalars, points, PAIRS));
  OK(zka_cluster_rows(cluster, &first, &len, PAIRS));
  OK(zka_msm(engine, ZKA_BN254_G1, sums, scalars + 4 * first, points + 8 * first, len));
  memcpy(sums + 12, sums, 12 * sizeof *sums);
  OK(zka_cluster_agree(cluster, ZKA_OK));
  OK(zka_cluster_add_up(cluster, ZKA_BN254_G1, sums, 2));
  OK(zka_point_to_aff(ZKA_BN254_G1, affine, whole));
  for (int i = 0; i < 2; i++) {
    OK(zka_point_to_aff(ZKA_BN254_G1, other, sums + 12 * i));
    CHECK(memcmp(affine, other, sizeof affine) == 0);
  }

  /* What one rank has wrong is an error of all, which go on. */
  const uint64_t *at = rank == wrong ? NULL : own;
  WRONG(ZKA_NULL_POINTER, zka_cluster_commit(cluster, &commitment, ZKA_HASH_RP64_256, at, ROWS, COLS, 3, ZKA_ROOT_PLONKY3, 7));
  const uint32_t hash = rank == wrong ? 99 : ZKA_HASH_RP64_256;
  WRONG(ZKA_BAD_ARGUMENT, zka_cluster_commit(cluster, &commitment, hash, own, ROWS, COLS, 3, ZKA_ROOT_PLONKY3, 7));
  WRONG(ZKA_BAD_ARGUMENT, zka_cluster_merkle_root(cluster, &root, hash, leaves, LEAVES));
  WRONG(ZKA_BAD_LENGTH, zka_cluster_open_row(cluster, commitment, row, rank == wrong ? COLS + 1 : COLS, path, DEPTH, 0));
  WRONG(ZKA_BAD_ARGUMENT, zka_cluster_add_up(cluster, rank == wrong ? 77 : ZKA_BN254_G1, sums, 1));
  OK(zka_goldilocks_root_of_unity(&omega, 12, ZKA_ROOT_WINTERFELL));
  const int divides = (size & (size - 1)) == 0;
  if (divides) WRONG(ZKA_BAD_ROOT, zka_cluster_goldilocks_ntt(cluster, coset, POINTS / size, 12, rank == wrong ? 5 : omega, 7));
  else EXPECT(ZKA_BAD_LENGTH, zka_cluster_goldilocks_ntt(cluster, coset, POINTS / size, 12, omega, 7));
  /* The engine has no GPU. */
  WRONG(ZKA_BAD_ARGUMENT, zka_cluster_use_nccl(cluster, rank == wrong ? NAN : 1.0));
  EXPECT(ZKA_CLUSTER, zka_cluster_use_nccl(cluster, 1.0));
  EXPECT_TEXT("NCCL for an engine on cpu, expected one NVIDIA GPU");
  WRONG(ZKA_BAD_ARGUMENT, zka_cluster_agree(cluster, rank == wrong ? ZKA_BAD_ARGUMENT : ZKA_OK));
  EXPECT_TEXT("BAD_ARGUMENT");
  /* All of them have this wrong. */
  EXPECT(ZKA_BAD_ARGUMENT, zka_cluster_open_row(cluster, commitment, row, COLS, path, DEPTH, EXTENDED));
  if (size > 1) EXPECT(ZKA_CLUSTER, zka_cluster_open_row(cluster, commitment, row, COLS, path, DEPTH, rank));
  OK(zka_cluster_open_row(cluster, commitment, row, COLS, path, DEPTH, 0));
  OK(zka_cluster_commitment_free(commitment));
  EXPECT(ZKA_BAD_ARGUMENT, zka_cluster_commitment_root(commitment, &root));
  if (rank == 0) printf("%zu ranks of C: right\n", size);
}

static void survive(zka_engine *engine, zka_cluster *cluster) {
  size_t rank, size, all, first, len;
  OK(zka_cluster_rank(cluster, &rank, &all));
  zka_digest expected = commit(engine), root, path[DEPTH];
  zka_cluster_commitment *before, *after;
  OK(zka_cluster_rows(cluster, &first, &len, ROWS));
  OK(zka_cluster_commit(cluster, &before, ZKA_HASH_POSEIDON2_8, trace + first * COLS, ROWS, COLS, LOG_BLOWUP, ZKA_ROOT_PLONKY3, 7));
  int32_t again = -1, status = ZKA_OK;
  int times = 0;
  do {
    OK(zka_cluster_rank(cluster, &rank, &size));
    if (times++ == 0 && rank == all - 1) raise(SIGKILL);
    OK(zka_cluster_rows(cluster, &first, &len, ROWS));
    status = zka_cluster_commit(cluster, &after, ZKA_HASH_POSEIDON2_8, trace + first * COLS, ROWS, COLS, LOG_BLOWUP, ZKA_ROOT_PLONKY3, 7);
    OK(zka_cluster_shrink(cluster, &again));
  } while (again);
  CHECK(status == ZKA_OK && times == 2 && size == all - 1 && rank < size);
  OK(zka_cluster_commitment_root(after, &root));
  CHECK(memcmp(&root, &expected, sizeof root) == 0);
  uint64_t row[COLS];
  OK(zka_cluster_open_row(cluster, after, row, COLS, path, DEPTH, 1234));
  CHECK(memcmp(row, extension + 1234 * COLS, sizeof row) == 0);
  EXPECT(ZKA_CLUSTER, zka_cluster_open_row(cluster, before, row, COLS, path, DEPTH, 1234));
  EXPECT_TEXT("ranks have made it");
  EXPECT(ZKA_NULL_POINTER, zka_cluster_shrink(cluster, NULL));
  OK(zka_cluster_shrink(cluster, &again));
  CHECK(again == 0);
  OK(zka_cluster_commitment_free(before));
  OK(zka_cluster_commitment_free(after));
  if (rank == 0) printf("%zu ranks of C, %zu left: right\n", all, size);
}

int main(int argc, char **argv) {
  const char *mode = argc == 2 ? argv[1] : "";
  zka_engine *engine = engine_with(1);
  fill(trace, ROWS * COLS, 1);
  fill(polynomial, POINTS, 2);
  fill((uint64_t *)leaves, 4 * LEAVES, 3);
  make_pairs(engine);

  zka_cluster *cluster;
  EXPECT(ZKA_BAD_ARGUMENT, zka_cluster_new(engine, &cluster, NULL, 0.0));
  EXPECT(ZKA_BAD_ARGUMENT, zka_cluster_new(engine, &cluster, NULL, NAN));
  EXPECT(ZKA_NULL_POINTER, zka_cluster_new(engine, NULL, NULL, 1.0));
  if (strcmp(mode, "world") == 0) {
    OK(zka_cluster_new(engine, &cluster, NULL, 60.0));
    check(engine, cluster);
    OK(zka_cluster_free(cluster));
#ifdef WITH_MPI
  } else if (strcmp(mode, "communicator") == 0) {
    int provided, rank;
    MPI_Comm other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    CHECK(provided >= MPI_THREAD_SERIALIZED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    const int32_t handle = MPI_Comm_c2f(other);
    OK(zka_cluster_new(engine, &cluster, &handle, 60.0));
    check(engine, cluster);
    OK(zka_cluster_free(cluster));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
#endif
  } else if (strcmp(mode, "survive") == 0) {
    OK(zka_cluster_new(engine, &cluster, NULL, 30.0));
    survive(engine, cluster);
    OK(zka_cluster_free(cluster));
  } else if (strcmp(mode, "abort") == 0) {
    size_t rank, size;
    OK(zka_cluster_new(engine, &cluster, NULL, 10.0));
    OK(zka_cluster_rank(cluster, &rank, &size));
    if (rank == 1) OK(zka_cluster_abort(cluster, "a rank that ends all"));
    OK(zka_cluster_agree(cluster, ZKA_OK));
  } else {
    fprintf(stderr, "expected world, communicator, abort or survive\n");
    return 2;
  }
  OK(zka_engine_shutdown(engine));
  return 0;
}
