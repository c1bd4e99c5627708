//! Points side by side, in Jacobian coordinates: their doubles, sums, and products with scalars.
//!
//! # Mathematical description
//!
//! (X, Y, Z) stands for x = X/Z^2 and y = Y/Z^3, and any (X, Y, 0) for the identity. A doubling takes three products and four squares, a sum with an affine point eight and three, a sum of any two twelve
//! and four, and the difference beside it two more (after the formulas dbl-2009-l, madd-2004-hmv and add-1998-cmo-2 of the Explicit-Formulas Database of Bernstein and Lange). None of them holds for
//! the identity, or adds points with the same x: then the Z of the result is 0, and remains so in all that is computed from it. So lanes need no branch, and the one test is made at the end: a result with
//! Z = 0 is computed again, by formulas that hold for all points ([`exceptions`](super::exceptions)). A doubling is right for all points, as there is none of order 2.
//!
//! For a product k P, k = a + b λ with odd a and b of half the length ([`Endomorphism`](crate::curve::Endomorphism)), whose digits in base 16 are all odd: 2^4 times what there is, and one of the eight multiples
//! P, 3P, ..., 15P or its negative, and one of their images, are added once for each pair of digits. Every lane does the same, whatever its scalar. The multiples come from sums with 2P, in whose scale 2P is
//! affine: with (x, y) the point (u^2 x, u^3 y) is on a curve whose formulas are the same, since b is not in them. They are then brought to a common Z, by which all of the sums that follow are with affine
//! points, on the curve scaled by that.
//!
//! Coordinates are multiplied as vectors multiply: x stands as x R with the R of the vectors ([`residues`](super::super::residues)), in memory too, where that is only an element of the field times a constant
//! ([`Form`]).

use std::array::from_fn;

use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::Coordinates;
use crate::backend::cpu::simd::Vectorised;
use crate::curve::Half;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::Residue;

/// A point in memory, by the coordinates of which vectors are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jacobian<T> {
    pub(super) x: T,
    pub(super) y: T,
    pub(super) z: T,
}

impl<T: LazyElement> Jacobian<T> {
    pub(super) const IDENTITY: Self = Self { x: T::ONE, y: T::ONE, z: T::ZERO };

    /// Every sum and product ends with this question.
    pub(super) fn is_identity(&self) -> bool {
        self.z.is_zero()
    }

    pub(super) fn negative(self) -> Self {
        Self { y: self.y.negated_if(true), ..self }
    }
}

/// The constants between elements and what stands for them beside vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<T> {
    /// What an element is multiplied with: R over that of memory.
    pub(super) into: T,
    /// Its inverse.
    pub(super) back: T,
}

impl<T: LazyElement> Form<T> {
    pub(super) fn of<R: Coordinates<Element = T>>() -> Self {
        // 2^(2 SHIFT).
        let into = T::of_prime(Residue::from_word(1 << R::SHIFT)).square();
        Self { into, back: into.inverse().expect("a power of 2") }
    }
}

/// Multiples of a point and their images, that a sum with an affine point takes.
const MULTIPLES: usize = Half::LARGEST.div_ceil(2);

/// The x of an odd multiple of a point, that of its image, and the y of both.
type Multiple<T> = [T; 3];

/// The odd multiples of the points of all lanes.
pub(super) type Table<T> = [[Multiple<T>; MULTIPLES]; MAX_WIDTH];

/// A point in each lane, all coordinates below 2p.
#[derive(Clone, Copy)]
pub(super) struct Points<R: Coordinates> {
    x: R::Sum,
    y: R::Sum,
    z: R::Sum,
}

impl<R: Coordinates> Points<R> {
    #[inline(always)]
    fn gather(points: [&Jacobian<R::Element>; MAX_WIDTH]) -> Self {
        let mut rows = [[&points[0].x; MAX_WIDTH]; 3];
        for lane in 0..R::WIDTH {
            let Jacobian { x, y, z } = points[lane];
            (rows[0][lane], rows[1][lane], rows[2][lane]) = (x, y, z);
        }
        Self { x: R::gather(rows[0]), y: R::gather(rows[1]), z: R::gather(rows[2]) }
    }

