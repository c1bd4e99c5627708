//! Products and reductions of values in limbs of 52 bits at the limits of their bounds, against exact integers.

use super::*;

/// Products of any limbs, and reduction of any columns, against exact integers.
pub(super) struct Limits<Q, M>(pub(super) PhantomData<(Q, M)>);

impl<Q: Quadwords, M: MontgomeryField> Limits<Q, M> {
    fn vector(words: [u64; MAX_WIDTH]) -> Q {
        let rows = words.map(|word| [word; 4]);
        Q::columns(std::array::from_fn(|i| &rows[i]))[0]
    }

    /// Five limbs of every lane.
    pub(super) fn vectors(lanes: &[Five; MAX_WIDTH]) -> [Q; 5] {
        std::array::from_fn(|limb| Self::vector(lanes.map(|limbs| limbs[limb])))
    }

    pub(super) fn lanes(vectors: [Q; 5]) -> Vec<[i128; 5]> {
        let rows = vectors.map(|vector| Q::rows([vector; 4]));
        (0..Q::WIDTH).map(|lane| rows.map(|rows| i128::from(rows[lane][0] as i64))).collect()
    }
}

/// An integer in columns as limbs, the highest with what is left over.
pub(super) fn carried(columns: [i128; 5]) -> [i128; 5] {
    let mut limbs = columns;
    for i in 0..4 {
        limbs[i + 1] += limbs[i] >> 52;
        limbs[i] &= i128::from(MASK);
    }
    limbs
}

/// Whether a < b, for limbs that are carried.
pub(super) fn below(a: [i128; 5], b: [i128; 5]) -> bool {
    a.iter().rev().cmp(b.iter().rev()).is_lt()
}

impl<Q: Quadwords, M: MontgomeryField> Vectorised<Q> for Limits<Q, M> {
    #[inline(always)]
    fn run(self) {
        let mut words = Words::new(5);
        // Limbs of ones, of zeros, single bits at the ends, and limbs that make the reduction's multiples all ones.
        let mut edges: Vec<Five> = vec![[MASK; 5], [0; 5], [1, 0, 0, 0, 0], [0, 0, 0, 0, MASK]];
        edges
            .extend((0..32_u32).map(|set| std::array::from_fn(|i| if set >> i & 1 == 1 { MASK } else { 0 })));
        edges
            .extend((0..32_u32).map(|set| std::array::from_fn(|i| if set >> i & 1 == 1 { MASK } else { 1 })));
        edges.extend((0..5).flat_map(|i| {
            [0, 1, 26, 51].map(|bit| std::array::from_fn(|j| if i == j { 1 << bit } else { 0 }))
        }));
        edges.extend((0..40).map(|_| std::array::from_fn(|_| words.next() & MASK)));
        let p = split(M::P).map(i128::from);
        // Products divide by 2^4 more than those of four limbs.
        let half = Residue::<M>::from_integer(add_limbs(half(M::P), [1, 0, 0, 0]).0);
        let inverse = half.square().square();
        for i in 0..edges.len() {
            for j in 0..edges.len() {
                let lane = |at: usize| std::array::from_fn(|lane| edges[(at + 29 * lane) % edges.len()]);
                let (a, b): ([Five; MAX_WIDTH], [Five; MAX_WIDTH]) = (lane(i), lane(j));
                // Bits above the lower 52 do not count in factors.
                let dirty = a.map(|limbs| limbs.map(|limb| limb | (words.next() << 52)));
                let x = Carried(Self::vectors(&dirty));
                let y = Carried(Self::vectors(&b));
                let product = Self::lanes(Radix52::<Q, M>::product(x, y).0);
                let square = Self::lanes(Radix52::<Q, M>::square(x).0);
                for lane in 0..Q::WIDTH {
                    let [ra, rb] = [a[lane], b[lane]].map(|limbs| residue::<M>(limbs.map(i128::from)));
                    for (found, factor, limbs) in [(product[lane], rb, b[lane]), (square[lane], ra, a[lane])]
                    {
                        assert!(found.iter().all(|&column| (0..1 << 57).contains(&column)));
                        // Residues are products' Montgomery forms: a b / 2^256, and 2^-4 of that.
                        assert_eq!(
                            residue::<M>(found).canonical(),
                            ra.mul(factor).mul(inverse).canonical(),
                            "{:x?} {limbs:x?}",
                            a[lane]
                        );
                        // Below a b / R + 8p/7, that is, with a and b below 2^260, below min(a, b) + 2p.
                        let least = if below(a[lane].map(i128::from), limbs.map(i128::from)) {
                            a[lane]
                        } else {
                            limbs
                        };
                        let bound: [i128; 5] = std::array::from_fn(|i| i128::from(least[i]) + 2 * p[i]);
                        assert!(below(carried(found), carried(bound)), "{:x?} {limbs:x?}", a[lane]);
                    }
                }
            }
        }
        // Differences of values at their limits: product below 3p, subtrahends below 2p, columns of any form.
        let limits = [[0, 0, 0], [3, 0, 0], [0, 2, 2], [3, 2, 2], [0, 2, 0], [1, 1, 0], [1, 1, 1], [2, 2, 0]];
        for limit in limits {
            for near in [-1, 0, 1] {
                let times = |multiple: i128| {
                    let mut value = p.map(|limb| limb * multiple);
                    value[0] += if multiple > 0 { near.min(0) } else { near.max(0) };
                    carried(value)
                };
                let [a, b, c] = limit.map(times);
                // The product's columns overlap, as real ones do.
                let mut overlapping = a;
                for i in 0..4 {
                    let moved = (a[i + 1] & 0xf).min(a[i + 1]);
                    (overlapping[i], overlapping[i + 1]) =
                        (overlapping[i] + (moved << 52), overlapping[i + 1] - moved);
                }
                let columns =
                    |limbs: [i128; 5]| Columns(Self::vectors(&[limbs.map(|limb| limb as u64); MAX_WIDTH]));
                let difference = Radix52::<Q, M>::minus(
                    Radix52::<Q, M>::minus(columns(overlapping), columns(b)),
                    columns(c),
                );
                let found = Self::lanes(Radix52::<Q, M>::reduced(difference).0);
                let expected: [i128; 5] = std::array::from_fn(|i| a[i] - b[i] - c[i]);
                for found in found {
                    assert!(found.iter().all(|&limb| (0..1 << 52).contains(&limb)), "{limit:?} {near}");
                    assert!(below(found, carried(p.map(|limb| 2 * limb))), "{limit:?} {near}: {found:x?}");
                    assert_eq!(residue::<M>(found).canonical(), residue::<M>(expected).canonical());
                }
            }
        }
    }
}

