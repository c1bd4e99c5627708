//! A picture of nodes as SVG. Colours follow the reader's theme; shapes and marks tell the same without colours.

use std::collections::BTreeMap;
use std::fmt;

use zkaccel::commit::RowOpening;
use zkaccel::hash::Hasher;

use super::layout;
use super::nodes::{Node, Nodes, Part};
use crate::store::Description;

/// Distances between the middles of neighbours, and the size of a node, in pixels.
const COLUMN: f64 = 92.0;
const LEVEL: f64 = 66.0;
const BOX: (f64, f64) = (80.0, 28.0);

/// Room around the tree: for the names of levels on the left, the title above, values and the legend below.
const LEFT: f64 = 132.0;
const RIGHT: f64 = 62.0;
const TOP: f64 = 108.0;
const BOTTOM: f64 = 150.0;

/// The least width, which the legend takes.
const NARROWEST: f64 = 960.0;

/// Widths of a letter of the two lines of the title, rather too wide than too narrow.
const HEADING: f64 = 10.0;
const SUBHEADING: f64 = 7.0;

/// Opened rows that the title names.
const NAMED: usize = 8;

/// Hexadecimal digits of a digest that are shown; all are in its tooltip.
const DIGITS: usize = 8;

/// Values of a row that are shown.
const VALUES: usize = 3;

/// A picture.
pub(super) struct Picture<'a> {
    description: &'a Description,
    nodes: &'a BTreeMap<usize, Node>,
    cap_height: u32,
    heading: String,
    subheading: String,
    /// The opened rows' first values, by row.
    values: BTreeMap<usize, Vec<String>>,
    places: BTreeMap<usize, (f64, f64)>,
    /// Pixels.
    pub(super) width: u32,
    pub(super) height: u32,
}

impl<'a> Picture<'a> {
    pub(super) fn new<H: Hasher>(
        description: &'a Description,
        opening: &RowOpening<H>,
        all: &'a Nodes,
        cap_height: u32,
    ) -> Self {
        let nodes = &all.0;
        let columns = layout::columns(&|position| nodes.contains_key(&position));
        let tree = columns.values().copied().fold(0.0, f64::max) * COLUMN;
        let heading = heading(description, &opening.opening.indices, all.siblings(), cap_height);
        let subheading = subheading(description);
        let lines =
            (heading.chars().count() as f64 * HEADING).max(subheading.chars().count() as f64 * SUBHEADING);
        let width = (LEFT + tree + RIGHT).max(NARROWEST).max(lines + 32.0);
        // A narrow tree stands in the middle.
        let left = LEFT + (width - LEFT - tree - RIGHT) / 2.0;
        let depth = description.extension_rows.trailing_zeros();
        let place = |(position, column): (usize, f64)| {
            (position, (left + column * COLUMN, TOP + f64::from(position.ilog2()) * LEVEL))
        };
        let values = opening.opening.indices.iter().zip(&opening.rows);
        let values =
            values.map(|(&index, row)| (index, row.iter().take(VALUES).map(ToString::to_string).collect()));
        Self {
            description,
            nodes,
            cap_height,
            heading,
            subheading,
            values: values.collect(),
            places: columns.into_iter().map(place).collect(),
            width: width.ceil() as u32,
            height: (TOP + f64::from(depth) * LEVEL + BOTTOM).ceil() as u32,
        }
    }

    /// The lines between nodes and their children; those on the opened paths above the others.
    fn edges(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on_path = |position: usize| {
            self.nodes.get(&position).is_some_and(|node| matches!(node.part, Part::Path | Part::Opened))
        };
        for heavy in [false, true] {
            for (&position, (x, y)) in self.places.range(2..) {
                let (parent_x, parent_y) = self.places[&(position / 2)];
                if heavy == (on_path(position) && on_path(position / 2)) {
                    let class = if heavy { "edge on-path" } else { "edge" };
                    let middle = (parent_y + y) / 2.0;
                    writeln!(
                        f,
                        r#"<path class="{class}" d="M{parent_x:.1} {parent_y:.1} C{parent_x:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}"/>"#
                    )?;
                }
            }
        }
        Ok(())
    }

