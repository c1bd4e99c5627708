//! The suite's results as JSON and as a page.

use serde_json::Value;

use crate::support::Bench;

#[test]
fn classes_of_failures() {
    let bench = Bench::new();
    let text = bench.succeed("selftest --only leaf --json out.json --report page.html");
    assert!(
        text.contains("ok     every leaf changes the root, blake3") && text.contains("0 failed"),
        "{text}"
    );
    let report: Value = serde_json::from_slice(&bench.read("out.json")).unwrap();
    assert_eq!((report["schema"].as_u64(), report["failed"].as_u64()), (Some(1), Some(0)));
    let classes = report["classes"].as_array().unwrap();
    let class = classes.iter().find(|class| class["id"] == "hash-parameters").unwrap();
    let cases = report["cases"].as_array().unwrap();
    // All of these cases belong to it, and those of other operations are not told of.
    assert_eq!(class["cases"].as_array().unwrap().len(), cases.len());
    assert_eq!(class["passed"].as_u64(), Some(cases.len() as u64));
    assert!(classes.iter().all(|class| class["id"] != "skew"));

    let page = String::from_utf8(bench.read("page.html")).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data, report);
    for words in ["This device agrees with the reference", "<h3>hash-parameters</h3>", "ProjectZKM/Ziren#524"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("What differs") && !page.contains("http:") && !page.contains("https:"));
    assert_eq!(bench.json("selftest --only leaf")["passed"], report["passed"]);
}

#[test]
fn bad_outputs() {
    let bench = Bench::new();
    bench.fail("selftest --only leaf --report -  --json", "both go to standard output");
    bench.fail("selftest --only leaf --report none/page.html", "cannot write none/page.html");
    bench.fail("selftest --only nonsense --json out.json", "no case has");
    assert!(bench.list(".").is_empty());
}

#[test]
fn random_work_for_a_time() {
    let bench = Bench::new();
    let text = bench.succeed("selftest --for 1s --device cpu --threads 2");
    assert!(
        text.contains(" answers as the reference's, ") && text.contains("no difference after "),
        "{text}"
    );
    for bad in ["5", "0s", "1d", "s", "99999999999999999999h", "9999999999999999999h"] {
        bench.fail(&format!("selftest --for {bad}"), "expected a time such as 90s, 15m or 1h");
    }
}
