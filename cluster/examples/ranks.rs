//! Ranks under an MPI launcher: every operation beside one engine, and ways to fail.
//!
//! ```text
//! mpirun -n 4 ranks check [DEVICE]    every operation is what one engine makes of the same data; with `gpus` each rank has a GPU of its own, with `nccl` they exchange by NCCL as well
//! mpirun -n 4 ranks large WORDS       an exchange of so many words between the first two ranks, in several messages beyond 2^27 words
//! mpirun --with-ft ulfm -n 4 ranks survive [DEVICE]    half of the ranks are killed or panic one after another in the midst of an operation, which those that are left do again
//! mpirun -n 4 ranks FAULT [DEVICE]    rank 1 does as told, and the others end with an error, but for `late`: panic, exit, kill, error, late, hang, absent
//! ```

use std::cell::Cell;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use zkaccel::Engine;
use zkaccel::bn254::{Fr, G1, G1Affine};
use zkaccel::commit::TraceSpec;
use zkaccel::curve::{Curve, affine};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Blake3, Hasher, Poseidon2_8, Rp64_256};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Ntt};
use zkaccel_cluster::{Cluster, Error, Local, Mpi, Transport, parts};

type Answer = Result<(), Box<dyn std::error::Error>>;

fn words(count: usize) -> Vec<Goldilocks> {
    let step = |state: &u64| Some(state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    let states = std::iter::successors(Some(1_u64), step);
    states.take(count).map(|word| Goldilocks::new(word % Goldilocks::MODULUS)).collect()
}

/// An error that says what differs from one engine's answer.
fn expect(what: &str, holds: bool) -> Answer {
    match holds {
        true => Ok(()),
        false => Err(format!("{what} differs from that of one engine").into()),
    }
}

fn check(cluster: &Cluster<Mpi>) -> Answer {
    let (rank, size) = (cluster.transport().rank(), cluster.transport().size());
    let engine = cluster.engine();

    let leaves: Vec<_> = words(4 << 12).chunks_exact(4).map(Blake3::hash_elements).collect();
    let tree = cluster.merkle_tree::<Blake3>(leaves.len(), &leaves[cluster.leaves(leaves.len())?])?;
    expect("a tree", tree.root() == engine.merkle_tree::<Blake3>(&leaves)?.root())?;

    let (rows, columns, spec) = (1 << 8, 5, TraceSpec::default());
    let trace = words(rows * columns);
    let own = cluster.rows(rows);
    let own = trace[own.start * columns..own.end * columns].to_vec();
    let whole = engine.commit::<Rp64_256>(&spec, Matrix::from_rows(trace.clone(), rows, columns)?)?;
    let found = cluster.commit::<Rp64_256>(&spec, [rows, columns], own.clone())?;
    expect("a commitment", found.root() == whole.root())?;
    let indices = [7, 2047, 1000, 3];
    expect("an opening", cluster.open_rows(&found, &indices)? == whole.open(&indices)?)?;
    // More ranks than the blow-up, if there are more than two.
    let spec = TraceSpec { blowup: 2, ..spec };
    let found = cluster.commit::<Poseidon2_8>(&spec, [rows, columns], own)?;
    let whole = engine.commit::<Poseidon2_8>(&spec, Matrix::from_rows(trace, rows, columns)?)?;
    expect("another commitment", found.root() == whole.root())?;

    if size.is_power_of_two() {
        let domain = Domain::new(12, Convention::Plonky3)?.coset(Goldilocks::new(7))?;
        let mut values = words(1 << 12);
        let block = values[parts(1 << 12, size)[rank].clone()].to_vec();
        let found = cluster.ntt(&domain, block)?;
        engine.ntt(&Ntt::forward(domain), &mut values)?;
        let expected: Vec<_> = values.into_iter().skip(rank).step_by(size).collect();
        expect("a transform", found == expected)?;
        let block = words(1 << 12)[parts(1 << 12, size)[rank].clone()].to_vec();
        let kept = cluster.ntt(&domain, engine.upload(Matrix::from_column(block)?)?)?;
        expect("a transform that stays", kept.download()?.as_slice() == expected)?;
    }

    let generator = G1::from(<G1Affine as Curve>::generator());
    let bases: Vec<G1Affine> = affine(&(1..=100_u64).map(|i| generator * Fr::from(i)).collect::<Vec<_>>());
    let scalars: Vec<Fr> = (0..100).map(|i| Fr::from(i * i + 5)).collect();
    let own = parts(100, size)[rank].clone();
    let sum = cluster.msm::<G1Affine>(&scalars[own.clone()], &bases[own])?;
    expect("a sum", sum == engine.msm(&scalars, &bases)?)
}

/// The first two ranks exchange words that tell their places.
fn large(cluster: &Cluster<Mpi>, count: usize) -> Answer {
    let transport = cluster.transport();
    let (rank, size) = (transport.rank(), transport.size());
    let partner = 1 - rank.min(1);
    let talks = rank < 2 && size > 1;
    let mut send = vec![Vec::new(); size];
    let mut counts = vec![0; size];
    if talks {
        send[partner] = (0..count as u64).map(|i| i ^ rank as u64).collect();
        counts[partner] = count;
    }
    let received = transport.exchange(send, &counts)?;
    let right =
        (0..count as u64).zip(&received[partner.min(size - 1)]).all(|(i, &word)| word == i ^ partner as u64);
    expect("an exchange", !talks || right && received[partner].len() == count)
}

/// Ends this process without a word.
fn die() {
    drop(std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status());
}

/// Half of the ranks end, in turns the last, which is killed, and the first, which panics: the others wait for their parts.
fn survive(cluster: &mut Cluster<Mpi>) -> Answer {
    let (rows, columns, spec) = (1 << 8, 5, TraceSpec::default());
    let trace = words(rows * columns);
    let expected =
        cluster.engine().commit::<Rp64_256>(&spec, Matrix::from_rows(trace.clone(), rows, columns)?)?;
    let (all, times) = (cluster.transport().size(), Cell::new(0));
    let commit = |cluster: &Cluster<Mpi>| {
        let own = cluster.rows(rows);
        let own = trace[own.start * columns..own.end * columns].to_vec();
        cluster.commit::<Rp64_256>(&spec, [rows, columns], own)
    };
    let of_all = commit(cluster)?;
    let root = cluster.surviving(|cluster| {
        let (rank, size) = (cluster.transport().rank(), cluster.transport().size());
        let time = times.replace(times.get() + 1);
        let is_next = size > all - all / 2 && rank == if time % 2 == 0 { size - 1 } else { 0 };
        if is_next {
            assert!(time % 2 == 0, "a rank that panics");
            die();
        }
        Ok(commit(cluster)?.root())
    })?;
    expect("a commitment of those that are left", root == expected.root())?;
    let left = cluster.transport().size();
    expect("the number of those that are left", left == all - all / 2 && times.get() == 1 + all / 2)?;
    // Shares of it have died.
    let opened = cluster.open_rows(&of_all, &[0]);
    expect("a refusal of what more ranks have made", opened == Err(Error::Left { made: all, left }))
}

fn fail(cluster: &Cluster<Mpi>, fault: &str) -> Answer {
    let is_faulty = cluster.transport().rank() == 1;
    cluster.transport().barrier()?;
    match fault {
        "panic" if is_faulty => panic!("a rank that panics"),
        "exit" if is_faulty => std::process::exit(0),
        "kill" if is_faulty => die(),
        "late" | "hang" if is_faulty => {
            std::thread::sleep(Duration::from_secs(if fault == "late" { 1 } else { 3600 }));
        }
        _ => {}
    }
    let own = match fault {
        "error" if is_faulty => Vec::new(),
        _ => words(cluster.rows(64).len()),
    };
    cluster.commit::<Blake3>(&TraceSpec::default(), [64, 1], own)?;
    Ok(())
}

/// The number that a launcher has given this process, before MPI is asked.
fn told_rank() -> Option<usize> {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"];
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

fn run(arguments: &[String]) -> Answer {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_waited_for = matches!(words[..], ["hang" | "kill" | "absent", ..]);
    let deadline = Duration::from_secs(if is_waited_for { 3 } else { 60 });
    if words[..] == ["absent"] && told_rank() == Some(1) {
        // It never begins with MPI.
        std::thread::sleep(Duration::from_secs(3600));
    }
    let transport = Mpi::world(deadline)?;
    let local = Local::of(&transport)?;
    let device = words.get(1).filter(|_| words[0] != "large").copied().unwrap_or("cpu");
    let name = match device {
        "gpus" | "nccl" => format!("cuda:{}", local.rank),
        name => name.into(),
    };
    let engine = Engine::builder().device(name.parse()?).threads(1).build();
    let mut cluster = Cluster::started(transport, engine.map_err(Error::from))?;
    if device == "nccl" {
        cluster.use_nccl(deadline)?;
    }
    let start = Instant::now();
    let done = match words[..] {
        ["large", count] => large(&cluster, count.parse()?),
        ["check", ..] => check(&cluster),
        ["survive", ..] => survive(&mut cluster),
        [fault, ..] => fail(&cluster, fault),
        _ => Err("expected check, large WORDS, or a fault".into()),
    };
    let (rank, size) = (cluster.transport().rank(), cluster.transport().size());
    match &done {
        Ok(()) if rank == 0 => println!(
            "{size} ranks, {} of this host, {}: right, in {:.2?}",
            local.size,
            cluster.transport().library(),
            start.elapsed()
        ),
        Ok(()) => {}
        Err(error) if error.downcast_ref().is_some_and(Error::is_agreed) => {}
        Err(error) => cluster.transport().abort(&error.to_string()),
    }
    done
}

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
