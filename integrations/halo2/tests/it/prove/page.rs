//! The lines of docs/integrations/halo2.md for whole proofs.

use std::error::Error;

use halo2_axiom::halo2curves::bn256::{Bn256, Fr};
use halo2_axiom::poly::kzg::commitment::KZGCommitmentScheme;
use halo2_axiom::poly::kzg::multiopen::ProverSHPLONK;
use halo2_axiom::transcript::{Blake2bWrite, Challenge255, TranscriptWriterBuffer};
use rand::rngs::OsRng;
use zkaccel_halo2::Prover;

use super::random::{Random, SMALL};
use super::setup::{Setup, Shplonk, engine};

#[test]
fn as_the_page_has_it() -> Result<(), Box<dyn Error>> {
    let (mut circuits, instances) = super::circuits(SMALL, 2);
    let setup = Setup::new(SMALL.k, &circuits[0]);
    let (params, pk, public): (_, _, Vec<Fr>) = (&setup.srs, &setup.key, instances[0][0].clone());
    let mut circuit = || -> Random { circuits.pop().expect("two") };
    let of_first = {
        let circuit = circuit();
        let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(Vec::new());
        zkaccel_halo2::create_proof::<KZGCommitmentScheme<Bn256>, ProverSHPLONK<'_, Bn256>, _, _, _, _>(
            params,
            pk,
            &[circuit],
            &[&[&public]],
            OsRng,
            &mut transcript,
        )?;
        transcript.finalize()
    };
    let (engine, circuit) = (engine(), circuit());
    let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(Vec::new());
    let prover = Prover::with_engine(&engine);
    prover.keep(params, pk)?;
    prover.create_proof::<KZGCommitmentScheme<Bn256>, ProverSHPLONK<'_, Bn256>, _, _, _, _>(
        params,
        pk,
        &[circuit],
        &[&[&public]],
        OsRng,
        &mut transcript,
    )?;
    let of_second = transcript.finalize();
    let instances = vec![vec![public]];
    assert!([&of_first, &of_second].iter().all(|proof| setup.accepts::<Shplonk>(&instances, proof)));
    assert_ne!(of_first, of_second, "blinding is random");
    Ok(())
}
