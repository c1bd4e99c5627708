//! Numbers for people, with SI prefixes.

/// Three significant digits with an SI prefix, a thin space and a unit: `63.2 ms`, `1.04 G`.
pub(crate) fn si(value: f64, unit: &str) -> String {
    let (scaled, prefix) = prefixed(value);
    let digits = match scaled {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    with_unit(format!("{scaled:.digits$}"), prefix, unit)
}

/// A tick of an axis, which is 1, 2 or 5 times a power of ten: no digits that say nothing.
pub(crate) fn tick(value: f64, unit: &str) -> String {
    let (scaled, prefix) = prefixed(value);
    let rounded = scaled.round();
    let text = if (scaled - rounded).abs() < 1e-6 { format!("{rounded}") } else { format!("{scaled:.1}") };
    with_unit(text, prefix, unit)
}

fn with_unit(number: String, prefix: &str, unit: &str) -> String {
    match (prefix, unit) {
        ("", "") => number,
        // A word takes no prefix: `1.04 M merges/s`.
        _ if unit.len() > 2 && !prefix.is_empty() => format!("{number}\u{202f}{prefix}\u{a0}{unit}"),
        _ => format!("{number}\u{202f}{prefix}{unit}"),
    }
}

/// A number between 1 and 1000 and the prefix that makes it the value.
fn prefixed(value: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 8] =
        [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    if value == 0.0 {
        return (0.0, "");
    }
    // A value just below a prefix, which rounds to 1000 of the smaller one, takes the greater.
    let greatest = PREFIXES.iter().find(|(factor, _)| value >= factor * 0.9995);
    let (factor, prefix) = greatest.copied().unwrap_or((1e-9, "n"));
    (value / factor, prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, expected) in [
            (0.0632, "63.2\u{202f}ms"),
            (1.0, "1.00\u{202f}s"),
            (0.999_99, "1.00\u{202f}s"),
            (123e-6, "123\u{202f}µs"),
            (2.5e-9, "2.50\u{202f}ns"),
            (1.04e9, "1.04\u{202f}Gs"),
        ] {
            assert_eq!(si(value, "s"), expected);
        }
        assert_eq!(si(1.04e6, "merges/s"), "1.04\u{202f}M\u{a0}merges/s");
        assert_eq!(
            [tick(1e-5, "s"), tick(0.5, ""), tick(2e6, "")],
            ["10\u{202f}µs", "500\u{202f}m", "2\u{202f}M"]
        );
    }
}
