//! Groth16 proofs over BN254 and BLS12-381 from the keys and witnesses of circom and snarkjs, and their verification.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use accel::Engine;
use zkaccel_groth16::{self as groth16, AnyProver, Bytes, Error, ProverOptions, Witness};

use crate::arguments::{Arguments, InOut, check_flags, product, text};
use crate::curves::CURVES;
use crate::engine::{SharedEngine, zka_engine};
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::msm::ZKA_PRECOMPUTE;
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, guard, zka_status};

/// A proving key that an engine keeps, and proofs with it. It may be used by any threads at once.
pub struct zka_groth16_prover {
    _opaque: (),
}

/// Proofs are handed out that were not verified before. A device that fails silently then makes false proofs, and so does a false witness.
pub const ZKA_UNCHECKED: u32 = 4;

/// The bytes in which the text of any proof has room, with its ending zero.
pub const ZKA_GROTH16_PROOF_BYTES: usize = 2048;

/// Reads a `.zkey` file of snarkjs that is in memory, `len` bytes, and keeps its points. Free it with `zka_groth16_prover_free`.
///
/// The whole key is checked; bytes that are no key of Groth16 over BN254 or BLS12-381 are `ZKA_MALFORMED`. Flags: `ZKA_PRECOMPUTE`, which pays for a key that
/// serves hundreds of proofs, and `ZKA_UNCHECKED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_groth16_prover,
    key: *const u8,
    len: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| of_memory(arguments, shared, out, key, len, flags)) }
}

/// `zka_groth16_prover_new`, started: `out` and `key` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_new_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_groth16_prover,
    key: *const u8,
    len: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| of_memory(arguments, shared, out, key, len, flags)) }
}

/// `zka_groth16_prover_new` with the file of a path, in UTF-8. The file must not change before the prover is made. One that cannot be read is
/// `ZKA_SYSTEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_open(
    engine: *mut zka_engine,
    out: *mut *mut zka_groth16_prover,
    path: *const c_char,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| of_file(arguments, shared, out, path, flags)) }
}

/// `zka_groth16_prover_open`, started: `out` is the operation's until the future was waited for; `path` is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_open_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_groth16_prover,
    path: *const c_char,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| of_file(arguments, shared, out, path, flags)) }
}

/// What a prover's key is for: the number of signals of a witness, which are the constant 1, the public signals and the private ones; the number
/// of those that are public; and the bytes in which the text of any public signals has room, with its ending zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_shape(
    prover: *const zka_groth16_prover,
    signals: *mut usize,
    public_signals: *mut usize,
    public_bytes: *mut usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let signals = arguments.output("signals", signals, 1)?;
        let public_signals = arguments.output("public_signals", public_signals, 1)?;
        let public_bytes = arguments.output("public_bytes", public_bytes, 1)?;
        arguments.check_aliases()?;
        let kept = PROVERS.get(prover)?;
        signals.write(&[kept.prover.signals()]);
        public_signals.write(&[kept.prover.public_signals()]);
        public_bytes.write(&[kept.public_bytes()]);
        Ok(())
    })
}

/// What a prover's key is over: the numbers of the curves of G1 and G2, such as `ZKA_BN254_G1` and `ZKA_BN254_G2`, and the words of a proof's three points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_curves(
    prover: *const zka_groth16_prover,
    first: *mut u32,
    second: *mut u32,
    proof_words: *mut usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let first = arguments.output("first", first, 1)?;
        let second = arguments.output("second", second, 1)?;
        let proof_words = arguments.output("proof_words", proof_words, 1)?;
        arguments.check_aliases()?;
        let kept = PROVERS.get(prover)?;
        let [of_first, of_second] = kept.curves();
        first.write(&[of_first]);
        second.write(&[of_second]);
        proof_words.write(&[kept.proof_words()]);
        Ok(())
    })
}

