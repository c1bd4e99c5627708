//! Prime fields as text for programs: the constants of each, derived here so that none is written twice, and the arithmetic of
//! `kernels/limbs.h` and `kernels/prime_field.h`, where `FIELD` stands for the name of the field.

use std::fmt::Write;

use crate::field::CoordinateField;
use crate::field::integer::Integer;
use crate::field::montgomery::{Modulus, Residue};

/// The field of a curve's coordinates, a `coordinate` being one element of a prime field or two: functions begin with `coordinate`, those of
/// the prime field with `fq`.
pub(super) fn coordinates<F: CoordinateField>() -> String {
    let called = include_str!("../../../kernels/called.h");
    let mut text = vec![limbs_of_elements::<F::Prime>(), field::<F::Prime>("fq"), called.into()];
    match F::NON_RESIDUE {
        None => text.push(include_str!("../../../kernels/coordinate_prime.h").into()),
        Some(square) => text.extend([
            minus_u_squared::<F::Prime>(square),
            include_str!("../../../kernels/wide.h").into(),
            include_str!("../../../kernels/coordinate_quadratic.h").into(),
        ]),
    }
    text.join("\n")
}

/// The u^2 of a quadratic extension: -4 u^2 p^2, a bound of products of coefficients, is below p R.
fn minus_u_squared<M: Modulus>(square: i64) -> String {
    let factor = square.unsigned_abs();
    let spare = 64 * M::Limbs::LIMBS as u32 - M::BITS;
    assert!(square < 0 && factor < 16 && 4 * factor <= 1 << spare, "products of coefficients below p R");
    format!("#define MINUS_U_SQUARED {factor}")
}

/// The field of a curve's scalars, or of a transform: functions and constants begin with `fr` and `FR`.
pub(super) fn scalars<F: Modulus>() -> String {
    [limbs_of_elements::<F>(), field::<F>("fr")].join("\n")
}

/// What does not depend on the prime but for its number of limbs.
fn limbs_of_elements<M: Modulus>() -> String {
    let mut text =
        format!("#define FIELD_LIMBS {}\n{}", 2 * M::Limbs::LIMBS, include_str!("../../../kernels/limbs.h"));
    if M::Limbs::LIMBS == 12 {
        text += include_str!("../../../kernels/limbs_24.h");
    }
    text
}

/// The constants and functions of one field.
fn field<M: Modulus>(name: &str) -> String {
    // Kernels subtract 2 from the prime in its lower two limbs of 32 bits.
    assert!(M::P.as_ref()[0] > 1, "a prime that is not 1 modulo 2^64");
    let upper = name.to_uppercase();
    let mut text = String::new();
    for (constant, value) in
        [("P", M::P), ("BOUND", Residue::<M>::BOUND), ("ONE", Residue::<M>::ONE.lazy_limbs())]
    {
        writeln!(text, "CONSTANT fe {upper}_{constant} = {{{{{}}}}};", limbs(value))
            .expect("strings take any text");
    }
    let inverse = Residue::<M>::NEGATIVE_INVERSE as u32;
    writeln!(text, "#define {upper}_INVERSE {inverse:#x}U").expect("strings take any text");
    writeln!(text, "#define {upper}_LAZY {}", u8::from(M::LAZY)).expect("strings take any text");
    writeln!(text, "#define {upper}_SQUARES {}", u8::from(squares_fit::<M>()))
        .expect("strings take any text");
    writeln!(text, "#define {upper}_SPARSE {}", u8::from(name == "fq" && is_sparse::<M>()))
        .expect("strings take any text");
    // Names of constants are in capitals, those of functions are not.
    let functions = include_str!("../../../kernels/prime_field.h");
    let mut rest = functions;
    while let Some((before, after)) = rest.split_once("FIELD") {
        let capital = after[1..].starts_with(|letter: char| letter.is_ascii_uppercase());
        text += before;
        text += match capital {
            // The same for all fields of a program.
            true if after.starts_with("_LIMBS") => "FIELD",
            true => &upper,
            false => name,
        };
        rest = after;
    }
    text + rest
}

