//! Groth16 proofs over BN254 from the keys and witnesses of circom and snarkjs, and their verification.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use accel::Engine;
use accel::curve::limbs_of_points;
use accel::field::elements;
use zkaccel_groth16::zkey::Zkey;
use zkaccel_groth16::{Bytes, Error, Fr, G1Affine, Proof, Prover, ProverOptions, Verifier, json, wtns};

use crate::arguments::{Arguments, InOut, check_flags, product, text};
use crate::bn254::{zka_bn254_fp, zka_bn254_fr, zka_bn254_g1_aff};
use crate::engine::{State, zka_engine};
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::msm::ZKA_PRECOMPUTE;
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, guard, zka_status};

/// A proving key that an engine keeps, and proofs with it. It may be used by any threads at once.
pub struct zka_groth16_prover {
    _opaque: (),
}

/// A proof: points in Montgomery form, the identity all zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_groth16_proof {
    /// A, over G1.
    pub a: zka_bn254_g1_aff,
    /// B, over G2: x, then y, of each c0 before c1, four words each.
    pub b: [u64; 16],
    /// C, over G1.
    pub c: zka_bn254_g1_aff,
}

const _: () = assert!(size_of::<zka_groth16_proof>() == 64 + 128 + 64);

/// Proofs are handed out that were not verified before. A device that fails silently then makes false proofs, and so does a false witness.
pub const ZKA_UNCHECKED: u32 = 4;

/// The bytes in which the text of any proof has room, with its ending zero.
pub const ZKA_GROTH16_PROOF_BYTES: usize = 1024;

/// Reads a `.zkey` file of snarkjs that is in memory, `len` bytes, and keeps its points. Free it with `zka_groth16_prover_free`.
///
/// The whole key is checked; bytes that are no key of Groth16 over BN254 are `ZKA_MALFORMED`. Flags: `ZKA_PRECOMPUTE`, which pays for a key that
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
    unsafe { now(engine, |arguments, state| of_memory(arguments, state, out, key, len, flags)) }
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
    unsafe { later(engine, future, |arguments, state| of_memory(arguments, state, out, key, len, flags)) }
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
    unsafe { now(engine, |arguments, state| of_file(arguments, state, out, path, flags)) }
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
    unsafe { later(engine, future, |arguments, state| of_file(arguments, state, out, path, flags)) }
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
        public_signals.write(&[kept.public_signals()]);
        public_bytes.write(&[kept.public_bytes()]);
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
        now(engine, |arguments, state| prove_file(arguments, state, texts, prover, witness, witness_len))
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
        later(engine, future, |arguments, state| {
            prove_file(arguments, state, texts, prover, witness, witness_len)
        })
    }
}

/// The proofs of `batch` witnesses of `len` scalars, one witness after another: the constant 1, the public signals, then the private ones, as
/// many as `zka_groth16_prover_shape` tells. `out` has `batch` proofs. They are verified together, and after an error none is handed out.
///
/// Witness calculators give integers: `zka_bn254_fr_to_montgomery` brings them to the form of scalars. Errors as `zka_groth16_prove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prove_batch(
    engine: *mut zka_engine,
    out: *mut zka_groth16_proof,
    prover: *const zka_groth16_prover,
    witnesses: *const zka_bn254_fr,
    len: usize,
    batch: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, state| prove_scalars(arguments, state, out, prover, witnesses, [len, batch]))
    }
}

/// `zka_groth16_prove_batch`, started: `out` and `witnesses` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_groth16_prove_batch_async(
    engine: *mut zka_engine,
    out: *mut zka_groth16_proof,
    prover: *const zka_groth16_prover,
    witnesses: *const zka_bn254_fr,
    len: usize,
    batch: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| {
            prove_scalars(arguments, state, out, prover, witnesses, [len, batch])
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
        claim.verify(&Verifier::new(json::parse_verifying_key(key.to_bytes())?)?)
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
        claim.verify(kept.prover.verifier())
    })
}

static PROVERS: Handles<ProverKept> = Handles::new(Kind::Prover);

/// A prover, and the number of its engine.
struct ProverKept {
    prover: Prover,
    engine: u64,
}

impl ProverKept {
    fn find(state: &State, prover: *const zka_groth16_prover) -> Result<Arc<Self>, Failure> {
        let kept = PROVERS.get(prover)?;
        state.check_owner(kept.engine, "the prover belongs")?;
        Ok(kept)
    }

    fn public_signals(&self) -> usize {
        self.prover.verifier().key().public_signals()
    }

