/* zkaccel: hardware acceleration for zero-knowledge provers. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Every function but zka_status_name and zka_abi_version returns a status, 0 for success; zka_last_error tells the rest, for each thread its own text.
 * After any error inputs are untouched, outputs are unspecified, and the engine works.
 *
 * Pointers. Each is NULL or valid for the length that goes with it. NULL is an error, except where a length of 0 goes with it and where
 * it is said. Memory that is written overlaps no other memory of the call. All memory is the caller's, none is kept, except
 * that of an ..._async call: it is the operation's until zka_wait has returned, or the callback of zka_detach was called. What is wrong
 * with pointers, lengths, flags and roots is an error of the ..._async call itself; what is wrong with the contents of arrays
 * (words that are not canonical, points off the curve) is one of the wait.
 *
 * Handles (zka_options, zka_engine, zka_tree, zka_matrix, zka_sparse, zka_program, zka_bases, zka_groth16_prover, zka_cluster, zka_cluster_commitment) are made through a pointer to one, and
 * freed in any order. They are names that are looked up: a handle that was freed is an error. Options and futures are for one thread at a time;
 * all else may be used by any threads at once.
 *
 * Elements of Goldilocks are words below p = 2^64 - 2^32 + 1. Elements of the prime fields of curves are four words each, the lowest first, in
 * Montgomery form with R = 2^256 and below the modulus, in memory as halo2curves and arkworks have them. Points are x, then y, the
 * identity all zero. Functions of one field or curve have it in their names; those of any field or curve take its number.
 *
 * Matrices are arrays of elements, row by row, or column by column with ZKA_COLUMN_MAJOR.
 *
 * Order of arguments: engine or other handle, outputs, inputs, sizes, options.
 */

#ifndef ZKACCEL_H
#define ZKACCEL_H

/* Written by tools/make-header.sh from capi/src. Do not edit. */

#include <stddef.h>
#include <stdint.h>

// Success.
#define ZKA_OK 0

// A pointer is null that must not be.
#define ZKA_NULL_POINTER 1

// A length is zero, too large, not a power of two where it must be, or does not fit another.
#define ZKA_BAD_LENGTH 2

// The binary logarithm of a size is larger than the field allows.
#define ZKA_BAD_LOG_SIZE 3

// A word or element is not below its modulus.
#define ZKA_NOT_CANONICAL 4

// A point is not on the curve.
#define ZKA_NOT_ON_CURVE 5

// A root of unity does not have the order of the transform.
#define ZKA_BAD_ROOT 6

// Any other argument is wrong: a flag, a name, an index, an unknown handle, a pointer that is not aligned.
#define ZKA_BAD_ARGUMENT 7

// Memory to write overlaps other memory of the call.
#define ZKA_ALIASED 8

// This library or this device does not offer the operation.
#define ZKA_UNSUPPORTED 9

// The device that was asked for is not present.
#define ZKA_NO_DEVICE 10

// The device has no memory left.
#define ZKA_DEVICE_OUT_OF_MEMORY 11

// The host has no memory left, or the operation needs more than the budget.
#define ZKA_HOST_OUT_OF_MEMORY 12

// The device failed at something it should be able to do, or its answer failed a check.
#define ZKA_DEVICE_LOST 13

// The device's driver is too old.
#define ZKA_DRIVER_TOO_OLD 14

// The future was waited for or detached before.
#define ZKA_FUTURE_CONSUMED 15

// The future was never given out.
#define ZKA_FUTURE_UNKNOWN 16

// The handle or future belongs to another engine.
#define ZKA_WRONG_ENGINE 17

// The header and the library are of different versions.
#define ZKA_ABI_MISMATCH 18

// The engine was shut down, or another thread is shutting it down.
#define ZKA_SHUTTING_DOWN 19

// A bug in the library; the text says which.
#define ZKA_INTERNAL 20

// A file or a text is not what it should be: a key, a witness, a proof.
#define ZKA_MALFORMED 21

// The system refuses: a file cannot be read, or there are no random numbers.
#define ZKA_SYSTEM 22

// The witness is of another circuit than the key, or does not satisfy the circuit; nothing was proved. Or an input of a lookup is not in its table.
#define ZKA_BAD_WITNESS 23

// The proof is well-formed and false.
#define ZKA_NOT_VERIFIED 24

// Another rank of a cluster has failed or was asked for something else, has gone or did not come in time; or there is no library of MPI.
#define ZKA_CLUSTER 25

// Any device: the one asked for, or what "auto" chooses for each operation. One that is missing is `ZKA_NO_DEVICE`. The default.
#define ZKA_POLICY_ANY 0

// GPUs and nothing else; "auto" takes the first, for everything. `ZKA_NO_DEVICE` where there is none.
#define ZKA_POLICY_REQUIRE_GPU 1

// GPUs; where the one asked for is missing or its driver is too old, the CPU takes its place, and with "auto" the CPU does what
// the GPU does not offer. `zka_engine_device` tells.
#define ZKA_POLICY_PREFER_GPU 2

// Processors and nothing else.
#define ZKA_POLICY_REQUIRE_CPU 3

// Processors; where the one asked for is missing, the CPU takes its place.
#define ZKA_POLICY_PREFER_CPU 4

// The version of this interface, for `zka_engine_new`: the upper 16 bits change when something is taken away or changed, the
// lower ones when something is added.
#define ZKA_ABI_VERSION 65536

// A processor.
#define ZKA_KIND_CPU 0

// A graphics processor.
#define ZKA_KIND_GPU 1

// Anything else.
#define ZKA_KIND_OTHER 2

// The functions on Goldilocks: `zka_goldilocks_ntt` and `zka_goldilocks_lde`.
#define ZKA_CAN_GOLDILOCKS 1

// Digests of rows and Merkle trees over `ZKA_HASH_RP64_256`.
#define ZKA_CAN_RP64_256 2

// Digests of rows and Merkle trees over `ZKA_HASH_RP64_256_V2021`.
#define ZKA_CAN_RP64_256_V2021 4

// Digests of rows and Merkle trees over `ZKA_HASH_BLAKE3`.
#define ZKA_CAN_BLAKE3 8

// Digests of rows and Merkle trees over `ZKA_HASH_RP_JIVE64_256`.
#define ZKA_CAN_RP_JIVE64_256 256

// Digests of rows and Merkle trees over `ZKA_HASH_RPO256`.
#define ZKA_CAN_RPO256 512

// Digests of rows and Merkle trees over `ZKA_HASH_RPX256`.
#define ZKA_CAN_RPX256 1024

// Digests of rows and Merkle trees over `ZKA_HASH_POSEIDON2_8`.
#define ZKA_CAN_POSEIDON2_8 2048

// Digests of rows and Merkle trees over `ZKA_HASH_POSEIDON2_12`.
#define ZKA_CAN_POSEIDON2_12 4096

// Digests of rows and Merkle trees over `ZKA_HASH_KECCAK256`.
#define ZKA_CAN_KECCAK256 8192

// Digests of rows and Merkle trees over `ZKA_HASH_SHA256`.
#define ZKA_CAN_SHA256 16384

// Digests of rows and Merkle trees over `ZKA_HASH_SHA3_256`.
#define ZKA_CAN_SHA3_256 32768

// `zka_bn254_g1_msm`.
#define ZKA_CAN_BN254_MSM 32

// `zka_bn254_g1_bases_new`, `zka_bn254_g1_msm_bases` and `zka_bn254_g1_msm_batch`.
#define ZKA_CAN_BN254_BASES 64

// `zka_bn254_fr_fft`.
#define ZKA_CAN_BN254_FFT 128

// The `..._async` form of everything else that it can do, with `zka_wait`, `zka_poll` and `zka_detach`.
#define ZKA_CAN_ASYNC 16

// Goldilocks: an element is one word, the integer itself, below p = 2^64 - 2^32 + 1.
#define ZKA_GOLDILOCKS 1

// The scalars of BN254, which are the coordinates of Grumpkin: an element is four words, x 2^256 modulo r, the lowest first.
#define ZKA_BN254_FR 2

// The coordinates of BN254, which are the scalars of Grumpkin: four words, x 2^256 modulo q. It has no transforms.
#define ZKA_BN254_FQ 3

// The coordinates of Pallas, which are the scalars of Vesta: four words, x 2^256 modulo the prime.
#define ZKA_PASTA_FP 4

// The coordinates of Vesta, which are the scalars of Pallas: four words, likewise.
#define ZKA_PASTA_FQ 5

// The scalars of BLS12-381: four words, x 2^256 modulo r.
#define ZKA_BLS12_381_FR 6

// The scalars of BLS12-377: four words, x 2^256 modulo r.
#define ZKA_BLS12_377_FR 7

// From values to coefficients, the factor 1/n included; else from coefficients to values.
#define ZKA_INVERSE 1

// The input is in bit-reversed order.
#define ZKA_IN_BITREV 2

// The output is in bit-reversed order.
#define ZKA_OUT_BITREV 4

// Entries of a column lie side by side; else entries of a row do.
#define ZKA_COLUMN_MAJOR 8

// Rescue Prime with 256-bit digests, as winterfell has it since 2022.
#define ZKA_HASH_RP64_256 1

// Rescue Prime with 256-bit digests, as winterfell had it in 2021.
#define ZKA_HASH_RP64_256_V2021 2

// BLAKE3.
#define ZKA_HASH_BLAKE3 3

