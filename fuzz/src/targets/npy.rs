//! Matrices in `.npy` files: the input is the file. What is accepted must be what another reader finds in it, and what is refused must be
//! refused with one line.

use crate::files;

/// Larger matrices are refused before their memory is asked for.
const LIMIT: u64 = 1 << 20;

pub fn seeds() -> Vec<Vec<u8>> {
    let file = |version: &[u8], header: &str, words: u64| {
        let length = (header.len() as u32).to_le_bytes();
        let length = if version[0] == 1 { &length[..2] } else { &length };
        let data = (0..words).flat_map(|i| (i * 0x0101_0101).to_le_bytes());
        [b"\x93NUMPY", version, length, header.as_bytes()].concat().into_iter().chain(data).collect()
    };
    vec![
        file(&[1, 0], "{'descr': '<u8', 'fortran_order': False, 'shape': (2, 3), }          \n", 6),
        file(&[2, 0], "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1), }\n", 1),
        file(&[3, 0], "{\"shape\":(4,1),'descr':'<u8',\t'fortran_order':False}", 4),
        file(&[1, 0], "{'descr': '>u8', 'fortran_order': True, 'shape': (4,), }\n", 4),
        file(&[1, 0], "{'descr': [('a', '<u8')], 'fortran_order': False, 'shape': (4, 1), }\n", 4),
    ]
}

pub fn run(data: &[u8]) {
    let path = files::write("matrix.npy", data);
    match zkaccel_cli::fuzzing::read_matrix(&path, LIMIT) {
        Ok((shape, words)) => {
            assert_eq!(shape.iter().product::<usize>(), words.len());
            assert!(!words.is_empty() && data.ends_with(bytemuck::cast_slice(&words)));
            // The other reader is stricter about harmless things, such as zeros after the header.
            if let Ok(other) = npyz::NpyFile::new(data) {
                assert_eq!(other.shape(), shape.map(|n| n as u64));
                assert_eq!(other.into_vec::<u64>().expect("words"), words);
            }
        }
        Err(refusal) => {
            assert_eq!(refusal.status, 2);
            assert!(
                !refusal.line.is_empty() && !refusal.line.contains(char::is_control),
                "{:?}",
                refusal.line
            );
        }
    }
}
