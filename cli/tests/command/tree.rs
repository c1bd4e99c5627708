//! Pictures of trees: what they show is what the proof carries.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Bench, ROOT, npy};

/// The digests of nodes of a class in a picture, from their tooltips; the legend's have none.
fn digests(svg: &str, class: &str) -> BTreeSet<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let groups = document.descendants().filter(|node| node.has_tag_name("g"));
    let of_class = groups.filter(|group| {
        group.attribute("class").is_some_and(|classes| classes.split(' ').any(|name| name == class))
    });
    let titles = of_class.filter_map(|group| {
        let title = group.children().find(|child| child.has_tag_name("title"))?;
        Some(title.text().unwrap().rsplit(' ').next().unwrap().to_owned())
    });
    titles.collect()
}

fn draw(bench: &Bench, arguments: &str) -> (String, Value) {
    let report = bench.json(&format!("tree store --svg tree.svg {arguments}"));
    let svg = String::from_utf8(bench.read("tree.svg")).unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{arguments}");
    (svg, report)
}

#[test]
fn siblings_are_those_of_the_proof() {
    let bench = Bench::proved();
    let proof: Value = serde_json::from_slice(&bench.read("proof.json")).unwrap();
    let carried: BTreeSet<String> =
        proof["siblings"].as_array().unwrap().iter().map(|digest| digest.as_str().unwrap().into()).collect();
    let (svg, report) = draw(&bench, "--rows 3,77");
    assert_eq!(digests(&svg, "sibling"), carried);
    assert_eq!((report["siblings"].as_u64(), report["rows"].as_array().unwrap().len()), (Some(12), 2));
    assert_eq!(digests(&svg, "known"), BTreeSet::from([ROOT.into()]));
    assert_eq!(digests(&svg, "opened").len(), 2);
    // Two paths of eight nodes that part below the root; of 128 leaves, subtrees are elided.
    assert_eq!(digests(&svg, "path").len(), 1 + 2 * 6);
    assert!(svg.contains("16 leaves") && svg.contains("12 siblings lead rows 3, 77 to the root"));

    // With a cap, siblings above it are not carried.
    let (svg, report) = draw(&bench, "--rows 3,77 --cap-height 2");
    assert_eq!(report["siblings"], 10);
    assert!(digests(&svg, "sibling").is_subset(&carried));
    assert_eq!(digests(&svg, "known").len(), 4);
    assert!(
        svg.contains("4 of the cap") && svg.contains("10 siblings lead rows 3, 77 to a cap of 4 digests")
    );

    // Every row of the tree: nothing is carried, everything is shown.
    let all: Vec<_> = (0..64).map(|row| row.to_string()).collect();
    let (svg, report) = draw(&bench, &format!("--rows {}", all.join(",")));
    assert_eq!((report["siblings"].as_u64(), digests(&svg, "opened").len()), (Some(1), 64));
    assert!(svg.contains("and 56 more"));
}

#[test]
fn small_trees_are_whole() {
    let bench = Bench::new();
    bench.write("trace.npy", &npy("(2, 1)", &[5, 7]));
    bench.succeed("commit trace.npy --out store");
    let (svg, _) = draw(&bench, "--rows 3");
    let nodes: usize =
        ["opened", "path", "sibling", "other"].iter().map(|class| digests(&svg, class).len()).sum();
    assert_eq!(nodes, 31);
    assert!(!svg.contains(r#"class="elided""#));
    // The cap of all leaves: the opened one leads to itself.
    let (svg, report) = draw(&bench, "--rows 3 --cap-height 4");
    assert_eq!((report["siblings"].as_u64(), digests(&svg, "known").len()), (Some(0), 16));
}

#[test]
fn bad_input() {
    let bench = Bench::stored();
    let tree = "tree store --svg tree.svg";
    for (arguments, expected) in [
        (format!("{tree} --rows 128"), "128"),
        (format!("{tree} --rows 3,3"), "3"),
        (format!("{tree} --rows ,"), "--rows"),
        (format!("{tree} --rows 3 --cap-height 7"), "--cap-height: found 7, expected at most 6"),
        ("tree - --rows 3 --svg tree.svg".into(), "expected a folder"),
        ("tree store --rows 3 --svg none/tree.svg".into(), "cannot write none/tree.svg"),
    ] {
        bench.fail(&arguments, expected);
    }
    let all: Vec<_> = (0..65).map(|row| row.to_string()).collect();
    bench.fail(&format!("{tree} --rows {}", all.join(",")), "found 65 rows, expected at most 64");
    // A node that only the picture reads is checked too.
    let mut bytes = bench.read("store/tree.bin");
    let at = bytes.len() - (2 * 128 - 6) * 32;
    bytes[at] ^= 1;
    bench.write("store/tree.bin", &bytes);
    bench.succeed("open store --rows 3 --out proof.json");
    bench.fail(&format!("{tree} --rows 3 --cap-height 2"), "store is damaged");
    assert_eq!(bench.list("."), ["proof.json", "store", "trace.npy"]);
}
