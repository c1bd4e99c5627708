use super::Simd;
use super::rows::{Rows, SideBySide};
use crate::hash::{Blake3, ByteDigest, Hasher};

impl SideBySide for Blake3 {
    fn hash_rows(_: Simd, rows: Rows<'_>, digests: &mut [ByteDigest]) {
        rows.hash_each::<Self>(digests);
    }

    fn merge_pairs(_: Simd, children: &[ByteDigest], nodes: &mut [ByteDigest]) {
        for (node, pair) in nodes.iter_mut().zip(children.as_chunks().0) {
            *node = Self::merge(pair);
        }
    }
}
