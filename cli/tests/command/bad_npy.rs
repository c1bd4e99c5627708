//! Matrices that are none.

use crate::support::{Bench, MODULUS, npy, npy_of_header, npy_with};

/// Every command that reads a matrix refuses the file with status 2 and a line that contains `expected`.
fn refused(bytes: &[u8], expected: &str) {
    let bench = Bench::new();
    bench.write("in.npy", bytes);
    for arguments in
        ["commit in.npy --out made/store", "ntt in.npy out.npy", "merkle in.npy --nodes nodes.npy"]
    {
        bench.fail(arguments, expected);
        assert_eq!(bench.list("."), ["in.npy"], "{arguments}");
    }
}

/// A sound file of 8 rows and 4 columns.
fn sound() -> Vec<u8> {
    npy("(8, 4)", &(0..32).collect::<Vec<_>>())
}

#[test]
fn truncated() {
    let whole = sound();
    let data = whole.len() - 256;
    for length in 0..12 {
        refused(&whole[..length], &format!("found a file of {length} bytes, expected a .npy file"));
    }
    for length in [12, 40, data - 1] {
        refused(&whole[..length], &format!("the file ends within its header, after {length} bytes"));
    }
    refused(&whole[..data], "calls for 256 bytes of data, found 0");
    refused(&whole[..data + 8], "calls for 256 bytes of data, found 8");
    refused(&whole[..data + 255], "calls for 256 bytes of data, found 255");
}

#[test]
fn too_long() {
    refused(&[&sound()[..], &[0]].concat(), "calls for 256 bytes of data, found 257");
}

#[test]
fn no_npy_at_all() {
    refused(b"PK\x03\x04 is an archive", "the file begins with PK\\x03\\x04 i, expected a .npy file");
    let mut future = sound();
    future[6] = 9;
    refused(&future, "found version 9.0 of the .npy format, expected 1.0, 2.0 or 3.0");
}

#[test]
fn wrong_dtype() {
    for descr in
        ["<f8", "<i8", ">u8", "<u4", "|u1", "|V8", "<c16", "|O", "<M8[ns]", "|b1", "nan", "NaN", "", "u8"]
    {
        let data = vec![0; 256];
        let expected =
            format!("the dtype is {descr:?}, expected '<u8' (little-endian unsigned 64-bit words)");
        refused(&npy_with(&format!("'{descr}'"), "False", "(8, 4)", &data), &expected);
    }
    let structure = npy_with("[('x', '<u8'), ('y', '<u8')]", "False", "(8, 4)", &[0; 512]);
    refused(&structure, "the dtype is a structure, expected '<u8'");
}

#[test]
fn fortran_order() {
    refused(
        &npy_with("'<u8'", "True", "(8, 4)", &[0; 256]),
        "the matrix is in Fortran order, expected C order",
    );
}

#[test]
fn bad_shapes() {
    for (shape, entries, expected) in [
        ("(0, 4)", 0, "the shape is (0, 4), expected at least one row and one column"),
        ("(8, 0)", 0, "the shape is (8, 0), expected at least one row and one column"),
        ("(0, 0)", 0, "the shape is (0, 0), expected at least one row and one column"),
        ("(8,)", 8, "the shape is (8), expected two dimensions (rows, columns)"),
        ("()", 1, "the shape is (), expected two dimensions (rows, columns)"),
        ("(2, 4, 1)", 8, "the shape is (2, 4, 1), expected two dimensions (rows, columns)"),
        ("(-8, 4)", 32, "where a number of at most 64 bits is expected"),
        ("(8.0, 4)", 32, "where ')' is expected"),
        ("(99999999999999999999, 4)", 32, "where a number of at most 64 bits is expected"),
        ("None", 32, "where '(' is expected"),
        // More than the file, more than any memory, and more than 64 bits can say.
        ("(1099511627776, 4)", 32, "calls for 35184372088832 bytes of data, found 256"),
        ("(4294967296, 4294967296)", 32, "has more entries than any file, found 256 bytes of data"),
        ("(2305843009213693952, 1)", 32, "has more entries than any file, found 256 bytes of data"),
        ("(4611686018427387904, 4)", 0, "has more entries than any file, found 0 bytes of data"),
        ("(18446744073709551615, 18446744073709551615)", 1, "has more entries than any file"),
    ] {
        refused(&npy(shape, &vec![0; entries]), expected);
    }
}

#[test]
fn rows_that_are_no_power_of_two() {
    for rows in [3, 6, 12, 1000] {
        let bench = Bench::new();
        bench.write("in.npy", &npy(&format!("({rows}, 4)"), &vec![1; rows * 4]));
        let expected = format!("found {rows}, expected a power of two");
        bench.fail("commit in.npy --out store", &format!("rows of the trace: {expected}"));
        bench.fail("ntt in.npy out.npy", &format!("rows of the matrix: {expected}"));
        bench.fail("ntt in.npy out.npy --blowup 2", &expected);
        bench.fail("merkle in.npy --nodes nodes.npy", &format!("leaves of a Merkle tree: {expected}"));
        assert_eq!(bench.list("."), ["in.npy"]);
    }
}

