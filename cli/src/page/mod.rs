//! Self-contained HTML pages with figures.
//!
//! A page is one file: styles, figures and data stand in it, and its content security policy lets no request leave. Figures are SVG
//! that is written here, so that equal data give equal bytes; colours are classes, which the styles set for light and dark themes and
//! for paper. Every figure has a caption, a description for screen readers, and a table with the same values. The one script shows
//! values under the pointer; nothing is lost without it.

pub(crate) mod bars;
pub(crate) mod chart;
pub(crate) mod figure;
pub(crate) mod frame;
mod labels;
pub(crate) mod number;
mod scale;

/// The number of colours and marks of series; more begin again.
pub(crate) const COLOURS: usize = 8;

/// A text as it may stand in HTML, between tags and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
