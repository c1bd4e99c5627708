//! Valid files with a few random changes, from a fixed seed, for a few seconds.
//!
//! The changes are those that reach deep into the parser: bytes of the header, its tokens, its length, the numbers of the shape,
//! the end of the file. A file that is still accepted must mean the same to an independent reader of numpy's format.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{NpyFile, write};

/// The longest duration of the test, and the number of files that are tried.
const TIME: Duration = Duration::from_secs(10);
const FILES: usize = 20_000;

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Tokens of headers, valid and invalid.
const TOKENS: [&[u8]; 26] = [
    b"{",
    b"}",
    b"(",
    b")",
    b",",
    b":",
    b"'",
    b"\"",
    b"'descr'",
    b"'shape'",
    b"'fortran_order'",
    b"True",
    b"False",
    b"'<u8'",
    b"'>u8'",
    b"[('a', '<u8')]",
    b"(8, 4)",
    b"8",
    b"0",
    b"-1",
    b"18446744073709551615",
    b"99999999999999999999999",
    b" ",
    b"\n",
    b"\0",
    b"\xc3\x28",
];

/// Sound files: versions 1, 2 and 3, shapes of one entry and of more, keys in another order.
fn sound() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for (rows, columns) in [(1, 1), (8, 4), (3, 5), (1, 12)] {
        let words: Vec<u64> = (1..=rows * columns).map(|i| i as u64 * 0x0101_0101).collect();
        let data: &[u8] = bytemuck::cast_slice(&words);
        let mut file = Vec::new();
        write(&mut file, rows, columns, data, |_| ()).unwrap();
        let header = file[10..file.len() - data.len()].to_vec();
        files.push(file);
        for version in [2, 3] {
            let length = (header.len() as u32).to_le_bytes();
            files.push([&b"\x93NUMPY"[..], &[version, 0], &length, &header, data].concat());
        }
        let other = format!("{{\"shape\":({rows},{columns}),'descr':'<u8',\t'fortran_order':False}}");
        let length = (other.len() as u16).to_le_bytes();
        files.push([&b"\x93NUMPY\x01\0"[..], &length, other.as_bytes(), data].concat());
    }
    files
}

fn mutate(file: &mut Vec<u8>, random: &mut Random) {
    // Mostly before the data.
    let end = if random.below(4) == 0 { file.len() } else { file.len().min(140) };
    let at = random.below(end);
    let len = random.below(12).min(file.len() - at.min(file.len()));
    match random.below(9) {
        0 if !file.is_empty() => file[at] ^= 1 << random.below(8),
        1 if !file.is_empty() => file[at] = [0, 0xff, b'9', b'0', b'{', b'(', b',', b'\''][random.below(8)],
        2 => drop(file.splice(at..at, TOKENS[random.below(TOKENS.len())].iter().copied())),
        3 => drop(file.splice(at..at + len, TOKENS[random.below(TOKENS.len())].iter().copied())),
        4 => drop(file.drain(at..at + len)),
        5 => {
            let again = file[at..at + len].to_vec();
            drop(file.splice(at..at, again));
        }
        6 => file.truncate(random.below(file.len() + 1)),
        7 => file.extend(std::iter::repeat_n(0, 1 + random.below(16))),
        // The length of the header.
        _ if file.len() > 12 => {
            let by = [1, 2, 64, 0xff][random.below(4)];
            file[8] = if random.below(2) == 0 { file[8].wrapping_add(by) } else { file[8].wrapping_sub(by) };
        }
        _ => {}
    }
}

#[test]
fn files_that_were_sound() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.npy");
    let (seeds, mut random, start) = (sound(), Random(7), Instant::now());
    let (mut accepted, mut stricter, mut refusals) = (0, 0, BTreeSet::new());
    let mut tried = 0;
    while tried < FILES && start.elapsed() < TIME {
        let mut file = seeds[tried % seeds.len()].clone();
        // The first round is of sound files.
        let changes = if tried < seeds.len() { 0 } else { 1 + random.below(3) };
        (0..changes).for_each(|_| mutate(&mut file, &mut random));
        std::fs::write(&path, &file).unwrap();
        tried += 1;
        let found = NpyFile::open(&path).and_then(|npy| {
            let shape = [npy.rows, npy.columns];
            npy.read(1 << 20, |_| ()).map(|words| (shape, words))
        });
        match found {
            Ok((shape, words)) => {
                accepted += 1;
                assert!(shape[0] * shape[1] == words.len() && !words.is_empty(), "{shape:?}");
                assert!(file.ends_with(bytemuck::cast_slice(&words)));
                // That reader is stricter about harmless things: zeros after the header, numbers that begin with zeros.
                match npyz::NpyFile::new(&file[..]) {
                    Ok(other) => {
                        assert_eq!(other.shape(), shape.map(|n| n as u64));
                        assert_eq!(other.into_vec::<u64>().unwrap(), words);
                    }
                    Err(_) => stricter += 1,
                }
            }
            Err(failure) => {
                assert!(changes > 0, "a sound file: {}", failure.line());
                let line = failure.line();
                assert!(failure.status == 2 && line.len() > path.display().to_string().len());
                assert!(!line.contains(char::is_control) && line.chars().count() < 2500, "{line:?}");
                // The message without its subject.
                refusals
                    .insert(line.chars().filter(|c| c.is_ascii_lowercase() || *c == ' ').collect::<String>());
            }
        }
    }
    assert!(3 * stricter < accepted, "{stricter} of {accepted} are not read by another reader");
    // Not all files are refused, and not always for the same reason.
    assert!(
        accepted > tried / 100 && refusals.len() > 20,
        "{accepted} of {tried}, {} reasons",
        refusals.len()
    );
}
