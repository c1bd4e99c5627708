//! One program with all targets; the environment variable `FUZZ_TARGET` names the one that runs.
//!
//! A target is a function of the fuzzer's bytes that panics where something is wrong. One program and not one for each target, since
//! compiling and linking the library with a sanitizer takes most of the time. With `FUZZ_SEEDS=DIR` instead, the seeds of all targets are written
//! to folders of `DIR`; with `FUZZ_LIST=1` the names of the targets are printed, each with the largest length of its inputs.
#![no_main]

mod domains;
mod draw;
mod engines;
mod files;
mod hashes;
mod json;
mod multiples;
mod signals;
mod stored;
mod targets;

use std::path::Path;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use targets::{TARGETS, Target};

static TARGET: OnceLock<&Target> = OnceLock::new();

fn initialise() {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    if variable("FUZZ_LIST").is_some() {
        TARGETS.iter().for_each(|target| println!("{} {}", target.name, target.max_len));
        std::process::exit(0);
    }
    if let Some(folder) = variable("FUZZ_SEEDS") {
        write_seeds(Path::new(&folder)).expect("seeds can be written");
        std::process::exit(0);
    }
    let name = variable("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    let target = TARGETS.iter().find(|target| target.name == name);
    let target =
        target.unwrap_or_else(|| panic!("no target {name}, expected one of those that FUZZ_LIST=1 prints"));
    TARGET.set(target).ok().expect("initialised once");
}

fn write_seeds(folder: &Path) -> std::io::Result<()> {
    for target in TARGETS {
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().into_iter().enumerate() {
            assert!(seed.len() <= target.max_len, "{}: a seed of {} bytes", target.name, seed.len());
            std::fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}

fuzz_target!(init: initialise(), |data: &[u8]| {
    let target = TARGET.get().expect("initialised");
    signals::restore();
    (target.run)(data);
});
