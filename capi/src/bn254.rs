//! Multi-scalar multiplication and transforms over BN254, on the memory of halo2curves and arkworks as it is.

use std::sync::Arc;

use accel::bn254::{Fq, Fr, G1, G1Affine, points, scalars};
use accel::msm::{Bases, BasesOptions};
use accel::ntt::{Direction, Domain, Ntt};
use accel::{Engine, Error};

use crate::arguments::{Arguments, InOut, Input, Output, check_flags, product};
use crate::engine::{State, zka_engine};
use crate::future::{Call, later, now, zka_future};
use crate::goldilocks::{ZKA_IN_BITREV, ZKA_INVERSE, ZKA_OUT_BITREV, order};
use crate::handles::{Handles, Kind};
use crate::status::{Failure, ZKA_BAD_LENGTH, ZKA_WRONG_ENGINE, guard, zka_status};

/// A scalar: x 2^256 modulo r, below r, four words, the lowest first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_bn254_fr {
    /// The words.
    pub limbs: [u64; 4],
}

/// A coordinate: x 2^256 modulo q, below q, four words, the lowest first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_bn254_fp {
    /// The words.
    pub limbs: [u64; 4],
}

/// A point of y^2 = x^3 + 3; the identity is all zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_bn254_g1_aff {
    /// x.
    pub x: zka_bn254_fp,
    /// y.
    pub y: zka_bn254_fp,
}

/// A point in homogeneous coordinates, x = X/Z and y = Y/Z, as halo2curves has it; the identity is (0, 1, 0). Equal points have
/// many forms: compare them as `zka_bn254_g1_aff`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct zka_bn254_g1_prj {
    /// X.
    pub x: zka_bn254_fp,
    /// Y.
    pub y: zka_bn254_fp,
    /// Z.
    pub z: zka_bn254_fp,
}

/// A point in Jacobian coordinates, x = X/Z^2 and y = Y/Z^3, as arkworks has it; Z of the identity is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct zka_bn254_g1_jac {
    /// X.
    pub x: zka_bn254_fp,
    /// Y.
    pub y: zka_bn254_fp,
    /// Z.
    pub z: zka_bn254_fp,
}

const _: () = {
    assert!(size_of::<zka_bn254_fr>() == 32 && size_of::<zka_bn254_fp>() == 32);
    assert!(size_of::<zka_bn254_g1_aff>() == 64 && size_of::<zka_bn254_g1_prj>() == 96);
    assert!(size_of::<zka_bn254_g1_jac>() == 96 && align_of::<zka_bn254_g1_jac>() == 8);
};

/// Points that an engine keeps in the form that its device wants. They may be used by any threads at once.
pub struct zka_bases {
    _opaque: (),
}

/// Bases are checked to be on the curve: `ZKA_NOT_ON_CURVE` if one is not. Without it the sum over such is of no meaning.
pub const ZKA_VALIDATE: u32 = 1;
/// Multiples of the bases are computed and kept, as many as the memory budget allows.
pub const ZKA_PRECOMPUTE: u32 = 2;

/// The sum of `len` scalars times points; of none it is the identity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    points: *const zka_bn254_g1_aff,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| Msm::new(arguments, out, scalars, points, len)) }
}

/// `zka_bn254_g1_msm`, started: `out`, `scalars` and `points` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    points: *const zka_bn254_g1_aff,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, _| Msm::new(arguments, out, scalars, points, len)) }
}

/// Keeps a copy of `len` points for many sums. Flags: `ZKA_VALIDATE`, `ZKA_PRECOMPUTE`. Free it with `zka_bases_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_bases_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_bases,
    points: *const zka_bn254_g1_aff,
    len: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| Keep::new(arguments, state, out, points, len, flags)) }
}

/// `zka_bn254_g1_bases_new`, started: `out` and `points` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_bases_new_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_bases,
    points: *const zka_bn254_g1_aff,
    len: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, state| Keep::new(arguments, state, out, points, len, flags)) }
}

/// The number of points that are kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bases_len(bases: *const zka_bases, out: *mut usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[BASES.get(bases)?.bases.as_slice().len()]);
        Ok(())
    })
}

/// Frees bases; NULL is nothing to free. Operations under way keep them until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bases_free(bases: *mut zka_bases) -> zka_status {
    guard(|| match bases.is_null() {
        true => Ok(()),
        false => BASES.remove(bases).map(drop),
    })
}

/// The sum of `len` scalars times the bases from number `offset` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_bases(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, state| MsmBases::new(arguments, state, out, scalars, bases, offset, len, 1))
    }
}

/// `zka_bn254_g1_msm_bases`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_bases_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| {
            MsmBases::new(arguments, state, out, scalars, bases, offset, len, 1)
        })
    }
}

/// `batch` sums over the same bases, the first `len`: sum i is of the scalars from number i * `len` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_batch(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    len: usize,
    batch: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, state| MsmBases::new(arguments, state, out, scalars, bases, 0, len, batch))
    }
}

