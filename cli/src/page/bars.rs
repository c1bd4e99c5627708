//! Stacked bars: how wholes are divided.

use std::fmt::Write;

use super::{COLOURS, escape};

const WIDTH: f64 = 440.0;
const ROW: f64 = 36.0;
const BAR: f64 = 15.0;

/// Bars of equal length, each divided into parts.
pub(crate) struct Bars {
    /// Unique in the page.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) bars: Vec<Bar>,
}

/// One whole.
pub(crate) struct Bar {
    pub(crate) name: String,
    /// The whole as text.
    pub(crate) total: String,
    pub(crate) parts: Vec<Part>,
}

/// A part.
pub(crate) struct Part {
    /// Its colour.
    pub(crate) colour: usize,
    /// Of the whole.
    pub(crate) share: f64,
    /// What the pointer shows.
    pub(crate) tip: String,
    /// What it is in the page's data, as a path such as `measurements/3/device`, and how long.
    pub(crate) source: String,
    pub(crate) seconds: f64,
}

impl Bars {
    /// The drawing.
    pub(crate) fn svg(&self) -> String {
        let Self { id, title, description, bars } = self;
        let height = ROW * bars.len() as f64 + 4.0;
        let mut svg = format!(
            "<svg class=\"bars\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>\n",
            escape(title),
            escape(description)
        );
        for (i, Bar { name, total, parts }) in bars.iter().enumerate() {
            let top = ROW * i as f64;
            // Writing to a string does not fail.
            let _ = writeln!(
                svg,
                "<text class=\"l\" x=\"0\" y=\"{:.1}\">{}</text><text x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                top + 12.0,
                escape(name),
                top + 12.0,
                escape(total)
            );
            let mut x = 0.0;
            for Part { colour, share, tip, source, seconds } in parts {
                let (colour, wide) = (colour % COLOURS, share * WIDTH);
                let _ = write!(
                    svg,
                    "<g class=\"p c{colour}\" data-tip=\"{}\" data-source=\"{}\" data-seconds=\"{seconds}\"><rect class=\"part\" x=\"{x:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{BAR}\"/>",
                    escape(tip),
                    escape(source),
                    top + 17.0,
                    (wide - 1.0).max(0.0)
                );
                if wide > 40.0 {
                    let _ = write!(
                        svg,
                        "<text class=\"in\" x=\"{:.1}\" y=\"{:.1}\">{:.0}\u{202f}%</text>",
                        x + 6.0,
                        top + 28.5,
                        100.0 * share
                    );
                }
                svg.push_str("</g>\n");
                x += wide;
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}
