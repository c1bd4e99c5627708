//! How many products the processor computes in a second, against which the arithmetic of its algorithms is judged.
//!
//! Over Goldilocks the faster of two forms counts: products of words, as transforms have them, or squares in doubles, as sponges do.
//!
//! Chains of products, each of which waits for the one before, lie in registers: x becomes x^(n + 1) by n products. As many chains as
//! hide a product's latency go side by side, on every thread.

use std::hint::black_box;
#[cfg(feature = "bn254")]
use std::marker::PhantomData;
use std::time::{Duration, Instant};

use super::Cpu;
use super::doubles::{Doubles, MAX_WIDTH};
use super::ntt::lanes::{Lanes, on_lanes};
#[cfg(feature = "bn254")]
use super::residues::{Residues, on_residues};
use super::simd::{Vectorised, Vectors, on_vectors};
use super::sponge::Element;
#[cfg(feature = "bn254")]
use crate::bn254::Fr;
use crate::device::ProductRates;
#[cfg(feature = "bn254")]
use crate::field::montgomery::{Limbs, Residue};
use crate::hash::rescue_power_maps::Powers as _;
use crate::parallel;

/// Chains of vectors.
const CHAINS: usize = 4;

/// The element that is raised to powers.
const BASE: u32 = 3;

/// Products of a chain in a measurement at first; they double until it takes long enough. With debug assertions rates tell little, and tests need not wait for them.
const PRODUCTS: usize = 1 << 12;
const LONG_ENOUGH: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2 } else { 20 });

/// Measurements, of which the quickest counts: whatever else runs on the machine makes them longer.
const MEASUREMENTS: usize = 5;

impl Cpu {
    /// The rates of all threads of the pool together.
    pub(super) fn measure_products(&self) -> ProductRates {
        ProductRates {
            goldilocks: self.products_of_words().max(self.squares_in_doubles()),
            #[cfg(feature = "bn254")]
            bn254: Some(on_residues!(self.simd, Fr, residues, fastest_over(residues))),
            #[cfg(not(feature = "bn254"))]
            bn254: None,
        }
    }

    fn products_of_words(&self) -> f64 {
        on_lanes!(
            self.simd,
            L,
            fastest(CHAINS * L::WIDTH, |products, results| L::enter(Powers { products, results }))
        )
    }

    fn squares_in_doubles(&self) -> f64 {
        on_vectors!(
            self.simd,
            Doubles as D => fastest(CHAINS * D::WIDTH, |products, results| D::enter(Squares { products, results })),
            else 0.0
        )
    }
}

/// The rate over a prime field.
#[cfg(feature = "bn254")]
fn fastest_over<R: Residues>(_: PhantomData<R>) -> f64 {
    fastest(CHAINS * R::WIDTH, |products, results| R::enter(ResiduePowers { products, results }))
}

/// Products a second of work that computes so many products in each of `chains` chains, and adds their ends to a list, done on every
/// thread at once.
fn fastest<T>(chains: usize, work: impl Fn(usize, &mut Vec<T>) + Sync) -> f64 {
    let threads = parallel::threads();
    let time = |products| {
        let start = Instant::now();
        parallel::repeat(threads, &|| {
            let mut results = Vec::new();
            work(products, &mut results);
            black_box(results);
        });
        start.elapsed()
    };
    let mut products = PRODUCTS;
    while time(products) < LONG_ENOUGH {
        products *= 2;
    }
    let shortest = (0..MEASUREMENTS).map(|_| time(products)).min().expect("several measurements");
    (threads * chains * products) as f64 / shortest.as_secs_f64()
}

/// Powers over Goldilocks.
struct Powers<'a> {
    products: usize,
    results: &'a mut Vec<u64>,
}

