//! Proofs as JSON, by `zkaccel verify`: whatever becomes of a proof, it is verified only if it tells what is true, and refused with status 1 or 2.

use serde_json::Value;
use zkaccel_cli::fuzzing::command;

use crate::draw::Draw;
use crate::stored::{COLUMNS, ROWS, STORED};
use crate::{files, json};

pub fn seeds() -> Vec<Vec<u8>> {
    STORED.iter().zip(0..).map(|(stored, i)| [&[i, 0][..], &stored.proof].concat()).collect()
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let stored = &STORED[draw.below(2)];
    let text = match draw.below(4) {
        0 => draw.rest().to_vec(),
        1 => {
            let mut text = stored.proof.clone();
            draw.mutate(&mut text);
            text
        }
        _ => {
            let mut value: Value = serde_json::from_slice(&stored.proof).expect("JSON");
            json::mutate(&mut draw, &mut value);
            value.to_string().into_bytes()
        }
    };
    let path = files::write("proof.json", &text);
    let (rows, columns) = (ROWS.to_string(), COLUMNS.to_string());
    let arguments = ["zkaccel", "verify", path.to_str().expect("a plain path"), "--root", &stored.root];
    let pins = ["--expect-hash", stored.hash, "--expect-rows", &rows, "--expect-columns", &columns];
    match command(arguments.into_iter().chain(pins)) {
        Ok(()) => stored.assert_true(&text),
        Err(refusal) => {
            assert!(matches!(refusal.status, 1 | 2), "{refusal:?}");
            assert!(!refusal.line.is_empty() && !refusal.line.contains(char::is_control), "{refusal:?}");
            assert!(text != stored.proof, "{refusal:?}");
        }
    }
}