    /// The bytes of the longest text of public signals: a bracket; for each signal a new line with a space, two quotes, 77 digits and a comma,
    /// which the last does not have; a new line with a bracket; and the zero.
    fn public_bytes(&self) -> usize {
        self.public_signals() * (1 + 1 + 2 + 77 + 1) + 3
    }
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

    fn verify(&self, verifier: &Verifier) -> Result<(), Failure> {
        let public = json::parse_public(self.public.to_bytes())?;
        Ok(verifier.verify(&json::parse_proof(self.proof.to_bytes())?, &public)?)
    }
}

fn of_memory(
    arguments: &mut Arguments,
    state: &State,
    out: *mut *mut zka_groth16_prover,
    key: *const u8,
    len: usize,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    let key = arguments.input("key", key, len)?;
    keep(arguments, state, out, flags, move |engine, options| prover(engine, key.as_slice(), options))
}

fn of_file(
    arguments: &mut Arguments,
    state: &State,
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
    keep(arguments, state, out, flags, move |engine, options| prover(engine, &Bytes::open(path)?, options))
}

/// A prover with the key in a file's bytes.
fn prover(engine: &Engine, key: &[u8], options: ProverOptions) -> Result<Prover, Error> {
    Prover::new(engine, Zkey::parse(key)?.proving_key()?, options)
}

fn keep<M>(
    arguments: &mut Arguments,
    state: &State,
    out: *mut *mut zka_groth16_prover,
    flags: u32,
    make: M,
) -> Result<impl Call + use<M>, Failure>
where
    M: FnOnce(&Engine, ProverOptions) -> Result<Prover, Error> + Send + 'static,
{
    check_flags(flags, ZKA_PRECOMPUTE | ZKA_UNCHECKED)?;
    let (tables, unchecked) = (flags & ZKA_PRECOMPUTE != 0, flags & ZKA_UNCHECKED != 0);
    let options = ProverOptions { tables, unchecked, ..ProverOptions::default() };
    let out = arguments.output("out", out, 1)?;
    let number = state.number;
    Ok(move |engine: &Engine| {
        let kept = ProverKept { prover: make(engine, options)?, engine: number };
        out.write(&[PROVERS.insert(Arc::new(kept))]);
        Ok(())
    })
}

fn prove_file(
    arguments: &mut Arguments,
    state: &State,
    texts: Texts,
    prover: *const zka_groth16_prover,
    witness: *const u8,
    witness_len: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = ProverKept::find(state, prover)?;
    let Texts { proof_json, public_json, proof_cap, public_cap } = texts;
    let mut proof_json = room(arguments, "proof_json", proof_json, proof_cap, ZKA_GROTH16_PROOF_BYTES)?;
    let mut public_json = room(arguments, "public_json", public_json, public_cap, kept.public_bytes())?;
    let witness = arguments.input("witness", witness, witness_len)?;
    Ok(move |_: &Engine| {
        let witness = wtns::parse(witness.as_slice())?;
        let proof = kept.prover.prove(&witness)?;
        write(&mut proof_json, json::write_proof(&proof));
        write(&mut public_json, json::write_public(kept.prover.public(&witness)?));
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
    state: &State,
    out: *mut zka_groth16_proof,
    prover: *const zka_groth16_prover,
    witnesses: *const zka_bn254_fr,
    [len, batch]: [usize; 2],
) -> Result<impl Call + use<>, Failure> {
    let kept = ProverKept::find(state, prover)?;
    let signals = kept.prover.signals();
    if len != signals {
        let (found, expected) = (len.to_string(), signals.to_string());
        return Err(Error::OtherCircuit { what: "signals", found, expected }.into());
    }
    let out = arguments.output("out", out, batch)?;
    let witnesses =
        arguments.input::<[u64; 4]>("witnesses", witnesses.cast(), product("witnesses", len, batch)?)?;
    Ok(move |_: &Engine| {
        let scalars = elements::<Fr>(witnesses.as_slice(), "scalar")?;
        // A witness has the constant 1 at least.
        let witnesses: Vec<&[Fr]> = scalars.chunks_exact(len).collect();
        let proofs = kept.prover.prove_batch(&witnesses)?;
        out.write(&proofs.iter().map(words_of).collect::<Vec<_>>());
        Ok(())
    })
}

/// The words of a proof's points.
fn words_of(proof: &Proof) -> zka_groth16_proof {
    let first = |point: G1Affine| {
        let [x, y] = limbs_of_points(&[point])[0].map(|limbs| zka_bn254_fp { limbs });
        zka_bn254_g1_aff { x, y }
    };
    let b = bytemuck::cast_slice(limbs_of_points(&[proof.b])).try_into().expect("16 words");
    zka_groth16_proof { a: first(proof.a), b, c: first(proof.c) }
}
