//! One word: code for every processor.

use super::{EPSILON, LANES, Lanes, MODULUS, TileRow, vector};
use crate::field::reduce;

vector! {
    /// One word.
    Portable(u64) of [u64; 1], [];
    impl Lanes {
        splat(word: u64) = word;
        // After a carry the sum is at most (2^64 - 1) + p - 2^64 = p - 1, and e more is below 2^64.
        add(a, b) = {
            let (t, carry) = a.overflowing_add(b);
            if carry { t.wrapping_add(EPSILON) } else { t }
        };
        // Adding p = 2^64 - e modulo 2^64 is subtracting e, and takes one instruction less than masking e. After a borrow
        // the difference is at least 2^64 - p = e, so that e less is not negative; and a canonical left operand
        // leaves it below p.
        sub(a, b) = {
            let (t, borrow) = a.overflowing_sub(b);
            if borrow { t.wrapping_add(MODULUS) } else { t }
        };
        neg(a) = MODULUS - a;
        mul(a, b) = {
            let product = a as u128 * b as u128;
            reduce(product as u64, (product >> 64) as u64)
        };
        mul_2_48(a) = reduce(a << 48, a >> 16);
        canonical(a) = {
            let (t, borrow) = a.overflowing_sub(MODULUS);
            if borrow { a } else { t }
        };
        plus(a, b) = a.wrapping_add(b);
        minus(a, b) = a.wrapping_sub(b);
        and(a, b) = a & b;
        xor(a, b) = a ^ b;
        shl(a; n: u32) = a << n;
        shr(a; n: u32) = a >> n;
        shr_signed(a; n: u32) = (a as i64 >> n) as u64;
        splat_half(half: i32) = half as u32 as u64;
        mul_halves(a, b) = (a as i32 as i64 * b as i32 as i64) as u64;
        low_times_epsilon(a) = (a << 32) - (a & EPSILON);
        stream(a; row: &mut TileRow, lane: usize) -> () = row.0[lane] = a;
        fence() -> () = ();
        transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES] = {
            let mut columns = [TileRow::default(); LANES];
            for (i, row) in rows.iter().enumerate() {
                for (column, &word) in columns.iter_mut().zip(&row.0) {
                    column.0[i] = word;
                }
            }
            columns
        };
    } with {
        const SHIFTS: bool = false;
    }
}
