//! Tests of the interpreter.

mod launches;
mod semantics;

use std::sync::atomic::AtomicU64;

use super::machine::{Failure, KernelLaunch, Machine};
use super::memory::{FIRST, Memory};
use super::parse::Program;

/// Executes the first kernel of a text in so many groups of so many items.
fn launch(
    text: &str,
    (groups, group): (usize, usize),
    parameters: &[u64],
    buffers: &[&Memory],
) -> Result<(), String> {
    let program = Program::parse(text)?;
    let kernel = program.kernels.values().next().expect("the text has a kernel");
    let clock = &AtomicU64::new(FIRST);
    let work =
        KernelLaunch { program: &program, kernel, groups, group, parameters, buffers, clock, lenient: false };
    Machine::default().launch(&work).map_err(|failure| {
        let Failure { group, item, at, fault } = failure;
        format!("item {item} of group {group}, {}: {fault}", program.statement(at))
    })
}
