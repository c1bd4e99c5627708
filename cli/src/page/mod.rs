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

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: &str = include_str!("style.css");

    /// The relative luminance of a colour `#rrggbb`, as the Web Content Accessibility Guidelines 2.2 define it.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The colour of a name in one of the two themes.
    fn colour(theme: usize, name: &str) -> &'static str {
        let block = STYLE.split(":root {").nth(theme + 1).unwrap().split('}').next().unwrap();
        let (_, value) = block.split_once(&format!("{name}: ")).unwrap();
        &value[..7]
    }

    #[test]
    fn texts_contrast_with_their_backgrounds() {
        for theme in 0..2 {
            let paper = colour(theme, "--paper");
            let series = (0..COLOURS).map(|i| format!("--c{i}"));
            for name in series.chain(["--ink", "--soft", "--link"].map(String::from)) {
                let found = contrast(colour(theme, &name), paper);
                assert!(found >= 4.5, "theme {theme}, {name}: {found:.2}");
            }
            // Texts in bars.
            for i in 0..COLOURS {
                let found = contrast(colour(theme, &format!("--c{i}")), colour(theme, "--on"));
                assert!(found >= 4.5, "theme {theme}, text on colour {i}: {found:.2}");
            }
        }
        assert!((contrast("#ffffff", "#000000") - 21.0).abs() < 1e-9);
    }

    #[test]
    fn the_script_is_small() {
        assert!(include_str!("hover.js").len() <= 2048);
    }

    #[test]
    fn what_html_would_take_for_its_own_is_escaped() {
        assert_eq!(escape("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    }
}
