//! Charts with two logarithmic axes: lines, single marks, and the ceilings of rooflines.

use std::fmt::Write;

use super::labels::{Area, LINE, Placer, spread, width};
use super::scale::Scale;
pub(crate) use super::scale::Ticks;
use super::{COLOURS, escape};

/// The size of the drawing in its own units; a page scales it to the room it has.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 320.0;

/// The plot's distance from the edges.
const LEFT: f64 = 56.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;

/// A chart.
pub(crate) struct Chart {
    /// Unique in the page.
    pub(crate) id: String,
    /// What is drawn, in a few words; it stands above the vertical axis too.
    pub(crate) title: String,
    /// The same in a sentence or two, for those who do not see it.
    pub(crate) description: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    pub(crate) roofs: Vec<Roof>,
}

/// An axis.
pub(crate) struct Axis {
    pub(crate) title: String,
    pub(crate) ticks: Ticks,
}

/// Points of one kind.
pub(crate) struct Series {
    /// Stands beside the end of a line; empty where no name is needed.
    pub(crate) name: String,
    /// Its colour and mark.
    pub(crate) colour: usize,
    pub(crate) style: Style,
    pub(crate) points: Vec<Point>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Joined by a line.
    Line,
    /// Joined by a dashed line.
    Dashed,
    /// Single, filled.
    Marks,
    /// Single, hollow.
    Hollow,
}

/// A point.
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The quartiles of the values that `y` is the median of.
    pub(crate) spread: Option<[f64; 2]>,
    /// What the pointer shows.
    pub(crate) tip: String,
    /// Stands beside the point if there is room.
    pub(crate) label: Option<String>,
    pub(crate) source: Source,
}

/// Where the value of a point comes from.
pub(crate) enum Source {
    /// The page's data, in which this is a path such as `measurements/3/rate`.
    Data(String),
    /// Elsewhere; the drawing has the value itself.
    Elsewhere,
}

/// A ceiling.
pub(crate) struct Roof {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// The shape of a ceiling.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// At most so much for each unit of x, up to the highest flat ceiling.
    Slope(f64),
    /// At most so much.
    Flat(f64),
}

