//! What `bench` writes for programs: JSON of a schema, comparisons, and pages.

use serde_json::{Value, json};

use crate::support::{Bench, assert_failure};

/// The schema as it is published.
fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/bench.schema.json")).unwrap()
}

/// Checks a value against a schema, for the keywords of JSON Schema that the published one uses. Others are refused, so that none is
/// passed over.
fn check(schema: &Value, value: &Value, root: &Value, at: &str) -> Result<(), String> {
    let number = |limit: &Value| (value.as_f64().unwrap_or(f64::NAN), limit.as_f64().unwrap());
    for (keyword, expected) in schema.as_object().unwrap() {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = expected.as_str().unwrap().strip_prefix('#').unwrap();
                check(root.pointer(pointer).unwrap(), value, root, at)?;
                true
            }
            "type" => match expected.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_u64(),
                "number" => value.is_number(),
                other => return Err(format!("the type {other}")),
            },
            "const" => value == expected,
            "enum" => expected.as_array().unwrap().contains(value),
            "minimum" => number(expected).0 >= number(expected).1,
            "exclusiveMinimum" => number(expected).0 > number(expected).1,
            "minItems" => {
                value.as_array().is_some_and(|items| items.len() as u64 >= expected.as_u64().unwrap())
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(expected, item, root, &format!("{at}/{i}"))?;
                }
                true
            }
            "required" => {
                let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                expected.as_array().unwrap().iter().all(has)
            }
            "properties" => {
                for (name, property) in expected.as_object().unwrap() {
                    if let Some(inner) = value.get(name) {
                        check(property, inner, root, &format!("{at}/{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(expected, false);
                let known = schema["properties"].as_object().unwrap();
                value.as_object().is_some_and(|object| object.keys().all(|name| known.contains_key(name)))
            }
            other => return Err(format!("{at}: the keyword {other}")),
        };
        if !holds {
            return Err(format!("{at}: {keyword} {expected} does not hold of {value}"));
        }
    }
    Ok(())
}

fn assert_valid(report: &Value) {
    let schema = schema();
    check(&schema, report, &schema, "").unwrap();
}

/// A small report of every operation, kept for the other tests of this file.
fn measured() -> Bench {
    let bench = Bench::new();
    bench.succeed("bench --sizes 3,4 --device cpu --json old.json");
    bench
}

fn read(bench: &Bench, name: &str) -> Value {
    serde_json::from_slice(&bench.read(name)).unwrap()
}

/// A file whose times are so many times those of another.
fn scaled(bench: &Bench, name: &str, factor: f64) {
    let mut report = read(bench, "old.json");
    for row in report["measurements"].as_array_mut().unwrap() {
        for time in ["min", "lower_quartile", "median", "upper_quartile", "max"] {
            let field = format!("{time}_seconds");
            row[&field] = json!(row[&field].as_f64().unwrap() * factor);
        }
    }
    bench.write(name, report.to_string().as_bytes());
}

#[test]
fn json_is_of_the_published_schema() {
    let bench = measured();
    let report = read(&bench, "old.json");
    assert_valid(&report);
    let operations: std::collections::BTreeSet<_> = report["measurements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["operation"].as_str().unwrap())
        .collect();
    assert_eq!(operations.len(), 15);
    assert_valid(&bench.json("bench msm --sizes 4 --tables --pinned"));
    if std::env::var("ZKACCEL_REQUIRE").is_ok_and(|required| required.contains("opencl:0")) {
        let report = bench.json("bench ntt --sizes 12 --device cpu,opencl:0 --each");
        assert_valid(&report);
        let rows = report["measurements"].as_array().unwrap();
        assert_eq!([&rows[0]["device"], &rows[1]["device"]], ["cpu", "opencl:0"]);
        // All of the column goes there and comes back.
        assert_eq!([&rows[1]["bytes_in"], &rows[1]["bytes_out"]], [8 << 12, 8 << 12]);
        assert!(rows[1]["transfer_seconds"].as_f64().unwrap() > 0.0);
        assert!(rows[0].get("bytes_in").is_none());
        let ceilings = &report["devices"][1]["ceilings"];
        assert!(ceilings["upload_gigabytes_per_second"].as_f64().unwrap() > 0.0, "{ceilings}");
        assert!(ceilings["goldilocks_products_per_second"].as_f64().unwrap() > 1e6, "{ceilings}");
    }
    // The check finds what is wrong.
    for (pointer, wrong) in [
        ("/schema", json!(2)),
        ("/measurements/0/median_seconds", json!("1 s")),
        ("/measurements/0/operation", json!("sort")),
        ("/machine/threads", json!(-1)),
        ("/measurements/0", json!({})),
    ] {
        let mut broken = report.clone();
        *broken.pointer_mut(pointer).unwrap() = wrong;
        assert!(check(&schema(), &broken, &schema(), "").is_err(), "{pointer}");
    }
}

#[test]
fn comparisons() {
    let bench = measured();
    let same = bench.succeed("bench --from old.json --compare old.json");
    assert!(same.contains("0 slower, 0 faster"), "{same}");
    scaled(&bench, "faster.json", 0.01);
    scaled(&bench, "slower.json", 100.0);
    let faster = bench.succeed("bench --from old.json --compare slower.json");
    assert!(faster.contains("faster") && faster.contains("0.010"), "{faster}");
    let output = bench.run("bench --from old.json --compare faster.json");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("SLOWER"));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.starts_with("error: ") && stderr.contains("slower than before, expected none"),
        "{stderr}"
    );
    // What was measured now, beside times that nothing reaches.
    let output = bench.run("bench ntt --sizes 4 --device cpu --compare faster.json");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("only in faster.json"));
    // JSON on standard output stays JSON.
    let output = bench.run("bench --from old.json --compare slower.json --json");
    assert_eq!(output.status.code(), Some(0));
    assert_valid(&serde_json::from_slice(&output.stdout).unwrap());
    assert!(String::from_utf8(output.stderr).unwrap().contains("faster"));
}