// Rescue Prime with a state of eight words and Jive compression, as winterfell has it.
#define ZKA_HASH_RP_JIVE64_256 4

// Rescue Prime Optimized, as Miden has it.
#define ZKA_HASH_RPO256 5

// Rescue Prime Extension, as Miden has it.
#define ZKA_HASH_RPX256 6

// Poseidon2 with a state of eight words, as Plonky3 has it. Rows must have a length that everybody knows.
#define ZKA_HASH_POSEIDON2_8 7

// Poseidon2 with a state of twelve words; else as `ZKA_HASH_POSEIDON2_8`.
#define ZKA_HASH_POSEIDON2_12 8

// Keccak-256, with the padding from before SHA-3.
#define ZKA_HASH_KECCAK256 9

// SHA-256.
#define ZKA_HASH_SHA256 10

// SHA3-256.
#define ZKA_HASH_SHA3_256 11

// Each row is a digest of four words and itself the leaf; else the leaf is the row's hash. Rows are of 4 columns then.
#define ZKA_ROWS_ARE_DIGESTS 16

// The entry in column `b` of input matrix `a`, `offset` strides further on.
#define ZKA_NODE_COLUMN 1

// Constant `a` of the program.
#define ZKA_NODE_CONSTANT 2

// Value `a` of the run, the same for all rows: a challenge, a public input.
#define ZKA_NODE_VALUE 3

// Node `a` plus node `b`.
#define ZKA_NODE_ADD 4

// Node `a` less node `b`.
#define ZKA_NODE_SUB 5

// Node `a` times node `b`.
#define ZKA_NODE_MUL 6

// The group G1 of BN254: coordinates are of `ZKA_BN254_FQ`, scalars of `ZKA_BN254_FR`.
#define ZKA_BN254_G1 1

// Grumpkin: coordinates are of `ZKA_BN254_FR`, scalars of `ZKA_BN254_FQ`.
#define ZKA_GRUMPKIN 2

// The group G2 of BN254: coordinates are c0 + c1 u with u^2 = -1, c0 before c1, each of `ZKA_BN254_FQ`; scalars of `ZKA_BN254_FR`.
#define ZKA_BN254_G2 3

// Pallas: coordinates are of `ZKA_PASTA_FP`, scalars of `ZKA_PASTA_FQ`.
#define ZKA_PALLAS 4

// Vesta: coordinates are of `ZKA_PASTA_FQ`, scalars of `ZKA_PASTA_FP`.
#define ZKA_VESTA 5

// The group G1 of BLS12-381: coordinates are six words, x 2^384 modulo the prime, the lowest first; scalars of `ZKA_BLS12_381_FR`. There are points on the curve that are not in the group: `ZKA_VALIDATE`
// refuses them.
#define ZKA_BLS12_381_G1 6

// The group G2 of BLS12-381: coordinates are c0 + c1 u with u^2 = -1, c0 before c1, six words each; scalars of `ZKA_BLS12_381_FR`. `ZKA_VALIDATE` looks at the group, too.
#define ZKA_BLS12_381_G2 7

// The group G1 of BLS12-377: coordinates are six words, x 2^384 modulo the prime; scalars of `ZKA_BLS12_377_FR`. `ZKA_VALIDATE` looks at the group, too.
#define ZKA_BLS12_377_G1 8

// The group G2 of BLS12-377: coordinates are c0 + c1 u with u^2 = -5, c0 before c1, six words each; scalars of `ZKA_BLS12_377_FR`. `ZKA_VALIDATE` looks at the group, too.
#define ZKA_BLS12_377_G2 9

// The group G1 of BW6-761: coordinates are twelve words, x 2^768 modulo the prime; scalars are six, x 2^384 modulo r, the prime of BLS12-377's coordinates, and in the memory of the caller, for no matrix is over them. `ZKA_VALIDATE` looks at the group, too.
#define ZKA_BW6_761_G1 10

// Bases are checked to be on the curve and, of `ZKA_BN254_G2` and of the groups of BLS12-381, BLS12-377 and BW6-761, in the group of the scalars' order: `ZKA_NOT_ON_CURVE` if one is not. Without it the sum over points off the curve is of no meaning.
#define ZKA_VALIDATE 1

// Multiples of the bases are computed and kept, as many as the memory budget allows.
#define ZKA_PRECOMPUTE 2

// Proofs are handed out that were not verified before. A device that fails silently then makes false proofs, and so does a false witness.
#define ZKA_UNCHECKED 4

// The bytes in which the text of any proof has room, with its ending zero.
#define ZKA_GROTH16_PROOF_BYTES 2048

// Goldilocks: the powers of 7277203076849721926, the root of unity of order 2^32 of winterfell and plonky2.
#define ZKA_ROOT_WINTERFELL 1

// Goldilocks: the powers of 1753635133440165772, that of Plonky3.
#define ZKA_ROOT_PLONKY3 2

// A field of curves: the powers of the root of unity of halo2curves; among BN254's scalars 7^((r - 1) / 2^28), of order 2^28.
#define ZKA_ROOT_HALO2 3

// A field of curves: those of arkworks' root; among BN254's scalars 5^((r - 1) / 2^28).
#define ZKA_ROOT_ARKWORKS 4

// Points of a curve that an engine keeps in the form that its device wants. They may be used by any threads at once.
typedef struct zka_bases zka_bases;

// The ranks of an MPI communicator, and the engine of this one.
//
// All ranks call the functions of a cluster in the same order with the same parameters, each with its own part of the data; those that say so are for one rank. An error of one rank is
// one of all: its own there and `ZKA_CLUSTER` with its text on the others, after which all can go on, unless ranks have gone or did not come in time.
typedef struct zka_cluster zka_cluster;

// A commitment to a trace, of which this rank has a share.
typedef struct zka_cluster_commitment zka_cluster_commitment;

// An engine: a device, its threads and its limits. It may be used by any threads at once.
typedef struct zka_engine zka_engine;

// A proving key that an engine keeps, and proofs with it. It may be used by any threads at once.
typedef struct zka_groth16_prover zka_groth16_prover;

// A matrix over a field in the memory of an engine's device, or in host memory where that is the device's. It never changes:
// operations make new ones. It may be used by any threads at once.
typedef struct zka_matrix zka_matrix;

// Options of an engine: made by `zka_options_new`, changed by `zka_options_set_...`, freed by `zka_options_free`.
typedef struct zka_options zka_options;

// A row program: a straight-line program that computes some outputs for every row of matrices. It belongs to no engine, never changes, and may be used by
// any threads at once.
typedef struct zka_program zka_program;

// A sparse matrix that an engine keeps in the form that its device wants. It may be used by any threads at once.
typedef struct zka_sparse zka_sparse;

// A Merkle tree, its nodes in host memory or on the device of its engine. It may be used by any threads at once.
typedef struct zka_tree zka_tree;

// What every function returns, except where it says otherwise: `ZKA_OK` or the number of an error.
typedef int32_t zka_status;

// What is known of a device. Texts end with a zero and are cut where they are longer.
typedef struct zka_device {
  // The name by which it is asked for, such as "cpu" or "cuda:0".
  char id[32];
  // What it is.
  char description[160];
  // Its driver and the driver's version; empty where it has none.
  char driver[64];
  // Why an engine uses it.
  char reason[240];
  // Its memory in bytes; 0 where the system does not tell.
  uint64_t memory;
  // Threads or compute units.
  uint64_t units;
  // One of `ZKA_KIND_...`.
  int32_t kind;
  // Zero.
  int32_t reserved;
} zka_device;

// What a device has done of one kind of operation. Texts end with a zero and are cut where they are longer.
typedef struct zka_work {
  // The device, such as "cuda:0".
  char device[64];
  // The kind of operation, such as "ntt"; empty in the one line of a device that has done nothing.
  char operation[32];
  // What `items` counts, such as "words".
  char unit[32];
  // How often it was done.
  uint64_t calls;
  // How often it ended with an error instead; such calls have no share in what follows.
  uint64_t failures;
  // Its size, all calls together.
  uint64_t items;
  // Bytes that came to the device.
  uint64_t bytes_in;
  // Bytes that went back.
  uint64_t bytes_out;
  // Time from the beginning to the end of the calls, each for itself.
  uint64_t nanoseconds;
  // Operations of any kind that are under way on the device now.
  uint64_t under_way;
  // Zero.
  uint64_t reserved[3];
} zka_work;

// What the device "auto" chose last for a kind of operation, and what it expected.
typedef struct zka_choice {
  // The kind of operation.
  char operation[32];
  // What `amount` counts.
  char unit[32];
  // The device that was chosen.
  char chosen[64];
  // The other one.
  char other[64];
  // The size of the operation.
  uint64_t amount;
  // The time until the device that was chosen is expected to have finished, with what it was given before.
  uint64_t chosen_nanoseconds;
  // The same time of the other one.
  uint64_t other_nanoseconds;
  // How many operations the CPU did so far, of any kind.
  uint64_t on_cpu;
  // How many the other device did.
  uint64_t on_device;
  // Zero.
  uint64_t reserved[10];
} zka_choice;

// An operation under way. It is a number: copy it, keep it, hand it on; `id` 0 is none. It is waited for or detached once.
typedef struct zka_future {
  // 0, or the number of the operation.
  uint64_t id;
} zka_future;

