//! Makes `examples/data/trace.npy`: the execution trace of a small register machine that counts primes.
//!
//! ```text
//! cargo run --release --example trace [-- FILE]
//! ```
//!
//! The machine has four registers and runs the program below: trial division of 2, 3, 4, ... until the trace is full.
//! A row is the machine before one step, as ten field elements: clock, program counter, opcode, the three operands
//! and the four registers. The same program always gives the same bytes.

use std::io;

use npyz::WriterBuilder;

/// Steps of the trace: a power of two.
pub(crate) const STEPS: usize = 2048;

/// Entries of a row.
pub(crate) const COLUMNS: usize = 10;

/// What an instruction does with its operands a, b, c.
#[derive(Clone, Copy)]
enum Opcode {
    /// r[a] = b.
    Set,
    /// r[a] += b.
    Add,
    /// r[a] = r[b].
    Copy,
    /// r[a] -= r[b].
    Subtract,
    /// Continue at c.
    Jump,
    /// Continue at c if r[a] = b.
    JumpIfConstant,
    /// Continue at c if r[a] = r[b].
    JumpIfEqual,
    /// Continue at c if r[a] < r[b].
    JumpIfLess,
}

use Opcode::*;

/// r0 counts primes, r1 is the candidate, r2 the divisor, r3 the remainder.
const PROGRAM: [(Opcode, u64, u64, u64); 14] = [
    (Set, 0, 0, 0),
    (Set, 1, 2, 0),
    // 2: for each candidate, divisors from 2 upwards.
    (Set, 2, 2, 0),
    // 3: a divisor that has reached the candidate proves it prime.
    (JumpIfEqual, 1, 2, 11),
    (Copy, 3, 1, 0),
    // 5: the remainder, by subtraction.
    (JumpIfLess, 3, 2, 8),
    (Subtract, 3, 2, 0),
    (Jump, 0, 0, 5),
    // 8: no remainder, no prime.
    (JumpIfConstant, 3, 0, 12),
    (Add, 2, 1, 0),
    (Jump, 0, 0, 3),
    // 11: a prime.
    (Add, 0, 1, 0),
    // 12: the next candidate.
    (Add, 1, 1, 0),
    (Jump, 0, 0, 2),
];

/// Runs the machine and returns its trace, row by row.
pub(crate) fn trace() -> Vec<u64> {
    let (mut counter, mut registers) = (0, [0u64; 4]);
    let mut rows = Vec::with_capacity(STEPS * COLUMNS);
    for clock in 0..STEPS as u64 {
        let (opcode, a, b, c) = PROGRAM[counter as usize];
        rows.extend([clock, counter, opcode as u64, a, b, c]);
        rows.extend(registers);
        let register = |operand: u64| registers[operand as usize];
        let (mut value, mut jump) = (register(a), false);
        match opcode {
            Set => value = b,
            Add => value += b,
            Copy => value = register(b),
            Subtract => value -= register(b),
            Jump => jump = true,
            JumpIfConstant => jump = value == b,
            JumpIfEqual => jump = value == register(b),
            JumpIfLess => jump = value < register(b),
        }
        registers[a as usize] = value;
        counter = if jump { c } else { counter + 1 };
    }
    rows
}

/// The trace as an .npy file: `<u8`, C order, shape (rows, columns).
pub(crate) fn npy() -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let shape = [STEPS as u64, COLUMNS as u64];
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(&mut file).begin_nd()?;
    writer.extend(trace())?;
    writer.finish()?;
    Ok(file)
}

#[allow(dead_code, reason = "the test of this example includes the file for its functions")]
fn main() -> io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("examples/data/trace.npy".into());
    std::fs::write(&path, npy()?)?;
    let trace = trace();
    let (primes, candidate) = (trace[(STEPS - 1) * COLUMNS + 6], trace[(STEPS - 1) * COLUMNS + 7]);
    println!("{path}: {STEPS} steps, {primes} primes below {candidate}");
    Ok(())
}
