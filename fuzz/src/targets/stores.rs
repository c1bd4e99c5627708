//! Stored commitments, by `zkaccel open` and `zkaccel tree`: whatever becomes of the files, a proof is written only if it tells what is true.

use serde_json::Value;
use zkaccel_cli::fuzzing::command;

use crate::draw::Draw;
use crate::stored::{NAMES, ROWS, STORED};
use crate::{files, json};

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let stored = &STORED[draw.below(2)];
    let folder = files::folder().join("store");
    std::fs::create_dir_all(&folder).expect("a folder");
    let which = draw.below(8);
    for (number, (name, contents)) in NAMES.iter().zip(&stored.files).enumerate() {
        let path = folder.join(name);
        let mut contents = contents.clone();
        match (which, number) {
            (1..4, 0) => {
                let mut value: Value = serde_json::from_slice(&contents).expect("JSON");
                json::mutate(&mut draw, &mut value);
                contents = value.to_string().into_bytes();
            }
            (4, 0) | (5, 1) | (6, 2) => draw.mutate(&mut contents),
            (7, _) if draw.below(4) == 3 => {
                let _ = std::fs::remove_file(path);
                continue;
            }
            (7, _) => draw.mutate(&mut contents),
            _ => {}
        }
        std::fs::write(path, contents).expect("files can be written");
    }
    let rows = match draw.below(8) {
        7 => String::from_utf8_lossy(draw.bytes(30)).replace('\0', ""),
        _ => (0..1 + draw.below(5)).map(|_| draw.below(ROWS).to_string()).collect::<Vec<_>>().join(","),
    };
    let (proof, picture) = (files::folder().join("opened.json"), files::folder().join("tree.svg"));
    let path = |path: &std::path::Path| path.to_str().expect("a plain path").to_owned();
    let rows = format!("--rows={rows}");
    let _ = std::fs::remove_file(&proof);
    let opened = command(["zkaccel", "open", &path(&folder), &rows, "--out", &path(&proof)]);
    match &opened {
        Ok(()) => stored.assert_true(&std::fs::read(&proof).expect("a proof was written")),
        Err(refusal) => assert!(refusal.status == 2 && !proof.exists(), "{refusal:?}"),
    }
    if draw.below(4) == 0 {
        let height = draw.below(8).to_string();
        let drawn = command([
            "zkaccel",
            "tree",
            &path(&folder),
            &rows,
            "--svg",
            &path(&picture),
            "--cap-height",
            &height,
        ]);
        match drawn {
            Ok(()) => {
                assert!(opened.is_ok());
                let picture = std::fs::read_to_string(&picture).expect("a picture was written");
                assert!(picture.starts_with('<') && !picture.contains(json::MARK));
            }
            Err(refusal) => assert_eq!(refusal.status, 2, "{refusal:?}"),
        }
    }
}
