//! What backends have over every field with transforms, and how generic code gets to it.

use super::{
    Backend, BaseField, Combinations, Inversion, Lookups, PrefixProducts, Programs, ResidentBackend,
    ResidentCombinations, ResidentInversion, ResidentLookups, ResidentPrefixProducts, ResidentPrograms,
    ResidentTransforms, Transforms,
};
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
use crate::ntt::{Convention, Domain};
use crate::work::Activity;

/// A field over which every backend transforms and inverts.
pub trait AcceleratedField: OnBackends + BaseField {
    /// The field's name where kinds of operations are listed.
    const NAME: &'static str;
    /// The name of transforms over the field in accounts.
    const TRANSFORM: Activity;
    /// The name of low-degree extensions over the field in accounts.
    const EXTENSION: Activity;

    /// A subgroup to measure and to test with.
    fn some_domain(log_size: u32) -> Result<Domain<Self>, Error>;
}

impl AcceleratedField for Goldilocks {
    const NAME: &'static str = "goldilocks";
    const TRANSFORM: Activity = Activity::NTT;
    const EXTENSION: Activity = Activity::LDE;

    fn some_domain(log_size: u32) -> Result<Domain<Self>, Error> {
        Domain::new(log_size, Convention::Winterfell)
    }
}

/// How generic code gets from a backend to its operations over one field.
pub trait OnBackends: TwoAdic {
    /// The backend's transforms over this field.
    fn transforms(backend: &dyn Backend) -> &dyn Transforms<Self>;

    /// The same on data in a device's memory.
    fn resident_transforms(backend: &dyn ResidentBackend) -> &dyn ResidentTransforms<Self>;

    /// The backend's inverses over this field.
    fn inversion(backend: &dyn Backend) -> &dyn Inversion<Self>;

    /// The same of data in a device's memory.
    fn resident_inversion(backend: &dyn ResidentBackend) -> &dyn ResidentInversion<Self>;

    /// The backend's row programs over this field.
    fn programs(backend: &dyn Backend) -> &dyn Programs<Self>;

    /// The same on data in a device's memory.
    fn resident_programs(backend: &dyn ResidentBackend) -> &dyn ResidentPrograms<Self>;

    /// The backend's combinations of columns and of rows over this field.
    fn combinations(backend: &dyn Backend) -> &dyn Combinations<Self>;

    /// The same of matrices in a device's memory.
    fn resident_combinations(backend: &dyn ResidentBackend) -> &dyn ResidentCombinations<Self>;

    /// The backend's prefix products over this field.
    fn prefix_products(backend: &dyn Backend) -> &dyn PrefixProducts<Self>;

    /// The same of matrices in a device's memory.
    fn resident_prefix_products(backend: &dyn ResidentBackend) -> &dyn ResidentPrefixProducts<Self>;

    /// The backend's permutations of lookups over this field.
    fn lookups(backend: &dyn Backend) -> &dyn Lookups<Self>;

    /// The same of matrices in a device's memory.
    fn resident_lookups(backend: &dyn ResidentBackend) -> &dyn ResidentLookups<Self>;
}

macro_rules! every_field {
    ($($field:path;)*) => {
        /// What every field has.
        pub trait EveryField:
            $(
                Transforms<$field>
                + Inversion<$field>
                + Programs<$field>
                + Combinations<$field>
                + PrefixProducts<$field>
                + Lookups<$field> +
            )*
        {
        }

        impl<T> EveryField for T where
            T: $(
                Transforms<$field>
                + Inversion<$field>
                + Programs<$field>
                + Combinations<$field>
                + PrefixProducts<$field>
                + Lookups<$field> +
            )*
        {
        }

        /// The same in a device's memory.
        pub trait EveryResidentField:
            $(
                ResidentTransforms<$field>
                + ResidentInversion<$field>
                + ResidentPrograms<$field>
                + ResidentCombinations<$field>
                + ResidentPrefixProducts<$field>
                + ResidentLookups<$field> +
            )*
        {
        }

        impl<T> EveryResidentField for T where
            T: $(
                ResidentTransforms<$field>
                + ResidentInversion<$field>
                + ResidentPrograms<$field>
                + ResidentCombinations<$field>
                + ResidentPrefixProducts<$field>
                + ResidentLookups<$field> +
            )*
        {
        }

        $(impl OnBackends for $field {
            fn transforms(backend: &dyn Backend) -> &dyn Transforms<Self> {
                backend
            }

            fn resident_transforms(backend: &dyn ResidentBackend) -> &dyn ResidentTransforms<Self> {
                backend
            }

            fn inversion(backend: &dyn Backend) -> &dyn Inversion<Self> {
                backend
            }

            fn resident_inversion(backend: &dyn ResidentBackend) -> &dyn ResidentInversion<Self> {
                backend
            }

            fn programs(backend: &dyn Backend) -> &dyn Programs<Self> {
                backend
            }

            fn resident_programs(backend: &dyn ResidentBackend) -> &dyn ResidentPrograms<Self> {
                backend
            }

            fn combinations(backend: &dyn Backend) -> &dyn Combinations<Self> {
                backend
            }

            fn resident_combinations(backend: &dyn ResidentBackend) -> &dyn ResidentCombinations<Self> {
                backend
            }

            fn prefix_products(backend: &dyn Backend) -> &dyn PrefixProducts<Self> {
                backend
            }

            fn resident_prefix_products(backend: &dyn ResidentBackend) -> &dyn ResidentPrefixProducts<Self> {
                backend
            }

            fn lookups(backend: &dyn Backend) -> &dyn Lookups<Self> {
                backend
            }

            fn resident_lookups(backend: &dyn ResidentBackend) -> &dyn ResidentLookups<Self> {
                backend
            }
        })*
    };
}
#[cfg(feature = "bn254")]
macro_rules! goldilocks_and_prime_fields {
    ($($field:path, $name:literal;)*) => {
        every_field!(Goldilocks; $($field;)*);
    };
}
#[cfg(feature = "bn254")]
crate::for_every_two_adic_field!(goldilocks_and_prime_fields);
#[cfg(not(feature = "bn254"))]
every_field!(Goldilocks;);