    #[inline(always)]
    fn store(self, points: &mut [Jacobian<R::Element>; MAX_WIDTH]) {
        let (x, y, z) = (R::rows(self.x), R::rows(self.y), R::rows(self.z));
        for lane in 0..R::WIDTH {
            points[lane] = Jacobian { x: x[lane], y: y[lane], z: z[lane] };
        }
    }

    #[inline(always)]
    fn doubled(self) -> Self {
        let (x, y, z) = (R::of_product(self.x), R::of_product(self.y), R::of_product(self.z));
        let square = R::square(x);
        let slope = R::of_product(R::reduced(R::plus(R::plus(square, square), square)));
        let yy = R::of_product(R::square(y));
        let xyy = R::product(x, yy);
        let xyy = R::plus(xyy, xyy);
        let middle = R::reduced(R::plus(xyy, xyy));
        let x = R::reduced(R::minus(R::minus(R::square(slope), middle), middle));
        let fourth = R::square(yy);
        let fourth = R::plus(fourth, fourth);
        let fourth = R::plus(fourth, fourth);
        let fourth = R::reduced(R::plus(fourth, fourth));
        let rise = R::product(slope, R::difference(middle, x));
        let yz = R::product(y, z);
        Self { x, y: R::reduced(R::minus(rise, fourth)), z: R::reduced(R::plus(yz, yz)) }
    }

    /// The sum with affine points, and by how much the new Z is larger than the old.
    #[inline(always)]
    fn plus_affine(self, other_x: R::Sum, other_y: R::Sum) -> (Self, R::Sum) {
        let z = R::of_product(self.z);
        let zz = R::of_product(R::square(z));
        let zzz = R::of_product(R::product(z, zz));
        let run = R::reduced(R::minus(R::product(R::of_product(other_x), zz), self.x));
        let rise = R::reduced(R::minus(R::product(R::of_product(other_y), zzz), self.y));
        let z = R::reduced(R::product(z, R::of_product(run)));
        let (x, y) = Line::<R>::new(self.x, self.y, run).third(R::of_product(rise));
        (Self { x, y, z }, run)
    }
}

/// What is the same of all lines through a point to others at one distance in x.
#[derive(Clone, Copy)]
struct Line<R: Coordinates> {
    /// The cube of the distance.
    cube: R::Sum,
    /// The point, over denominators that are larger by the distance: x times its square, and y times its cube.
    x: R::Sum,
    y: R::Sum,
}

impl<R: Coordinates> Line<R> {
    #[inline(always)]
    fn new(x: R::Sum, y: R::Sum, run: R::Sum) -> Self {
        let run = R::of_product(run);
        let square = R::of_product(R::square(run));
        let cube = R::reduced(R::product(run, square));
        let x = R::reduced(R::product(R::of_product(x), square));
        let y = R::reduced(R::product(R::of_product(y), R::of_product(cube)));
        Self { cube, x, y }
    }

    /// The third point of the line with such a difference in y, negated, but for its Z.
    #[inline(always)]
    fn third(self, rise: R::Factor) -> (R::Sum, R::Sum) {
        let twice = R::reduced(R::minus(R::minus(R::square(rise), self.x), self.x));
        let x = R::reduced(R::minus(twice, self.cube));
        let y = R::reduced(R::minus(R::product(rise, R::difference(self.x, x)), self.y));
        (x, y)
    }
}

