//! The same program for a single matrix, of the entries that each row reads: so any rows are a run of their own.

use std::collections::HashMap;

use super::{Access, Expression, Operand, Program};
use crate::backend::AcceleratedField;

impl<F: AcceleratedField> Program<F> {
    /// The program whose input has a column for each entry that this one reads, and these entries: the rows and the columns of inputs.
    pub(crate) fn of_entries(&self) -> (Self, Vec<(Access, usize)>) {
        let (mut entries, mut columns) = (Vec::new(), HashMap::new());
        let mut program = Self { batches: Default::default(), ..self.clone() };
        for node in &mut program.nodes {
            if let Expression::Column { matrix, column, offset } = *node {
                let entry = (Access { matrix: matrix as usize, offset }, column as usize);
                columns.insert(entry, entries.len());
                *node = Expression::Column { matrix: 0, column: entries.len() as u32, offset: 0 };
                entries.push(entry);
            }
        }
        for instruction in &mut program.code.instructions {
            if let Operand::Entry(access, column) = instruction.operand {
                instruction.operand = Operand::Entry(0, columns[&(self.code.accesses[access], column)]);
            }
        }
        if !entries.is_empty() {
            program.columns = vec![entries.len()];
            program.code.accesses = vec![Access { matrix: 0, offset: 0 }];
        }
        (program, entries)
    }
}