impl<L: Lanes> Vectorised<L> for Powers<'_> {
    #[inline(always)]
    fn run(self) {
        let x = L::splat(black_box(BASE).into());
        let mut chains = [x; CHAINS];
        for _ in 0..self.products {
            for chain in &mut chains {
                *chain = chain.mul(x);
            }
        }
        self.results.resize(CHAINS * L::WIDTH, 0);
        for (chain, results) in chains.iter().zip(self.results.chunks_exact_mut(L::WIDTH)) {
            chain.store(results);
        }
    }
}

/// Repeated squares over Goldilocks in doubles: the coordinates of x^(2^n).
struct Squares<'a> {
    products: usize,
    results: &'a mut Vec<(f64, f64)>,
}

impl<D: Doubles> Vectorised<D> for Squares<'_> {
    #[inline(always)]
    fn run(self) {
        let x = Element { x0: D::splat(black_box(BASE).into()), x1: D::splat(0.0) };
        for x in [x; CHAINS].square_times(self.products).normalise() {
            let (mut x0, mut x1) = ([0.0; MAX_WIDTH], [0.0; MAX_WIDTH]);
            x.x0.store(&mut x0);
            x.x1.store(&mut x1);
            self.results.extend(x0.into_iter().zip(x1).take(D::WIDTH));
        }
    }
}

/// Powers over a prime field, each divided by 2^(2 `SHIFT`) as often as it was multiplied ([`residues`](super::residues)).
#[cfg(feature = "bn254")]
struct ResiduePowers<'a> {
    products: usize,
    results: &'a mut Vec<Limbs>,
}

#[cfg(feature = "bn254")]
impl<R: Residues> Vectorised<R> for ResiduePowers<'_> {
    #[inline(always)]
    fn run(self) {
        let x = R::splat(Residue::from_word(black_box(BASE).into()));
        let mut chains = [x; CHAINS];
        for _ in 0..self.products {
            for chain in &mut chains {
                *chain = R::of_product(R::product(*chain, x));
            }
        }
        for chain in chains {
            self.results.extend_from_slice(&R::rows_of_factors(chain).map(Residue::lazy_limbs)[..R::WIDTH]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Simd;
    use super::*;
    use crate::backend::cpu::sponge::word;
    #[cfg(feature = "bn254")]
    use crate::field::coordinates::LazyElement;
    use crate::field::{Field, Goldilocks};

    /// Every chain computes the power that it is counted for, at every level.
    #[test]
    fn chains_are_powers() {
        for simd in Simd::available() {
            let power = Goldilocks::new(BASE.into()).pow(101).as_u64();
            let mut results = Vec::new();
            on_lanes!(simd, L, L::enter(Powers { products: 100, results: &mut results }));
            assert!(results.iter().all(|&result| result == power), "{simd}: {results:?}");
            let square = Goldilocks::new(BASE.into()).pow(1 << 60).square();
            let mut results = Vec::new();
            on_vectors!(simd, Doubles as D => D::enter(Squares { products: 61, results: &mut results }), else ());
            assert!(results.iter().all(|&(x0, x1)| word(x0, x1) == square), "{simd}: {results:?}");
            #[cfg(feature = "bn254")]
            on_residues!(simd, Fr, residues, powers_over(residues));
            // Where other programs take the processor in one of the measurements, another one tells.
            let cpu = Cpu::new(simd).unwrap();
            let mut rates = (0..5).map(|_| cpu.measure_products());
            assert!(rates.any(|rates| rates.goldilocks > rates.bn254.unwrap_or(1e6)), "{simd}");
        }
    }

    #[cfg(feature = "bn254")]
    fn powers_over<R: Residues>(_: PhantomData<R>) {
        let mut results = Vec::new();
        R::enter(ResiduePowers { products: 100, results: &mut results });
        let divisor = Residue::<R::Field>::from_word(1 << (2 * R::SHIFT)).pow(&[100]);
        let expected = Residue::<R::Field>::from_word(BASE.into()).pow(&[101]).canonical();
        for result in results {
            assert_eq!(Residue::from_montgomery(result).mul(divisor).canonical(), expected);
        }
    }
}
