//! Constants as text for kernels.

use std::fmt::{Display, Write};

/// A macro.
pub(super) fn define(text: &mut String, name: &str, value: impl Display) {
    writeln!(text, "#define {name} {value}").expect("strings take any text");
}

/// A constant array of `u32` or `u64`.
pub(super) fn array(kind: &str, name: &str, values: &[u64]) -> String {
    let suffix = if kind == "u32" { "U" } else { "UL" };
    let line = |line: &[u64]| line.iter().map(|value| format!("{value:#x}{suffix}, ")).collect::<String>();
    let lines = values.chunks(12).map(line);
    let body = lines.map(|line| format!("    {}\n", line.trim_end())).collect::<String>();
    format!("CONSTANT {kind} {name}[{}] = {{\n{body}}};\n", values.len())
}
