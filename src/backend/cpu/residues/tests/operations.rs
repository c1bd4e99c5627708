//! The operations on values below the bound, one by one and in a chain, against those of single elements.

use super::*;

/// The operations on values below the bound.
pub(super) struct Operations<R>(pub(super) PhantomData<R>);

impl<R: Coordinates> Vectorised<R> for Operations<R> {
    #[inline(always)]
    fn run(self) {
        let values = elements::<R::Element>();
        let p = <<R::Element as LazyElement>::Field as CoordinateField>::Prime::P;
        let bound = Residue::<<<R::Element as LazyElement>::Field as CoordinateField>::Prime>::BOUND;
        // What a product lacks of the four-limb arithmetic's.
        let half = R::Element::of_prime(Residue::from_word(2)).inverse().expect("2 is not zero");
        let scale = half.pow(&[2 * u64::from(R::SHIFT)]);
        let shift = R::Element::of_prime(Residue::from_word(1 << R::SHIFT));
        let expect = |what: &str, found: [R::Element; MAX_WIDTH], expected: &dyn Fn(usize) -> R::Element| {
            for (lane, found) in found.iter().enumerate().take(R::WIDTH) {
                assert!(
                    lazy(found).iter().all(|limbs| limbs.is_below(bound)),
                    "{what}: {found:x?} is not below the bound"
                );
                let expected = expected(lane).canonical_limbs();
                assert_eq!(found.canonical_limbs(), expected, "{what}, lane {lane}");
            }
        };
        for i in 0..values.len() {
            for j in 0..values.len() {
                let (a, b, c) = (eight(&values, i), eight(&values, j), eight(&values, i + 3 * j));
                let (x, y, z) = (of::<R>(&a), of::<R>(&b), of::<R>(&c));
                assert!(R::rows(x)[..R::WIDTH].iter().zip(&a).all(|(found, a)| lazy(found) == lazy(a)));
                let [f, g] = [&a, &b].map(|rows| R::factors(std::array::from_fn(|i| &rows[i])));
                let product = R::product(f, g);
                expect("product", R::rows_of_factors(R::of_product(product)), &|i| a[i].mul(b[i]).mul(scale));
                expect("square", R::rows_of_factors(R::of_product(R::square(f))), &|i| {
                    a[i].square().mul(scale)
                });
                expect("difference", R::rows_of_factors(R::difference(x, y)), &|i| a[i].sub(b[i]));
                expect("shifted difference", R::rows_of_factors(R::shifted_difference(x, y)), &|i| {
                    a[i].sub(b[i]).mul(shift)
                });
                let reduced = R::reduced(R::minus(R::minus(product, y), z));
                expect("product minus two", R::rows(reduced), &|i| {
                    a[i].mul(b[i]).mul(scale).sub(b[i]).sub(c[i])
                });
                let once = R::reduced(R::minus(R::square(R::difference(x, y)), z));
                expect("square minus one", R::rows(once), &|i| a[i].sub(b[i]).square().mul(scale).sub(c[i]));
                let lanes = 0b1101_0010_u8.rotate_left((i + j) as u32);
                let negated = R::negated_where(x, lanes);
                let difference = R::rows_of_factors(R::difference(y, negated));
                expect("negated", difference, &|i| b[i].sub(a[i].negated_if(lanes >> i & 1 == 1)));
                let (equal, zero) = (R::may_be_equal(x, y), R::may_be_zero(x));
                for lane in 0..R::WIDTH {
                    let (a, b) = (&a[lane], &b[lane]);
                    assert!(equal >> lane & 1 == 1 || !a.sub(*b).is_zero(), "{a:x?} {b:x?}");
                    // The edges share their lowest bits; random values do not.
                    let near = lazy(a).iter().zip(lazy(b)).all(|(a, b)| {
                        let [a, b, p] = [a.as_ref()[0], b.as_ref()[0], p.as_ref()[0]];
                        let lows = [0, p, p.wrapping_neg()];
                        lows.iter().any(|&low| a.wrapping_sub(b).wrapping_sub(low) & MASK == 0)
                    });
                    assert!(near || equal >> lane & 1 == 0, "{a:x?} {b:x?}");
                    assert!(zero >> lane & 1 == 1 || !a.has_no_bits());
                    assert!(
                        zero >> lane & 1 == 0 || lazy(a).iter().all(|limbs| limbs.as_ref()[0] & MASK == 0)
                    );
                }
            }
        }
        expect("splat", R::rows_of_factors(R::splat(R::Element::ONE)), &|_| R::Element::ONE);
    }
}

/// A long chain in which each result is an operand of the next steps.
pub(super) struct Chain<R>(pub(super) PhantomData<R>);

impl<R: Coordinates> Vectorised<R> for Chain<R> {
    #[inline(always)]
    fn run(self) {
        let values = elements::<R::Element>();
        let fours = R::Element::of_prime(Residue::from_word(1 << (2 * R::SHIFT)));
        let [mut a, mut b] = [eight(&values, 7), eight(&values, 60)];
        let [mut x, mut y] = [of::<R>(&a), of::<R>(&b)];
        for step in 0..20_000 {
            let d = R::difference(x, y);
            let p = R::of_product(R::product(d, R::shifted_difference(y, x)));
            let next = R::reduced(R::minus(R::minus(R::product(p, d), x), y));
            (x, y) = (y, next);
            for lane in 0..R::WIDTH {
                let [ra, rb] = [a[lane], b[lane]];
                let d = ra.sub(rb);
                // Times 2^SHIFT and twice divided by 2^(2 SHIFT), so that the powers of 2 are on the other side.
                let shift = R::Element::of_prime(Residue::from_word(1 << R::SHIFT));
                let product = d.mul(rb.sub(ra)).mul(shift).mul(d);
                let found = R::rows(next)[lane];
                let known = found.add(ra).add(rb).mul(fours).mul(fours);
                assert_eq!(known.canonical_limbs(), product.canonical_limbs(), "step {step}, lane {lane}");
                (a[lane], b[lane]) = (b[lane], found);
            }
        }
    }
}
