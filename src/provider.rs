//! The constants of the C interface with which a third party's shared library describes itself when it is a device,
//! `provider:PATH`.
//!
//! A library that exports the functions of `zkaccel.h` computes like any other device. It need not have all of them: it reports
//! what it can do, and the rest is [`Error::Unsupported`](crate::Error::Unsupported). Its answers are copied back only when they
//! are canonical and it has reported success; further checks are those of
//! [`EngineBuilder::check_answers`](crate::EngineBuilder::check_answers).

pub use crate::backend::provider::{
    ABI_VERSION, CAN_BN254_BASES, CAN_BN254_FFT, CAN_BN254_MSM, CAN_GOLDILOCKS, HASHES, HashCapability,
};
