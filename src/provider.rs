//! What a third party's shared library tells of itself when it is a device, `provider:PATH`: the numbers of the C interface.
//!
//! Whatever exports the functions of `zkaccel.h` computes like any other device. It need not have all of them: it tells what it can
//! do, and the rest is [`Error::Unsupported`](crate::Error::Unsupported). Its answers are copied back only when they are canonical
//! and it has reported success; more than that is seen by the tests that
//! [`EngineBuilder::check_answers`](crate::EngineBuilder::check_answers) adds.

pub use crate::backend::provider::{
    ABI_VERSION, CAN_BN254_BASES, CAN_BN254_FFT, CAN_BN254_MSM, CAN_GOLDILOCKS, HASHES, HashCapability,
};
