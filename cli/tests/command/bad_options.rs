//! Arguments that cannot be meant.

use zkaccel::device::Simd;

use crate::help::HASHES;
use crate::support::{Bench, MODULUS, ROOT, assert_failure};

#[test]
fn blow_up() {
    let bench = Bench::counting();
    for blowup in [0, 1, 3, 6, 100] {
        let expected = format!("the blow-up factor is {blowup}, expected a power of two of at least 2");
        bench.fail(&format!("commit trace.npy --out store --blowup {blowup}"), &expected);
        bench.fail(&format!("ntt trace.npy out.npy --blowup {blowup}"), &expected);
    }
    bench.fail("commit trace.npy --blowup 8589934592", "a domain of 2^37 points was asked for");
    bench.fail("commit trace.npy --blowup eight", "--blowup: found \"eight\", expected a whole number");
    bench.fail("commit trace.npy --blowup=-8", "--blowup: found \"-8\", expected a whole number");
    assert_eq!(bench.list("."), ["trace.npy"]);
}

#[test]
fn shift() {
    let bench = Bench::counting();
    for (shift, expected) in [
        ("0".to_owned(), "--shift: the coset shift is 0, expected a non-zero field element".to_owned()),
        (MODULUS.to_string(), format!("--shift: found {MODULUS}, expected a field element below {MODULUS}")),
        (u64::MAX.to_string(), format!("expected a field element below {MODULUS}")),
        ("18446744073709551616".into(), "expected a whole number of at most 64 bits".into()),
        ("seven".into(), "--shift: found \"seven\", expected a whole number".into()),
        ("0x".into(), "--shift: found \"0x\", expected a whole number".into()),
        ("0x0".into(), "--shift: the coset shift is 0".into()),
        ("0x+7".into(), "or one in hexadecimal after 0x".into()),
        ("0xg".into(), "or one in hexadecimal after 0x".into()),
        ("0X7".into(), "or one in hexadecimal after 0x".into()),
        ("0xffffffff00000001".into(), format!("expected a field element below {MODULUS}")),
        ("0x10000000000000000".into(), "expected a whole number of at most 64 bits".into()),
    ] {
        bench.fail(&format!("commit trace.npy --out store --shift {shift}"), &expected);
        bench.fail(&format!("ntt trace.npy out.npy --shift {shift}"), &expected);
    }
    assert_eq!(bench.list("."), ["trace.npy"]);
}

#[test]
fn names() {
    let bench = Bench::counting();
    let hashes = format!("--hash: unknown hash \"md5\", expected one of {}", HASHES.join(", "));
    bench.fail("commit trace.npy --hash md5", &hashes);
    bench.fail("merkle trace.npy --hash md5", &hashes);
    bench.fail("bench merkle --hash md5", &hashes);
    let conventions = "unknown root-of-unity convention \"other\", expected one of winterfell, plonky3";
    bench.fail("commit trace.npy --convention other", conventions);
    bench.fail("ntt trace.npy out.npy --convention other", conventions);
}

#[test]
fn vector_instructions() {
    let bench = Bench::counting();
    let run = |simd| bench.command(&["commit", "trace.npy"]).env("ZKACCEL_SIMD", simd).output().unwrap();
    for simd in ["AVX2", "sse", ""] {
        let levels = Simd::ALL.map(Simd::name).join(", ");
        let expected = format!("(ZKACCEL_SIMD) {simd:?}, expected one of {levels}");
        assert_failure(&run(simd), 2, &expected, simd);
    }
    let output = run("portable");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains(ROOT));
}

#[test]
fn devices() {
    let bench = Bench::counting();
    for command in ["commit trace.npy", "merkle trace.npy", "ntt trace.npy out.npy", "selftest", "bench ntt"]
    {
        bench.fail(&format!("{command} --device opencl:99"), "device opencl:99 is missing");
        bench.fail(
            &format!("{command} --device abacus"),
            "unknown device \"abacus\", expected one of auto, cpu",
        );
        bench.fail(&format!("{command} --threads 0"), "0 threads were asked for: expected from 1 to 4096");
        bench
            .fail(&format!("{command} --threads many"), "--threads: found \"many\", expected a whole number");
        bench.fail(
            &format!("{command} --memory 3X"),
            "expected a number of bytes such as 4096, 512M or 16GiB",
        );
        bench.fail(&format!("{command} --memory 99999999999T"), "expected a number of bytes");
        bench.fail(&format!("{command} --device-memory 3X"), "--device-memory");
    }
    assert_eq!(bench.list("."), ["trace.npy"]);
}