impl Chart {
    /// The drawing.
    pub(crate) fn svg(&self) -> String {
        let names = self.series.iter().filter(|series| series.is_line());
        let longest = names.map(|series| width(&series.name)).fold(0.0, f64::max);
        let right = WIDTH - if longest > 0.0 { longest + 20.0 } else { 14.0 };
        let (x, y) = self.scales(right);
        let Self { id, title, description, .. } = self;
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\" \
             data-x=\"{:.6} {:.6} {:.1} {:.1}\" data-y=\"{:.6} {:.6} {:.1} {:.1}\">\n\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>\n",
            x.low,
            x.high,
            x.from,
            x.to,
            y.low,
            y.high,
            y.from,
            y.to,
            escape(title),
            escape(description)
        );
        self.axes(&mut svg, x, y, right);
        let mut placer = Placer::new(Area { left: LEFT + 2.0, top: TOP, right, bottom: HEIGHT - BOTTOM });
        for (px, py) in self.points().map(|point| (x.at(point.x), y.at(point.y))) {
            placer.take(Area::around(px, py, 5.0));
        }
        self.roofs(&mut svg, x, y, &mut placer);
        for series in &self.series {
            series.draw(&mut svg, x, y);
        }
        self.names(&mut svg, x, y, right);
        for series in &self.series {
            for point in &series.points {
                let Some(label) = &point.label else { continue };
                let Some(at) = placer.place(x.at(point.x), y.at(point.y), label) else { continue };
                let (text, colour, anchor) = (escape(label), series.colour % COLOURS, at.anchor);
                let _ = writeln!(
                    svg,
                    "<text class=\"n c{colour}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>",
                    at.x,
                    at.y + 4.0
                );
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    fn scales(&self, right: f64) -> (Scale, Scale) {
        let flats = || {
            self.roofs.iter().filter_map(|roof| match roof.shape {
                Shape::Flat(rate) => Some(rate),
                Shape::Slope(_) => None,
            })
        };
        // Where the slopes meet the highest flat ceiling.
        let highest = flats().fold(0.0, f64::max);
        let ridges = self.roofs.iter().filter_map(|roof| match roof.shape {
            Shape::Slope(bandwidth) if highest > 0.0 => Some(highest / bandwidth),
            _ => None,
        });
        let x = Scale::over(self.points().map(|point| point.x).chain(ridges), LEFT, right, 0.05);
        let values =
            self.points().flat_map(|point| [point.y].into_iter().chain(point.spread.into_iter().flatten()));
        let y = Scale::over(values.chain(flats()), HEIGHT - BOTTOM, TOP, 0.06);
        (x, y)
    }

    fn axes(&self, svg: &mut String, x: Scale, y: Scale, right: f64) {
        let bottom = HEIGHT - BOTTOM;
        for (value, text) in y.ticks(self.y.ticks) {
            let at = y.at(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 7.0,
                at + 4.0,
                raised(&text)
            );
        }
        for (value, text) in x.ticks(self.x.ticks) {
            let at = x.at(value);
            let _ = writeln!(
                svg,
                "<path class=\"tick\" d=\"M{at:.1} {bottom:.1}v5\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 19.0,
                raised(&text)
            );
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {bottom:.1}H{right:.1}\"/>\
             <text class=\"h\" x=\"0\" y=\"13\">{}</text>\
             <text class=\"a\" x=\"{right:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            escape(&self.y.title),
            HEIGHT - 7.0,
            escape(&self.x.title)
        );
    }

    /// Ceilings, below everything else, with their names.
    fn roofs(&self, svg: &mut String, x: Scale, y: Scale, placer: &mut Placer) {
        let power = |log: f64| 10_f64.powf(log);
        let mut slopes = 0;
        for Roof { name, shape } in &self.roofs {
            let (from, to, label) = match *shape {
                Shape::Flat(rate) => {
                    let at = y.at(rate);
                    // Beside the line, where no point lies; were there no such place, at its end.
                    let (end, middle, start) = (x.to - 9.0, (x.from + x.to) / 2.0, x.from + 9.0);
                    let places = [(end, "end"), (middle, "middle"), (start, "start")];
                    let places = [-9.0, 9.0].map(|dy| places.map(|(x, anchor)| (x, at + dy, anchor)));
                    let place = placer.first_free(places.as_flattened(), name);
                    let place =
                        place.map_or((end, at - 9.0, "end"), |found| (found.x, found.y, found.anchor));
                    ((x.from, at), (x.to, at), place)
                }
                Shape::Slope(bandwidth) => {
                    // From where it enters the plot to where it leaves it.
                    let low = power(x.low).max(power(y.low) / bandwidth);
                    let high = power(x.high).min(power(y.high) / bandwidth);
                    if low >= high {
                        continue;
                    }
                    let (from, to) =
                        ((x.at(low), y.at(low * bandwidth)), (x.at(high), y.at(high * bandwidth)));
                    // Above the plot, where the line leaves it: the first to its left, the others below each other to its right.
                    slopes += 1;
                    let label = match slopes {
                        1 => ((to.0 + 4.0).max(width(name)), to.1 - 9.0, "end"),
                        later => (to.0 + 6.0, to.1 - 9.0 + LINE * f64::from(later - 2), "start"),
                    };
                    (from, to, label)
                }
            };
            let class = if matches!(shape, Shape::Flat(_)) { "roof" } else { "roof slope" };
            let _ = writeln!(
                svg,
                "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                from.0, from.1, to.0, to.1
            );
            let (at, y, anchor) = label;
            let _ = writeln!(
                svg,
                "<text class=\"r\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                y + 4.0,
                escape(name)
            );
        }
    }

    /// The names of lines, at their right ends.
    fn names(&self, svg: &mut String, x: Scale, y: Scale, right: f64) {
        let lines: Vec<_> = self.series.iter().filter(|series| series.is_line()).collect();
        let ends: Vec<_> = lines
            .iter()
            .filter_map(|series| series.points.last())
            .map(|point| (x.at(point.x), y.at(point.y)))
            .collect();
        let wanted: Vec<f64> = ends.iter().map(|end| end.1).collect();
        let heights = spread(&wanted, TOP, HEIGHT - BOTTOM);
        for ((series, (px, py)), at) in lines.iter().zip(&ends).zip(heights) {
            let colour = series.colour % COLOURS;
            let _ = writeln!(
                svg,
                "<path class=\"lead c{colour}\" d=\"M{:.1} {py:.1}L{:.1} {at:.1}\"/>\
                 <text class=\"n c{colour}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                px + 5.0,
                right + 10.0,
                right + 13.0,
                at + 4.0,
                escape(&series.name)
            );
        }
    }
}

impl Series {
    /// Whether its name stands at its end.
    fn is_line(&self) -> bool {
        matches!(self.style, Style::Line | Style::Dashed) && !self.name.is_empty() && !self.points.is_empty()
    }

    fn draw(&self, svg: &mut String, x: Scale, y: Scale) {
        let colour = self.colour % COLOURS;
        let style = match self.style {
            Style::Line | Style::Marks => "",
            Style::Dashed => " dashed",
            Style::Hollow => " hollow",
        };
        let _ = writeln!(svg, "<g class=\"s c{colour}{style}\">");
        if matches!(self.style, Style::Line | Style::Dashed) {
            let mut path = String::new();
            for (i, point) in self.points.iter().enumerate() {
                let command = if i == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{:.1} {:.1}", x.at(point.x), y.at(point.y));
            }
            let _ = writeln!(svg, "<path class=\"line\" d=\"{path}\"/>");
        }
        for point in &self.points {
            let (px, py) = (x.at(point.x), y.at(point.y));
            let source = match &point.source {
                Source::Data(path) => {
                    format!("data-source=\"{}\" data-px=\"{px:.2}\" data-py=\"{py:.2}\"", escape(path))
                }
                Source::Elsewhere => format!("data-size=\"{}\" data-value=\"{}\"", point.x, point.y),
            };
            let _ = write!(svg, "<g class=\"p\" data-tip=\"{}\" {source}>", escape(&point.tip));
            if let Some([low, high]) = point.spread {
                let _ =
                    write!(svg, "<path class=\"spread\" d=\"M{px:.1} {:.1}V{:.1}\"/>", y.at(low), y.at(high));
            }
            let _ = writeln!(
                svg,
                "<circle class=\"hit\" cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"10\"/><path class=\"mark\" d=\"{}\"/></g>",
                mark(colour, px, py)
            );
        }
        svg.push_str("</g>\n");
    }
}

/// The outline of the mark that goes with a colour, so that colour is never all that tells series apart.
pub(super) fn mark(colour: usize, x: f64, y: f64) -> String {
    let steps = match colour % COLOURS {
        0 => "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
        1 => "m-3.3 -3.3h6.6v6.6h-6.6z",
        2 => "m0 -4.4l4.2 7.4h-8.4z",
        3 => "m0 -4.8l4.2 4.8l-4.2 4.8l-4.2 -4.8z",
        4 => "m0 4.4l4.2 -7.4h-8.4z",
        5 => "m-1.3 -4.3h2.6v3h3v2.6h-3v3h-2.6v-3h-3v-2.6h3z",
        6 => "m-4.4 0l7.4 -4.2v8.4z",
        _ => "m-2 -4.4h4l2.6 4.4l-2.6 4.4h-4l-2.6 -4.4z",
    };
    format!("M{x:.1} {y:.1}{steps}")
}

/// A text with the exponent after `^` raised.
fn raised(text: &str) -> String {
    match text.split_once('^') {
        Some((base, exponent)) => {
            format!("{}<tspan class=\"sup\" dy=\"-4\">{}</tspan>", escape(base), escape(exponent))
        }
        None => escape(text),
    }
}