// A digest: 32 bytes, for hashes of field elements (Rescue Prime and its kin, Poseidon2) four little-endian words below p.
typedef struct zka_digest {
  // The bytes, in the order in which they print.
  uint8_t bytes[32];
} zka_digest;

// A node of a program: how one number of each row is made. Fields that a kind does not name are 0.
typedef struct zka_node {
  // One of `ZKA_NODE_...`.
  uint32_t kind;
  // An index, by the kind: of an input matrix, a constant, a value of the run, or an earlier node.
  uint32_t a;
  // The index of a column, or of an earlier node.
  uint32_t b;
  // How many strides further on the row is in which an entry is read, or further back if it is negative. Rows are counted modulo their number.
  int32_t offset;
} zka_node;

// A coordinate: x 2^256 modulo q, below q, four words, the lowest first.
typedef struct zka_bn254_fp {
  // The words.
  uint64_t limbs[4];
} zka_bn254_fp;

// A point in homogeneous coordinates, x = X/Z and y = Y/Z, as halo2curves has it; the identity is (0, 1, 0). Equal points have
// many forms: compare them as `zka_bn254_g1_aff`.
typedef struct zka_bn254_g1_prj {
  // X.
  struct zka_bn254_fp x;
  // Y.
  struct zka_bn254_fp y;
  // Z.
  struct zka_bn254_fp z;
} zka_bn254_g1_prj;

// A scalar: x 2^256 modulo r, below r, four words, the lowest first.
typedef struct zka_bn254_fr {
  // The words.
  uint64_t limbs[4];
} zka_bn254_fr;

// A point of y^2 = x^3 + 3; the identity is all zero.
typedef struct zka_bn254_g1_aff {
  // x.
  struct zka_bn254_fp x;
  // y.
  struct zka_bn254_fp y;
} zka_bn254_g1_aff;

// A point in Jacobian coordinates, x = X/Z^2 and y = Y/Z^3, as arkworks has it; Z of the identity is 0.
typedef struct zka_bn254_g1_jac {
  // X.
  struct zka_bn254_fp x;
  // Y.
  struct zka_bn254_fp y;
  // Z.
  struct zka_bn254_fp z;
} zka_bn254_g1_jac;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The name of a status, such as "BAD_LENGTH"; "unknown status" for any other number. The text is constant.
const char *zka_status_name(int32_t status);

// Copies the text of this thread's last error into `buf`, with an ending zero, and cuts what does not fit into `cap` bytes.
//
// The text is empty before the first error. It is replaced by the thread's next error, not by a success. `buf` may be null if `cap`
// is 0.
zka_status zka_last_error(char *buf,
                          size_t cap);

// Makes options: the best device present, all threads, the machine's memory.
zka_status zka_options_new(struct zka_options **out);

// Sets the device: "auto", "cpu", "reference", "cuda:N", "opencl:N", or "provider:PATH", a shared library with this interface. Several with
// commas between, or "cuda" or "opencl" for all of that kind, share the work. Whether they are there is seen by `zka_engine_new`.
zka_status zka_options_set_device(struct zka_options *options,
                                  const char *device);

// Sets the number of CPU threads; 0 is `RAYON_NUM_THREADS` if that is set, else all that the system grants.
zka_status zka_options_set_threads(struct zka_options *options, uint32_t threads);

// Sets the most bytes of host memory that one operation may allocate; 0 is the machine's memory.
zka_status zka_options_set_memory_budget(struct zka_options *options, uint64_t bytes);

// Sets the most bytes of its own memory that a device, each of several, may spend on one operation; 0 is half of what it has. Operations
// on host memory that need more are done in parts; data that are to stay on the device are refused then:
// `ZKA_DEVICE_OUT_OF_MEMORY`.
zka_status zka_options_set_device_memory(struct zka_options *options,
                                         uint64_t bytes);

// Sets which kind of device does the work, one of `ZKA_POLICY_...`. A device asked for by name that is of another kind is
// `ZKA_BAD_ARGUMENT` of `zka_engine_new`.
zka_status zka_options_set_policy(struct zka_options *options,
                                  int32_t policy);

// Sets whether every answer of the device is put to a cheap random test before it is believed, 1 or 0.
zka_status zka_options_set_check(struct zka_options *options, int32_t check);

// Frees options; NULL is nothing to free. Engines made with them are not concerned.
zka_status zka_options_free(struct zka_options *options);

// The version of the interface that this library has; compare with `ZKA_ABI_VERSION`.
uint32_t zka_abi_version(void);

// Tells which functions a library has, as the sum of `ZKA_CAN_...`. Whoever loads a library of this interface asks this before it
// uses the functions; one that lacks some need not export them.
zka_status zka_capabilities(uint64_t *bits);

// Counts the devices of this machine.
zka_status zka_device_count(size_t *out);

// Describes one of the devices of this machine, by its number from 0 on.
zka_status zka_device_info(struct zka_device *out, size_t index);

// The bytes of the memory of one of the devices of this machine, by its number from 0 on, that nobody uses now; 0 where its driver does
// not tell. CUDA starts the device for it.
zka_status zka_device_free_memory(uint64_t *out,
                                  size_t index);

// Makes an engine. `abi` is `ZKA_ABI_VERSION` of the header; `options` may be NULL for the defaults, and may be freed after.
zka_status zka_engine_new(struct zka_engine **out,
                          uint32_t abi,
                          const struct zka_options *options);

// Describes the device of an engine and why it is the one.
zka_status zka_engine_device(const struct zka_engine *engine, struct zka_device *out);

// Shuts an engine down: takes no new work, waits until all its work is done and all callbacks have returned, and frees it.
//
// Futures that nobody waited for are void then; their operations are complete and what they have made is their caller's.
// Trees, matrices and bases may be used and freed after it. Of several threads that shut down one engine one succeeds; the others get
// `ZKA_SHUTTING_DOWN`, as does every other call from now on. A callback cannot shut down its own engine: `ZKA_BAD_ARGUMENT`.
zka_status zka_engine_shutdown(struct zka_engine *engine);

// Tells what each device of an engine has done: a line for each device and kind of operation. `found` is the number of lines that there
// are, of which the first `len` are written.
zka_status zka_engine_work(const struct zka_engine *engine,
                           struct zka_work *out,
                           size_t *found,
                           size_t len);

// Tells what the device "auto" chose: a line for each kind of operation that both of its devices offer. `found` is the number of
// lines that there are, 0 where there was no choice; the first `len` of them are written.
zka_status zka_engine_choices(const struct zka_engine *engine,
                              struct zka_choice *out,
                              size_t *found,
                              size_t len);

// Waits until an operation is done and gives its status. Exactly once: the future is void then, whatever the status.
//
// What the operation has written may be read after it, and the memory that it was given is the caller's again.
zka_status zka_wait(struct zka_engine *engine, struct zka_future future);

// Tells whether a wait would return at once: `ready` is 1 or 0. The future stays valid.
zka_status zka_poll(struct zka_engine *engine, struct zka_future future, int32_t *ready);

// Gives up a future: instead of a wait, `done` is called once with `context` and the operation's status.
//
// It is called on a thread of the engine, or on this one before `zka_detach` returns, and must return in the ordinary way. It may
// call any function but the shutdown of its engine. The text of an error is that of `zka_last_error` during the call. `done`
// may be NULL; then the memory of the operation is the caller's again after the shutdown of the engine.
zka_status zka_detach(struct zka_engine *engine,
                      struct zka_future future,
                      void (*done)(void*, int32_t),
                      void *context);

// Transforms every column of a matrix in place: 2^log_n rows, `cols` columns, words below p = 2^64 - 2^32 + 1.
//
// Row i of the values belongs to the point `coset` * `omega`^i. `omega` is a root of unity of order exactly 2^log_n; `coset` is
// not 0, and 1 for the subgroup itself. Flags: `ZKA_INVERSE`, `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`, `ZKA_COLUMN_MAJOR`.
zka_status zka_goldilocks_ntt(struct zka_engine *engine,
                              uint64_t *data,
                              uint32_t log_n,
                              size_t cols,
                              uint64_t omega,
                              uint64_t coset,
                              uint32_t flags);

// `zka_goldilocks_ntt`, started: `data` is the operation's until the future was waited for.
zka_status zka_goldilocks_ntt_async(struct zka_engine *engine,
                                    uint64_t *data,
                                    uint32_t log_n,
                                    size_t cols,
                                    uint64_t omega,
                                    uint64_t coset,
                                    uint32_t flags,
                                    struct zka_future *future);

// Extends every column of `in`, values on a subgroup of order 2^log_n, to `out`, the values of the same polynomials on a larger
// coset of order 2^(log_n + log_blowup), both in natural order.
//
// `omega` is a root of unity of the larger order; its power by 2^log_blowup generates the subgroup. Row i of `out` belongs to the
// point `coset` * `omega`^i. `in` is unchanged and does not overlap `out`. Flags: `ZKA_OUT_BITREV`, `ZKA_COLUMN_MAJOR` (of both).
zka_status zka_goldilocks_lde(struct zka_engine *engine,
                              uint64_t *out,
                              const uint64_t *in,
                              uint32_t log_n,
                              uint32_t log_blowup,
                              size_t cols,
                              uint64_t omega,
                              uint64_t coset,
                              uint32_t flags);