/// `zka_bn254_g1_msm_batch`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_batch_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    len: usize,
    batch: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| {
            MsmBases::new(arguments, state, out, scalars, bases, 0, len, batch)
        })
    }
}

/// Transforms `batch` polynomials of 2^log_n scalars, one after another, in place.
///
/// Value i belongs to the point `coset` * `omega`^i; `coset` NULL is 1. `omega` is a root of unity of order exactly 2^log_n, at
/// most 2^28. The inverse includes the factor 1/n. Flags: `ZKA_INVERSE`, `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_fft(
    engine: *mut zka_engine,
    data: *mut zka_bn254_fr,
    log_n: u32,
    batch: usize,
    omega: *const zka_bn254_fr,
    coset: *const zka_bn254_fr,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| Fft::new(arguments, data, log_n, batch, omega, coset, flags)) }
}

/// `zka_bn254_fr_fft`, started: `data` is the operation's until the future was waited for; `omega` and `coset` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_fft_async(
    engine: *mut zka_engine,
    data: *mut zka_bn254_fr,
    log_n: u32,
    batch: usize,
    omega: *const zka_bn254_fr,
    coset: *const zka_bn254_fr,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, _| Fft::new(arguments, data, log_n, batch, omega, coset, flags))
    }
}

/// A point as affine coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_to_aff(
    out: *mut zka_bn254_g1_aff,
    r#in: *const zka_bn254_g1_prj,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        convert(out, r#in, |point| {
            let affine = G1Affine::from(point);
            zka_bn254_g1_aff { x: limbs_of(affine.x), y: limbs_of(affine.y) }
        })
    }
}

/// A point in Jacobian coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_to_jac(
    out: *mut zka_bn254_g1_jac,
    r#in: *const zka_bn254_g1_prj,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        convert(out, r#in, |G1 { x, y, z }| match z == Fq::zero() {
            true => zka_bn254_g1_jac { x: limbs_of(Fq::one()), y: limbs_of(Fq::one()), z: limbs_of(z) },
            // X/Z = (X Z)/Z^2 and Y/Z = (Y Z^2)/Z^3.
            false => zka_bn254_g1_jac { x: limbs_of(x * z), y: limbs_of(y * z * z), z: limbs_of(z) },
        })
    }
}

/// # Safety
/// The pointers are null or valid.
unsafe fn convert<T: Copy>(
    out: *mut T,
    point: *const zka_bn254_g1_prj,
    conversion: impl FnOnce(G1) -> T,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let out = arguments.output("out", out, 1)?;
        let point = arguments.input("in", point.cast::<[[u64; 4]; 3]>(), 1)?;
        arguments.check_aliases()?;
        let [x, y, z] = point.as_slice()[0];
        // Coordinates below the modulus, two by two.
        let pairs: [[u64; 8]; 2] = [bytemuck::cast([x, y]), bytemuck::cast([z, z])];
        let checked = points(&pairs)?;
        out.write(&[conversion(G1 { x: checked[0].x, y: checked[0].y, z: checked[1].x })]);
        Ok(())
    })
}

static BASES: Handles<BasesKept> = Handles::new(Kind::Bases);

/// Bases and the number of the engine that keeps them.
pub(crate) struct BasesKept {
    pub(crate) bases: Bases,
    engine: u64,
}

/// The bases behind a handle, of which `len` from number `offset` on are to be used.
pub(crate) fn bases_of(
    state: &State,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
) -> Result<Arc<BasesKept>, Failure> {
    let kept = BASES.get(bases)?;
    if kept.engine != state.number {
        return Err(Failure::new(ZKA_WRONG_ENGINE, "the bases belong to another engine"));
    }
    let count = kept.bases.as_slice().len();
    if offset.checked_add(len).is_none_or(|end| end > count) {
        let text = format!("{len} bases from number {offset} on, expected no more than there are, {count}");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    Ok(kept)
}

/// Scalars or points of the caller, their limbs not yet looked at.
pub(crate) type Limbs<const N: usize> = Input<[u64; N]>;

struct Msm {
    out: Output<zka_bn254_g1_prj>,
    scalars: Limbs<4>,
    points: Limbs<8>,
}

impl Msm {
    fn new(
        arguments: &mut Arguments,
        out: *mut zka_bn254_g1_prj,
        scalars: *const zka_bn254_fr,
        points: *const zka_bn254_g1_aff,
        len: usize,
    ) -> Result<Self, Failure> {
        let out = arguments.output("out", out, 1)?;
        let scalars = arguments.input("scalars", scalars.cast(), len)?;
        let points = arguments.input("points", points.cast(), len)?;
        Ok(Self { out, scalars, points })
    }
}

impl Call for Msm {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let sum = engine.msm(scalars(self.scalars.as_slice())?, points(self.points.as_slice())?)?;
        self.out.write(&[projective(sum)]);
        Ok(())
    }
}

