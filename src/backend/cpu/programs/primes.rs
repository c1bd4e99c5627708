//! Row programs over prime fields: residues side by side, which stay in the form in which they are multiplied from one instruction to the next.

use std::marker::PhantomData;

use super::{Block, ROWS, Row, Side, for_each_block, interpret};
use crate::backend::cpu::Cpu;
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::{Residues, load, on_residues};
use crate::backend::cpu::simd::Vectorised;
use crate::backend::{AcceleratedField, Programs};
use crate::error::Error;
use crate::field::prime::{residues, residues_mut};
use crate::field::{MontgomeryField, TwoAdic};
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
        on_residues!(self.simd, F, vectors, {
            run_on(vectors, program, rows, inputs, (constants, outputs));
        });
        Ok(())
    }
}

fn run_on<R: Residues<Field: AcceleratedField>>(
    vectors: PhantomData<R>,
    program: &Program<R::Field>,
    rows: ProgramRows,
    inputs: &[MatrixRef<'_, R::Field>],
    data: (&[R::Field], &mut [R::Field]),
) {
    // A block has as many vectors as its rows fill.
    match R::WIDTH {
        1 => run_by::<R, ROWS>(vectors, program, rows, inputs, data),
        MAX_WIDTH => run_by::<R, { ROWS / MAX_WIDTH }>(vectors, program, rows, inputs, data),
        width => unreachable!("vectors of {width} residues"),
    }
}

fn run_by<R: Residues<Field: AcceleratedField>, const N: usize>(
    _: PhantomData<R>,
    program: &Program<R::Field>,
    rows: ProgramRows,
    inputs: &[MatrixRef<'_, R::Field>],
    data: (&[R::Field], &mut [R::Field]),
) {
    let empty = SideBySide::<R, N>::splat(R::Field::ZERO);
    for_each_block(program, rows, inputs, data, empty, |mut block| {
        R::enter(OnResidues::<R, N>(&mut block));
    });
}

/// A block on vectors of a level.
struct OnResidues<'b, 'r, 'a, R: Residues, const N: usize>(&'b mut Block<'r, 'a, R::Field, [R::Sum; N]>);

impl<R: Residues<Field: AcceleratedField>, const N: usize> Vectorised<R> for OnResidues<'_, '_, '_, R, N> {
    #[inline(always)]
    fn run(self) {
        interpret::<SideBySide<R, N>>(self.0);
    }
}

/// N vectors of residues, each below 2p.
struct SideBySide<R, const N: usize>(PhantomData<R>);

impl<R: Residues<Field: AcceleratedField>, const N: usize> Side for SideBySide<R, N> {
    type Element = R::Field;
    type Row = [R::Sum; N];

    #[inline(always)]
    fn splat(element: R::Field) -> Self::Row {
        let element = residues(std::slice::from_ref(&element))[0];
        [R::gather([&element; MAX_WIDTH]); N]
    }

    #[inline(always)]
    fn load<'x>(from: &'x Row<R::Field>, space: &'x mut Self::Row) -> &'x Self::Row {
        let from = residues(from);
        for (i, to) in space.iter_mut().enumerate() {
            *to = load::<R>(&from[i * R::WIDTH..], 1);
        }
        space
    }

    #[inline(always)]
    fn store(from: &Self::Row) -> Row<R::Field> {
        let mut to = [R::Field::ZERO; ROWS];
        for (to, &values) in residues_mut(&mut to).chunks_mut(R::WIDTH).zip(from) {
            to.copy_from_slice(&R::rows(R::canonical(R::below_2p(values)))[..R::WIDTH]);
        }
        to
    }

    #[inline(always)]
    fn add(to: &mut Self::Row, rhs: &Self::Row) {
        for i in 0..N {
            to[i] = R::below_2p(R::butterfly(to[i], rhs[i])[0]);
        }
    }

    #[inline(always)]
    fn sub(to: &mut Self::Row, rhs: &Self::Row) {
        for i in 0..N {
            to[i] = R::below_2p(R::butterfly(to[i], rhs[i])[1]);
        }
    }

    #[inline(always)]
    fn sub_from(to: &mut Self::Row, rhs: &Self::Row) {
        for i in 0..N {
            to[i] = R::below_2p(R::butterfly(rhs[i], to[i])[1]);
        }
    }

    #[inline(always)]
    fn mul(to: &mut Self::Row, rhs: &Self::Row) {
        for i in 0..N {
            to[i] = R::times(to[i], rhs[i]);
        }
    }

    #[inline(always)]
    fn add_scaled(to: &mut Self::Row, rhs: &Self::Row, factor: R::Field) {
        let factor = Self::splat(factor)[0];
        for i in 0..N {
            to[i] = R::below_2p(R::butterfly(to[i], R::times(rhs[i], factor))[0]);
        }
    }
}