/// What a prover has done so far: the proofs that it has handed out; those that did not verify and were made again on the CPU, each of which is a
/// device's error unless the second was refused too; and those that were refused, since the second did not verify either.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_account(
    prover: *const zka_groth16_prover,
    proofs: *mut u64,
    remade: *mut u64,
    refused: *mut u64,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let proofs = arguments.output("proofs", proofs, 1)?;
        let remade = arguments.output("remade", remade, 1)?;
        let refused = arguments.output("refused", refused, 1)?;
        arguments.check_aliases()?;
        let account = PROVERS.get(prover)?.prover.account();
        proofs.write(&[account.proofs]);
        remade.write(&[account.remade]);
        refused.write(&[account.refused]);
        Ok(())
    })
}

/// Frees a prover; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_free(prover: *mut zka_groth16_prover) -> zka_status {
    guard(|| PROVERS.free(prover))
}

/// The proof of a witness, a `.wtns` file of circom that is in memory, `witness_len` bytes: the texts of snarkjs's `proof.json` and `public.json`,
/// each with an ending zero. The proof is verified before it is handed out.
///
/// `proof_json` has `proof_cap` bytes, at least `ZKA_GROTH16_PROOF_BYTES`, and `public_json` has `public_cap`, at least what
/// `zka_groth16_prover_shape` tells; less is `ZKA_BAD_LENGTH`, before anything is proved. A witness of another circuit, or one that does not
/// satisfy the key's, is `ZKA_BAD_WITNESS`; bytes that are no witness are `ZKA_MALFORMED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prove(
    engine: *mut zka_engine,
    proof_json: *mut c_char,
    public_json: *mut c_char,
    prover: *const zka_groth16_prover,
    witness: *const u8,
    witness_len: usize,
    proof_cap: usize,
    public_cap: usize,
) -> zka_status {
    let texts = Texts { proof_json, public_json, proof_cap, public_cap };
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| prove_file(arguments, shared, texts, prover, witness, witness_len))
    }
}

/// `zka_groth16_prove`, started: `proof_json`, `public_json` and `witness` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prove_async(
    engine: *mut zka_engine,
    proof_json: *mut c_char,
    public_json: *mut c_char,
    prover: *const zka_groth16_prover,
    witness: *const u8,
    witness_len: usize,
    proof_cap: usize,
    public_cap: usize,
    future: *mut zka_future,
) -> zka_status {
    let texts = Texts { proof_json, public_json, proof_cap, public_cap };
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            prove_file(arguments, shared, texts, prover, witness, witness_len)
        })
    }
}

/// The proofs of `batch` witnesses of `len` scalars of four words, one witness after another: the constant 1, the public signals, then the private ones, as
/// many as `zka_groth16_prover_shape` tells. They are verified together, and after an error none is handed out.
///
/// `out` has `out_words` words, at least as many for each proof as `zka_groth16_prover_curves` tells; fewer are `ZKA_BAD_LENGTH`, before anything is proved. A proof
/// is A over G1, B over G2 and C over G1, each as affine points of the curve are: x, then y, in Montgomery form, and the identity all zero.
///
/// Witness calculators give integers: `zka_bn254_fr_to_montgomery` brings those of BN254 to the form of scalars. Errors as `zka_groth16_prove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prove_batch(
    engine: *mut zka_engine,
    out: *mut u64,
    prover: *const zka_groth16_prover,
    witnesses: *const u64,
    len: usize,
    batch: usize,
    out_words: usize,
) -> zka_status {
    let shape = [len, batch, out_words];
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| prove_scalars(arguments, shared, out, prover, witnesses, shape))
    }
}

/// `zka_groth16_prove_batch`, started: `out` and `witnesses` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prove_batch_async(
    engine: *mut zka_engine,
    out: *mut u64,
    prover: *const zka_groth16_prover,
    witnesses: *const u64,
    len: usize,
    batch: usize,
    out_words: usize,
    future: *mut zka_future,
) -> zka_status {
    let shape = [len, batch, out_words];
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            prove_scalars(arguments, shared, out, prover, witnesses, shape)
        })
    }
}

