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

/// Makes everything of the table of kinds: the operations of a backend over one field, in host memory and in a device's, and how generic code gets to each.
macro_rules! kinds {
    ($($what:literal: $kind:ident, $trait:ident; $resident_kind:ident, $resident_trait:ident;)*) => {
        /// How generic code gets from a backend to its operations over one field.
        pub trait OnBackends: TwoAdic {
            $(
                #[doc = concat!("The backend's ", $what, " over this field.")]
                fn $kind(backend: &dyn Backend) -> &dyn $trait<Self>;

                #[doc = concat!("The backend's ", $what, " over this field, of data in a device's memory.")]
                fn $resident_kind(backend: &dyn ResidentBackend) -> &dyn $resident_trait<Self>;
            )*
        }

        /// All operations over one field.
        pub trait OverField<F: TwoAdic + BaseField>: $($trait<F> +)* {}

        impl<F: TwoAdic + BaseField, T> OverField<F> for T where T: $($trait<F> +)* {}

        /// All operations over one field on data in a device's memory.
        pub trait ResidentOverField<F: TwoAdic + BaseField>: $($resident_trait<F> +)* {}

        impl<F: TwoAdic + BaseField, T> ResidentOverField<F> for T where T: $($resident_trait<F> +)* {}

        macro_rules! on_backends {
            ($field:path) => {
                impl OnBackends for $field {
                    $(
                        fn $kind(backend: &dyn Backend) -> &dyn $trait<Self> {
                            backend
                        }

                        fn $resident_kind(backend: &dyn ResidentBackend) -> &dyn $resident_trait<Self> {
                            backend
                        }
                    )*
                }
            };
        }
    };
}
kinds! {
    "transforms": transforms, Transforms; resident_transforms, ResidentTransforms;
    "inverses": inversion, Inversion; resident_inversion, ResidentInversion;
    "row programs": programs, Programs; resident_programs, ResidentPrograms;
    "combinations of columns and of rows": combinations, Combinations; resident_combinations, ResidentCombinations;
    "prefix products": prefix_products, PrefixProducts; resident_prefix_products, ResidentPrefixProducts;
    "permuted columns of lookups": lookups, Lookups; resident_lookups, ResidentLookups;
}

macro_rules! every_field {
    ($($field:path;)*) => {
        /// All operations over every field.
        pub trait EveryField: $(OverField<$field> +)* {}

        impl<T> EveryField for T where T: $(OverField<$field> +)* {}

        /// The same on data in a device's memory.
        pub trait EveryResidentField: $(ResidentOverField<$field> +)* {}

        impl<T> EveryResidentField for T where T: $(ResidentOverField<$field> +)* {}

        $(on_backends!($field);)*
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