// `zka_goldilocks_lde`, started: `out` and `in` are the operation's until the future was waited for.
zka_status zka_goldilocks_lde_async(struct zka_engine *engine,
                                    uint64_t *out,
                                    const uint64_t *in,
                                    uint32_t log_n,
                                    uint32_t log_blowup,
                                    size_t cols,
                                    uint64_t omega,
                                    uint64_t coset,
                                    uint32_t flags,
                                    struct zka_future *future);

// Makes the Merkle tree whose leaf i is the hash of row i of a matrix: `rows` is a power of two, words are below p.
//
// `hash` is one of `ZKA_HASH_...`. Flags: `ZKA_COLUMN_MAJOR`, or `ZKA_ROWS_ARE_DIGESTS`. Free the tree with `zka_tree_free`.
zka_status zka_merkle_commit(struct zka_engine *engine,
                             struct zka_tree **out,
                             uint32_t hash,
                             const uint64_t *matrix,
                             size_t rows,
                             size_t cols,
                             uint32_t flags);

// `zka_merkle_commit`, started: `matrix` and `out` are the operation's until the future was waited for.
zka_status zka_merkle_commit_async(struct zka_engine *engine,
                                   struct zka_tree **out,
                                   uint32_t hash,
                                   const uint64_t *matrix,
                                   size_t rows,
                                   size_t cols,
                                   uint32_t flags,
                                   struct zka_future *future);

// Writes the digest of every row of a matrix, `rows` digests; `rows` is any number. Flags: `ZKA_COLUMN_MAJOR`.
zka_status zka_hash_rows(struct zka_engine *engine,
                         struct zka_digest *out,
                         uint32_t hash,
                         const uint64_t *matrix,
                         size_t rows,
                         size_t cols,
                         uint32_t flags);

// `zka_hash_rows`, started: `matrix` and `out` are the operation's until the future was waited for.
zka_status zka_hash_rows_async(struct zka_engine *engine,
                               struct zka_digest *out,
                               uint32_t hash,
                               const uint64_t *matrix,
                               size_t rows,
                               size_t cols,
                               uint32_t flags,
                               struct zka_future *future);

// The root of a tree.
zka_status zka_tree_root(const struct zka_tree *tree, struct zka_digest *out);

// The number of leaves of a tree.
zka_status zka_tree_leaf_count(const struct zka_tree *tree, size_t *out);

// Copies `len` nodes of a tree from number `first` on: number 1 is the root, the children of i are 2i and 2i + 1, and leaf i of N
// is number N + i. There is no number 0.
zka_status zka_tree_nodes(const struct zka_tree *tree,
                          struct zka_digest *out,
                          size_t first,
                          size_t len);

// Opens leaf `index`: writes the siblings on the way to the root, the leaf's own first. `path_len` is log2 of the number of leaves.
zka_status zka_tree_open(const struct zka_tree *tree,
                         struct zka_digest *path,
                         size_t path_len,
                         size_t index);

// Frees a tree; NULL is nothing to free. Its engine may have been shut down before.
zka_status zka_tree_free(struct zka_tree *tree);

// Checks that row `index` of the committed matrix, of `rows` rows and `cols` columns, is `row`: `valid` is 1 if so, 0 if not.
//
// The verifier says how many rows and columns there are, because the root does not; `path_len` is log2 of `rows`. What is
// malformed is an error. Flags: `ZKA_ROWS_ARE_DIGESTS`. Needs no engine.
zka_status zka_merkle_verify(int32_t *valid,
                             uint32_t hash,
                             const struct zka_digest *root,
                             size_t rows,
                             size_t index,
                             const uint64_t *row,
                             size_t cols,
                             const struct zka_digest *path,
                             size_t path_len,
                             uint32_t flags);

// Brings a matrix to the device, to stay there: `rows` * `cols` elements of `field`, one of `ZKA_GOLDILOCKS`, `ZKA_BN254_FR`,
// `ZKA_BN254_FQ`, `ZKA_PASTA_FP`, `ZKA_PASTA_FQ`, `ZKA_BLS12_381_FR` and `ZKA_BLS12_377_FR`. Flags: `ZKA_COLUMN_MAJOR`. Free it with `zka_matrix_free`.
//
// A matrix over another field than Goldilocks is column-major from then on, whatever it was. Its columns are also rows of scalars, for
// `zka_msm_matrix`.
zka_status zka_matrix_upload(struct zka_engine *engine,
                             struct zka_matrix **out,
                             uint32_t field,
                             const uint64_t *in,
                             size_t rows,
                             size_t cols,
                             uint32_t flags);

// `zka_matrix_upload`, started: `out` and `in` are the operation's until the future was waited for.
zka_status zka_matrix_upload_async(struct zka_engine *engine,
                                   struct zka_matrix **out,
                                   uint32_t field,
                                   const uint64_t *in,
                                   size_t rows,
                                   size_t cols,
                                   uint32_t flags,
                                   struct zka_future *future);

// Copies a matrix to host memory, in its layout. `len` is the number of its words: `rows` * `cols` times those of an element.
zka_status zka_matrix_download(struct zka_engine *engine,
                               uint64_t *out,
                               const struct zka_matrix *in,
                               size_t len);

// `zka_matrix_download`, started: `out` is the operation's until the future was waited for.
zka_status zka_matrix_download_async(struct zka_engine *engine,
                                     uint64_t *out,
                                     const struct zka_matrix *in,
                                     size_t len,
                                     struct zka_future *future);

// Copies `count` rows of a matrix, by their indices, to host memory, one after another, each from left to right: `count` * `cols`
// elements.
zka_status zka_matrix_rows(struct zka_engine *engine,
                           uint64_t *out,
                           const struct zka_matrix *in,
                           const size_t *indices,
                           size_t count);

// `zka_matrix_rows`, started: `out` and `indices` are the operation's until the future was waited for.
zka_status zka_matrix_rows_async(struct zka_engine *engine,
                                 uint64_t *out,
                                 const struct zka_matrix *in,
                                 const size_t *indices,
                                 size_t count,
                                 struct zka_future *future);

// The same entries in another shape, without a copy: one after another they fill `rows` rows of `cols`, row by row. So the matrix is row by row itself, or has a single column; the
// new one may be freed before it or after it. Over another field than Goldilocks both have one column.
zka_status zka_matrix_reshape(struct zka_engine *engine,
                              struct zka_matrix **out,
                              const struct zka_matrix *in,
                              size_t rows,
                              size_t cols);

// Transforms every column of a matrix that stays, to another that does; its layout too.
//
// Row i of the values belongs to the point `coset` * `omega`^i. `omega` is a root of unity whose order is exactly the number of rows;
// `coset` is not 0, and NULL is 1; both are elements of the matrix' field. The inverse includes the factor 1/n. Flags: `ZKA_INVERSE`,
// `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`. A field without transforms is `ZKA_UNSUPPORTED`.
zka_status zka_matrix_ntt(struct zka_engine *engine,
                          struct zka_matrix **out,
                          const struct zka_matrix *in,
                          const uint64_t *omega,
                          const uint64_t *coset,
                          uint32_t flags);

// `zka_matrix_ntt`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
zka_status zka_matrix_ntt_async(struct zka_engine *engine,
                                struct zka_matrix **out,
                                const struct zka_matrix *in,
                                const uint64_t *omega,
                                const uint64_t *coset,
                                uint32_t flags,
                                struct zka_future *future);

// Extends every column of a matrix that stays, values on a subgroup, to the values of the same polynomials on a coset that is
// 2^log_blowup times as large, both in natural order; its layout too.
//
// `omega` is a root of unity of the larger order; its power by 2^log_blowup generates the subgroup. Row i of the extension belongs to
// the point `coset` * `omega`^i; `coset` NULL is 1. Flags: `ZKA_OUT_BITREV`.
zka_status zka_matrix_lde(struct zka_engine *engine,
                          struct zka_matrix **out,
                          const struct zka_matrix *in,
                          uint32_t log_blowup,
                          const uint64_t *omega,
                          const uint64_t *coset,
                          uint32_t flags);

// `zka_matrix_lde`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
zka_status zka_matrix_lde_async(struct zka_engine *engine,
                                struct zka_matrix **out,
                                const struct zka_matrix *in,
                                uint32_t log_blowup,
                                const uint64_t *omega,
                                const uint64_t *coset,
                                uint32_t flags,
                                struct zka_future *future);

// Evaluates the polynomials in the columns of a matrix that stays, a coefficient in each row, on 2^log_points points, at least as many as
// there are rows: row i of the result belongs to the point `coset` * `omega`^i; `coset` NULL is 1. The result has the matrix'
// layout. `flags` is 0.
zka_status zka_matrix_evaluate(struct zka_engine *engine,
                               struct zka_matrix **out,
                               const struct zka_matrix *in,
                               uint32_t log_points,
                               const uint64_t *omega,
                               const uint64_t *coset,
                               uint32_t flags);

// `zka_matrix_evaluate`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
zka_status zka_matrix_evaluate_async(struct zka_engine *engine,
                                     struct zka_matrix **out,
                                     const struct zka_matrix *in,
                                     uint32_t log_points,
                                     const uint64_t *omega,
                                     const uint64_t *coset,
                                     uint32_t flags,
                                     struct zka_future *future);

