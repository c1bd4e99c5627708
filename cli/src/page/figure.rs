//! Figures with captions and tables, and tables by themselves.

use std::fmt::Write;

use super::{COLOURS, chart, escape};

/// A figure: one drawing or two side by side.
pub(crate) struct Figure {
    /// Unique in the page.
    pub(crate) id: String,
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// How to read it.
    pub(crate) caption: String,
    /// The drawings.
    pub(crate) panels: Vec<String>,
    pub(crate) legend: Vec<Entry>,
    /// The same values.
    pub(crate) table: Table,
}

/// A line of a legend.
pub(crate) struct Entry {
    pub(crate) colour: usize,
    pub(crate) hollow: bool,
    pub(crate) text: String,
}

/// A table; texts are not HTML.
pub(crate) struct Table {
    /// What it shows.
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

/// A row of a table.
pub(crate) struct Row {
    /// What it shows of the page's data, as a path such as `measurements/3`.
    pub(crate) source: Option<String>,
    pub(crate) cells: Vec<String>,
}

impl From<Vec<String>> for Row {
    fn from(cells: Vec<String>) -> Self {
        Self { source: None, cells }
    }
}

/// A column.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) numeric: bool,
}

/// Columns of texts and, after a `#`, of numbers.
pub(crate) fn columns<const N: usize>(names: [&'static str; N]) -> Vec<Column> {
    let column =
        |name: &'static str| Column { name: name.trim_start_matches('#'), numeric: name.starts_with('#') };
    names.map(column).into_iter().collect()
}

impl Figure {
    /// The figure with its number in the page.
    pub(crate) fn html(&self, number: usize) -> String {
        let Self { id, title, caption, panels, legend, table } = self;
        let mut html = format!(
            "<figure id=\"{id}\">\n<figcaption><strong><span class=\"no\">Figure {number}</span> {}</strong> {}</figcaption>\n",
            escape(title),
            escape(caption)
        );
        if !legend.is_empty() {
            html.push_str("<ul class=\"legend\">\n");
            for Entry { colour, hollow, text } in legend {
                let (colour, hollow) = (colour % COLOURS, if *hollow { " hollow" } else { "" });
                // Writing to a string does not fail.
                let _ = writeln!(
                    html,
                    "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\" class=\"c{colour}{hollow}\"><path class=\"mark\" d=\"{}\"/></svg>{}</li>",
                    chart::mark(colour, 6.0, 6.0),
                    escape(text)
                );
            }
            html.push_str("</ul>\n");
        }
        let class = if panels.len() > 1 { "panels two" } else { "panels" };
        let _ = writeln!(html, "<div class=\"{class}\">\n{}</div>", panels.concat());
        let _ = writeln!(
            html,
            "<details><summary>Values of figure {number}</summary>\n{}</details>\n</figure>",
            table.html()
        );
        html
    }
}

impl Table {
    pub(crate) fn html(&self) -> String {
        // Outside of what scrolls, so that it is as wide as the page and not as the table.
        let caption = escape(&self.caption);
        let mut html = format!(
            "<p class=\"about\">{caption}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
             <table aria-label=\"{caption}\">\n<thead><tr>"
        );
        let class = |column: &Column| if column.numeric { " class=\"num\"" } else { "" };
        for column in &self.columns {
            // Writing to a string does not fail.
            let _ = write!(html, "<th scope=\"col\"{}>{}</th>", class(column), escape(column.name));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for Row { source, cells } in &self.rows {
            let source = source
                .as_ref()
                .map_or_else(String::new, |source| format!(" data-source=\"{}\"", escape(source)));
            let _ = write!(html, "<tr{source}>");
            for (i, (column, text)) in self.columns.iter().zip(cells).enumerate() {
                let (class, text) = (class(column), escape(text));
                let _ = match i {
                    0 => write!(html, "<th scope=\"row\"{class}>{text}</th>"),
                    _ => write!(html, "<td{class}>{text}</td>"),
                };
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>\n");
        html
    }
}
