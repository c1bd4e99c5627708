//! A backend that is wrong in one place is caught, and one that is right is not.

use super::Checked;
use crate::backend::cpu::Cpu;
use crate::backend::{Backend, Clock, Hashing, HostMemory, Residence, Transforms};
use crate::error::Error;
use crate::field::{Field, Goldilocks, powers};
use crate::hash::*;
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};

/// The CPU, with one entry of each answer changed where it is not honest.
struct Changed {
    cpu: Cpu,
    honest: bool,
}

impl Changed {
    fn last<T>(&self, answer: &mut [T], change: impl FnOnce(&mut T)) {
        if !self.honest {
            answer.last_mut().map(change);
        }
    }
}

impl Clock for Changed {}
impl HostMemory for Changed {}
impl Residence for Changed {}

impl Transforms for Changed {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.cpu.ntt(ntt, data, width)?;
        self.last(data, |word| *word += Goldilocks::new(1));
        Ok(())
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.cpu.lde(lde, input, width, output)?;
        self.last(output, |word| *word += Goldilocks::new(1));
        Ok(())
    }
}

macro_rules! changed_digests {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        $(impl Hashing<$hash> for Changed {
            fn hash_rows(
                &self,
                matrix: &[Goldilocks],
                width: usize,
                digests: &mut [<$hash as Hasher>::Digest],
            ) -> Result<(), Error> {
                Hashing::<$hash>::hash_rows(&self.cpu, matrix, width, digests)?;
                self.last(digests, |digest| *digest = Default::default());
                Ok(())
            }

            fn hash_columns(
                &self,
                matrix: &[Goldilocks],
                degree: usize,
                digests: &mut [<$hash as Hasher>::Digest],
            ) -> Result<(), Error> {
                Hashing::<$hash>::hash_columns(&self.cpu, matrix, degree, digests)?;
                self.last(digests, |digest| *digest = Default::default());
                Ok(())
            }

            fn build_tree(
                &self,
                heap: &mut [<$hash as Hasher>::Digest],
                approach: Approach,
            ) -> Result<(), Error> {
                Hashing::<$hash>::build_tree(&self.cpu, heap, approach)?;
                self.last(&mut heap[..2], |root| *root = Default::default());
                Ok(())
            }
        })*
    };
}
crate::for_every_hash!(changed_digests);

fn checked(honest: bool) -> Checked {
    let backend: Box<dyn Backend> = Box::new(Changed { cpu: Cpu::default(), honest });
    Checked::new(backend, "changed".into())
}

/// The answer is believed if and only if it is right; where it is not, what was given is as it was.
#[test]
fn transforms() {
    let domain = |log| Domain::new(log, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR).unwrap();
    for log in [0, 1, 5] {
        for (width, blocks) in [(1, 1), (3, 1), (2, 3)] {
            let words: Vec<_> = powers(Goldilocks::GENERATOR).take((width * blocks) << log).collect();
            for ntt in [
                Ntt::forward(domain(log)),
                Ntt::inverse(domain(log)).with_orders(Order::BitReversed, Order::Natural),
                Ntt::forward(domain(log)).with_orders(Order::Natural, Order::BitReversed),
            ] {
                let (mut right, mut data) = (words.clone(), words.clone());
                Cpu::default().ntt(&ntt, &mut right, width).unwrap();
                assert_eq!(checked(false).ntt(&ntt, &mut data, width), fails("the check of a transform"));
                assert_eq!(data, words);
                checked(true).ntt(&ntt, &mut data, width).unwrap();
                assert_eq!(data, right);
            }
            for order in [Order::Natural, Order::BitReversed] {
                let lde = Lde::new(Domain::new(log, Convention::Plonky3).unwrap(), domain(log + 2)).unwrap();
                let lde = lde.with_output_order(order);
                let mut out = vec![Goldilocks::ZERO; words.len() << 2];
                checked(true).lde(&lde, &mut words.clone(), width, &mut out).unwrap();
                let wrong = checked(false).lde(&lde, &mut words.clone(), width, &mut out);
                assert_eq!(wrong, fails("the check of an extension"));
            }
        }
    }
}

fn fails(operation: &'static str) -> Result<(), Error> {
    Err(Error::CheckFailed { device: "changed".into(), operation })
}