// The inverse of `zka_matrix_evaluate`: the lowest `coefficients` coefficients of the polynomials whose values are the columns of a
// matrix that stays, a coefficient in each row; the others are cut off. `coefficients` is at least 1 and at most the number of rows.
zka_status zka_matrix_interpolate(struct zka_engine *engine,
                                  struct zka_matrix **out,
                                  const struct zka_matrix *in,
                                  size_t coefficients,
                                  const uint64_t *omega,
                                  const uint64_t *coset);

// `zka_matrix_interpolate`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
zka_status zka_matrix_interpolate_async(struct zka_engine *engine,
                                        struct zka_matrix **out,
                                        const struct zka_matrix *in,
                                        size_t coefficients,
                                        const uint64_t *omega,
                                        const uint64_t *coset,
                                        struct zka_future *future);

// The Merkle tree whose leaf i is the hash of row i of a matrix over Goldilocks that stays; the tree stays too, and what is asked of it is
// brought back. The number of rows is a power of two. Rows over another field are `ZKA_UNSUPPORTED`.
zka_status zka_matrix_merkle(struct zka_engine *engine,
                             struct zka_tree **out,
                             const struct zka_matrix *in,
                             uint32_t hash);

// `zka_matrix_merkle`, started: `out` is the operation's until the future was waited for.
zka_status zka_matrix_merkle_async(struct zka_engine *engine,
                                   struct zka_tree **out,
                                   const struct zka_matrix *in,
                                   uint32_t hash,
                                   struct zka_future *future);

// The field of a matrix that stays, its number of rows and of columns, and its layout: `flags` is `ZKA_COLUMN_MAJOR` or 0.
zka_status zka_matrix_shape(const struct zka_matrix *matrix,
                            uint32_t *field,
                            size_t *rows,
                            size_t *cols,
                            uint32_t *flags);

// Frees a matrix that stays; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
zka_status zka_matrix_free(struct zka_matrix *matrix);

// The inverses of all elements of a matrix that stays, as another that does, in its layout; zeros stay zero. Of fields without transforms it is
// `ZKA_UNSUPPORTED`.
zka_status zka_matrix_invert(struct zka_engine *engine,
                             struct zka_matrix **out,
                             const struct zka_matrix *in);

// `zka_matrix_invert`, started: `out` is the operation's until the future was waited for.
zka_status zka_matrix_invert_async(struct zka_engine *engine,
                                   struct zka_matrix **out,
                                   const struct zka_matrix *in,
                                   struct zka_future *future);

// The permuted inputs and tables of lookups, as a matrix of the shape and the layout of the one that has both: columns 2j and 2j + 1 are the input and the table of lookup j. Only the
// first `rows` rows are permuted, and the others copied. Equal inputs become neighbours, in the order in which their values first stand in the table; the first of them has its like
// beside it, and the other rows of the table are beside the others in their order. An input that is not in its table is `ZKA_BAD_WITNESS`. Of fields without transforms it is
// `ZKA_UNSUPPORTED`.
zka_status zka_matrix_permute_lookups(struct zka_engine *engine,
                                      struct zka_matrix **out,
                                      const struct zka_matrix *in,
                                      size_t rows);

// `zka_matrix_permute_lookups`, started: `out` is the operation's until the future was waited for.
zka_status zka_matrix_permute_lookups_async(struct zka_engine *engine,
                                            struct zka_matrix **out,
                                            const struct zka_matrix *in,
                                            size_t rows,
                                            struct zka_future *future);

// The product of a matrix that stays with a matrix of coefficients, as another that stays, column-major: `cols` combinations of its columns,
// with a row of coefficients for each column. `coefficients` are `rows` * `cols` elements of the matrix' field, where `rows` is the number of its columns.
// Flags: `ZKA_COLUMN_MAJOR`, of the coefficients. Of fields without transforms it is `ZKA_UNSUPPORTED`.
zka_status zka_matrix_combine_columns(struct zka_engine *engine,
                                      struct zka_matrix **out,
                                      const struct zka_matrix *in,
                                      const uint64_t *coefficients,
                                      size_t rows,
                                      size_t cols,
                                      uint32_t flags);

// `zka_matrix_combine_columns`, started: `out` is the operation's until the future was waited for; `coefficients` are not.
zka_status zka_matrix_combine_columns_async(struct zka_engine *engine,
                                            struct zka_matrix **out,
                                            const struct zka_matrix *in,
                                            const uint64_t *coefficients,
                                            size_t rows,
                                            size_t cols,
                                            uint32_t flags,
                                            struct zka_future *future);

// Sums of the first rows of a matrix that stays, by weights that stay: as many rows as there are of weights, over the same field. For each column of the
// matrix `out` gets the sums by each column of weights, side by side. `len` is the number of words: those of an element, times the columns of both.
// Of fields without transforms it is `ZKA_UNSUPPORTED`.
zka_status zka_matrix_combine_rows(struct zka_engine *engine,
                                   uint64_t *out,
                                   const struct zka_matrix *weights,
                                   const struct zka_matrix *in,
                                   size_t len);

// `zka_matrix_combine_rows`, started: `out` is the operation's until the future was waited for.
zka_status zka_matrix_combine_rows_async(struct zka_engine *engine,
                                         uint64_t *out,
                                         const struct zka_matrix *weights,
                                         const struct zka_matrix *in,
                                         size_t len,
                                         struct zka_future *future);

// The prefix products of every column of a matrix that stays, as another that does, in its layout: entry 0 of a column is its first value, and entry i that
// times the entries 0 to i - 1. `last` gets the product of all of each column, its first value included. `first` has a value for each column, and NULL is
// ones. `len` is the number of words of `last`, and of `first`: those of an element, times the columns. Of fields without transforms it is
// `ZKA_UNSUPPORTED`.
zka_status zka_matrix_prefix_products(struct zka_engine *engine,
                                      struct zka_matrix **out,
                                      uint64_t *last,
                                      const struct zka_matrix *in,
                                      const uint64_t *first,
                                      size_t len);

// `zka_matrix_prefix_products`, started: `out` and `last` are the operation's until the future was waited for; `first` is not.
zka_status zka_matrix_prefix_products_async(struct zka_engine *engine,
                                            struct zka_matrix **out,
                                            uint64_t *last,
                                            const struct zka_matrix *in,
                                            const uint64_t *first,
                                            size_t len,
                                            struct zka_future *future);

// Records a program over `field`, one with transforms, which is any but `ZKA_BN254_FQ`; over that it is `ZKA_UNSUPPORTED`. Free it with
// `zka_program_free`.
//
// A node names only nodes before it in `nodes`. `constants` are elements of the field, and `outputs` the indices of nodes: each is a column of the result, in this order.
// There are `node_count` nodes, `constant_count` constants and `output_count` outputs, at least one; nothing of the arrays is kept. Equal
// nodes are computed once. An index past the end is `ZKA_BAD_ARGUMENT`, with a text that names the node, and so is more than devices have room for: 8 input matrices,
// 16 pairs of an input matrix and an offset.
zka_status zka_program_new(struct zka_program **out,
                           uint32_t field,
                           const struct zka_node *nodes,
                           const uint64_t *constants,
                           const uint32_t *outputs,
                           size_t node_count,
                           size_t constant_count,
                           size_t output_count);

// The field of a program, the number of its input matrices and of its outputs, and the number of values that a run must be given at least.
zka_status zka_program_shape(const struct zka_program *program,
                             uint32_t *field,
                             size_t *inputs,
                             size_t *outputs,
                             size_t *values);

// Frees a program; NULL is nothing to free. Operations under way keep it until they are done.
zka_status zka_program_free(struct zka_program *program);

// Runs a program on matrices that stay, all over its field. The result stays, too: column-major, of `rows` rows, a power of two, and a column for each output.
//
// `inputs` are `input_count` matrices, as many as the program has, of as many columns as it reads, or more, and of a power of two of rows. One with fewer rows than the
// run is repeated, and of one with more only every (its rows / `rows`)th is read. An offset of 1 is `stride` rows. `values` are `value_count`
// elements, as many as the program reads, or more. Flags: `ZKA_IN_BITREV`, with which the rows of all inputs, and those of the result, are in bit-reversed order.
zka_status zka_program_run(struct zka_engine *engine,
                           struct zka_matrix **out,
                           const struct zka_program *program,
                           const struct zka_matrix *const *inputs,
                           const uint64_t *values,
                           size_t input_count,
                           size_t value_count,
                           size_t rows,
                           size_t stride,
                           uint32_t flags);

// `zka_program_run`, started: `out` is the operation's until the future was waited for; `inputs` and `values` are not.
zka_status zka_program_run_async(struct zka_engine *engine,
                                 struct zka_matrix **out,
                                 const struct zka_program *program,
                                 const struct zka_matrix *const *inputs,
                                 const uint64_t *values,
                                 size_t input_count,
                                 size_t value_count,
                                 size_t rows,
                                 size_t stride,
                                 uint32_t flags,
                                 struct zka_future *future);

// The elements `a`[i] * `b`[i] - `c`[i] of matrices that stay, as another that does; without `c`, which may be NULL, the products alone. All
// are over the same field, one of those of curves, and have as many rows and columns; they may be the same. Over Goldilocks it is
// `ZKA_UNSUPPORTED`.
zka_status zka_matrix_multiply(struct zka_engine *engine,
                               struct zka_matrix **out,
                               const struct zka_matrix *a,
                               const struct zka_matrix *b,
                               const struct zka_matrix *c);

