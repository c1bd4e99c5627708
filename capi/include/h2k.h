/* The names of the 2023 proposal "Blackboxing MSM and FFT - Hardware Accel API" for halo2, over zkaccel.h.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * As in the proposal these functions return no status: errors go to a handler, which unless another was set prints and aborts. What
 * zkaccel.h says of pointers, handles and futures holds here. engine_t and engine_future_t are its zka_engine and zka_future, so
 * that both headers may be used on one engine.
 */

#ifndef ZKACCEL_H2K_H
#define ZKACCEL_H2K_H

/* Written by tools/make-header.sh from capi/src/h2k.rs. Do not edit. */

#include "zkaccel.h"

// What is told of an error: the context it was set with, a status of zkaccel.h, and a text.
typedef void (*h2k_error_handler)(void*, int32_t, const char*);

// An engine, as the proposal calls it.
typedef zka_engine engine_t;

// An operation under way; waited for exactly once.
typedef zka_future engine_future_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Sets what is called on errors of the functions of this header, on the thread that called them; NULL is the default again, which
// prints the error and aborts. When a handler returns, so does the function: with NULL, with a future that is none, or with
// unspecified output.
void h2k_set_error_handler(h2k_error_handler handler,
                           void *context);

// Makes an engine on the best device present, with all threads.
engine_t *engine_init(void);

// Makes an engine on a device, "auto", "cpu", "cuda:0" and so on, with a number of threads, 0 for all.
engine_t *engine_init_with(const char *device, size_t threads);

// Waits for all work and frees the engine.
void engine_shutdown(engine_t *engine);

// Waits for an operation, once.
void engine_wait(engine_t *engine, engine_future_t future);

// The sum of `len` coefficients times points.
void h2k_bn254_multi_scalar_mul(engine_t *engine,
                                zka_bn254_g1_prj *r,
                                const zka_bn254_fr *coefs,
                                const zka_bn254_g1_aff *points,
                                size_t len);

// `h2k_bn254_multi_scalar_mul`, started: `r`, `coefs` and `points` are the operation's until `engine_wait` has returned.
engine_future_t h2k_bn254_multi_scalar_mul_async(engine_t *engine,
                                                 zka_bn254_g1_prj *r,
                                                 const zka_bn254_fr *coefs,
                                                 const zka_bn254_g1_aff *points,
                                                 size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ZKACCEL_H2K_H */
