//! Rooflines: what operations reach of what their device could do.

use super::lines::{Indexed, is_best_approach, lines, path, select, tip};
use super::over::Over;
use super::shares::title;
use super::{Figures, Words};
use crate::bench::report::{Device, Field, Measurement, Report};
use crate::page::chart::{Axis, Chart, Point, Roof, Series, Shape, Source, Style, Ticks};
use crate::page::escape;
use crate::page::figure::{Entry, Figure, Row, Table, columns};
use crate::page::frame::Section;
use crate::page::number::si;

/// The section, with a figure for each device.
pub(super) fn section(report: &Report, figures: &mut Figures) -> Section {
    let introduction = "<p>To the right an operation multiplies more for each byte that it must move; upwards it multiplies faster. The slopes \
         are what the memory and the link allow. The level lines are the library\u{2019}s general products, measured in chains that stay in \
         registers; an operation whose numbers have a form of their own, such as the squarings of Rescue Prime, may multiply faster than \
         that. Products and bytes are those that the operation needs, not those that a device happens to spend.</p>\n";
    let body: String = report
        .devices
        .iter()
        .enumerate()
        .map(|(number, device)| roofline(report, device, number, figures))
        .collect();
    let body = match body.as_str() {
        "" => "<p>No operation of this report consists of products.</p>\n".into(),
        body if body.contains("<figure") => format!("{introduction}{body}"),
        _ => body,
    };
    Section { id: "roofline", title: "Rooflines".into(), body }
}

fn roofline(report: &Report, device: &Device, number: usize, figures: &mut Figures) -> String {
    let chosen = |run: &Measurement| {
        run.device == device.id && run.products.is_some_and(|it| it.count > 0) && is_best_approach(run)
    };
    let largest: Vec<Indexed<'_>> =
        lines(&select(report, chosen)).iter().filter_map(|line| line.points.last().copied()).collect();
    if largest.is_empty() {
        return String::new();
    }
    // Their rates of copies are means and those of products sums, and an operation need not be divided among them.
    if device.is_several() {
        return format!(
            "<p>{} is several devices, which have no roofline together. With <code>--each</code> they are measured one after the other, and each has its own.</p>\n",
            escape(&device.id)
        );
    }
    let on_device = largest.iter().any(|(_, run)| run.on_device.is_some());
    let mut all = Vec::new();
    for (colour, factors) in Factors::ALL.into_iter().enumerate() {
        let of_field = || largest.iter().copied().filter(|(_, run)| Factors::of(run) == Some(factors));
        // Labels go to what the kernels reach, where that is known.
        let caller = of_field().map(|indexed| point(indexed, indexed.1.median_seconds, !on_device));
        let style = if on_device { Style::Hollow } else { Style::Marks };
        all.push(Series { name: String::new(), colour, style, points: caller.collect() });
        let kernels = of_field().filter_map(|indexed| {
            let time = indexed.1.on_device.as_ref()?.device_median_seconds;
            Some(point(indexed, time, true))
        });
        all.push(Series { name: String::new(), colour, style: Style::Marks, points: kernels.collect() });
    }
    all.retain(|series| !series.points.is_empty());
    let title = format!("Roofline of {}", device.id);
    let chart = Chart {
        id: format!("roofline-{number}"),
        title: "Products a second".into(),
        description: format!(
            "Products a second against products for each byte, both axes logarithmic, with the ceilings of {}; the table has the values.",
            device.description
        ),
        x: Axis { title: "products for each byte".into(), ticks: Ticks::Plain },
        y: Axis { title: "Products a second".into(), ticks: Ticks::Decimal("") },
        series: all,
        roofs: roofs(device, &largest),
    };
    let mut legend = Vec::new();
    let mut unmeasured = Vec::new();
    for (colour, factors) in Factors::ALL.into_iter().enumerate() {
        let Some(name) = factors.name(&largest) else { continue };
        for (hollow, seen) in [(false, "on the device"), (true, "as the caller sees it")] {
            if on_device || !hollow {
                let seen = if on_device { format!(", {seen}") } else { String::new() };
                legend.push(Entry { colour, hollow, text: format!("products over {name}{seen}") });
            }
        }
        if factors.per_second(device).is_none() {
            unmeasured.push(name);
        }
    }
    let unmeasured = match unmeasured.as_slice() {
        [] => String::new(),
        names => format!(
            " The rate of products over {} was not measured on this device, so there is no level line.",
            names.join(" and ")
        ),
    };
    figures.html(&Figure {
        id: format!("figure-roofline-{number}"),
        title: title.clone(),
        caption: format!(
            "{}; each operation at its greatest size. Small data that stay in a cache may lie above the slope of the memory.{unmeasured}",
            device.description
        ),
        panels: vec![chart.svg()],
        legend,
        table: Table {
            caption: format!("{title}: what operations need, and what they reach"),
            columns: columns([
                "Operation",
                "#Products",
                "#Bytes",
                "#Products for each byte",
                "#Products a second",
                "#The same on the device",
                "#Of the lower ceiling",
            ]),
            rows: largest
                .iter()
                .map(|&(index, run)| Row { source: Some(path(index)), cells: row(run, device) })
                .collect(),
        },
    })
}

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factors {
    Goldilocks,
    /// Elements of either prime field of BN254.
    Bn254,
    /// Elements of other fields of as many words, whose rate of products is not among the ceilings.
    Others,
}