struct Keep {
    out: Output<*mut zka_bases>,
    points: Limbs<8>,
    options: BasesOptions,
    engine: u64,
}

impl Keep {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut *mut zka_bases,
        points: *const zka_bn254_g1_aff,
        len: usize,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_VALIDATE | ZKA_PRECOMPUTE)?;
        let options =
            BasesOptions { validate: flags & ZKA_VALIDATE != 0, tables: flags & ZKA_PRECOMPUTE != 0 };
        let out = arguments.output("out", out, 1)?;
        let points = arguments.input("points", points.cast(), len)?;
        Ok(Self { out, points, options, engine: state.number })
    }
}

impl Call for Keep {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let points = points(self.points.as_slice())?;
        let mut owned = Vec::new();
        let bytes = size_of_val(points) as u64;
        owned.try_reserve_exact(points.len()).map_err(|_| Error::HostOutOfMemory { bytes })?;
        owned.extend_from_slice(points);
        let kept = BasesKept { bases: engine.bases(owned, self.options)?, engine: self.engine };
        self.out.write(&[BASES.insert(Arc::new(kept))]);
        Ok(())
    }
}

struct MsmBases {
    out: Output<zka_bn254_g1_prj>,
    scalars: Limbs<4>,
    kept: Arc<BasesKept>,
    offset: usize,
    len: usize,
    batch: usize,
}

impl MsmBases {
    #[expect(clippy::too_many_arguments, reason = "those of the C function")]
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut zka_bn254_g1_prj,
        scalars: *const zka_bn254_fr,
        bases: *const zka_bases,
        offset: usize,
        len: usize,
        batch: usize,
    ) -> Result<Self, Failure> {
        let kept = bases_of(state, bases, offset, len)?;
        let out = arguments.output("out", out, batch)?;
        let scalars = arguments.input("scalars", scalars.cast(), product("scalars", len, batch)?)?;
        Ok(Self { out, scalars, kept, offset, len, batch })
    }
}

impl Call for MsmBases {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let Self { out, scalars: limbs, kept, offset, len, batch } = self;
        let sums = match len {
            // Rows of no scalars cannot be counted.
            0 => vec![G1::default(); batch],
            _ => engine.msm_batch(scalars(limbs.as_slice())?, kept.bases.range(offset..offset + len)?)?,
        };
        out.write(&sums.into_iter().map(projective).collect::<Vec<_>>());
        Ok(())
    }
}

struct Fft {
    fft: Ntt<Fr>,
    data: InOut<[u64; 4]>,
}

impl Fft {
    fn new(
        arguments: &mut Arguments,
        data: *mut zka_bn254_fr,
        log_n: u32,
        batch: usize,
        omega: *const zka_bn254_fr,
        coset: *const zka_bn254_fr,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV)?;
        let omega = arguments.input("omega", omega.cast(), 1)?;
        let coset = arguments.input("coset", coset.cast(), !coset.is_null() as usize)?;
        let mut domain = Domain::with_root(log_n, scalars(omega.as_slice())?[0])?;
        if let [coset] = scalars(coset.as_slice())? {
            domain = domain.coset(*coset)?;
        }
        if batch == 0 {
            return Err(Failure::new(ZKA_BAD_LENGTH, "there are no polynomials, expected at least one"));
        }
        let direction = if flags & ZKA_INVERSE == 0 { Direction::Forward } else { Direction::Inverse };
        let (input_order, output_order) = (order(flags, ZKA_IN_BITREV), order(flags, ZKA_OUT_BITREV));
        let data = arguments.in_out("data", data.cast(), product("data", domain.size(), batch)?)?;
        Ok(Self { fft: Ntt { domain, direction, input_order, output_order }, data })
    }
}

impl Call for Fft {
    fn run(mut self, engine: &Engine) -> Result<(), Error> {
        let limbs = self.data.as_mut_slice();
        scalars(limbs)?;
        // SAFETY: the memory was just accepted as scalars where it stands; this is the same view of it, to write.
        let values = unsafe { std::slice::from_raw_parts_mut(limbs.as_mut_ptr().cast::<Fr>(), limbs.len()) };
        engine.fft(&self.fft, values)
    }
}

/// A sum as C sees it.
pub(crate) fn projective(G1 { x, y, z }: G1) -> zka_bn254_g1_prj {
    zka_bn254_g1_prj { x: limbs_of(x), y: limbs_of(y), z: limbs_of(z) }
}

/// A coordinate as C sees it: the words that it is in memory.
fn limbs_of(coordinate: Fq) -> zka_bn254_fp {
    // SAFETY: four words in Montgomery form, as the library documents and asserts of this type; any bits are words.
    zka_bn254_fp { limbs: unsafe { std::mem::transmute::<Fq, [u64; 4]>(coordinate) } }
}
