//! The C interface: the functions of `include/zkaccel.h`, and nothing else. Every computation is the library's.
//!
//! A function here does four things: it turns pointers, lengths and numbers into values that were checked
//! ([`arguments`]), finds the engine behind a handle ([`handles`], [`engine`]), runs the operation now or as a job
//! ([`future`]), and turns the outcome into a status with a text ([`status`]), a panic included.
//!
//! # Safety
//!
//! What a caller promises is the header's to say, once for all functions: a pointer is null or valid for the length that
//! comes with it, for reading or writing as its type says; memory given to an asynchronous call stays valid and is left
//! alone until the future was waited for. Handles need no promise: they are numbers that are looked up, never addresses.
//! Every `unsafe` here rests on that promise and names it "the caller's promise".
//!
//! Names are those of the header, which `tools/make-header.sh` writes from this crate.

#![allow(non_camel_case_types, clippy::missing_safety_doc)]

// Parts in the order of the header; public to the linker, for no Rust code can use this library.

pub mod status;

pub mod options;

pub mod engine;

pub mod work;

pub mod future;

pub mod fields;

pub mod transforms;

pub mod goldilocks;

pub mod merkle;

pub mod matrix;

pub mod inversion;

pub mod lookups;

pub mod combinations;

pub mod prefix;

pub mod programs;

pub mod pointwise;

pub mod sparse;

pub mod curves;

pub mod msm;

pub mod bn254;

pub mod groth16;

pub mod cluster;

pub mod cluster_trees;

pub mod elements;

pub mod h2k;

mod any_matrix;
mod arguments;
mod handles;
/// Calls from within, for tests and fuzz targets.
///
/// cbindgen:ignore
#[cfg(any(test, fuzzing))]
pub mod tests;
