//! The ZK acceleration layer (ZAL), by which some forks of halo2 and halo2curves let a prover have its sums from elsewhere.
//!
//! Its trait `MsmAccel` has a sum of slices, *descriptors* of coefficients and bases that will be used again, and three sums with one or
//! both of them. No crate that is published has the trait, and forks differ in whether descriptors must be `Copy`; so [`zal!`](crate::zal!)
//! implements whichever trait it is given the path of, and descriptors are `Copy`: a borrowed slice and the number of what the engine keeps
//! of it. As such a descriptor cannot say that it is gone, what is kept is bounded, and what was used longest ago is thrown out. A descriptor
//! that outlives what it numbers has its slice, from which it is kept again.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard};

use zkaccel::bn254::{Fr, G1, G1Affine};
use zkaccel::matrix::Matrix;
use zkaccel::msm::{Bases, BasesInput, BasesOptions, ScalarsInput};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use crate::bases::{KeptBases, room};
use crate::store::{Store, Ticket};
use crate::types::{self, Bn254};
use crate::{done, lock};

/// Makes an engine for a fork that has the traits of ZAL: a type that implements `MsmAccel` for the fork's `G1Affine` of BN254.
///
/// ```ignore
/// zkaccel_halo2::zal!(pub Accelerated: halo2curves::zal::MsmAccel for halo2curves::bn256);
/// let engine = Accelerated::new(&zkaccel::Engine::new()?, Default::default());
/// ```
///
/// Errors of the engine and different lengths are panics, as in the stock implementation.
#[macro_export]
macro_rules! zal {
    ($visibility:vis $name:ident: $($accel:ident)::+ for $($module:ident)::+) => {
        /// Sums over BN254 by an engine of zkaccel.
        #[derive(Debug)]
        $visibility struct $name($crate::Zal<$name>);

        $crate::bn254_for!($name = $($module)::+);

        impl $name {
            /// Sums by this engine; `options` are those with which it keeps bases.
            $visibility fn new(
                engine: &$crate::zkaccel::Engine,
                options: $crate::zkaccel::msm::BasesOptions,
            ) -> Self {
                Self($crate::Zal::new(engine, options))
            }
        }

        impl $($accel)::+<$($module)::+::G1Affine> for $name {
            type CoeffsDescriptor<'c> = $crate::ScalarsDescriptor<'c, $name>;
            type BaseDescriptor<'b> = $crate::BasesDescriptor<'b, $name>;

            fn msm(&self, coeffs: &[$($module)::+::Fr], base: &[$($module)::+::G1Affine]) -> $($module)::+::G1 {
                self.0.sum(coeffs, base)
            }

            fn get_coeffs_descriptor<'c>(&self, coeffs: &'c [$($module)::+::Fr]) -> Self::CoeffsDescriptor<'c> {
                self.0.keep_scalars(coeffs)
            }

            fn get_base_descriptor<'b>(&self, base: &'b [$($module)::+::G1Affine]) -> Self::BaseDescriptor<'b> {
                self.0.keep_bases(base)
            }

            fn msm_with_cached_scalars(
                &self,
                coeffs: &Self::CoeffsDescriptor<'_>,
                base: &[$($module)::+::G1Affine],
            ) -> $($module)::+::G1 {
                self.0.sum(*coeffs, base)
            }

            fn msm_with_cached_base(
                &self,
                coeffs: &[$($module)::+::Fr],
                base: &Self::BaseDescriptor<'_>,
            ) -> $($module)::+::G1 {
                self.0.sum(coeffs, *base)
            }

            fn msm_with_cached_inputs(
                &self,
                coeffs: &Self::CoeffsDescriptor<'_>,
                base: &Self::BaseDescriptor<'_>,
            ) -> $($module)::+::G1 {
                self.0.sum(*coeffs, *base)
            }
        }
    };
}

/// What is behind a type of [`zal!`](crate::zal!): an engine and what it keeps, each up to a quarter of its device's memory.
pub struct Zal<C> {
    engine: Engine,
    options: BasesOptions,
    bases: KeptBases,
    scalars: Mutex<Store<DeviceMatrix<Fr>>>,
    types: PhantomData<fn() -> C>,
}

/// Scalars and, if they were used not long ago, their copy on the device.
pub struct ScalarsDescriptor<'c, C: Bn254> {
    scalars: &'c [C::Scalar],
    ticket: Option<Ticket>,
}

/// Bases and, if they were used not long ago, their copy on the device.
pub struct BasesDescriptor<'b, C: Bn254> {
    bases: &'b [C::Affine],
    ticket: Option<Ticket>,
}

impl<'c, C: Bn254> From<&'c [C::Scalar]> for ScalarsDescriptor<'c, C> {
    /// Scalars that are not kept.
    fn from(scalars: &'c [C::Scalar]) -> Self {
        Self { scalars, ticket: None }
    }
}

impl<'b, C: Bn254> From<&'b [C::Affine]> for BasesDescriptor<'b, C> {
    /// Bases that are not kept.
    fn from(bases: &'b [C::Affine]) -> Self {
        Self { bases, ticket: None }
    }
}

impl<C: Bn254> Zal<C> {
    /// Sums by this engine; `options` are those with which it keeps bases.
    pub fn new(engine: &Engine, options: BasesOptions) -> Self {
        let limit = room(engine);
        Self {
            engine: engine.clone(),
            options,
            bases: KeptBases::new(limit),
            scalars: Mutex::new(Store::new(limit)),
            types: PhantomData,
        }
    }