/// Both a + b and a - b.
struct Butterfly<'a, T> {
    a: [&'a Jacobian<T>; MAX_WIDTH],
    b: [&'a Jacobian<T>; MAX_WIDTH],
    results: &'a mut [[Jacobian<T>; MAX_WIDTH]; 2],
}

impl<R: Coordinates> Vectorised<R> for Butterfly<'_, R::Element> {
    #[inline(always)]
    fn run(self) {
        let (a, b) = (Points::<R>::gather(self.a), Points::<R>::gather(self.b));
        let [az, bz] = [R::of_product(a.z), R::of_product(b.z)];
        let [azz, bzz] = [R::of_product(R::square(az)), R::of_product(R::square(bz))];
        let [azzz, bzzz] = [R::of_product(R::product(az, azz)), R::of_product(R::product(bz, bzz))];
        let x = R::reduced(R::product(R::of_product(a.x), bzz));
        let y = R::reduced(R::product(R::of_product(a.y), bzzz));
        let other_y = R::reduced(R::product(R::of_product(b.y), azzz));
        let run = R::reduced(R::minus(R::product(R::of_product(b.x), azz), x));
        let both = R::of_product(R::product(az, bz));
        let z = R::reduced(R::product(both, R::of_product(run)));
        let line = Line::<R>::new(x, y, run);
        // The other point, and its negative.
        let others = [other_y, R::negated_where(other_y, u8::MAX)];
        for (result, other_y) in self.results.iter_mut().zip(others) {
            let rise = R::of_product(R::reduced(R::minus(other_y, y)));
            let (x, y) = line.third(rise);
            Points::<R> { x, y, z }.store(result);
        }
    }
}

/// a + b and a - b in every lane; where Z is 0 in the results, it may be by one of the exceptions.
pub(super) fn butterfly<R: Coordinates>(
    a: [&Jacobian<R::Element>; MAX_WIDTH],
    b: [&Jacobian<R::Element>; MAX_WIDTH],
) -> [[Jacobian<R::Element>; MAX_WIDTH]; 2] {
    let mut results = [[Jacobian::IDENTITY; MAX_WIDTH]; 2];
    R::enter(Butterfly { a, b, results: &mut results });
    results
}

/// Makes the table of the odd multiples, on the curve scaled by their common Z.
struct Tabulate<'a, R: Coordinates> {
    points: [&'a Jacobian<R::Element>; MAX_WIDTH],
    beta: R::Element,
    table: &'a mut Table<R::Element>,
    z: &'a mut Option<R::Sum>,
}

impl<R: Coordinates> Vectorised<R> for Tabulate<'_, R> {
    #[inline(always)]
    fn run(self) {
        let point = Points::<R>::gather(self.points);
        let double = point.doubled();
        // On the curve on which the double is affine.
        let scale = R::of_product(double.z);
        let square = R::of_product(R::square(scale));
        let cube = R::of_product(R::product(scale, square));
        let first = Points::<R> {
            x: R::reduced(R::product(R::of_product(point.x), square)),
            y: R::reduced(R::product(R::of_product(point.y), cube)),
            z: point.z,
        };
        let (mut multiples, mut growth) = ([first; MULTIPLES], [first.z; MULTIPLES]);
        for i in 1..MULTIPLES {
            (multiples[i], growth[i]) = multiples[i - 1].plus_affine(double.x, double.y);
        }
        let last = multiples[MULTIPLES - 1];
        *self.z = Some(R::reduced(R::product(scale, R::of_product(last.z))));
        Self::write(self.table, MULTIPLES - 1, last.x, last.y, self.beta);
        // How much larger the last Z is than that of the multiple at hand.
        let mut scale = R::of_product(growth[MULTIPLES - 1]);
        for i in (0..MULTIPLES - 1).rev() {
            let square = R::of_product(R::square(scale));
            let cube = R::of_product(R::product(scale, square));
            let x = R::reduced(R::product(R::of_product(multiples[i].x), square));
            let y = R::reduced(R::product(R::of_product(multiples[i].y), cube));
            Self::write(self.table, i, x, y, self.beta);
            scale = R::of_product(R::product(scale, R::of_product(growth[i])));
        }
    }
}

