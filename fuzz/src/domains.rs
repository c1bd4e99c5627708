//! Domains of any root and shift, over every field that has them.

use zkaccel::Error;
use zkaccel::field::Goldilocks;
use zkaccel::ntt::{AcceleratedField, Convention, Domain};

use crate::draw::Draw;

/// A field whose roots of unity are known.
pub trait Roots: AcceleratedField {
    fn subgroup(log_size: u32, second: bool) -> Domain<Self>;
}

impl Roots for Goldilocks {
    fn subgroup(log_size: u32, second: bool) -> Domain {
        Domain::new(log_size, Convention::ALL[usize::from(second)]).expect("within the two-adicity")
    }
}

macro_rules! prime_fields {
    ($($field:path, $name:literal;)*) => {
        $(impl Roots for $field {
            fn subgroup(log_size: u32, second: bool) -> Domain<Self> {
                let domain = if second { Domain::arkworks(log_size) } else { Domain::halo2(log_size) };
                domain.expect("within the two-adicity")
            }
        })*
    };
}
zkaccel::for_every_two_adic_field!(prime_fields);

/// A coset of a size, by any root of that order and any shift. What is neither is refused.
pub fn domain<F: Roots>(draw: &mut Draw<'_>, log_size: u32) -> Domain<F> {
    let (subgroup, odd) = (F::subgroup(log_size, draw.flag()), draw.below(8));
    let root = (0..odd).fold(subgroup.root(), |root, _| root * subgroup.root() * subgroup.root());
    let subgroup = Domain::with_root(log_size, root).expect("an odd power has the same order");
    if draw.below(16) == 15 {
        let other: F = draw.element();
        let power = (0..log_size).fold(other, |power, _| power * power);
        let half = (1..log_size).fold(other, |power, _| power * power);
        let is_root = power == F::ONE && (log_size == 0 || half != F::ONE);
        assert_eq!(Domain::with_root(log_size, other).is_ok(), is_root);
        assert!(Domain::with_root(F::TWO_ADICITY + 1, root).is_err());
        assert_eq!(subgroup.coset(F::ZERO), Err(Error::BadShift));
    }
    let shift: F = draw.element();
    subgroup.coset(shift).unwrap_or(subgroup)
}