    fn node(&self, f: &mut fmt::Formatter<'_>, position: usize, node: &Node) -> fmt::Result {
        let (x, y) = self.places[&position];
        let leaves = self.description.extension_rows;
        let below = leaves.trailing_zeros() - position.ilog2();
        let first = (position << below) - leaves;
        let is_leaf = position >= leaves;
        let is_elided = !is_leaf && !self.nodes.contains_key(&(2 * position));
        let what = match node.part {
            Part::Opened => "opened row",
            Part::Path => "computed by the verifier",
            Part::Sibling => "sibling, carried by the proof",
            Part::Other => "not needed by the proof",
        };
        let known = match (node.known, position) {
            (true, 1) => "root, ",
            (true, _) => "digest of the cap, ",
            (false, _) => "",
        };
        let range = if is_leaf {
            format!("row {first}")
        } else {
            format!("rows {first} to {}", first + (1 << below) - 1)
        };
        writeln!(f, r#"<g class="{}{}">"#, class(node.part), if node.known { " known" } else { "" })?;
        writeln!(f, "<title>{known}{what}, {range}: {}</title>", node.digest)?;
        let (half_width, half_height) = (BOX.0 / 2.0, BOX.1 / 2.0);
        if is_elided {
            let (top, bottom) = (y + half_height, y + half_height + 16.0);
            writeln!(
                f,
                r#"<path class="elided" d="M{x:.1} {top:.1} L{:.1} {bottom:.1} H{:.1} Z"/>"#,
                x - 20.0,
                x + 20.0
            )?;
            writeln!(
                f,
                r#"<text class="small" x="{x:.1}" y="{:.1}">{}</text>"#,
                bottom + 10.0,
                count(below)
            )?;
        }
        if node.known {
            writeln!(
                f,
                r#"<rect class="ring" x="{:.1}" y="{:.1}" width="{}" height="{}" rx="8"/>"#,
                x - half_width - 4.0,
                y - half_height - 4.0,
                BOX.0 + 8.0,
                BOX.1 + 8.0
            )?;
        }
        writeln!(
            f,
            r#"<rect class="node" x="{:.1}" y="{:.1}" width="{}" height="{}" rx="5"/>"#,
            x - half_width,
            y - half_height,
            BOX.0,
            BOX.1
        )?;
        writeln!(
            f,
            r#"<text class="digest" x="{x:.1}" y="{:.1}">{}</text>"#,
            y + 4.0,
            node.digest.get(..DIGITS).unwrap_or(&node.digest)
        )?;
        if is_leaf {
            let name = if node.part == Part::Opened { "row-name opened-name" } else { "row-name" };
            let y = y + half_height + 16.0;
            writeln!(f, r#"<text class="{name}" x="{x:.1}" y="{y:.1}">row {first}</text>"#)?;
            let values = self.values.get(&first).into_iter().flatten().map(|value| short(value));
            let more = self.description.columns > VALUES && node.part == Part::Opened;
            let lines = values.chain(more.then(|| format!("… {} values", self.description.columns)));
            for (i, line) in lines.enumerate() {
                let y = y + 14.0 * (i + 1) as f64;
                writeln!(f, r#"<text class="small" x="{x:.1}" y="{y:.1}">{line}</text>"#)?;
            }
        }
        writeln!(f, "</g>")
    }

    fn levels(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depth = self.description.extension_rows.trailing_zeros();
        for level in 0..=depth {
            let y = TOP + f64::from(level) * LEVEL;
            let name = match level {
                0 => "root".into(),
                _ if level == depth => format!("{} leaves", count_of(level)),
                _ => format!("{} nodes", count_of(level)),
            };
            let (class, name) = match level == self.cap_height && level > 0 {
                true => ("level cap-level", format!("{} of the cap", count_of(level))),
                false => ("level", name),
            };
            writeln!(f, r#"<line class="rule" x1="16" x2="{}" y1="{y}" y2="{y}"/>"#, self.width - 16)?;
            writeln!(f, r#"<text class="{class}" x="16" y="{:.1}">{name}</text>"#, y - 6.0)?;
        }
        Ok(())
    }

    fn legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known =
            if self.cap_height == 0 { "root, known to the verifier" } else { "cap, known to the verifier" };
        let y = f64::from(self.height) - 30.0;
        let mut x = 16.0;
        for (class, name) in [
            ("opened", "opened row"),
            ("path", "computed by the verifier"),
            ("sibling", "sibling in the proof"),
            ("other", "not in the proof"),
            ("other known", known),
        ] {
            writeln!(f, r#"<g class="{class}">"#)?;
            if class.ends_with("known") {
                writeln!(
                    f,
                    r#"<rect class="ring" x="{:.1}" y="{:.1}" width="28" height="20" rx="6"/>"#,
                    x - 3.0,
                    y - 14.0
                )?;
            }
            writeln!(
                f,
                r#"<rect class="node" x="{x:.1}" y="{:.1}" width="22" height="14" rx="4"/>"#,
                y - 11.0
            )?;
            writeln!(f, r#"<text class="key" x="{:.1}" y="{y:.1}">{name}</text></g>"#, x + 32.0)?;
            x += 32.0 + 6.6 * name.len() as f64 + 22.0;
        }
        Ok(())
    }
}

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heading, subheading, width, height, .. } = self;
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title summary">"#
        )?;
        writeln!(f, r#"<title id="title">Opened rows in a Merkle tree</title>"#)?;
        writeln!(f, r#"<desc id="summary">{heading} {subheading}</desc>"#)?;
        writeln!(f, "<style>{}</style>", include_str!("style.css"))?;
        writeln!(f, r#"<rect class="paper" width="{width}" height="{height}"/>"#)?;
        writeln!(f, r#"<text class="heading" x="16" y="34">{heading}</text>"#)?;
        writeln!(f, r#"<text class="subheading" x="16" y="56">{subheading}</text>"#)?;
        self.levels(f)?;
        self.edges(f)?;
        for (&position, node) in self.nodes {
            self.node(f, position, node)?;
        }
        self.legend(f)?;
        writeln!(f, "</svg>")
    }
}

/// What the picture shows, in a sentence.
fn heading(description: &Description, rows: &[usize], siblings: usize, cap_height: u32) -> String {
    let Description { hash, extension_rows, .. } = description;
    let to = match cap_height {
        0 => "the root".to_owned(),
        height => format!("a cap of {} digests", 1_u64 << height),
    };
    let (siblings, lead) = match siblings {
        1 => ("1 sibling".to_owned(), "leads"),
        _ => (format!("{siblings} siblings"), "lead"),
    };
    let s = if rows.len() == 1 { "" } else { "s" };
    let named: Vec<_> = rows.iter().take(NAMED).map(ToString::to_string).collect();
    let others = rows.len() - named.len();
    let rows = match others {
        0 => named.join(", "),
        _ => format!("{} and {others} more", named.join(", ")),
    };
    format!("Merkle tree over {extension_rows} rows with {hash}. {siblings} {lead} row{s} {rows} to {to}.")
}

/// What was committed to.
fn subheading(Description { root, blowup, trace_rows, columns, .. }: &Description) -> String {
    format!("{trace_rows} rows of {columns} columns, extended {blowup} times; root {root}")
}

fn class(part: Part) -> &'static str {
    match part {
        Part::Opened => "opened",
        Part::Path => "path",
        Part::Sibling => "sibling",
        Part::Other => "other",
    }
}

/// A number of leaves below an elided node, for which there is little room.
fn count(log: u32) -> String {
    let count = count_of(log);
    if log == 0 { "1 leaf".into() } else { format!("{count} leaves") }
}

/// A power of two: as digits where these are few.
fn count_of(log: u32) -> String {
    if log <= 10 { (1_u64 << log).to_string() } else { format!("2^{log}") }
}

/// A value of up to 20 digits in the width of a node.
fn short(value: &str) -> String {
    match value.len() {
        0..=12 => value.into(),
        len => format!("{}…{}", &value[..5], &value[len - 5..]),
    }
}