// `zka_matrix_multiply`, started: `out` is the operation's until the future was waited for.
zka_status zka_matrix_multiply_async(struct zka_engine *engine,
                                     struct zka_matrix **out,
                                     const struct zka_matrix *a,
                                     const struct zka_matrix *b,
                                     const struct zka_matrix *c,
                                     struct zka_future *future);

// Keeps a sparse matrix over a field of curves, which is any but `ZKA_GOLDILOCKS`, of `rows` rows, `cols` columns and `entries` entries; the
// others are 0. Over Goldilocks it is `ZKA_UNSUPPORTED`. Free it with `zka_sparse_free`.
//
// The entries of row i are those from number `row_starts`[i] to before number `row_starts`[i + 1], so there are `rows` + 1 starts, 0 is the
// first, and `entries` the last. An entry is the index of a column and a value, an element of the field. Entries of a row with the same
// index add up.
zka_status zka_sparse_new(struct zka_engine *engine,
                          struct zka_sparse **out,
                          uint32_t field,
                          const size_t *row_starts,
                          const uint32_t *indices,
                          const uint64_t *values,
                          size_t rows,
                          size_t cols,
                          size_t entries);

// `zka_sparse_new`, started: `out`, `row_starts`, `indices` and `values` are the operation's until the future was waited for.
zka_status zka_sparse_new_async(struct zka_engine *engine,
                                struct zka_sparse **out,
                                uint32_t field,
                                const size_t *row_starts,
                                const uint32_t *indices,
                                const uint64_t *values,
                                size_t rows,
                                size_t cols,
                                size_t entries,
                                struct zka_future *future);

// The field of a sparse matrix, and its numbers of rows, columns and entries.
zka_status zka_sparse_shape(const struct zka_sparse *sparse,
                            uint32_t *field,
                            size_t *rows,
                            size_t *cols,
                            size_t *entries);

// Frees a sparse matrix; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
zka_status zka_sparse_free(struct zka_sparse *sparse);

// The product of a sparse matrix of at least one row with a vector: a matrix that stays, over the same field, of one column and as many rows
// as the sparse matrix has columns. The product is another, with a row for each row of the sparse matrix.
zka_status zka_sparse_multiply(struct zka_engine *engine,
                               struct zka_matrix **out,
                               const struct zka_sparse *sparse,
                               const struct zka_matrix *vector);

// `zka_sparse_multiply`, started: `out` is the operation's until the future was waited for.
zka_status zka_sparse_multiply_async(struct zka_engine *engine,
                                     struct zka_matrix **out,
                                     const struct zka_sparse *sparse,
                                     const struct zka_matrix *vector,
                                     struct zka_future *future);

// The sum of `len` scalars times points of a curve, `ZKA_BN254_G1`, `ZKA_GRUMPKIN`, `ZKA_BN254_G2`, `ZKA_PALLAS`, `ZKA_VESTA`, `ZKA_BLS12_381_G1`, `ZKA_BLS12_381_G2`, `ZKA_BLS12_377_G1`, `ZKA_BLS12_377_G2` or `ZKA_BW6_761_G1`; of none it is the identity.
//
// A scalar is four words, or six over `ZKA_BW6_761_G1`. A point is x and then y, of four words each, or of eight over `ZKA_BN254_G2`, c0 before c1; the identity is all zero. The
// sum is X, Y and Z with x = X/Z and y = Y/Z; the identity is (0, 1, 0). Equal sums have many forms: compare them after `zka_point_to_aff`.
zka_status zka_msm(struct zka_engine *engine,
                   uint32_t curve,
                   uint64_t *out,
                   const uint64_t *scalars,
                   const uint64_t *points,
                   size_t len);

// `zka_msm`, started: `out`, `scalars` and `points` are the operation's until the future was waited for.
zka_status zka_msm_async(struct zka_engine *engine,
                         uint32_t curve,
                         uint64_t *out,
                         const uint64_t *scalars,
                         const uint64_t *points,
                         size_t len,
                         struct zka_future *future);

// Keeps a copy of `len` points of a curve for many sums. Flags: `ZKA_VALIDATE`, `ZKA_PRECOMPUTE`. Free it with `zka_bases_free`.
zka_status zka_bases_new(struct zka_engine *engine,
                         struct zka_bases **out,
                         uint32_t curve,
                         const uint64_t *points,
                         size_t len,
                         uint32_t flags);

// `zka_bases_new`, started: `out` and `points` are the operation's until the future was waited for.
zka_status zka_bases_new_async(struct zka_engine *engine,
                               struct zka_bases **out,
                               uint32_t curve,
                               const uint64_t *points,
                               size_t len,
                               uint32_t flags,
                               struct zka_future *future);

// The number of points that are kept.
zka_status zka_bases_len(const struct zka_bases *bases, size_t *out);

// Frees bases; NULL is nothing to free. Operations under way keep them until they are done; the engine may be gone.
zka_status zka_bases_free(struct zka_bases *bases);

// The sum of `len` scalars times the bases from number `offset` on, a point of their curve.
zka_status zka_msm_bases(struct zka_engine *engine,
                         uint64_t *out,
                         const uint64_t *scalars,
                         const struct zka_bases *bases,
                         size_t offset,
                         size_t len);

// `zka_msm_bases`, started: `out` and `scalars` are the operation's until the future was waited for.
zka_status zka_msm_bases_async(struct zka_engine *engine,
                               uint64_t *out,
                               const uint64_t *scalars,
                               const struct zka_bases *bases,
                               size_t offset,
                               size_t len,
                               struct zka_future *future);

// `batch` sums over the same bases, the first `len`: sum i is of the scalars from number i * `len` on.
zka_status zka_msm_batch(struct zka_engine *engine,
                         uint64_t *out,
                         const uint64_t *scalars,
                         const struct zka_bases *bases,
                         size_t len,
                         size_t batch);

// `zka_msm_batch`, started: `out` and `scalars` are the operation's until the future was waited for.
zka_status zka_msm_batch_async(struct zka_engine *engine,
                               uint64_t *out,
                               const uint64_t *scalars,
                               const struct zka_bases *bases,
                               size_t len,
                               size_t batch,
                               struct zka_future *future);

// `batch` sums of the elements of a matrix that stays times the `len` bases from number `offset` on.
//
// The matrix is over the scalars of the bases' curve and has `len` * `batch` elements: sum i is of those from number i * `len` on, column
// after column. With `len` rows a sum is that of a column.
zka_status zka_msm_matrix(struct zka_engine *engine,
                          uint64_t *out,
                          const struct zka_matrix *matrix,
                          const struct zka_bases *bases,
                          size_t offset,
                          size_t len,
                          size_t batch);

// `zka_msm_matrix`, started: `out` is the operation's until the future was waited for.
zka_status zka_msm_matrix_async(struct zka_engine *engine,
                                uint64_t *out,
                                const struct zka_matrix *matrix,
                                const struct zka_bases *bases,
                                size_t offset,
                                size_t len,
                                size_t batch,
                                struct zka_future *future);

// A sum, X, Y and Z, as an affine point: x, y; the identity is all zero.
zka_status zka_point_to_aff(uint32_t curve, uint64_t *out, const uint64_t *in);

// A sum in Jacobian coordinates, x = X/Z^2 and y = Y/Z^3, as arkworks has it; Z of the identity is 0.
zka_status zka_point_to_jac(uint32_t curve, uint64_t *out, const uint64_t *in);

// The sum of `len` scalars times points; of none it is the identity.
zka_status zka_bn254_g1_msm(struct zka_engine *engine,
                            struct zka_bn254_g1_prj *out,
                            const struct zka_bn254_fr *scalars,
                            const struct zka_bn254_g1_aff *points,
                            size_t len);

// `zka_bn254_g1_msm`, started: `out`, `scalars` and `points` are the operation's until the future was waited for.
zka_status zka_bn254_g1_msm_async(struct zka_engine *engine,
                                  struct zka_bn254_g1_prj *out,
                                  const struct zka_bn254_fr *scalars,
                                  const struct zka_bn254_g1_aff *points,
                                  size_t len,
                                  struct zka_future *future);

// Keeps a copy of `len` points for many sums. Flags: `ZKA_VALIDATE`, `ZKA_PRECOMPUTE`. Free it with `zka_bases_free`.
zka_status zka_bn254_g1_bases_new(struct zka_engine *engine,
                                  struct zka_bases **out,
                                  const struct zka_bn254_g1_aff *points,
                                  size_t len,
                                  uint32_t flags);

// `zka_bn254_g1_bases_new`, started: `out` and `points` are the operation's until the future was waited for.
zka_status zka_bn254_g1_bases_new_async(struct zka_engine *engine,
                                        struct zka_bases **out,
                                        const struct zka_bn254_g1_aff *points,
                                        size_t len,
                                        uint32_t flags,
                                        struct zka_future *future);

// The sum of `len` scalars times the bases from number `offset` on.
zka_status zka_bn254_g1_msm_bases(struct zka_engine *engine,
                                  struct zka_bn254_g1_prj *out,
                                  const struct zka_bn254_fr *scalars,
                                  const struct zka_bases *bases,
                                  size_t offset,
                                  size_t len);

// `zka_bn254_g1_msm_bases`, started: `out` and `scalars` are the operation's until the future was waited for.
zka_status zka_bn254_g1_msm_bases_async(struct zka_engine *engine,
                                        struct zka_bn254_g1_prj *out,
                                        const struct zka_bn254_fr *scalars,
                                        const struct zka_bases *bases,
                                        size_t offset,
                                        size_t len,
                                        struct zka_future *future);