/// Whether the squares of `kernels/prime_field.h`, which are written for up to twelve limbs of 32 bits, have room: what is under way in one is up to 2 b + p for values below b, which is to be below R.
fn squares_fit<M: Modulus>() -> bool {
    if M::Limbs::LIMBS > 6 {
        return false;
    }
    let bound = Residue::<M>::BOUND;
    let (twice, over) = bound.plus(bound);
    !over && !twice.plus(M::P).1
}

/// Whether the prime is 2^254 + 1 and a multiple of 2^32 below 2^128, for which a step of the reduction has three products. It takes registers, which tiles of linear
/// combinations have not, so it is for coordinates alone.
fn is_sparse<M: Modulus>() -> bool {
    matches!(M::P.as_ref(), [low, _, 0, 0x4000_0000_0000_0000] if *low as u32 == 1)
}

/// Limbs of 32 bits, lowest first.
fn limbs(value: impl AsRef<[u64]>) -> String {
    let halves = value.as_ref().iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
    halves.map(|limb| format!("{limb:#x}U")).collect::<Vec<_>>().join(", ")
}

#[cfg(all(test, feature = "opencl"))]
mod tests {
    use super::super::device::{Arg, Launch};
    use super::super::program::Program;
    use super::super::session::Session;
    use super::super::{Gpu, first_opencl};
    use crate::bls12_381;
    use crate::bn254::{Fq, Fr};
    use crate::field::MontgomeryField;
    use crate::field::integer::{Integer, add_limbs, is_below, sub_limbs};
    use crate::field::montgomery::{Limbs, Modulus, Residue};
    use crate::pasta;

