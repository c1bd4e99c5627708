//! `zkaccel groth16 prove`.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use zkaccel::Engine;
use zkaccel_groth16::zkey::{self, Zkey};
use zkaccel_groth16::{Pairing, PairingVisitor, Prover, ProverOptions, json, wtns};

use super::{at_most_one_standard, bytes, read};
use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::{Context, Failure};
use crate::files::{self, Contents, NewFile};
use crate::output::{self, Format};
use crate::watch::{StageTime, Unit, Watch};

/// Make Groth16 proofs of witnesses, each verified before it is written
///
/// Reads a key that snarkjs has made, and for each proof a witness that circom's program has made; writes the proof and the public signals as snarkjs
/// does. Every part of the key is checked when it is read: lengths, ranges, points on their curves and in their groups. The points stay on
/// the device for all proofs of the call.
///
/// Every proof passes the verifier's equation, with the key's own verification key, before it is written. One that does not is made again on the
/// CPU, and the report says so: the device has failed. If that does not verify either, the witness does not satisfy the circuit, and nothing is
/// written for it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The key
    #[arg(value_name = "CIRCUIT.zkey")]
    key: PathBuf,

    /// A witness, the file for its proof, and the file for its public signals; and so on for more proofs with the same key
    #[arg(value_names = ["WITNESS.wtns", "PROOF.json", "PUBLIC.json"], num_args = 3.., required = true)]
    files: Vec<PathBuf>,

    /// Write proofs that were not verified: a device that fails without saying so then makes false ones, and so does a false witness
    #[arg(long)]
    unchecked: bool,

    /// Keep multiples of the key's points, which pays where hundreds of proofs are made
    #[arg(long)]
    tables: bool,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    proofs: Vec<Written>,
    signals: usize,
    /// Whether the proofs were verified.
    verified: bool,
    /// Proofs that the device made wrong, and that were made again on the CPU.
    remade: u64,
    device: DeviceUsed,
    stages: Vec<StageTime>,
}

/// The files of a proof.
#[derive(Serialize)]
struct Written {
    witness: String,
    proof: String,
    public: String,
    public_signals: usize,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if !self.files.len().is_multiple_of(3) {
            return Err(Failure::new(format_args!(
                "found {} files after the key, expected three for each proof: a witness, the proof, the public signals",
                self.files.len()
            )));
        }
        let inputs = self.triples().iter().map(|[witness, ..]| witness).chain([&self.key]);
        at_most_one_standard("the key and the witnesses", "standard input", inputs.map(PathBuf::as_path))?;
        at_most_one_standard("the proofs and public signals", "standard output", self.outputs())?;

        let watch = Watch::start();
        // Its proofs are counted, not the many operations of each.
        let engine = self.engine.build(None)?;
        let limit = self.engine.input_limit(&engine);
        watch.stage("reading the key");
        let key = bytes(&self.key, "a key", limit)?;
        let pairing = zkey::pairing_of(&key).context(files::input_name(&self.key))?;
        pairing.visit(Proving { arguments: &self, engine: &engine, key: &key, limit, watch })
    }

    /// The files of each proof: its witness, the proof, the public signals.
    fn triples(&self) -> &[[PathBuf; 3]] {
        self.files.as_chunks().0
    }

    /// The files that are written.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        self.triples().iter().flat_map(|[_, outputs @ ..]| outputs).map(PathBuf::as_path)
    }
}

/// Makes the proofs, over the pairing of the key.
struct Proving<'a> {
    arguments: &'a Arguments,
    engine: &'a Engine,
    key: &'a [u8],
    /// The most bytes of an input that is a stream.
    limit: u64,
    watch: Watch,
}

impl PairingVisitor for Proving<'_> {
    type Output = Result<(), Failure>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let Self { arguments, engine, key, limit, watch } = self;
        let subject = files::input_name(&arguments.key);
        let key = Zkey::<P>::parse(key).and_then(|zkey| read(&zkey, key, &watch)).context(&subject)?;
        watch.stage_of("keeping the key", Unit::Things("points"), 0, key.points() as u64);
        let (tables, unchecked) = (arguments.tables, arguments.unchecked);
        let options = ProverOptions { tables, unchecked, ..ProverOptions::default() };
        let tell = |points| watch.advance(points);
        let prover = Prover::new_with(engine, key, options, &tell).context(&subject)?;

        let triples = arguments.triples();
        let mut proofs = Vec::new();
        for (done, [witness, proof, public]) in triples.iter().enumerate() {
            watch.stage_of("proving", Unit::Things("proofs"), done as u64, triples.len() as u64);
            proofs.push(make(&prover, witness, proof, public, limit)?);
        }
        let report = Report {
            proofs,
            signals: prover.signals(),
            verified: !unchecked,
            remade: prover.account().remade,
            device: DeviceUsed::of(engine),
            stages: watch.finish(),
        };
        if report.remade > 0 {
            output::warn(&format!(
                "{} failed without saying so: {} of {} proofs did not verify and were made again on the CPU",
                engine.device().id,
                report.remade,
                report.proofs.len()
            ));
        }
        let to_standard = arguments.outputs().find(|path| files::is_standard(path));
        arguments.format.print_beside(to_standard, &report)
    }
}

/// Makes one proof and writes it.
fn make<P: Pairing>(
    prover: &Prover<P>,
    witness: &Path,
    proof: &Path,
    public: &Path,
    limit: u64,
) -> Result<Written, Failure> {
    let subject = files::input_name(witness);
    // A bad name is reported before the work.
    let (to_proof, to_public) =
        (NewFile::create(proof, Contents::Text)?, NewFile::create(public, Contents::Text)?);
    let signals = wtns::parse(&bytes(witness, "a witness", limit)?).context(&subject)?;
    let made = prover.prove(&signals).context(&subject)?;
    let of_public = prover.public(&signals).context(&subject)?;
    to_proof.fill(|file| writeln!(file, "{}", json::write_proof(&made)))?;
    to_public.fill(|file| writeln!(file, "{}", json::write_public(of_public)))?;
    Ok(Written {
        witness: subject,
        proof: files::output_name(proof),
        public: files::output_name(public),
        public_signals: of_public.len(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proofs, signals, verified, remade, device, stages } = self;
        for Written { witness, proof, public, public_signals } in proofs {
            writeln!(f, "proof       {proof}, of {witness}")?;
            writeln!(f, "public      {public_signals} signals in {public}")?;
        }
        writeln!(f, "witness     {signals} signals")?;
        let checked = match (verified, remade) {
            (false, _) => "no, as asked for".into(),
            (true, 0) => "yes, before they were written".into(),
            (true, remade) => format!("yes, and {remade} made again on the CPU"),
        };
        writeln!(f, "verified    {checked}")?;
        writeln!(f, "device      {device}")?;
        for StageTime { stage, seconds } in stages {
            writeln!(f, "  {stage:<22} {:>12}", output::time(*seconds))?;
        }
        Ok(())
    }
}