// `batch` sums over the same bases, the first `len`: sum i is of the scalars from number i * `len` on.
zka_status zka_bn254_g1_msm_batch(struct zka_engine *engine,
                                  struct zka_bn254_g1_prj *out,
                                  const struct zka_bn254_fr *scalars,
                                  const struct zka_bases *bases,
                                  size_t len,
                                  size_t batch);

// `zka_bn254_g1_msm_batch`, started: `out` and `scalars` are the operation's until the future was waited for.
zka_status zka_bn254_g1_msm_batch_async(struct zka_engine *engine,
                                        struct zka_bn254_g1_prj *out,
                                        const struct zka_bn254_fr *scalars,
                                        const struct zka_bases *bases,
                                        size_t len,
                                        size_t batch,
                                        struct zka_future *future);

// Transforms `batch` polynomials of 2^log_n scalars, one after another, in place.
//
// Value i belongs to the point `coset` * `omega`^i; `coset` NULL is 1. `omega` is a root of unity of order exactly 2^log_n, at
// most 2^28. The inverse includes the factor 1/n. Flags: `ZKA_INVERSE`, `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`.
zka_status zka_bn254_fr_fft(struct zka_engine *engine,
                            struct zka_bn254_fr *data,
                            uint32_t log_n,
                            size_t batch,
                            const struct zka_bn254_fr *omega,
                            const struct zka_bn254_fr *coset,
                            uint32_t flags);

// `zka_bn254_fr_fft`, started: `data` is the operation's until the future was waited for; `omega` and `coset` are not.
zka_status zka_bn254_fr_fft_async(struct zka_engine *engine,
                                  struct zka_bn254_fr *data,
                                  uint32_t log_n,
                                  size_t batch,
                                  const struct zka_bn254_fr *omega,
                                  const struct zka_bn254_fr *coset,
                                  uint32_t flags,
                                  struct zka_future *future);

// A point as affine coordinates.
zka_status zka_bn254_g1_to_aff(struct zka_bn254_g1_aff *out, const struct zka_bn254_g1_prj *in);

// A point in Jacobian coordinates.
zka_status zka_bn254_g1_to_jac(struct zka_bn254_g1_jac *out, const struct zka_bn254_g1_prj *in);

// Reads a `.zkey` file of snarkjs that is in memory, `len` bytes, and keeps its points. Free it with `zka_groth16_prover_free`.
//
// The whole key is checked; bytes that are no key of Groth16 over BN254 or BLS12-381 are `ZKA_MALFORMED`. Flags: `ZKA_PRECOMPUTE`, which pays for a key that
// serves hundreds of proofs, and `ZKA_UNCHECKED`.
zka_status zka_groth16_prover_new(struct zka_engine *engine,
                                  struct zka_groth16_prover **out,
                                  const uint8_t *key,
                                  size_t len,
                                  uint32_t flags);

// `zka_groth16_prover_new`, started: `out` and `key` are the operation's until the future was waited for.
zka_status zka_groth16_prover_new_async(struct zka_engine *engine,
                                        struct zka_groth16_prover **out,
                                        const uint8_t *key,
                                        size_t len,
                                        uint32_t flags,
                                        struct zka_future *future);

// `zka_groth16_prover_new` with the file of a path, in UTF-8. The file must not change before the prover is made. One that cannot be read is
// `ZKA_SYSTEM`.
zka_status zka_groth16_prover_open(struct zka_engine *engine,
                                   struct zka_groth16_prover **out,
                                   const char *path,
                                   uint32_t flags);

// `zka_groth16_prover_open`, started: `out` is the operation's until the future was waited for; `path` is not.
zka_status zka_groth16_prover_open_async(struct zka_engine *engine,
                                         struct zka_groth16_prover **out,
                                         const char *path,
                                         uint32_t flags,
                                         struct zka_future *future);

// What a prover's key is for: the number of signals of a witness, which are the constant 1, the public signals and the private ones; the number
// of those that are public; and the bytes in which the text of any public signals has room, with its ending zero.
zka_status zka_groth16_prover_shape(const struct zka_groth16_prover *prover,
                                    size_t *signals,
                                    size_t *public_signals,
                                    size_t *public_bytes);

// What a prover's key is over: the numbers of the curves of G1 and G2, such as `ZKA_BN254_G1` and `ZKA_BN254_G2`, and the words of a proof's three points.
zka_status zka_groth16_prover_curves(const struct zka_groth16_prover *prover,
                                     uint32_t *first,
                                     uint32_t *second,
                                     size_t *proof_words);

// What a prover has done so far: the proofs that it has handed out; those that did not verify and were made again on the CPU, each of which is a
// device's error unless the second was refused too; and those that were refused, since the second did not verify either.
zka_status zka_groth16_prover_account(const struct zka_groth16_prover *prover,
                                      uint64_t *proofs,
                                      uint64_t *remade,
                                      uint64_t *refused);

// Frees a prover; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
zka_status zka_groth16_prover_free(struct zka_groth16_prover *prover);

// The proof of a witness, a `.wtns` file of circom that is in memory, `witness_len` bytes: the texts of snarkjs's `proof.json` and `public.json`,
// each with an ending zero. The proof is verified before it is handed out.
//
// `proof_json` has `proof_cap` bytes, at least `ZKA_GROTH16_PROOF_BYTES`, and `public_json` has `public_cap`, at least what
// `zka_groth16_prover_shape` tells; less is `ZKA_BAD_LENGTH`, before anything is proved. A witness of another circuit, or one that does not
// satisfy the key's, is `ZKA_BAD_WITNESS`; bytes that are no witness are `ZKA_MALFORMED`.
zka_status zka_groth16_prove(struct zka_engine *engine,
                             char *proof_json,
                             char *public_json,
                             const struct zka_groth16_prover *prover,
                             const uint8_t *witness,
                             size_t witness_len,
                             size_t proof_cap,
                             size_t public_cap);

// `zka_groth16_prove`, started: `proof_json`, `public_json` and `witness` are the operation's until the future was waited for.
zka_status zka_groth16_prove_async(struct zka_engine *engine,
                                   char *proof_json,
                                   char *public_json,
                                   const struct zka_groth16_prover *prover,
                                   const uint8_t *witness,
                                   size_t witness_len,
                                   size_t proof_cap,
                                   size_t public_cap,
                                   struct zka_future *future);

// The proofs of `batch` witnesses of `len` scalars of four words, one witness after another: the constant 1, the public signals, then the private ones, as
// many as `zka_groth16_prover_shape` tells. They are verified together, and after an error none is handed out.
//
// `out` has `out_words` words, at least as many for each proof as `zka_groth16_prover_curves` tells; fewer are `ZKA_BAD_LENGTH`, before anything is proved. A proof
// is A over G1, B over G2 and C over G1, each as affine points of the curve are: x, then y, in Montgomery form, and the identity all zero.
//
// Witness calculators give integers: `zka_bn254_fr_to_montgomery` brings those of BN254 to the form of scalars. Errors as `zka_groth16_prove`.
zka_status zka_groth16_prove_batch(struct zka_engine *engine,
                                   uint64_t *out,
                                   const struct zka_groth16_prover *prover,
                                   const uint64_t *witnesses,
                                   size_t len,
                                   size_t batch,
                                   size_t out_words);

// `zka_groth16_prove_batch`, started: `out` and `witnesses` are the operation's until the future was waited for.
zka_status zka_groth16_prove_batch_async(struct zka_engine *engine,
                                         uint64_t *out,
                                         const struct zka_groth16_prover *prover,
                                         const uint64_t *witnesses,
                                         size_t len,
                                         size_t batch,
                                         size_t out_words,
                                         struct zka_future *future);

// Verifies a proof by the texts of snarkjs's `verification_key.json`, `public.json` and `proof.json`, each with an ending zero: `ZKA_OK` if it is
// true.
//
// A false proof is `ZKA_NOT_VERIFIED`; a text that is not what it should be, or a point that is not in its group, is `ZKA_MALFORMED`; another
// number of public signals than the key is for is `ZKA_BAD_LENGTH`. On the calling thread.
zka_status zka_groth16_verify(const char *verification_key,
                              const char *public_json,
                              const char *proof_json);

// `zka_groth16_verify` with the verification key that is part of a prover's key.
zka_status zka_groth16_prover_verify(const struct zka_groth16_prover *prover,
                                     const char *public_json,
                                     const char *proof_json);

// Opens a library of MPI, and takes all processes that the launcher has started, or those of a communicator if one is given: its handle in Fortran (`MPI_Comm_c2f`, `MPI_Comm_toint`), of which a
// duplicate is made. MPI is initialised if it is not yet, and finalised with the cluster then; a program that has initialised it has done so with `MPI_THREAD_SERIALIZED` or more, and
// calls no function of MPI while one of the cluster runs.
//
// `deadline` is the most seconds that an operation waits for other ranks. `ZKA_CLUSTER` if they do not come, or there is no library of MPI (the environment variable `ZKACCEL_MPI`
// names another). `communicator` may be NULL. Free the cluster with `zka_cluster_free`.
zka_status zka_cluster_new(struct zka_engine *engine,
                           struct zka_cluster **out,
                           const int32_t *communicator,
                           double deadline);