/// Products of pairs at the limits of their coefficients, which are multiples of p.
pub(super) struct PairLimits<Q, F>(pub(super) PhantomData<(Q, F)>);

impl<Q: Quadwords, F: QuadraticExtension<Prime: MontgomeryField>> Vectorised<Q> for PairLimits<Q, F> {
    #[inline(always)]
    fn run(self) {
        let p = split(F::Prime::P).map(i128::from);
        // One less where a multiple is the limit.
        let times = |multiple: i128| {
            let mut value = p.map(|limb| limb * multiple);
            value[0] -= i128::from(multiple > 0);
            carried(value)
        };
        let factor = |coefficients: [i128; 2]| {
            let limbs = coefficients.map(|multiple| times(multiple).map(|limb| limb as u64));
            limbs.map(|limbs| Carried(Limits::<Q, F::Prime>::vectors(&[limbs; MAX_WIDTH])))
        };
        let expect = |what: &str, found: [Columns<Q>; 2]| {
            for coefficient in found {
                for found in Limits::<Q, F::Prime>::lanes(coefficient.0) {
                    assert!(carried(found)[4] >= 0 && below(carried(found), times(3)), "{what}: {found:x?}");
                }
            }
        };
        let corners = |most: i128| [[0, 0], [0, most], [most, 0], [most, most]];
        // Products below 3p and differences below 4p; a slope and a shifted difference.
        for (a, b) in [(3, 4), (4, 4), (3, 16), (4, 16)] {
            for [x, y] in corners(a).into_iter().flat_map(|x| corners(b).map(|y| [x, y])) {
                expect(
                    &format!("{x:?} times {y:?}"),
                    Pairs52::<Q, F, 4, 5, 10>::product(factor(x), factor(y)),
                );
            }
        }
        for x in corners(4) {
            expect(&format!("the square of {x:?}"), Pairs52::<Q, F, 4, 5, 10>::square(factor(x)));
        }
    }
}
