//! The CPU backend: all cores through rayon.

mod merkle;
mod ntt;

use super::{Clock, Transforms};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::ntt::{Lde, Ntt};

/// The CPU backend. Its operations run on the thread pool from which they are called.
#[derive(Debug)]
pub struct Cpu;

impl Clock for Cpu {}

impl Transforms for Cpu {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        ntt::ntt(ntt, data, width);
        Ok(())
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        ntt::lde(lde, input, width, output);
        Ok(())
    }
}
