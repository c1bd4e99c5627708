//! Measurements as JSON, by `zkaccel bench --from`, `--report` and `--compare`: a page is written whatever the numbers are, and texts in it stay
//! texts.

use serde_json::Value;
use zkaccel_cli::fuzzing::command;

use crate::draw::Draw;
use crate::{files, json};

/// The measurements of the command's own tests.
const FIXED: &[u8] = include_bytes!("../../../cli/src/bench/contents/fixed.json");

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let text = match draw.below(6) {
        0 => draw.bytes(400).to_vec(),
        1 => {
            let mut text = FIXED.to_vec();
            draw.mutate(&mut text);
            text
        }
        _ => {
            let mut value: Value = serde_json::from_slice(FIXED).expect("JSON");
            json::mutate(&mut draw, &mut value);
            value.to_string().into_bytes()
        }
    };
    let (new, old) = (files::write("new.json", &text), files::write("old.json", FIXED));
    let page = files::folder().join("page.html");
    let path = |path: &std::path::Path| path.to_str().expect("a plain path").to_owned();
    let _ = std::fs::remove_file(&page);
    match command(["zkaccel", "bench", "--from", &path(&new), "--report", &path(&page)]) {
        Ok(()) => {
            let page = std::fs::read_to_string(&page).expect("a page was written");
            assert!(page.ends_with("</html>\n") && !page.contains("<zkfuzz"));
            assert!(
                !page.contains("NaN") || text.windows(3).any(|part| part == b"NaN"),
                "a number that is none"
            );
        }
        Err(refusal) => assert!(refusal.status == 2 && !page.exists(), "{refusal:?}"),
    }
    if draw.flag() {
        let (from, to) = if draw.flag() { (&new, &old) } else { (&old, &new) };
        if let Err(refusal) = command(["zkaccel", "bench", "--from", &path(from), "--compare", &path(to)]) {
            assert!(matches!(refusal.status, 1 | 2), "{refusal:?}");
        }
    }
}
