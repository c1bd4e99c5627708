//! The page of fixed measurements: a CPU and an OpenCL device, and texts that HTML must not take for its own.

use std::collections::BTreeSet;
use std::str::FromStr;

use clap::ValueEnum;
use serde_json::json;

use super::{OPERATIONS, page};
use crate::bench::plan::Operation;
use crate::bench::report::{Measurement, Report, Subject};
use crate::hashes::HashName;

fn fixed() -> Report {
    serde_json::from_str(include_str!("fixed.json")).unwrap()
}

/// The parts of a text between a beginning and an end.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    text.split(begin).skip(1).filter_map(|part| part.split(end).next()).collect()
}

/// Names and attributes of the tags, in order; what stands in scripts and styles is left out.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, mut next) = after.split_once('>').unwrap();
        tags.push(tag);
        for raw in ["script", "style"] {
            if tag.split_whitespace().next() == Some(raw) {
                next = &next[next.find(&format!("</{raw}>")).unwrap()..];
            }
        }
        rest = next;
    }
    tags
}

#[test]
fn every_operation_has_words() {
    let names = Operation::value_variants().iter().map(|operation| operation.name());
    assert!(names.eq(OPERATIONS.iter().map(|words| words.operation)));
}

#[test]
fn elements_are_nested() {
    let page = page(&fixed()).unwrap();
    let mut open = Vec::new();
    for tag in tags(&page) {
        let name = tag.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{tag}"),
            None if name == "!DOCTYPE" || name == "meta" || tag.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn references_lead_somewhere_in_the_page() {
    let page = page(&fixed()).unwrap();
    let ids = between(&page, " id=\"", "\"");
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "an id occurs twice");
    let labels = between(&page, "aria-labelledby=\"", "\"");
    let links = between(&page, "href=\"", "\"");
    assert!(labels.len() > 10 && links.len() > 8);
    for id in labels.iter().flat_map(|ids| ids.split(' ')) {
        assert!(unique.contains(&id), "{id}");
    }
    for link in links {
        assert!(link.strip_prefix('#').is_some_and(|id| unique.contains(&id)), "{link}");
    }
    for loading in [" src=", "@import", "url(", "<link", "<img", "<iframe"] {
        assert!(!page.contains(loading), "{loading}");
    }
}

#[test]
fn figures_have_captions_descriptions_and_tables() {
    let page = page(&fixed()).unwrap();
    let figures = between(&page, "<figure ", "</figure>");
    assert!(figures.len() >= 15, "{}", figures.len());
    for (number, figure) in (1..).zip(&figures) {
        assert!(figure.contains(&format!("Figure {number}<")), "{figure}");
        assert!(figure.contains("<details>") && figure.contains("<th scope=\"row\""), "{figure}");
        let drawings = between(figure, "<svg class=\"", "</svg>");
        assert!(!drawings.is_empty(), "{figure}");
        for drawing in drawings {
            assert!(
                drawing.contains("role=\"img\"") && drawing.contains("<title ") && drawing.contains("<desc ")
            );
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }
    for expected in
        ["Roofline of cpu", "Where the time goes on opencl:0", "Approaches on opencl:0", "SYCL levels, V100"]
    {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn every_measurement_is_drawn_and_stands_in_a_table() {
    let report = fixed();
    let page = page(&report).unwrap();
    let sources: BTreeSet<_> = between(&page, "data-source=\"", "\"").into_iter().collect();
    for (index, run) in report.measurements.iter().enumerate() {
        assert!(sources.contains(format!("measurements/{index}/median_seconds").as_str()), "{run:?}");
        let least = crate::page::number::si(run.min_seconds, "s");
        assert!(page.contains(&format!("<td class=\"num\">{least}</td>")), "{least}");
    }
}

/// What `tools/report/probe.js` compares with the data in a browser.
#[test]
fn bars_rows_and_published_marks_tell_their_values() {
    let report = fixed();
    let page = page(&report).unwrap();
    let timed = |run: &Measurement| run.on_device.is_some();
    let index = report.measurements.iter().position(timed).unwrap();
    let ntt = |run: &Measurement| timed(run) && run.subject.operation == "ntt" && run.subject.log_size == 16;
    let largest = report.measurements.iter().position(ntt).unwrap();
    let device = report.measurements[largest].on_device.as_ref().unwrap().device_median_seconds;
    for expected in [
        format!("<tr data-source=\"measurements/{index}\">"),
        format!("data-source=\"measurements/{largest}/device\" data-seconds=\"{device}\""),
        format!("data-source=\"measurements/{largest}/transfers\""),
        format!("data-source=\"measurements/{largest}/rest\""),
        "data-size=\"1048576\" data-value=\"0.016\"".into(),
    ] {
        assert!(page.contains(&expected), "{expected}");
    }
}

#[test]
fn equal_measurements_give_equal_pages() {
    assert!(page(&fixed()).unwrap() == page(&fixed()).unwrap());
}

/// Descriptions of hardware come from drivers, and a file of `--from` may come from anywhere.
#[test]
fn texts_stay_texts() {
    let page = page(&fixed()).unwrap();
    assert!(page.contains("a processor &lt;fast&gt; &amp; &quot;wide&quot;"));
    assert!(!page.contains("<fast>") && !page.contains("<script>alert"));
    // The contents' own script, and the data, which come back whole.
    assert_eq!(page.matches("<script").count(), 2);
    let data = between(&page, "id=\"data\">", "</script>")[0];
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data, serde_json::to_value(fixed()).unwrap());
}

/// The fixed report of one operation on the processor, its subject changed.
fn only(operation: &str, change: impl Fn(&mut Subject)) -> String {
    let mut report = fixed();
    report.devices.truncate(1);
    report.measurements.retain(|run| run.device == "cpu" && run.subject.operation == operation);
    report.measurements.iter_mut().for_each(|run| change(&mut run.subject));
    let page = page(&report).unwrap();
    // What stands outside of the data.
    page.split("id=\"data\">").next().unwrap().into()
}

#[test]
fn curves_and_fields_are_those_that_were_measured() {
    let page = only("msm", |subject| subject.curve = Some("pallas".into()));
    for expected in [
        ">Multi-scalar multiplication over pallas</h2>",
        "MSM over pallas, 2\u{b9}\u{b2}",
        ">Multi-scalar multiplication over pallas: all values</p>",
        "MSM over pallas, uniform",
        "products over the coordinates of pallas",
        "The rate of products over the coordinates of pallas was not measured",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    for wrong in ["MSM over BN254", "bn254", "prime field of BN254", ">BN254, "] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    let page = only("fft", |subject| subject.field = Some("bls12-381-fr".into()));
    for expected in [
        ">Transforms over bls12-381-fr</h2>",
        "<th scope=\"row\">FFT over bls12-381-fr</th>",
        "products over bls12-381-fr",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    assert!(!page.contains("FFT over BN254") && !page.contains("BN254\u{2019}s scalars"));
    // The first of the lists, which the data leave out.
    let page = only("msm", |_| ());
    assert!(page.contains("MSM over bn254-g1") && page.contains("a prime field of BN254"));
    assert!(page.contains(">BN254, ") && !page.contains(">Goldilocks, "));
}

#[test]
fn one_hash_is_named() {
    let page = only("merkle", |subject| subject.hash = HashName::from_str("blake3").ok());
    for expected in [
        "</span> Merkle trees with blake3 on cpu</strong>",
        ">Merkle trees with blake3 on cpu: all values</p>",
        "<th scope=\"row\">Merkle tree with blake3</th>",
        ">Merkle trees with blake3</h2>",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
}

#[test]
fn several_devices_as_one_have_no_roofline() {
    let mut report = fixed();
    let work = ["opencl:0", "opencl:1"].map(|device| json!({ "device": device, "operations": [] }));
    report.devices[1].work = serde_json::from_value(json!(work)).unwrap();
    let page = page(&report).unwrap();
    assert!(page.contains("Roofline of cpu") && !page.contains("Roofline of opencl:0"));
    assert!(page.contains(
        "<p>opencl:0 is several devices, which have no roofline together. With <code>--each</code>"
    ));
    report.devices.remove(0);
    report.measurements.retain(|run| run.device == "opencl:0");
    assert!(!super::page(&report).unwrap().contains("The level lines are"));
}

/// Without a device that tells its time, without products, and without any measurement at all there is still a page.
#[test]
fn little_data_make_a_page() {
    let mut report = fixed();
    report.devices.truncate(1);
    report.measurements.retain(|run| run.device == "cpu" && run.subject.log_size == 10);
    assert!(page(&report).unwrap().contains("nothing is transferred"));
    report.measurements.retain(|run| run.products.is_none());
    assert!(page(&report).unwrap().contains("No operation of this report consists of products"));
    report.measurements.clear();
    assert!(!page(&report).unwrap().contains("<figure"));
}
