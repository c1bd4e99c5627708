//! One word, by the instructions of every processor: for tests, which compare vectors with it.

use super::{BITS, Limbs, MAX_WIDTH, Quadwords, vector};

/// The product of the lower bits.
fn product(a: u64, b: u64) -> u128 {
    let mask = (1 << BITS) - 1;
    u128::from(a & mask) * u128::from(b & mask)
}

vector! {
    /// One word.
    Portable(u64) of [u64; 1], [];
    impl Quadwords {
        splat(word: u64) = word;
        add(a, b) = a.wrapping_add(b);
        sub(a, b) = a.wrapping_sub(b);
        and(a, b) = a & b;
        or(a, b) = a | b;
        shl<N: u32>(a) = a << N;
        shr<N: u32>(a) = a >> N;
        shr_signed<N: u32>(a) = (a as i64 >> N) as u64;
        add_low(sum, a, b) = sum.wrapping_add(product(a, b) as u64 & ((1 << BITS) - 1));
        add_high(sum, a, b) = sum.wrapping_add((product(a, b) >> BITS) as u64);
        equal(a, b) -> u8 = u8::from(a == b);
        negative(a) -> u8 = (a >> 63) as u8;
        select(a, b; lanes: u8) = if lanes & 1 == 1 { a } else { b };
    } with {
        fn columns(rows: [&Limbs; MAX_WIDTH]) -> [Self; 4] {
            rows[0].map(Self)
        }

        fn rows(columns: [Self; 4]) -> [Limbs; MAX_WIDTH] {
            [columns.map(|column| column.0); MAX_WIDTH]
        }

        fn transposed(vectors: [Self; MAX_WIDTH]) -> [Self; MAX_WIDTH] {
            vectors
        }
    }
}
