//! Makes and checks the PTX that zkaccel carries in `kernels/ptx/`.
//!
//! - `zkaccel-ptx make <libnvrtc.so>` compiles every program whose text has changed, compresses the PTX and records from what it was
//!   made.
//! - `zkaccel-ptx check <ptxas>` assembles for several architectures what has changed, prints registers, stack and spills of its kernels, records
//!   them in `resources.txt`, and fails if any kernel, or a function that it calls, spills more than it may.
//!
//! Neither needs a GPU. `tools/make-ptx.sh` and `tools/check-ptx.sh` fetch the pinned compilers and call it.

mod nvrtc;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use zkaccel::kernels::{PTX_OPTIONS, Program, programs};

/// Architectures to assemble for: the oldest served, the commonest of gaming cards, the measured one.
const ARCHITECTURES: [&str; 3] = ["sm_80", "sm_89", "sm_90"];

/// Programs whose functions may spill, each so many bytes that it stores or loads at most: of sums of two points each takes 96 registers, before a product begins. docs/performance/msm-gpu.md has what
/// was tried.
const MAY_SPILL: [(&str, u64); 6] = [
    ("msm_sum_bls12-381-g2", 1300),
    ("msm_tables_bls12-381-g2", 400),
    ("msm_sum_bls12-377-g2", 1300),
    ("msm_tables_bls12-377-g2", 400),
    ("msm_sum_bw6-761-g1", 1300),
    ("msm_tables_bw6-761-g1", 400),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", library] => make(Path::new(library)),
        ["check", assembler] => check(assembler),
        _ => Err("usage: zkaccel-ptx make <libnvrtc.so> | check <ptxas>".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("zkaccel-ptx: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Where the PTX is kept.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/ptx")
}

fn make(library: &Path) -> Result<(), String> {
    let compiler = nvrtc::Compiler::load(library)?;
    let directory = directory();
    let text = |error: std::io::Error| format!("{}: {error}", directory.display());
    fs::create_dir_all(&directory).map_err(text)?;
    // Those that were made from the same text by the same compiler stay.
    let before = fs::read_to_string(directory.join("made-from.txt")).unwrap_or_default();
    let mut made_from = String::new();
    let mut list = String::from("// Made by tools/make-ptx.sh.\n&[\n");
    for program in programs() {
        let (file, key) = (
            directory.join(format!("{}.ptx.z", program.name)),
            format!("{} {}", program.name, program.ptx_key()),
        );
        if !file.exists() || !before.lines().any(|line| line == key) {
            let ptx = compiler.compile(program.name, &program.source(), &PTX_OPTIONS)?;
            let compressed = miniz_oxide::deflate::compress_to_vec_zlib(ptx.as_bytes(), 9);
            println!("{}: {} bytes of PTX, {} compressed", program.name, ptx.len(), compressed.len());
            fs::write(file, compressed).map_err(text)?;
        }
        made_from += &format!("{key}\n");
        list += &format!("    (\"{0}\", include_bytes!(\"{0}.ptx.z\")),\n", program.name);
    }
    // Programs go, too.
    for entry in fs::read_dir(&directory).map_err(text)? {
        let name = entry.map_err(text)?.file_name();
        let name = name.to_string_lossy();
        if name.strip_suffix(".ptx.z").is_some_and(|name| programs().all(|program| program.name != name)) {
            fs::remove_file(directory.join(&*name)).map_err(text)?;
        }
    }
    fs::write(directory.join("list.rs"), list + "]\n").map_err(text)?;
    fs::write(directory.join("made-from.txt"), made_from).map_err(text)
}

fn check(assembler: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources.txt");
    // What the same assembler said of the same text stands.
    let version = version(assembler)?;
    let before = fs::read_to_string(&path).unwrap_or_default();
    let before = before.strip_prefix(&version).unwrap_or_default();
    // Programs are many and assemblers slow: as many at once as there are processors.
    let programs: Vec<_> = programs().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let lines = std::thread::scope(|scope| {
        let parts = programs.chunks(programs.len().div_ceil(threads)).map(|part| {
            scope.spawn(|| {
                part.iter()
                    .map(|program| {
                        let key = format!("{} {} ", program.ptx_key(), program.name);
                        let known: Vec<_> =
                            before.lines().filter(|line| line.starts_with(&key)).map(String::from).collect();
                        if !known.is_empty() {
                            return Ok(known);
                        }
                        let lines = check_one(assembler, program)?;
                        lines.iter().for_each(|line| println!("{} {line}", program.name));
                        Ok(lines.into_iter().map(|line| key.clone() + &line).collect())
                    })
                    .collect::<Result<Vec<_>, String>>()
            })
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().expect("no thread panics")).collect::<Result<Vec<_>, _>>()
    })?;
    let lines: Vec<_> = lines.into_iter().flatten().flatten().collect();
    let record = lines.iter().fold(version, |record, line| record + line + "\n");
    fs::write(&path, record).map_err(|error| format!("{}: {error}", path.display()))?;
    let spilling: Vec<_> = lines.iter().filter(|line| spilt(line) > allowed(line)).cloned().collect();
    match spilling.is_empty() {
        true => {
            let known = lines.iter().filter(|line| spilt(line) > 0).count();
            println!("{} kernels, {known} of which spill registers, as they may", lines.len());
            Ok(())
        }
        false => Err(format!("kernels that spill registers:\n{}", spilling.join("\n"))),
    }
}

/// The most bytes that a kernel, or a function that it calls, stores or loads for want of registers.
fn spilt(line: &str) -> u64 {
    let numbers = line.split(", ").filter(|part| part.contains("bytes spill"));
    let bytes = numbers.map(|part| part.trim_start_matches(|c: char| !c.is_ascii_digit()).split(' ').next());
    bytes
        .map(|bytes| bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(u64::MAX))
        .max()
        .unwrap_or(u64::MAX)
}

/// The most that the kernel of a line may.
fn allowed(line: &str) -> u64 {
    let program = line.split(' ').nth(1);
    MAY_SPILL.iter().find(|(name, _)| program == Some(name)).map_or(0, |(_, bytes)| *bytes)
}

/// What the assembler calls itself, in a line.
fn version(assembler: &str) -> Result<String, String> {
    let output =
        Command::new(assembler).arg("--version").output().map_err(|error| format!("{assembler}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().map(|line| format!("{line}\n")).ok_or_else(|| format!("{assembler} has no version"))
}

/// A line for each kernel and architecture.
fn check_one(assembler: &str, program: &Program) -> Result<Vec<String>, String> {
    let path = directory().join(format!("{}.ptx.z", program.name));
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let compressed = fs::read(&path).map_err(|error| failed(&error))?;
    let ptx = miniz_oxide::inflate::decompress_to_vec_zlib(&compressed).map_err(|error| failed(&error))?;
    let unpacked = env::temp_dir().join(format!("{}-{}.ptx", program.name, std::process::id()));
    fs::write(&unpacked, ptx).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    let mut lines = Vec::new();
    for architecture in ARCHITECTURES {
        let assembled = assemble(assembler, architecture, &unpacked)?;
        lines.extend(assembled.into_iter().map(|line| format!("{architecture} {line}")));
    }
    // A file in the temporary directory that stays behind does no harm.
    let _ = fs::remove_file(&unpacked);
    Ok(lines)
}

/// One line for each kernel: its name, stack, spills and registers, and what functions that it calls spill.
fn assemble(assembler: &str, architecture: &str, ptx: &Path) -> Result<Vec<String>, String> {
    // Not the null device: an assembler that fails removes its output, and where it runs as root it can.
    let unwanted = ptx.with_extension("cubin");
    let output = Command::new(assembler)
        .args(["--verbose", "--gpu-name", architecture, "--output-file"])
        .args([&*unwanted, ptx])
        .output()
        .map_err(|error| format!("{assembler}: {error}"))?;
    let _ = fs::remove_file(&unwanted);
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{assembler} fails:\n{text}"));
    }
    let mut lines: Vec<String> = Vec::new();
    // The kernel until its line is complete.
    let (mut kernel, mut memory) = (None, String::new());
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next();
        } else if line.contains("spill stores") && kernel.is_some() {
            memory = line.trim().to_owned();
        } else if let (true, Some((_, spills)), Some(last)) =
            (line.contains("spill stores"), line.split_once("stack frame"), lines.last_mut())
        {
            // The functions come after their kernel. Most spill nothing.
            if !spills.ends_with(" 0 bytes spill stores, 0 bytes spill loads") {
                *last += spills;
            }
        } else if let Some((_, used)) = line.split_once("Used ") {
            lines.push(format!("{}: {used}, {memory}", kernel.take().unwrap_or_default()));
        }
    }
    match lines.is_empty() {
        true => Err(format!("{assembler} tells of no kernel:\n{text}")),
        false => Ok(lines),
    }
}