impl Factors {
    const ALL: [Self; 3] = [Self::Goldilocks, Self::Bn254, Self::Others];

    fn of(run: &Measurement) -> Option<Self> {
        Some(match run.products?.field {
            Field::Goldilocks => Self::Goldilocks,
            Field::Bn254 if Over::of(&run.subject).is_some_and(Over::multiplies_in_bn254) => Self::Bn254,
            Field::Bn254 => Self::Others,
        })
    }

    /// The name of the fields, if any of the measurements has such products.
    fn name(self, runs: &[Indexed<'_>]) -> Option<String> {
        let mut of_these = runs.iter().filter(|(_, run)| Self::of(run) == Some(self)).peekable();
        of_these.peek()?;
        Some(match self {
            Self::Goldilocks => "Goldilocks".into(),
            Self::Bn254 => "a prime field of BN254".into(),
            Self::Others => {
                let mut names: Vec<String> = of_these
                    .filter_map(|(_, run)| match Over::of(&run.subject)? {
                        Over::Curve(curve) => Some(format!("the coordinates of {curve}")),
                        over => Some(over.name().into()),
                    })
                    .collect();
                names.dedup();
                names.join(" and ")
            }
        })
    }

    fn per_second(self, device: &Device) -> Option<f64> {
        match self {
            Self::Goldilocks => device.ceilings.goldilocks_products_per_second,
            Self::Bn254 => device.ceilings.bn254_products_per_second,
            Self::Others => None,
        }
    }
}

/// Products, bytes, and products for each byte.
fn work(run: &Measurement) -> (f64, f64, f64) {
    let products = run.products.map_or(0.0, |products| products.count as f64);
    (products, run.bytes as f64, products / run.bytes as f64)
}

fn point((index, run): Indexed<'_>, time: f64, labelled: bool) -> Point {
    let (products, _, intensity) = work(run);
    let rate = products / time;
    let subject = &run.subject;
    let variant = subject.hash.map(|hash| hash.to_string()).or_else(|| subject.scalars.clone());
    let short = match (subject.operation.as_str(), variant) {
        // Trees are known by their hashes.
        ("merkle", Some(hash)) => hash,
        ("commit", _) | (_, None) => subject.operation.clone(),
        (operation, Some(variant)) => format!("{operation} {variant}"),
    };
    let words = Words::of(&subject.operation);
    let tip = format!(
        "{}\n{} at {intensity:.2} products for each byte",
        tip(&title(run), words.items, run),
        si(rate, "products/s")
    );
    Point {
        x: intensity,
        y: rate,
        spread: None,
        tip,
        label: labelled.then_some(short),
        source: Source::Data(format!("{}/products/count", path(index))),
    }
}

/// The ceilings of a device that concern these measurements.
fn roofs(device: &Device, runs: &[Indexed<'_>]) -> Vec<Roof> {
    let ceilings = &device.ceilings;
    let mut roofs = Vec::new();
    let slope = |name: &str, rate: f64| Roof {
        name: format!("{name} {rate:.0}\u{202f}GB/s"),
        shape: Shape::Slope(rate * 1e9),
    };
    roofs.extend(ceilings.copy_gigabytes_per_second.map(|rate| slope("memory", rate)));
    if let (Some(upload), Some(download)) =
        (ceilings.upload_gigabytes_per_second, ceilings.download_gigabytes_per_second)
    {
        // Two lines where they can be told apart.
        match upload.max(download) / upload.min(download) {
            ratio if ratio < 1.5 => roofs.push(slope("link, each way,", (upload + download) / 2.0)),
            _ => roofs.extend([slope("link to the device", upload), slope("link from it", download)]),
        }
    }
    for (factors, name) in [(Factors::Goldilocks, "Goldilocks"), (Factors::Bn254, "BN254")] {
        let has = runs.iter().any(|(_, run)| Factors::of(run) == Some(factors));
        roofs.extend(factors.per_second(device).filter(|_| has).map(|rate| Roof {
            name: format!("{name}, {}", si(rate, "products/s")),
            shape: Shape::Flat(rate),
        }));
    }
    roofs
}

fn row(run: &Measurement, device: &Device) -> Vec<String> {
    let (products, bytes, intensity) = work(run);
    let on_device = run.on_device.as_ref().map(|it| it.device_median_seconds);
    let memory = device.ceilings.copy_gigabytes_per_second.map(|rate| rate * 1e9 * intensity);
    // Without the rate of products it is not known which of the two is the lower one.
    let multipliers = Factors::of(run).and_then(|factors| factors.per_second(device));
    let ceiling = multipliers.map(|rate| memory.map_or(rate, |slope| slope.min(rate)));
    let best = products / on_device.unwrap_or(run.median_seconds);
    let dash = || "\u{2013}".to_owned();
    vec![
        title(run),
        si(products, ""),
        si(bytes, "B"),
        format!("{intensity:.2}"),
        si(products / run.median_seconds, "/s"),
        on_device.map_or_else(dash, |time| si(products / time, "/s")),
        ceiling.map_or_else(dash, |ceiling| format!("{:.0}\u{202f}%", 100.0 * best / ceiling)),
    ]
}