/// Verifies a proof by the texts of snarkjs's `verification_key.json`, `public.json` and `proof.json`, each with an ending zero: `ZKA_OK` if it is
/// true.
///
/// A false proof is `ZKA_NOT_VERIFIED`; a text that is not what it should be, or a point that is not in its group, is `ZKA_MALFORMED`; another
/// number of public signals than the key is for is `ZKA_BAD_LENGTH`. On the calling thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_verify(
    verification_key: *const c_char,
    public_json: *const c_char,
    proof_json: *const c_char,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let key = unsafe { text("verification_key", verification_key) }?;
        // SAFETY: the caller's promise.
        let claim = unsafe { Claim::new(public_json, proof_json) }?;
        Ok(groth16::verify(key.to_bytes(), claim.public.to_bytes(), claim.proof.to_bytes())?)
    })
}

/// `zka_groth16_verify` with the verification key that is part of a prover's key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prover_verify(
    prover: *const zka_groth16_prover,
    public_json: *const c_char,
    proof_json: *const c_char,
) -> zka_status {
    guard(|| {
        let kept = PROVERS.get(prover)?;
        // SAFETY: the caller's promise.
        let claim = unsafe { Claim::new(public_json, proof_json) }?;
        Ok(kept.prover.verify(claim.public.to_bytes(), claim.proof.to_bytes())?)
    })
}

static PROVERS: Handles<ProverKept> = Handles::new(Kind::Prover);

/// A prover, and the number of its engine.
struct ProverKept {
    prover: AnyProver,
    engine: u64,
}

impl ProverKept {
    fn find(shared: &SharedEngine, prover: *const zka_groth16_prover) -> Result<Arc<Self>, Failure> {
        let kept = PROVERS.get(prover)?;
        shared.check_owner(kept.engine, "the prover belongs")?;
        Ok(kept)
    }

    /// The bytes of the longest text of public signals, with an ending zero.
    fn public_bytes(&self) -> usize {
        self.prover.public_bytes() + 1
    }

    /// The numbers of the curves.
    fn curves(&self) -> [u32; 2] {
        self.prover.pairing().curves().map(|name| place(name) as u32 + 1)
    }

    /// The words of a proof: two points over G1, one over G2.
    fn proof_words(&self) -> usize {
        let [first, second] = self.prover.pairing().curves().map(|name| CURVES[place(name)].point);
        2 * first + second
    }
}

/// The place of a curve in the list.
fn place(name: &str) -> usize {
    CURVES.iter().position(|curve| curve.name == name).expect("a curve of the list")
}

/// Where the texts of a proof go.
struct Texts {
    proof_json: *mut c_char,
    public_json: *mut c_char,
    proof_cap: usize,
    public_cap: usize,
}

/// A proof and its public signals as texts of the caller.
struct Claim<'a> {
    public: &'a CStr,
    proof: &'a CStr,
}

impl Claim<'_> {
    /// # Safety
    /// The pointers are null or texts with an ending zero, valid for as long as this is used.
    unsafe fn new(public_json: *const c_char, proof_json: *const c_char) -> Result<Self, Failure> {
        // SAFETY: the caller's.
        unsafe {
            Ok(Self { public: text("public_json", public_json)?, proof: text("proof_json", proof_json)? })
        }
    }
}

fn of_memory(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_groth16_prover,
    key: *const u8,
    len: usize,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    let key = arguments.input("key", key, len)?;
    keep(arguments, shared, out, flags, move |engine, options| {
        AnyProver::new(engine, key.as_slice(), options)
    })
}