#[test]
fn several_devices_and_policies() {
    let bench = Bench::counting();
    for (options, expected) in [
        ("--device cpu,cpu", "the devices \"cpu,cpu\" cannot be used together: cpu is listed twice"),
        ("--device cpu,auto", "auto chooses by itself and stands alone"),
        ("--device cpu,", "--device: unknown device \"cpu,\", expected one of auto, cpu"),
        ("--device cpu,opencl:99", "device opencl:99 is missing"),
        ("--policy gpu", "--policy: unknown policy \"gpu\", expected one of any, require-gpu, prefer-gpu"),
        (
            "--device cpu --policy require-gpu",
            "the policy require-gpu contradicts the device cpu, which is CPU",
        ),
        (
            "--device reference,cpu --policy prefer-gpu",
            "the policy prefer-gpu contradicts the device reference",
        ),
    ] {
        bench.fail(&format!("commit trace.npy --out store {options}"), expected);
    }
    assert_eq!(bench.list("."), ["trace.npy"]);
}

#[test]
fn rows() {
    let bench = Bench::stored();
    for (rows, expected) in [
        ("128", "--rows: index 128 is out of range, expected less than 128"),
        ("3,128", "--rows: index 128 is out of range, expected less than 128"),
        ("18446744073709551615", "--rows: index 18446744073709551615 is out of range"),
        ("18446744073709551616", "--rows: found \"18446744073709551616\", expected a whole number"),
        ("3,5,3", "--rows: index 3 was given twice"),
        ("", "--rows: no index was given, expected at least one"),
        ("3,,5", "--rows: found \"\", expected a whole number"),
        ("three", "--rows: found \"three\", expected a whole number"),
        ("+3", "--rows: found \"+3\", expected a whole number"),
    ] {
        let output = bench.run_list(&["open", "store", "--rows", rows, "--out", "proof.json"]);
        assert_failure(&output, 2, expected, rows);
        assert_eq!(bench.list("."), ["store", "trace.npy"]);
    }
}

#[test]
fn roots() {
    let bench = Bench::proved();
    for root in
        ["", "762f", &ROOT[1..], &format!("{ROOT}0"), &ROOT.replace('7', "g"), &format!("0x{}", &ROOT[2..])]
    {
        let output = bench.run_list(&["verify", "proof.json", "--root", root]);
        assert_failure(&output, 2, "is no digest, expected 64 hexadecimal digits", root);
    }
    let above = format!("{}{}", "0".repeat(48), "f".repeat(16));
    bench.fail(&format!("verify proof.json --root {above}"), "--root: word 3 is 18446744073709551615");
}

#[test]
fn benchmark_options() {
    let bench = Bench::new();
    for (options, expected) in [
        ("--sizes 20..12", "expected an ascending range such as 12..20"),
        ("--sizes 12..x", "expected a whole number"),
        ("--sizes 33", "found 2^33, expected sizes of at most 2^32"),
        ("--sizes 32 --memory 1G --json", "the memory budget"),
        ("--columns 0", "found 0, expected at least 1"),
        (
            "--approach leaf",
            "unknown approach to trees \"leaf\", expected one of level, group, local, auto, or all",
        ),
        ("--json ntt", "write `bench ntt --json`"),
        ("points --curve pallas", "points is measured over bn254-g1 alone, found pallas"),
        ("sparse --field pasta-fp", "sparse is measured over bn254-fr alone, found pasta-fp"),
        ("--sizes 2 --json none/file.json", "cannot write none/file.json: No such file"),
    ] {
        bench.fail(&format!("bench {options}"), expected);
    }
    assert!(bench.list(".").is_empty());
}

/// A misuse of the options themselves: status 2 and the usage.
#[test]
fn usage() {
    let bench = Bench::counting();
    for arguments in [
        "",
        "frobnicate",
        "commit",
        "commit trace.npy --bogus",
        "open trace.npy",
        "verify proof.json",
        "ntt trace.npy",
        "ntt trace.npy out.npy --inverse --blowup 2",
        "bench everything",
        "selftest --for 1s --only leaf",
    ] {
        let output = bench.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(!String::from_utf8(output.stderr).unwrap().contains("panicked"), "{arguments}");
    }
    assert_eq!(bench.list("."), ["trace.npy"]);
}
