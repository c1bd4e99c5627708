//! An interpreter of PTX, the assembly language of NVIDIA's GPUs, for tests of kernels where there is no GPU. It knows the instructions that the kernels of zkaccel consist
//! of, and refuses any other.
//!
//! ```text
//! parse.rs        text to instructions; parse/text.rs, statements and numbers; parse/function.rs and
//!                 parse/names.rs, bodies of functions and the names in them
//! instruction.rs  what instructions do, in a table
//! memory.rs       memory and its addresses
//! machine.rs      launches: groups, items, barriers, and the loop over instructions
//! ```
//!
//! It is stricter than a GPU. These are a [`Failure`], with the item and the instruction: an access that is not inside one buffer or variable, or is not aligned; one to what
//! another item has written while no barrier orders the two; a division by zero; items that wait for each other at different places; and what does not end. An opcode that is
//! not known, and a carry flag that is read where nothing has set it, are refused already when a program is read. Fresh memory and registers are full of a pattern.
//!
//! A crate of its own, so that it is optimised where what it tests is not.

mod instruction;
mod machine;
mod memory;
mod parse;
#[cfg(test)]
mod tests;

pub use instruction::Fault;
pub use machine::{Failure, KernelLaunch, Machine};
pub use memory::{FIRST, Memory, Space};
pub use parse::{Kernel, Program};