    /// Every operation of a field on each pair, and the last product of a run of them.
    const CHECK: &str = "
#define CHECK(name) KERNEL void check_##name(BUFFER(const fe, pairs), BUFFER(fe, results), u64 count) { \\
    FOR_EACH(i, count) { \\
        const fe a = load_fe(AT(pairs) + 2 * i), b = load_fe(AT(pairs) + 2 * i + 1); \\
        GLOBAL fe *to = AT(results) + 7 * i; \\
        store_fe(to, name##_mul(a, b)); \\
        store_fe(to + 1, name##_square(a)); \\
        store_fe(to + 2, name##_add(a, b)); \\
        store_fe(to + 3, name##_sub(a, b)); \\
        store_fe(to + 4, name##_neg(a)); \\
        store_fe(to + 5, name##_canonical(a)); \\
        fe zero = name##_zero(); \\
        zero.limb[0] = name##_is_zero(a); \\
        store_fe(to + 6, zero); \\
    } \\
}
CHECK(fq)
";
    const CHECK_SCALARS: &str = "
CHECK(fr)

KERNEL void check_twiddle(BUFFER(const fe, triples), BUFFER(fe, results), u64 count) {
    FOR_EACH(i, count) {
        GLOBAL const fe *at = AT(triples) + 3 * i;
        store_fe(AT(results) + i, mul_twiddle(load_fe(at), load_fe(at + 1), load_fe(at + 2)));
    }
}
";
    const KERNELS: &[&str] = &[include_str!("../../../kernels/fft_twiddle.h"), CHECK, CHECK_SCALARS];
    /// A field of more limbs.
    static WIDE: Program = Program {
        name: "check_field_of_bls12_381",
        constants: || super::limbs_of_elements::<bls12_381::Fq>() + &super::field::<bls12_381::Fq>("fq"),
        kernels: &[CHECK],
        ..Program::EMPTY
    };
    /// Two fields whose values are lazy, and two whose values are not.
    static LAZY: Program = Program {
        name: "check_fields",
        constants: || super::scalars::<Fr>() + &super::field::<Fq>("fq"),
        kernels: KERNELS,
        ..Program::EMPTY
    };
    static TIGHT: Program = Program {
        name: "check_fields_of_pasta",
        constants: || super::scalars::<pasta::Fq>() + &super::field::<pasta::Fp>("fq"),
        kernels: KERNELS,
        ..Program::EMPTY
    };

    /// Values below the bound around every carry, and as many at random.
    fn values<M: Modulus>() -> Vec<M::Limbs> {
        let two_p = M::P.plus(M::P).0;
        let of_word = M::Limbs::of_word;
        let below = |value: M::Limbs, by: u64| value.minus(of_word(by)).0;
        let one_more = M::P.plus(of_word(1)).0;
        let mut values = vec![of_word(0), of_word(1), below(M::P, 1), M::P, one_more, below(two_p, 1)];
        let of_four = [31, 32, 33, 63, 64, 65, 95, 96, 127, 128, 159, 160, 191, 192, 223, 224, 253, 254];
        let of_six = [255, 256, 287, 288, 319, 320, 351, 352, 380, 381];
        for bits in of_four.into_iter().chain(of_six).filter(|&bits| bits < 64 * M::Limbs::LIMBS) {
            let mut power = M::Limbs::ZERO;
            power.as_mut()[bits / 64] = 1 << (bits % 64);
            values.extend([power, below(power, 1), two_p.minus(power).0]);
        }
        // Limbs of ones and zeros by turns.
        for pattern in
            [[0xffff_ffff; 2], [0xffff_ffff_0000_0000; 2], [u64::MAX, 0], [0, u64::MAX], [u64::MAX; 2]]
        {
            let mut limbs = M::Limbs::ZERO;
            limbs.as_mut().iter_mut().zip(pattern.iter().cycle()).for_each(|(limb, &word)| *limb = word);
            for shift in 0..64 {
                *limbs.as_mut().last_mut().expect("limbs") >>= u32::from(shift > 0);
                if limbs.is_below(Residue::<M>::BOUND) {
                    break;
                }
            }
            values.push(limbs);
        }
        let mut state = Residue::<M>::ONE;
        for _ in 0..40 {
            state = state.square().add(Residue::ONE);
            values.push(state.lazy_limbs());
        }
        values.retain(|value| value.is_below(Residue::<M>::BOUND));
        values
    }

    /// The N elements that a kernel computes of each of its inputs.
    fn results<T: bytemuck::Pod, L: Integer, const N: usize>(
        gpu: &Gpu,
        program: &'static Program,
        kernel: &'static str,
        count: usize,
        inputs: &[T],
    ) -> Vec<[L; N]> {
        let mut session = Session::new(gpu).unwrap();
        let from = session.upload_new(bytemuck::cast_slice(inputs)).unwrap();
        let to = session.allocate(L::LIMBS * N * count).unwrap();
        let args = vec![Arg::Buffer(from, 0), Arg::Buffer(to, 0), Arg::Word(count as u64)];
        // SAFETY: the kernels read `count` inputs, and write seven elements for each pair, one for each triple.
        let launch = unsafe { Launch::new(program, kernel, session.limits().grid(count), args) };
        session.launch(&[launch]).unwrap();
        let mut results = vec![[L::ZERO; N]; count];
        session.download(to, 0, bytemuck::cast_slice_mut(results.as_flattened_mut())).unwrap();
        results
    }

    fn check<M: Modulus>(gpu: &Gpu, program: &'static Program, kernel: &'static str) {
        let (values, p) = (values::<M>(), Residue::<M>::from_montgomery);
        let mut pairs: Vec<[M::Limbs; 2]> =
            values.iter().flat_map(|&a| values.iter().map(move |&b| [a, b])).collect();
        let lazy = pairs.len();
        // Products of one below 4p and one below p, with lazy primes; the other results are meaningless.
        let twice = |a: M::Limbs| a.plus(a).0;
        pairs.extend(
            values
                .iter()
                .filter(|_| M::LAZY)
                .flat_map(|&a| values.iter().filter(|b| b.is_below(M::P)).map(move |&b| [twice(a), b])),
        );
        // Pairs of arrays, which are plain words.
        let results = results::<_, M::Limbs, 7>(gpu, program, kernel, pairs.len(), pairs.as_flattened());
        for (i, (&[a, b], found)) in pairs.iter().zip(&results).enumerate() {
            let text = format!("{kernel}: {a:x?}, {b:x?}");
            let bound = Residue::<M>::BOUND;
            assert!(found[0].is_below(bound), "{text}: product {:x?}", found[0]);
            assert_eq!(p(found[0]).canonical(), p(a).mul(p(b)).canonical(), "{text}: product");
            if i >= lazy {
                continue;
            }
            assert!(found[..6].iter().all(|value| value.is_below(bound)), "{text}: {found:x?}");
            let expected = [p(a).mul(p(a)), p(a).add(p(b)), p(a).sub(p(b)), p(a).neg()];
            for (number, (found, expected)) in found[1..5].iter().zip(expected).enumerate() {
                assert_eq!(p(*found).canonical(), expected.canonical(), "{text}: result {}", number + 1);
            }
            assert_eq!(found[5], p(a).canonical(), "{text}: canonical");
            assert_eq!(found[6], M::Limbs::of_word(u64::from(p(a).is_zero())), "{text}: is it zero");
        }
    }

    /// floor(z 2^256 / r), by long division.
    fn quotient<M: MontgomeryField>(z: Limbs) -> Limbs {
        let twice = |a| add_limbs(a, a).0;
        let (mut quotient, mut rest) = ([0; 4], z);
        for _ in 0..256 {
            (quotient, rest) = (twice(quotient), twice(rest));
            if !is_below(rest, M::P) {
                (quotient[0], rest) = (quotient[0] | 1, sub_limbs(rest, M::P).0);
            }
        }
        quotient
    }

    /// Products with known roots: of everything below 5r, or below r if the prime is not lazy.
    fn check_twiddle<M: MontgomeryField>(gpu: &Gpu, program: &'static Program) {
        let values = values::<M>();
        let (r, add) = (M::P, |a, b| add_limbs(a, b).0);
        let roots: Vec<_> =
            values.iter().filter(|&&z| is_below(z, r)).map(|&z| (z, quotient::<M>(z))).collect();
        let multiples = if M::LAZY { vec![[0; 4], add(r, r), add(r, add(r, r))] } else { vec![[0; 4]] };
        let lazy = values.iter().flat_map(|&x| multiples.iter().map(move |&multiple| (add(x, multiple), x)));
        let cases: Vec<_> =
            lazy.flat_map(|(lazy, x)| roots.iter().map(move |&(z, q)| ([lazy, z, q], x))).collect();
        let triples: Vec<[Limbs; 3]> = cases.iter().map(|(triple, _)| *triple).collect();
        let results = results::<_, Limbs, 1>(gpu, program, "check_twiddle", triples.len(), &triples);
        for (([lazy, z, _], x), [found]) in cases.into_iter().zip(results) {
            let expected = Residue::<M>::from_montgomery(x).mul(Residue::from_integer(z));
            assert!(is_below(found, Residue::<M>::BOUND), "{lazy:x?}, {z:x?}: {found:x?}");
            let found = Residue::<M>::from_montgomery(found).canonical();
            assert_eq!(found, expected.canonical(), "{lazy:x?}, {z:x?}");
        }
    }

    #[test]
    fn arithmetic_on_a_device() {
        let Some(gpu) = first_opencl() else { return };
        check::<Fq>(&gpu, &LAZY, "check_fq");
        check::<Fr>(&gpu, &LAZY, "check_fr");
        check_twiddle::<Fr>(&gpu, &LAZY);
        check::<pasta::Fp>(&gpu, &TIGHT, "check_fq");
        check::<pasta::Fq>(&gpu, &TIGHT, "check_fr");
        check_twiddle::<pasta::Fq>(&gpu, &TIGHT);
        check::<bls12_381::Fq>(&gpu, &WIDE, "check_fq");
    }
}