fn of_file(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_groth16_prover,
    path: *const c_char,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    // SAFETY: the caller's promise.
    let path = unsafe { text("path", path) }?;
    let path = path.to_str().map_err(|_| {
        Failure::new(ZKA_BAD_ARGUMENT, format!("path is {:?}, expected UTF-8", path.to_string_lossy()))
    })?;
    let path = path.to_owned();
    keep(arguments, shared, out, flags, move |engine, options| {
        AnyProver::new(engine, &Bytes::open(path)?, options)
    })
}

fn keep<M>(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_groth16_prover,
    flags: u32,
    make: M,
) -> Result<impl Call + use<M>, Failure>
where
    M: FnOnce(&Engine, ProverOptions) -> Result<AnyProver, Error> + Send + 'static,
{
    check_flags(flags, ZKA_PRECOMPUTE | ZKA_UNCHECKED)?;
    let (tables, unchecked) = (flags & ZKA_PRECOMPUTE != 0, flags & ZKA_UNCHECKED != 0);
    let options = ProverOptions { tables, unchecked, ..ProverOptions::default() };
    let out = arguments.output("out", out, 1)?;
    let number = shared.number;
    Ok(move |engine: &Engine| {
        let kept = ProverKept { prover: make(engine, options)?, engine: number };
        out.write(&[PROVERS.insert(Arc::new(kept))]);
        Ok(())
    })
}

fn prove_file(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    texts: Texts,
    prover: *const zka_groth16_prover,
    witness: *const u8,
    witness_len: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = ProverKept::find(shared, prover)?;
    let Texts { proof_json, public_json, proof_cap, public_cap } = texts;
    let mut proof_json = room(arguments, "proof_json", proof_json, proof_cap, ZKA_GROTH16_PROOF_BYTES)?;
    let mut public_json = room(arguments, "public_json", public_json, public_cap, kept.public_bytes())?;
    let witness = arguments.input("witness", witness, witness_len)?;
    Ok(move |_: &Engine| {
        let texts = kept.prover.prove(Witness::File(witness.as_slice()))?;
        write(&mut proof_json, texts.proof);
        write(&mut public_json, texts.public);
        Ok(())
    })
}

/// Memory for a text; `ZKA_BAD_LENGTH` if one might not have room.
fn room(
    arguments: &mut Arguments,
    name: &'static str,
    start: *mut c_char,
    cap: usize,
    needed: usize,
) -> Result<InOut<u8>, Failure> {
    let memory = arguments.in_out(name, start.cast(), cap)?;
    match cap >= needed {
        true => Ok(memory),
        false => {
            let text = format!("{name} has {cap} bytes, expected at least {needed}");
            Err(Failure::new(ZKA_BAD_LENGTH, text))
        }
    }
}

/// Writes a text with an ending zero, for which there is room.
fn write(memory: &mut InOut<u8>, text: String) {
    let mut bytes = text.into_bytes();
    bytes.push(0);
    memory.write_first(&bytes);
}

fn prove_scalars(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut u64,
    prover: *const zka_groth16_prover,
    witnesses: *const u64,
    [len, batch, out_words]: [usize; 3],
) -> Result<impl Call + use<>, Failure> {
    let kept = ProverKept::find(shared, prover)?;
    let signals = kept.prover.signals();
    if len != signals {
        let (found, expected) = (len.to_string(), signals.to_string());
        return Err(Error::OtherCircuit { what: "signals", found, expected }.into());
    }
    let words = product("out", batch, kept.proof_words())?;
    if out_words < words {
        let text = format!("out has {out_words} words, expected at least {words}");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let out = arguments.output("out", out, words)?;
    let witnesses =
        arguments.input::<[u64; 4]>("witnesses", witnesses.cast(), product("witnesses", len, batch)?)?;
    Ok(move |_: &Engine| {
        // A witness has the constant 1 at least.
        let witnesses: Vec<_> = witnesses.as_slice().chunks_exact(len).map(Witness::Montgomery).collect();
        out.write(&kept.prover.prove_words(&witnesses)?);
        Ok(())
    })
}
