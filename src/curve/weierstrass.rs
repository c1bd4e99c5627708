//! Points of curves y^2 = x^3 + b to compute with, over any coordinates.
//!
//! # Mathematical description
//!
//! A sum of two affine points costs an inversion, which a batch shares (the CPU backend does
//! that). Where points are added one after another, they are kept as (X, Y, ZZ, ZZZ) with x = X/ZZ, y = Y/ZZZ and
//! ZZ^3 = ZZZ^2; formulas madd-2008-s, add-2008-s and dbl-2008-s-1 of the Explicit-Formulas Database (Bernstein and
//! Lange), with the cases that those leave out: the identity, equal points, opposite points.

use crate::field::coordinates::LazyElement;

/// A point (x, y); the identity is (0, 0), which is on no curve with b other than 0, with bits that are all zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine<F> {
    pub(crate) x: F,
    pub(crate) y: F,
}

/// A point (X/ZZ, Y/ZZZ); the identity has ZZ = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Xyzz<F> {
    pub(crate) x: F,
    pub(crate) y: F,
    pub(crate) zz: F,
    pub(crate) zzz: F,
}

impl<T: LazyElement> Affine<T> {
    pub(crate) const IDENTITY: Self = Self { x: T::ZERO, y: T::ZERO };

    #[inline(always)]
    pub(crate) fn is_identity(&self) -> bool {
        self.x.has_no_bits() && self.y.has_no_bits()
    }

    /// -P if `negative`, else P.
    #[inline(always)]
    pub(crate) fn negated_if(self, negative: bool) -> Self {
        Self { x: self.x, y: self.y.negated_if(negative) }
    }

    /// 2P, for P other than the identity.
    fn double(self) -> Xyzz<T> {
        let u = self.y.add(self.y);
        let v = u.square();
        let w = u.mul(v);
        let s = self.x.mul(v);
        let square = self.x.square();
        let m = square.add(square).add(square);
        let x = m.square().sub(s).sub(s);
        let y = m.mul(s.sub(x)).sub(w.mul(self.y));
        Xyzz { x, y, zz: v, zzz: w }
    }
}

impl<T: LazyElement> From<Affine<T>> for Xyzz<T> {
    fn from(point: Affine<T>) -> Self {
        match point.is_identity() {
            true => Self::IDENTITY,
            false => Self { x: point.x, y: point.y, zz: T::ONE, zzz: T::ONE },
        }
    }
}

impl<T: LazyElement> Xyzz<T> {
    pub(crate) const IDENTITY: Self = Self { x: T::ONE, y: T::ONE, zz: T::ZERO, zzz: T::ZERO };

    #[inline(always)]
    pub(crate) fn is_identity(&self) -> bool {
        self.zz.is_zero()
    }

    /// P + Q for an affine Q: 8 products and 2 squares.
    #[inline]
    pub(crate) fn add_affine(self, rhs: &Affine<T>) -> Self {
        if rhs.is_identity() {
            return self;
        }
        if self.is_identity() {
            return (*rhs).into();
        }
        let p = rhs.x.mul(self.zz).sub(self.x);
        let r = rhs.y.mul(self.zzz).sub(self.y);
        if p.is_zero() {
            return if r.is_zero() { rhs.double() } else { Self::IDENTITY };
        }
        self.add_by_differences(p, r)
    }

    /// The sum with a point whose numerators are p and r more, over the same denominators.
    #[inline(always)]
    fn add_by_differences(self, p: T, r: T) -> Self {
        let pp = p.square();
        let ppp = p.mul(pp);
        let q = self.x.mul(pp);
        let x = r.square().sub(ppp).sub(q).sub(q);
        let y = r.mul(q.sub(x)).sub(self.y.mul(ppp));
        Self { x, y, zz: self.zz.mul(pp), zzz: self.zzz.mul(ppp) }
    }

    /// P + Q: 12 products and 2 squares.
    #[inline]
    pub(crate) fn add(self, rhs: &Self) -> Self {
        if rhs.is_identity() {
            return self;
        }
        if self.is_identity() {
            return *rhs;
        }
        let u = self.x.mul(rhs.zz);
        let s = self.y.mul(rhs.zzz);
        let p = rhs.x.mul(self.zz).sub(u);
        let r = rhs.y.mul(self.zzz).sub(s);
        if p.is_zero() {
            return if r.is_zero() { self.double() } else { Self::IDENTITY };
        }
        // P over the denominators of both.
        Self { x: u, y: s, zz: self.zz.mul(rhs.zz), zzz: self.zzz.mul(rhs.zzz) }.add_by_differences(p, r)
    }

    /// 2P.
    #[inline]
    pub(crate) fn double(self) -> Self {
        if self.is_identity() {
            return self;
        }
        // The affine doubling on the numerators, over the denominators.
        let Xyzz { x, y, zz, zzz } = Affine { x: self.x, y: self.y }.double();
        Self { x, y, zz: zz.mul(self.zz), zzz: zzz.mul(self.zzz) }
    }

    /// Affine forms, with one inversion for all.
    pub(crate) fn normalize(points: &[Self]) -> Vec<Affine<T>> {
        let mut inverses: Vec<_> = points.iter().map(|point| point.zzz).collect();
        T::invert_all(&mut inverses);
        let affine = points.iter().zip(inverses).map(|(point, by_zzz)| {
            if point.is_identity() {
                return Affine::IDENTITY;
            }
            // 1/ZZ = ZZ^2 / ZZZ^2.
            let by_zz = point.zz.mul(by_zzz).square();
            Affine { x: point.x.mul(by_zz), y: point.y.mul(by_zzz) }
        });
        affine.collect()
    }
}
