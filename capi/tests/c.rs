//! The interface from C: headers and programs through the system's compilers, the library as it is installed.

mod library;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const C: [&str; 5] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"];
const CPP: [&str; 6] = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-xc++"];

/// Runs a command, which must succeed, and gives its output.
fn run<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> String {
    let mut command = Command::new(program);
    command.args(arguments).env("ZKACCEL_SIMD", std::env::var("ZKACCEL_SIMD").unwrap_or("avx2".into()));
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

fn sources() -> Vec<PathBuf> {
    let files = std::fs::read_dir(Path::new(HERE).join("tests/c")).unwrap().map(|file| file.unwrap().path());
    let mut sources: Vec<_> = files.filter(|path| path.extension() == Some(OsStr::new("c"))).collect();
    sources.sort();
    sources
}

/// Compiles sources to a program that finds the shared library where it was built.
fn compile(compiler: &str, flags: &[&str], sources: &[PathBuf], program: &Path) {
    let directory = library::DIRECTORY.display();
    let mut arguments: Vec<String> = flags.iter().map(ToString::to_string).collect();
    arguments.extend([
        "-g".into(),
        format!("-I{HERE}/include"),
        format!("-DTEST_DATA=\"{HERE}/../groth16/tests/data\""),
        "-o".into(),
        program.display().to_string(),
    ]);
    arguments.extend(sources.iter().map(|source| source.display().to_string()));
    arguments.extend(["-xnone", "-pthread", "-lm"].map(Into::into));
    arguments.extend([format!("-L{directory}"), "-lzkaccel".into(), format!("-Wl,-rpath,{directory}")]);
    run(compiler, arguments);
}

/// The test program, which tests everything and says so.
fn test_program(directory: &Path) -> PathBuf {
    let program = directory.join("abi");
    compile("cc", &[&C[..], &["-D_POSIX_C_SOURCE=200809L"]].concat(), &sources(), &program);
    program
}

#[test]
fn headers_compile_as_c99_and_as_cpp17() {
    let directory = tempfile::tempdir().unwrap();
    for header in ["zkaccel.h", "h2k.h"] {
        // Included twice, and before anything else.
        let source = directory.path().join("header.c");
        std::fs::write(
            &source,
            format!("#include \"{header}\"\n#include \"{header}\"\nint main(void) {{ return 0; }}\n"),
        )
        .unwrap();
        for (compiler, flags) in [("cc", &C[..]), ("c++", &CPP)] {
            let include = format!("-I{HERE}/include");
            let rest = [&include, "-fsyntax-only", source.to_str().unwrap()];
            run(compiler, flags.iter().copied().chain(rest));
        }
    }
}

#[test]
fn every_function_from_c() {
    let directory = tempfile::tempdir().unwrap();
    let program = test_program(directory.path());
    assert!(run(program.to_str().unwrap(), [""; 0]).contains("all as expected"));
}

#[test]
fn the_same_program_from_cpp() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("abi");
    compile("c++", &CPP, &sources(), &program);
    assert!(run(program.to_str().unwrap(), [""; 0]).contains("all as expected"));
}

#[test]
fn examples_run() {
    let directory = tempfile::tempdir().unwrap();
    for (name, last_words) in [("commit", ": verified\n"), ("msm", "\nas expected\n")] {
        let program = directory.path().join(name);
        compile("cc", &C, &[Path::new(HERE).join("examples").join(name).with_extension("c")], &program);
        let output = run(program.to_str().unwrap(), [""; 0]);
        assert!(output.ends_with(last_words), "{output}");
    }
}

#[test]
fn nothing_else_is_exported() {
    let symbols =
        run("nm", ["-D", "--defined-only", library::DIRECTORY.join("libzkaccel.so").to_str().unwrap()]);
    let names: Vec<_> = symbols.lines().filter_map(|line| line.split_whitespace().last()).collect();
    // Every function of the headers, and no other.
    let headers = ["zkaccel.h", "h2k.h"].map(|header| Path::new(HERE).join("include").join(header));
    let headers = headers.map(|path| std::fs::read_to_string(path).unwrap()).concat();
    let mut declared: Vec<_> = headers
        .lines()
        .filter_map(|line| line.split_once('(').filter(|_| !line.starts_with([' ', '/', '#', '*'])))
        .filter_map(|(start, _)| start.rsplit([' ', '*']).next())
        .filter(|name| ["zka_", "h2k_", "engine_"].iter().any(|start| name.starts_with(start)))
        .collect();
    declared.sort();
    let mut exported = names;
    exported.sort();
    assert_eq!(exported, declared);
}

/// No leak, no invalid read, no use of memory that nobody wrote, in zkaccel. The OpenCL drivers of the machine are hidden: they
/// leak.
#[test]
#[ignore = "needs valgrind and a minute; .ci/run runs it"]
fn valgrind_finds_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let program = test_program(directory.path());
    let hidden = ["OCL_ICD_VENDORS=/nowhere", "OPENCL_VENDOR_PATH=/nowhere", "valgrind"];
    let flags = ["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite,indirect"];
    let leaks = ["--errors-for-leak-kinds=definite,indirect", program.to_str().unwrap()];
    assert!(run("env", hidden.into_iter().chain(flags).chain(leaks)).contains("all as expected"));
}