/// With as few rows as are drawn the wrong one is hit often; the root stands above every leaf.
#[test]
fn rows_and_trees() {
    type Digests = [<Rp64_256 as Hasher>::Digest];
    type Call<'a> = &'a dyn Fn(bool, &mut Digests) -> Result<(), Error>;
    let matrix: Vec<_> = powers(Goldilocks::GENERATOR).take(6).collect();
    let rows =
        |honest, digests: &mut Digests| Hashing::<Rp64_256>::hash_rows(&checked(honest), &matrix, 3, digests);
    let columns = |honest, digests: &mut Digests| {
        Hashing::<Rp64_256>::hash_columns(&checked(honest), &matrix, 1, digests)
    };
    let calls: [Call<'_>; 2] = [&rows, &columns];
    for call in calls {
        let mut digests = vec![Default::default(); 2];
        call(true, &mut digests).unwrap();
        // Each try misses the second of two rows with probability 2^-8; that 20 do is not to be feared.
        let caught = (0..20).any(|_| call(false, &mut digests) == fails("the check of digests of rows"));
        assert!(caught);
    }
    for leaves in [2, 16] {
        let leaf = |i: u64| Rp64_256::hash_elements(&[Goldilocks::new(i)]);
        let mut heap: Vec<_> = (0..2 * leaves).map(leaf).collect();
        Hashing::<Rp64_256>::build_tree(&checked(true), &mut heap, Approach::Auto).unwrap();
        let wrong = Hashing::<Rp64_256>::build_tree(&checked(false), &mut heap, Approach::Auto);
        assert_eq!(wrong, fails("the check of a tree"));
    }
}

#[cfg(feature = "bn254")]
mod bn254 {
    use super::*;
    use crate::backend::{BasesView, Fft, Kept, Msm, ScalarsView};
    use crate::bn254::{Fr, G1, G1Affine};

    impl Msm for Changed {
        fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
            self.cpu.keep_bases(points, table_bytes)
        }

        fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
            self.cpu.keep_scalars(scalars)
        }

        fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
            self.cpu.msm(scalars, bases, sums)?;
            self.last(sums, |sum| *sum += G1::generator());
            Ok(())
        }
    }

    impl Fft for Changed {
        fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
            self.cpu.fft(fft, values)?;
            self.last(values, |value| *value += Fr::one());
            Ok(())
        }

        fn fft_of_padded(
            &self,
            domain: &Domain<Fr>,
            coefficients: &[Fr],
            size: usize,
            values: &mut [Fr],
        ) -> Result<(), Error> {
            self.cpu.fft_of_padded(domain, coefficients, size, values)?;
            self.last(values, |value| *value += Fr::one());
            Ok(())
        }
    }

    #[test]
    fn sums() {
        for (len, rows) in [(0, 1), (1, 1), (5, 3), (100, 1), (40, 3)] {
            let points = vec![G1Affine::generator(); len];
            let scalars: Vec<_> = (0..(len * rows) as u64).map(Fr::from).collect();
            let view = || {
                let scalars = ScalarsView { scalars: &scalars, kept: None };
                (scalars, BasesView { points: &points, kept: None, first: 0 })
            };
            let mut sums = vec![G1::default(); rows];
            let (s, b) = view();
            checked(true).msm(s, b, &mut sums).unwrap();
            let (s, b) = view();
            // A constant that is added shows in the sample, which is summed again.
            assert_eq!(checked(false).msm(s, b, &mut sums), fails("the check of a sum"));
        }
    }

    #[test]
    fn transforms() {
        let domain = Domain::halo2(4).unwrap();
        let values: Vec<_> = (0..32).map(Fr::from).collect();
        for fft in [
            Ntt::forward(domain.coset(Fr::from(5)).unwrap()),
            Ntt::inverse(domain).with_orders(Order::BitReversed, Order::Natural),
        ] {
            let mut data = values.clone();
            assert_eq!(checked(false).fft(&fft, &mut data), fails("the check of a transform"));
            assert_eq!(data, values);
            checked(true).fft(&fft, &mut data).unwrap();
        }
        let mut out = vec![Fr::zero(); 32];
        checked(true).fft_of_padded(&domain, &values[..8], 4, &mut out).unwrap();
        let wrong = checked(false).fft_of_padded(&domain, &values[..8], 4, &mut out);
        assert_eq!(wrong, fails("the check of a transform"));
    }
}