// Has ranks exchange what their GPUs keep by NVIDIA's library of collective communication (NCCL), from GPU to GPU, from now on; otherwise it goes through host memory and MPI. Each rank has an
// engine on one GPU of its own (`cuda:N`). `deadline` is the most seconds that an exchange takes. `ZKA_CLUSTER` if there is no library (`libnccl.so.2`, or what the environment variable
// `ZKACCEL_NCCL` names), or a rank has no GPU of its own.
zka_status zka_cluster_use_nccl(const struct zka_cluster *cluster,
                                double deadline);

// Leaves the other ranks, which do the same; NULL is nothing to free. Commitments may outlive it.
zka_status zka_cluster_free(struct zka_cluster *cluster);

// The number of this rank, from 0 on, and that of ranks. For one rank.
zka_status zka_cluster_rank(const struct zka_cluster *cluster, size_t *rank, size_t *size);

// The rows that this rank brings of a trace of `count` rows: `len` of them from number `first` on. Also its block of the coefficients of a transform, and a fair share of the pairs of
// a sum. For one rank.
zka_status zka_cluster_rows(const struct zka_cluster *cluster,
                            size_t *first,
                            size_t *len,
                            size_t count);

// The leaves that this rank brings of a Merkle tree over `count` leaves, a power of two with a leaf for each rank's subtree. For one rank.
zka_status zka_cluster_leaves(const struct zka_cluster *cluster,
                              size_t *first,
                              size_t *len,
                              size_t count);

// Tells all ranks how this one fares, for what they do apart from each other: returns `status`, or `ZKA_CLUSTER` if that is `ZKA_OK` and another rank's is not, with that rank's last
// error for a text.
zka_status zka_cluster_agree(const struct zka_cluster *cluster,
                             zka_status status);

// Shrinks the cluster to the ranks that are left where some have died, and tells whether what all ranks did since the last time is to be done again because of that, `again` being 1
// then. Those that are left have new numbers then, from 0 on in the same order (`zka_cluster_rank`), and other parts of the data; what was made by more of them cannot be opened any
// more. Whatever its functions returned, each rank that is left calls this after them, while no other function of the cluster runs.
//
// Ranks go on if the library and the launcher let them: Open MPI from 5.0 on, with `mpirun --with-ft ulfm`. Otherwise, and where an exchange failed and nobody has died, `ZKA_CLUSTER`.
zka_status zka_cluster_shrink(const struct zka_cluster *cluster,
                              int32_t *again);

// Ends the processes of all ranks, because this one cannot go on; `reason` is a text for their standard error. For one rank; returns only if there is no way to end them.
zka_status zka_cluster_abort(const struct zka_cluster *cluster,
                             const char *reason);

// Makes of the coefficients of a polynomial, of which rank q of P has the block of `len` words from number q * len on in `data`, its values on the coset of order 2^log_n = P * len: those
// with the numbers q, q + P, q + 2P, ....
//
// P is a power of two whose square is at most 2^log_n. `omega` is a root of unity of order exactly 2^log_n, `coset` is not 0.
zka_status zka_cluster_goldilocks_ntt(const struct zka_cluster *cluster,
                                      uint64_t *data,
                                      size_t len,
                                      uint32_t log_n,
                                      uint64_t omega,
                                      uint64_t coset);

// Makes of `count` sums that each rank has of its own pairs (X, Y and Z, as `zka_msm` and its kin write them) those of all ranks' pairs: the i-th of all are added.
zka_status zka_cluster_add_up(const struct zka_cluster *cluster,
                              uint32_t curve,
                              uint64_t *sums,
                              size_t count);

// Commits to a trace of `rows` rows and `cols` columns, of which this rank brings its own rows (`zka_cluster_rows`), row by row in `own`.
//
// Columns are extended from the subgroup of order `rows`, a power of two, to a coset with 2^log_blowup times as many points, and a Merkle tree is made over the rows. `hash` is one of
// `ZKA_HASH_...`, `convention` is `ZKA_ROOT_WINTERFELL` or `ZKA_ROOT_PLONKY3`, `coset` the shift, not 0. Free the commitment with `zka_cluster_commitment_free`.
zka_status zka_cluster_commit(const struct zka_cluster *cluster,
                              struct zka_cluster_commitment **out,
                              uint32_t hash,
                              const uint64_t *own,
                              size_t rows,
                              size_t cols,
                              uint32_t log_blowup,
                              uint32_t convention,
                              uint64_t coset);

// The root of a commitment, the same on every rank. For one rank.
zka_status zka_cluster_commitment_root(const struct zka_cluster_commitment *commitment, struct zka_digest *out);

// The cosets of the extension that this rank has: `len` of them from number `first` on, of `count`. Coset k has rows k, k + count, k + 2 count, .... For one rank.
zka_status zka_cluster_commitment_cosets(const struct zka_cluster_commitment *commitment,
                                         size_t *first,
                                         size_t *len,
                                         size_t *count);

// Copies a coset that this rank has, by its number, to `out`, row by row: `len` words, the columns times the extension's rows divided by the number of cosets. For one rank.
zka_status zka_cluster_commitment_coset(const struct zka_cluster_commitment *commitment,
                                        uint64_t *out,
                                        size_t len,
                                        size_t number);

// Opens row `index` of the extension on every rank: writes its `cols` words and the siblings on the way to the root, the leaf's own first. `path_len` is log2 of the number of rows.
// `zka_merkle_verify` checks them.
zka_status zka_cluster_open_row(const struct zka_cluster *cluster,
                                const struct zka_cluster_commitment *commitment,
                                uint64_t *row,
                                size_t cols,
                                struct zka_digest *path,
                                size_t path_len,
                                size_t index);

// Frees this rank's share of a commitment; NULL is nothing to free. For one rank.
zka_status zka_cluster_commitment_free(struct zka_cluster_commitment *commitment);

// The root of the Merkle tree over `count` digests, of which this rank brings its own (`zka_cluster_leaves`).
zka_status zka_cluster_merkle_root(const struct zka_cluster *cluster,
                                   struct zka_digest *root,
                                   uint32_t hash,
                                   const struct zka_digest *own,
                                   size_t count);

// The root of unity of order 2^log_n in a field with transforms, in the words of an element. `convention` is `ZKA_ROOT_WINTERFELL` or `ZKA_ROOT_PLONKY3` over Goldilocks, else `ZKA_ROOT_HALO2` or
// `ZKA_ROOT_ARKWORKS`. The order is at most 2^32, among the scalars of BN254 2^28 and of BLS12-377 2^47. `ZKA_UNSUPPORTED` for `ZKA_BN254_FQ`.
zka_status zka_root_of_unity(uint32_t field,
                             uint64_t *out,
                             uint32_t log_n,
                             uint32_t convention);

// `zka_root_of_unity` in Goldilocks.
zka_status zka_goldilocks_root_of_unity(uint64_t *out, uint32_t log_n, uint32_t convention);

// `zka_root_of_unity` among BN254's scalars.
zka_status zka_bn254_fr_root_of_unity(struct zka_bn254_fr *out, uint32_t log_n, uint32_t convention);

// Brings `len` integers below the modulus, in the words of elements, the lowest first, to elements in place: over Goldilocks they are the elements, over the fields of curves x becomes x 2^256. One
// that is not below it is `ZKA_NOT_CANONICAL`, and the text has its index; then all are as they were. On the calling thread.
zka_status zka_from_integers(uint32_t field,
                             uint64_t *data,
                             size_t len);

// Brings `len` elements to integers in place: the inverse of `zka_from_integers`, with the same errors.
zka_status zka_to_integers(uint32_t field, uint64_t *data, size_t len);

// `zka_from_integers` for BN254's scalars.
zka_status zka_bn254_fr_to_montgomery(struct zka_bn254_fr *data, size_t len);

// `zka_to_integers` for BN254's scalars.
zka_status zka_bn254_fr_from_montgomery(struct zka_bn254_fr *data, size_t len);

// `zka_from_integers` for BN254's coordinates. A point is two coordinates: `&points[0].x` and twice the number of points are those of an array of `zka_bn254_g1_aff`.
zka_status zka_bn254_fp_to_montgomery(struct zka_bn254_fp *data,
                                      size_t len);

// `zka_to_integers` for BN254's coordinates.
zka_status zka_bn254_fp_from_montgomery(struct zka_bn254_fp *data, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ZKACCEL_H */

#ifndef ZKA_ASSERT_SIZE
/* The sizes that the library was built with. */
#define ZKA_ASSERT_SIZE(type, size) typedef char type##_has_another_size[sizeof(type) == (size) ? 1 : -1]
ZKA_ASSERT_SIZE(zka_future, 8);
ZKA_ASSERT_SIZE(zka_digest, 32);
ZKA_ASSERT_SIZE(zka_node, 16);
ZKA_ASSERT_SIZE(zka_device, 520);
ZKA_ASSERT_SIZE(zka_work, 208);
ZKA_ASSERT_SIZE(zka_choice, 312);
ZKA_ASSERT_SIZE(zka_bn254_fr, 32);
ZKA_ASSERT_SIZE(zka_bn254_fp, 32);
ZKA_ASSERT_SIZE(zka_bn254_g1_aff, 64);
ZKA_ASSERT_SIZE(zka_bn254_g1_prj, 96);
ZKA_ASSERT_SIZE(zka_bn254_g1_jac, 96);
#endif