#[test]
fn words_above_the_modulus() {
    for (value, row, column) in [(MODULUS, 0, 0), (MODULUS + 1, 5, 2), (u64::MAX, 7, 3)] {
        let mut entries = vec![MODULUS - 1; 32];
        entries[row * 4 + column] = value;
        let place = format!("row {row}, column {column} is {value}, expected a canonical field element");
        refused(&npy("(8, 4)", &entries), &place);
        let bench = Bench::new();
        bench.write("in.npy", &npy("(8, 4)", &entries));
        bench.fail("ntt in.npy out.npy --blowup 4", &place);
        bench.fail("commit in.npy --device reference", &place);
    }
}

#[test]
fn huge_headers() {
    // A length field of 2^32 - 1 in a file of 12 bytes, and in one that goes on.
    let tiny = b"\x93NUMPY\x02\0\xff\xff\xff\xff";
    refused(tiny, "the header has 4294967295 bytes, expected at most 10000");
    refused(&[&tiny[..], &[b' '; 4096]].concat(), "the header has 4294967295 bytes");
    refused(b"\x93NUMPY\x01\0\xff\xff{}", "the header has 65535 bytes, expected at most 10000");
    // Nesting as deep as a header may be long.
    let deep = "{'shape': ".to_owned() + &"(".repeat(9900);
    refused(&npy_of_header(&deep, &[0; 256]), "where a number of at most 64 bits is expected");
    refused(&npy_of_header(&"{".repeat(9900), &[0; 256]), "where a text in quotes is expected");
}

#[test]
fn malformed_headers() {
    let rest = "'fortran_order': False, 'shape': (8, 4), ";
    for (header, expected) in [
        (String::new(), "the header has \"\" where '{' is expected"),
        ("{}".into(), "the header lacks the key \"descr\""),
        (format!("{{{rest}}}"), "the header lacks the key \"descr\""),
        ("{'descr': '<u8', 'shape': (8, 4)}".into(), "the header lacks the key \"fortran_order\""),
        ("{'descr': '<u8', 'fortran_order': False}".into(), "the header lacks the key \"shape\""),
        (format!("{{'descr': '<u8', 'descr': '<u8', {rest}}}"), "the key \"descr\" twice"),
        (format!("{{'descr': '<u8', 'colour': 1, {rest}}}"), "the unknown key \"colour\""),
        (format!("{{'descr': '<u8', {rest}"), "where a text in quotes is expected"),
        (format!("{{'descr': '<u8, {rest}}}"), "where"),
        (format!("{{'descr': '<u8', {rest}}} and more"), "goes on with \"and more\" after its end"),
        ("{'descr': '<u8', 'fortran_order': 0, 'shape': (8, 4)}".into(), "where True or False is expected"),
        ("\u{1b}[2J\n\n\n".into(), "where '{' is expected"),
    ] {
        refused(&npy_of_header(&header, &[0; 256]), expected);
    }
    refused(&[&b"\x93NUMPY\x01\0\x05\0"[..], &[0xff; 300]].concat(), "where '{' is expected");
}

#[test]
fn leaves_of_another_width() {
    for columns in [1, 3, 5, 8] {
        let bench = Bench::new();
        bench.write("in.npy", &npy(&format!("(8, {columns})"), &vec![0; 8 * columns]));
        bench.fail("merkle in.npy", &format!("found {columns} columns, expected 4"));
    }
}

#[test]
fn no_file() {
    let bench = Bench::new();
    for arguments in ["commit none.npy --out store", "ntt none.npy out.npy", "merkle none.npy"] {
        bench.fail(arguments, "cannot open none.npy: No such file");
        assert!(bench.list(".").is_empty());
    }
    std::fs::create_dir(bench.path("folder")).unwrap();
    bench.fail("commit folder", "folder: is a folder, expected a .npy file");
}

#[test]
fn more_than_the_memory_that_is_allowed() {
    let bench = Bench::counting();
    let needed = "needs 640 bytes of host memory, expected at most 512, the memory budget";
    bench.fail("commit trace.npy --memory 512 --out store", needed);
    // The trace fits, its extension does not.
    bench.fail("commit trace.npy --memory 4K --out store", "expected at most 4096, the memory budget");
    bench.fail("ntt trace.npy out.npy --memory 512", needed);
    assert_eq!(bench.list("."), ["trace.npy"]);
}

/// A file that is mostly a hole: as long as its header says, and longer than any memory.
#[cfg(target_os = "linux")]
#[test]
fn more_than_the_machine_has() {
    let bench = Bench::new();
    let header = npy("(137438953472, 1)", &[]);
    bench.write("in.npy", &header);
    let file = std::fs::File::options().write(true).open(bench.path("in.npy")).unwrap();
    file.set_len(header.len() as u64 + (1 << 40)).unwrap();
    bench.fail("ntt in.npy out.npy", "a domain of 2^37 points");
    bench.fail("merkle in.npy", "found 1 columns, expected 4");
    bench.write("in.npy", &npy("(4294967296, 32)", &[]));
    file.set_len(npy("(4294967296, 32)", &[]).len() as u64 + (1 << 40)).unwrap();
    bench.fail("ntt in.npy out.npy", "needs 1099511627776 bytes of host memory");
    assert_eq!(bench.list("."), ["in.npy"]);
}