impl<R: Coordinates> Tabulate<'_, R> {
    /// Writes a multiple of every lane.
    #[inline(always)]
    fn write(table: &mut Table<R::Element>, at: usize, x: R::Sum, y: R::Sum, beta: R::Element) {
        let image = R::reduced(R::product(R::of_product(x), R::splat(beta)));
        let (x, image, y) = (R::rows(x), R::rows(image), R::rows(y));
        for lane in 0..R::WIDTH {
            table[lane][at] = [x[lane], image[lane], y[lane]];
        }
    }
}

/// The points that a pair of digits adds, in every lane.
struct Terms<'a, T> {
    x: [&'a T; MAX_WIDTH],
    y: [&'a T; MAX_WIDTH],
    /// Lanes in which they are negated.
    negative: u8,
}

/// Doubles points, and adds the terms of a pair of digits; the first pair makes the points.
struct Advance<'a, R: Coordinates> {
    points: &'a mut Option<Points<R>>,
    terms: [Terms<'a, R::Element>; 2],
    one: &'a R::Element,
}

impl<R: Coordinates> Vectorised<R> for Advance<'_, R> {
    #[inline(always)]
    fn run(self) {
        let Self { points: state, terms, one } = self;
        if let Some(mut points) = *state {
            for _ in 0..Half::DIGIT {
                points = points.doubled();
            }
            *state = Some(points);
        }
        for terms in terms {
            let x = R::gather(terms.x);
            let y = R::negated_where(R::gather(terms.y), terms.negative);
            *state = Some(match *state {
                None => Points { x, y, z: R::gather([one; MAX_WIDTH]) },
                Some(points) => points.plus_affine(x, y).0,
            });
        }
    }
}

/// Takes points back from the scaled curve.
struct Finish<'a, R: Coordinates> {
    points: &'a Option<Points<R>>,
    z: &'a Option<R::Sum>,
    results: &'a mut [Jacobian<R::Element>; MAX_WIDTH],
}

impl<R: Coordinates> Vectorised<R> for Finish<'_, R> {
    #[inline(always)]
    fn run(self) {
        if let (Some(Points { x, y, z }), Some(scale)) = (*self.points, *self.z) {
            let z = R::reduced(R::product(R::of_product(z), R::of_product(scale)));
            Points::<R> { x, y, z }.store(self.results);
        }
    }
}

/// The product of the point of every lane with a scalar, by the pairs of its digits, lowest first; of all lanes there are as many. Where Z is 0 in a result, it may be by one of the exceptions.
pub(super) fn multiply<R: Coordinates>(
    points: [&Jacobian<R::Element>; MAX_WIDTH],
    digits: [&[[i8; 2]]; MAX_WIDTH],
    beta: R::Element,
    form: &Form<R::Element>,
) -> [Jacobian<R::Element>; MAX_WIDTH] {
    let mut table = [[[R::Element::ZERO; 3]; MULTIPLES]; MAX_WIDTH];
    let mut results = [Jacobian::IDENTITY; MAX_WIDTH];
    // Vectors are made where their level is entered alone.
    let (mut z, mut sums) = (None, None);
    R::enter(Tabulate::<R> { points, beta, table: &mut table, z: &mut z });
    for at in (0..digits[0].len()).rev() {
        let terms = from_fn(|half| {
            let mut negative = 0;
            let entries: [_; MAX_WIDTH] = from_fn(|lane| {
                // Lanes that a vector does not have are those of the first.
                let lane = if lane < R::WIDTH { lane } else { 0 };
                let digit = digits[lane][at][half];
                negative |= u8::from(digit < 0) << lane;
                &table[lane][usize::from(digit.unsigned_abs()) / 2]
            });
            Terms { x: entries.map(|entry| &entry[half]), y: entries.map(|entry| &entry[2]), negative }
        });
        R::enter(Advance::<R> { points: &mut sums, terms, one: &form.into });
    }
    R::enter(Finish::<R> { points: &sums, z: &z, results: &mut results });
    results
}
