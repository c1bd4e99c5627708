//! Row programs over prime fields, an element at a time.

use super::{Block, Side, for_each_block, interpret};
use crate::backend::cpu::Cpu;
use crate::backend::{AcceleratedField, Programs};
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::matrix::MatrixRef;
use crate::program::{Program, ProgramRows};

impl<F: MontgomeryField + AcceleratedField> Programs<F> for Cpu {
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, F>],
        constants: &[F],
        outputs: &mut [F],
    ) -> Result<(), Error> {
        let run = |mut block: Block<'_, '_, F>| interpret::<One<F>>(&mut block);
        for_each_block(program, rows, inputs, constants, outputs, run);
        Ok(())
    }
}

/// An element.
#[derive(Clone, Copy)]
struct One<F>(F);

impl<F: MontgomeryField + AcceleratedField> Side for One<F> {
    type Element = F;
    const WIDTH: usize = 1;

    fn splat(element: F) -> Self {
        Self(element)
    }

    fn load(from: &[F]) -> Self {
        Self(from[0])
    }

    fn store(self, to: &mut [F]) {
        to[0] = self.0;
    }

    fn add(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }

    fn sub(self, rhs: Self) -> Self {
        Self(self.0 - rhs.0)
    }

    fn mul(self, rhs: Self) -> Self {
        Self(self.0 * rhs.0)
    }
}