    /// Keeps scalars.
    pub fn keep_scalars<'c>(&self, scalars: &'c [C::Scalar]) -> ScalarsDescriptor<'c, C> {
        ScalarsDescriptor {
            scalars,
            ticket: done(self.kept_scalars(own_scalars::<C>(scalars))).map(|kept| kept.0),
        }
    }

    /// Keeps bases, or finds them if they are kept.
    pub fn keep_bases<'b>(&self, bases: &'b [C::Affine]) -> BasesDescriptor<'b, C> {
        BasesDescriptor { bases, ticket: done(self.kept_bases(own_points::<C>(bases))).map(|kept| kept.0) }
    }

    /// The sum of every scalar times its base.
    pub fn sum<'a>(
        &self,
        scalars: impl Into<ScalarsDescriptor<'a, C>>,
        bases: impl Into<BasesDescriptor<'a, C>>,
    ) -> C::Projective {
        types::sum::<C, C::Projective>(&done(self.sum_of(scalars.into(), bases.into())))
    }

    fn sum_of(&self, scalars: ScalarsDescriptor<'_, C>, bases: BasesDescriptor<'_, C>) -> Result<G1, Error> {
        let (slice, points) = (own_scalars::<C>(scalars.scalars), own_points::<C>(bases.bases));
        let kept_scalars = match scalars.ticket {
            Some(ticket) => {
                // Not in a `match`: the lock would be held through it.
                let found = self.store().get(ticket);
                if found.is_some() { found } else { self.kept_scalars(slice)?.map(|kept| kept.1) }
            }
            None => None,
        };
        let kept_bases = match bases.ticket {
            Some(ticket) => match self.bases.get(ticket) {
                Some(kept) => Some(kept),
                None => self.kept_bases(points)?.map(|kept| kept.1),
            },
            None => None,
        };
        let scalars = kept_scalars.as_ref().map_or(ScalarsInput::Slice(slice), ScalarsInput::Kept);
        // Found bases may go on behind those of the descriptor.
        let bases = match &kept_bases {
            Some(kept) => kept.range(0..points.len())?,
            None => BasesInput::Slice(points),
        };
        self.engine.msm(scalars, bases)
    }

    fn store(&self) -> MutexGuard<'_, Store<DeviceMatrix<Fr>>> {
        lock(&self.scalars)
    }

    /// Keeps scalars; `None` if there are none, if they are too many, or the device has no memory for them: sums can still be brought them in parts.
    fn kept_scalars(&self, scalars: &[Fr]) -> Result<Option<(Ticket, DeviceMatrix<Fr>)>, Error> {
        let bytes = size_of_val(scalars) as u64;
        if scalars.is_empty() || !self.store().has_room_for(bytes) {
            return Ok(None);
        }
        match self.engine.upload(Matrix::from_column(scalars.to_vec())?) {
            Ok(kept) => Ok(Some((self.store().put(kept.clone(), bytes), kept))),
            Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Finds or keeps bases, unless they are too many.
    fn kept_bases(&self, points: &[G1Affine]) -> Result<Option<(Ticket, Bases)>, Error> {
        match self.bases.find(points) {
            Some(found) => Ok(Some(found)),
            None => self.bases.keep(&self.engine, points, self.options),
        }
    }
}

fn own_scalars<C: Bn254>(scalars: &[C::Scalar]) -> &[Fr] {
    types::scalars::<C, C::Scalar>(scalars).expect("its own scalars")
}

fn own_points<C: Bn254>(points: &[C::Affine]) -> &[G1Affine] {
    types::points::<C, C::Affine>(points).expect("its own points")
}

impl<C> fmt::Debug for Zal<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zal")
            .field("engine", &self.engine)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

// Derived, these would ask the same of the type that says which types are meant.
impl<C: Bn254> Clone for ScalarsDescriptor<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Bn254> Copy for ScalarsDescriptor<'_, C> {}

impl<C: Bn254> Clone for BasesDescriptor<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Bn254> Copy for BasesDescriptor<'_, C> {}

impl<C: Bn254> fmt::Debug for ScalarsDescriptor<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalarsDescriptor").field("len", &self.scalars.len()).finish_non_exhaustive()
    }
}

impl<C: Bn254> fmt::Debug for BasesDescriptor<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BasesDescriptor").field("len", &self.bases.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zkaccel::work::items;

    crate::bn254!(Own = zkaccel::bn254);

    /// Descriptors whose copies were thrown out, and such as never had any, are as good as others.
    #[test]
    fn what_is_not_kept_any_more() {
        let engine = Engine::global().unwrap();
        let mut zal = Zal::<Own>::new(&engine, BasesOptions::default());
        // Room for ten of each.
        (zal.bases, zal.scalars) = (KeptBases::new(640), Mutex::new(Store::new(320)));
        let bases = [1_u64, 2, 3].map(|i| vec![G1Affine::from(G1::generator() * Fr::from(i)); 11]);
        let scalars = [4_u64, 5, 6].map(|i| vec![Fr::from(i); 11]);
        // On one device with memory of its own scalars are there alone, as words.
        let items = |operation| items(&engine.work(), operation);
        let kept = || [items("bases kept"), items("scalars kept") + items("upload") / 4];
        let described = [6, 7, 11].map(|len| {
            let lists = bases.iter().zip(&scalars);
            let descriptors = lists.map(|(b, s)| (zal.keep_bases(&b[..len]), zal.keep_scalars(&s[..len])));
            (len as u64, descriptors.collect::<Vec<_>>())
        });
        for (len, descriptors) in described {
            for (i, &(bases, scalars)) in (1..).zip(&descriptors) {
                let before = kept();
                let sum = zal.sum(scalars, bases);
                assert_eq!(sum, G1::generator() * Fr::from(i * (i + 3) * len), "{len} of list {i}");
                let again = if len > 10 { 0 } else { len };
                assert_eq!([kept()[0] - before[0], kept()[1] - before[1]], [again; 2]);
            }
        }
    }
}