#[test]
fn another_machine_is_told() {
    let bench = measured();
    scaled(&bench, "other.json", 0.01);
    let mut other = read(&bench, "other.json");
    other["machine"]["processor"] = json!("an abacus");
    bench.write("other.json", other.to_string().as_bytes());
    let text = bench.succeed("bench --from old.json --compare other.json");
    assert!(text.contains("another machine, so nothing is judged") && text.contains("an abacus"), "{text}");
}

#[test]
fn files_that_cannot_be_compared() {
    let bench = measured();
    let mut report = read(&bench, "old.json");
    // Numbers that no measurement gives, and of which no axis of a figure would have an end.
    for (file, pointer, value) in [
        ("instant.json", "/measurements/0/median_seconds", json!(1e-320)),
        ("vast.json", "/measurements/0/log_size", json!(u32::MAX)),
        ("negative.json", "/measurements/0/rate", json!(-1.0)),
        ("still.json", "/devices/0/ceilings/copy_gigabytes_per_second", json!(0.0)),
    ] {
        let mut report = report.clone();
        *report.pointer_mut(pointer).unwrap() = value;
        bench.write(file, report.to_string().as_bytes());
    }
    report["schema"] = json!(2);
    bench.write("newer.json", report.to_string().as_bytes());
    report.as_object_mut().unwrap().remove("schema");
    bench.write("none.json", report.to_string().as_bytes());
    bench.write("text.json", b"median 3 ms");
    bench.write("broken.json", br#"{"schema": 1, "version": "0"}"#);
    for (file, expected) in [
        ("newer.json", "found schema 2, expected schema 1"),
        ("none.json", "found no \"schema\", expected schema 1"),
        ("text.json", "expected the JSON that `zkaccel bench --json` writes"),
        ("broken.json", "missing field `machine`"),
        ("missing.json", "cannot open missing.json"),
        ("instant.json", "measurement 0: seconds: found 1e-320, expected a number from 1e-9 to 1e9"),
        ("vast.json", "measurement 0: found the size 2^4294967295, expected at most 2^63"),
        ("negative.json", "measurement 0: rates: found -1e0, expected a number from 0e0 to 1e21"),
        ("still.json", "device 0, ceilings: found 0e0, expected a number from 1e-3 to 1e21"),
    ] {
        bench.fail(&format!("bench ntt --sizes 3 --compare {file}"), expected);
        bench.fail(&format!("bench --from {file} --report page.html"), expected);
    }
    let output = bench.run("bench ntt --sizes 5 --device cpu --compare old.json");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("none of which was measured now"));
    bench.fail("bench --from old.json --report - --json", "standard output has the JSON");
    bench.fail("bench --report ntt", "write `bench ntt --report FILE`");
    assert!(!bench.list(".").contains(&"page.html".into()));
}

/// The page has the JSON of its own measurements, and one that is drawn from a file is the same.
#[test]
fn pages() {
    let bench = Bench::new();
    let text = bench.succeed("bench --sizes 3,4 --device cpu --json new.json --report page.html");
    assert!(text.ends_with("wrote page.html\n"), "{text}");
    let page = String::from_utf8(bench.read("page.html")).unwrap();
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    assert_eq!(serde_json::from_str::<Value>(data).unwrap(), read(&bench, "new.json"));
    assert!(bench.succeed("bench --from new.json --report -") == page);
    assert_eq!(bench.list("."), ["new.json", "page.html"]);
    let output = bench.run("bench ntt --sizes 33 --report page.html");
    assert_failure(&output, 2, "found 2^33", "a page is kept when nothing was measured");
    assert!(bench.read("page.html") == page.as_bytes());
}
