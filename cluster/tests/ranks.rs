//! Ranks that are threads: answers are those of one engine, node by node, and failures end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use zkaccel::Engine;
use zkaccel::bn254::{Fr, G1, G1Affine};
use zkaccel::commit::TraceSpec;
use zkaccel::curve::{Curve, affine};
use zkaccel::device::DeviceChoice;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Blake3, Hasher, Rp64_256};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Ntt};
use zkaccel_cluster::{Cluster, Error, Local, Threads, Transport, Tree, parts};

const DEADLINE: Duration = Duration::from_secs(60);

fn engine() -> Engine {
    Engine::builder().device(DeviceChoice::Cpu).threads(1).build().unwrap()
}

/// Runs the same on every one of so many ranks, and returns what each has.
fn on_ranks<R: Send>(size: usize, deadline: Duration, run: impl Fn(Cluster<Threads>) -> R + Sync) -> Vec<R> {
    on_ranks_with(size, deadline, |_| engine(), run)
}

/// The same, each with an engine by its number.
fn on_ranks_with<R: Send>(
    size: usize,
    deadline: Duration,
    engine: impl Fn(usize) -> Engine + Sync,
    run: impl Fn(Cluster<Threads>) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let (run, engine) = (&run, &engine);
        let spawn = |transport: Threads| {
            scope.spawn(move || {
                let engine = engine(transport.rank());
                run(Cluster::new(transport, engine))
            })
        };
        let ranks: Vec<_> = Threads::ranks(size, deadline).into_iter().map(spawn).collect();
        ranks.into_iter().map(|rank| rank.join().expect("a rank that ends")).collect()
    })
}

/// Words below p that look random.
fn words(count: usize) -> Vec<Goldilocks> {
    let mut state = 1_u64;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Goldilocks::new(state % Goldilocks::MODULUS)
    };
    (0..count).map(next).collect()
}

/// The nodes above subtrees and those of this rank's subtrees are those of a whole tree.
fn same_nodes<H: Hasher>(tree: &Tree<H>, whole: &[H::Digest]) {
    let (first, subtrees) = tree.subtrees();
    let count = tree.top().leaf_count();
    assert_eq!(tree.top().heap()[1..], whole[1..2 * count]);
    for (number, subtree) in (first..).zip(subtrees) {
        let nodes = subtree.nodes(1..2 * subtree.leaf_count()).unwrap();
        for (position, node) in (1_usize..).zip(nodes) {
            let level = position.ilog2();
            let in_whole = ((count + number) << level) + (position & ((1 << level) - 1));
            assert_eq!(node, whole[in_whole]);
        }
    }
}

/// Ranks with devices whose memory is their own, and among them some whose memory has no room for their part: the answers are the same, and data stay where they were made.
#[test]
fn ranks_on_devices() {
    let device: DeviceChoice = "opencl:0".parse().unwrap();
    if let Err(missing) = Engine::builder().device(device).build() {
        let required = std::env::var("ZKACCEL_REQUIRE").unwrap_or_default();
        assert!(!required.contains("opencl:0"), "{missing}");
        return;
    }
    let on = |bytes: [u64; 2]| {
        move |rank: usize| {
            let builder = Engine::builder().device(device).threads(1);
            builder.device_memory(bytes[rank % 2]).build().unwrap()
        }
    };
    let (rows, columns, spec) = (256, 6, TraceSpec::default());
    let trace = words(rows * columns);
    let matrix = Matrix::from_rows(trace.clone(), rows, columns).unwrap();
    let whole = engine().commit::<Rp64_256>(&spec, matrix).unwrap();
    let indices = [2047, 4, 1029];
    let expected = whole.open(&indices).unwrap();
    let domain = Domain::new(9, Convention::Plonky3).unwrap();
    let mut values = words(1 << 9);
    engine().ntt(&Ntt::forward(domain), &mut values).unwrap();
    for (size, bytes, kept) in [
        (2, [1 << 24; 2], [true; 2]),
        (3, [1 << 24, 1 << 24], [true; 2]),
        (2, [1 << 24, 1 << 10], [true, false]),
    ] {
        on_ranks_with(size, DEADLINE, on(bytes), |cluster| {
            let rank = cluster.transport().rank();
            let own = cluster.rows(rows);
            let own = trace[own.start * columns..own.end * columns].to_vec();
            let found = cluster.commit::<Rp64_256>(&spec, [rows, columns], own).unwrap();
            assert_eq!(found.root(), whole.root());
            same_nodes(found.tree(), whole.tree().unwrap().heap());
            assert_eq!(cluster.open_rows(&found, &indices).unwrap(), expected);
            let on_device = found.cosets().2.iter().all(|values| values.as_host().is_none());
            assert_eq!(on_device, kept[rank % 2], "rank {rank} of {size} with {bytes:?} bytes");
            if size == 2 {
                let block = words(1 << 9)[rank * 256..][..256].to_vec();
                let own: Vec<_> = values.iter().skip(rank).step_by(2).copied().collect();
                assert_eq!(cluster.ntt(&domain, block.clone()).unwrap(), own);
                let block = cluster.engine().upload_if_it_fits(Matrix::from_column(block).unwrap()).unwrap();
                let stays = cluster.ntt(&domain, block).unwrap();
                assert_eq!(stays.download().unwrap().as_slice(), own);
            }
        });
    }
}

/// Without a GPU there is nothing that NCCL could exchange, which every rank is told, and the cluster goes on.
#[test]
fn nccl_without_gpus() {
    let found = on_ranks(2, DEADLINE, |cluster| {
        let refused = cluster.use_nccl(DEADLINE).unwrap_err();
        cluster.transport().barrier().unwrap();
        refused
    });
    for refused in found {
        assert_eq!(refused, Error::NoGpu { device: "cpu".into() });
        assert!(refused.is_agreed());
    }
}

fn trees<H: Accelerated>(size: usize) {
    for log in [5, 6, 10] {
        let leaves: Vec<H::Digest> = words(4 << log).chunks_exact(4).map(H::hash_elements).collect();
        let whole = engine().merkle_tree::<H>(&leaves).unwrap();
        let indices = [0, 1, 7, (1 << log) - 1, 1 << (log - 1)];
        let expected = whole.open_many(&indices).unwrap();
        on_ranks(size, DEADLINE, |cluster| {
            let own = cluster.leaves(leaves.len()).unwrap();
            let tree = cluster.merkle_tree::<H>(leaves.len(), &leaves[own]).unwrap();
            assert_eq!(tree.root(), whole.root());
            same_nodes(&tree, whole.heap());
            let opening = cluster.open(&tree, &indices).unwrap();
            assert_eq!((opening.indices, &opening.siblings), (expected.indices.clone(), &expected.siblings));
            let refused = cluster.open(&tree, &[1 << log]).unwrap_err();
            assert!(matches!(refused, Error::Engine(zkaccel::Error::IndexOutOfRange { .. })), "{refused}");
        });
    }
}

#[test]
fn trees_of_any_number_of_ranks() {
    for size in [1, 2, 3, 4, 8] {
        trees::<Rp64_256>(size);
    }
    trees::<Blake3>(5);
}

/// A commitment over ranks is that of one engine: its root, nodes, rows and openings.
fn commitment(size: usize, blowup: u64, [rows, columns]: [usize; 2]) {
    let spec = TraceSpec { blowup, ..TraceSpec::default() };
    let trace = words(rows * columns);
    let matrix = Matrix::from_rows(trace.clone(), rows, columns).unwrap();
    let whole = engine().commit::<Rp64_256>(&spec, matrix).unwrap();
    let extension = whole.resident_extension().download().unwrap();
    let indices = [0, rows - 1, 2 * rows - 1, 5];
    let expected = whole.open(&indices).unwrap();
    on_ranks(size, DEADLINE, |cluster| {
        let own = cluster.rows(rows);
        let own = trace[own.start * columns..own.end * columns].to_vec();
        let found = cluster.commit::<Rp64_256>(&spec, [rows, columns], own).unwrap();
        assert_eq!(found.root(), whole.root());
        assert_eq!(found.shape(), (rows * blowup as usize, columns));
        same_nodes(found.tree(), whole.tree().unwrap().heap());
        let (count, share, cosets) = found.cosets();
        for (coset, values) in share.zip(cosets) {
            let rows: Vec<_> = (0..values.shape().rows).collect();
            for (row, found) in values.read_rows(&rows).unwrap().into_iter().enumerate() {
                let expected = extension.row(row * count + coset);
                assert_eq!(found, expected, "row {row} of coset {coset}");
            }
        }
        let opening = cluster.open_rows(&found, &indices).unwrap();
        assert_eq!(opening, expected);
        opening.verify(&whole.cap(0).unwrap(), columns).unwrap();
    });
}

#[test]
fn commitments_of_any_number_of_ranks() {
    for (size, blowup) in [(1, 2), (1, 8), (2, 2), (2, 8), (3, 8), (4, 4), (4, 16), (8, 8)] {
        for shape in [[64, 3], [256, 8], [16, 1]] {
            commitment(size, blowup, shape);
        }
    }
}

/// By columns: of some ranks there are more than columns, and of some more than rows of the trace.
#[test]
fn commitments_of_more_ranks_than_the_blow_up() {
    for (size, blowup, shape) in [
        (4, 2, [16, 3]),
        (4, 2, [128, 11]),
        (8, 2, [64, 1]),
        (8, 4, [16, 20]),
        (16, 2, [128, 33]),
        (16, 8, [32, 5]),
        (64, 32, [128, 2]),
        (3, 2, [128, 7]),
        (5, 4, [256, 2]),
        (9, 8, [512, 10]),
    ] {
        commitment(size, blowup, shape);
    }
    let refused = on_ranks(4, DEADLINE, |cluster| {
        let spec = TraceSpec { blowup: 2, ..TraceSpec::default() };
        let few = cluster.commit::<Blake3>(&spec, [4, 1], words(1)).unwrap_err();
        let none = cluster.commit::<Blake3>(&spec, [64, 0], Vec::new()).unwrap_err();
        (few, none)
    });
    for (few, none) in refused {
        assert!(matches!(few, Error::TooManyRanks { ranks: 4, .. }), "{few}");
        assert!(matches!(none, Error::Engine(zkaccel::Error::BadShape { columns: 0, .. })), "{none}");
    }
}

#[test]
fn transforms_of_any_number_of_ranks() {
    for size in [1, 2, 4, 8] {
        for log in [6, 9, 12] {
            let domain =
                Domain::new(log, Convention::Winterfell).unwrap().coset(Goldilocks::new(11)).unwrap();
            let coefficients = words(1 << log);
            let mut expected = coefficients.clone();
            engine().ntt(&Ntt::forward(domain), &mut expected).unwrap();
            on_ranks(size, DEADLINE, |cluster| {
                let rank = cluster.transport().rank();
                let block = coefficients[parts(1 << log, size)[rank].clone()].to_vec();
                let found = cluster.ntt(&domain, block).unwrap();
                let own: Vec<_> = expected.iter().skip(rank).step_by(size).copied().collect();
                assert_eq!(found, own);
            });
        }
    }
    let refused = on_ranks(2, DEADLINE, |cluster| {
        let block = Matrix::from_rows(words(32), 16, 2).unwrap();
        let block = cluster.engine().upload(block).unwrap();
        cluster.ntt(&Domain::new(6, Convention::Winterfell).unwrap(), block).unwrap_err()
    });
    let expected = zkaccel::Error::BadShape { rows: 16, columns: 2, entries: 32 };
    assert!(refused.iter().all(|error| *error == Error::Engine(expected.clone())), "{refused:?}");
    let refused = on_ranks(3, DEADLINE, |cluster| {
        cluster.ntt(&Domain::new(6, Convention::Winterfell).unwrap(), words(21)).unwrap_err()
    });
    assert!(refused.iter().all(|error| matches!(error, Error::TooManyRanks { ranks: 3, .. })), "{refused:?}");
}

#[test]
fn sums_of_any_number_of_ranks() {
    let generator = G1::from(<G1Affine as Curve>::generator());
    let multiples: Vec<G1> = (1..=37_u64).map(|i| generator * Fr::from(i)).collect();
    let (bases, scalars): (Vec<G1Affine>, Vec<Fr>) =
        (affine(&multiples), (0..37).map(|i| Fr::from(i * i)).collect());
    let expected = engine().msm(&scalars, &bases).unwrap();
    for size in [1, 2, 3, 8] {
        let found = on_ranks(size, DEADLINE, |cluster| {
            let own = parts(37, size)[cluster.transport().rank()].clone();
            // One rank brings nothing.
            let own = if size == 8 && own.start == 0 { 0..0 } else { own };
            cluster.msm::<G1Affine>(&scalars[own.clone()], &bases[own]).unwrap()
        });
        let missing = if size == 8 { (0..4).map(|i| multiples[i] * scalars[i]).sum() } else { G1::default() };
        assert!(found.iter().all(|&sum| sum + missing == expected), "{size} ranks");
    }
}

#[test]
fn messages() {
    on_ranks(4, DEADLINE, |cluster| {
        let transport = cluster.transport();
        let rank = transport.rank() as u64;
        for round in 0..50 {
            let gathered = transport.all_gather(vec![rank; (rank + round) as usize % 5]).unwrap();
            for (from, words) in (0..).zip(gathered) {
                assert_eq!(words, vec![from; (from + round) as usize % 5]);
            }
            assert_eq!(transport.broadcast(2, vec![rank, round], 2).unwrap(), [2, round]);
            transport.barrier().unwrap();
        }
        let local = Local::of(transport).unwrap();
        let available = thread::available_parallelism().unwrap().get();
        let expected = (rank as usize, 4, (available / 4).max(1));
        assert_eq!((local.rank, local.size, local.threads), expected);
    });
}

/// An error on one rank is an error on all, and the cluster goes on.
#[test]
fn an_error_of_one_rank() {
    let results = on_ranks(3, DEADLINE, |cluster| {
        let spec = TraceSpec::default();
        let mut own = words(cluster.rows(64).len() * 2);
        if cluster.transport().rank() == 1 {
            own.pop();
        }
        let first = cluster.commit::<Blake3>(&spec, [64, 2], own).unwrap_err();
        let second = cluster.commit::<Blake3>(&spec, [64, 2], words(cluster.rows(64).len() * 2)).map(|_| ());
        (first, second)
    });
    let own = &results[1].0;
    assert!(matches!(own, Error::BadPart { rank: 1, expected: 42, found: 41, .. }), "{own:?}");
    for rank in [0, 2] {
        assert!(matches!(&results[rank].0, Error::Peer { rank: 1, message } if message.contains("found 41")));
    }
    assert!(results.iter().all(|(_, second)| second.is_ok()));
}

#[test]
fn ranks_that_disagree() {
    let found = on_ranks(2, DEADLINE, |cluster| {
        let blowup = if cluster.transport().rank() == 0 { 8 } else { 4 };
        let spec = TraceSpec { blowup, ..TraceSpec::default() };
        cluster.commit::<Blake3>(&spec, [64, 1], words(32)).unwrap_err()
    });
    assert!(matches!(found[0], Error::Disagree { rank: 1, this: 0, .. }), "{:?}", found[0]);
    assert!(matches!(found[1], Error::Disagree { rank: 0, this: 1, .. }), "{:?}", found[1]);
}

/// A rank that ends, and one that never comes: the others end in time, and refuse everything afterwards.
#[test]
fn ranks_that_do_not_come() {
    let gone = on_ranks(3, DEADLINE, |cluster| match cluster.transport().rank() {
        1 => None,
        _ => Some((cluster.transport().barrier(), cluster.transport().barrier())),
    });
    for (first, second) in gone.into_iter().flatten() {
        assert!(matches!(first, Err(Error::Gone { .. })), "{first:?}");
        assert_eq!(second, Err(Error::Broken));
    }
    let start = Instant::now();
    let late = on_ranks(2, Duration::from_millis(100), |cluster| match cluster.transport().rank() {
        0 => cluster.transport().barrier(),
        _ => {
            thread::sleep(Duration::from_millis(600));
            Ok(())
        }
    });
    assert!(matches!(&late[0], Err(Error::Deadline { missing, .. }) if *missing == [1]), "{late:?}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// A way between ranks that counts the words sent to other ranks.
struct Counting {
    transport: Threads,
    sent: AtomicUsize,
}

impl Transport for Counting {
    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn size(&self) -> usize {
        self.transport.size()
    }

    fn exchange(&self, send: Vec<Vec<u64>>, counts: &[usize]) -> Result<Vec<Vec<u64>>, Error> {
        let others = send.iter().enumerate().filter(|(to, _)| *to != self.rank());
        self.sent.fetch_add(others.map(|(_, words)| words.len()).sum(), Ordering::Relaxed);
        self.transport.exchange(send, counts)
    }

    fn abort(&self, reason: &str) {
        self.transport.abort(reason);
    }
}

/// Words of data that each rank sends are those of the book's table. What ranks agree on is the same for data of any size, so it falls out between two sizes.
#[test]
fn volumes() {
    let sent = |size: usize, log: u32, run: &(dyn Fn(&Cluster<Counting>, usize) + Sync)| -> Vec<usize> {
        thread::scope(|scope| {
            let rank = |transport| {
                scope.spawn(move || {
                    let transport = Counting { transport, sent: AtomicUsize::new(0) };
                    let cluster = Cluster::new(transport, engine());
                    run(&cluster, 1 << log);
                    cluster.transport().sent.load(Ordering::Relaxed)
                })
            };
            let ranks: Vec<_> = Threads::ranks(size, DEADLINE).into_iter().map(rank).collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    };
    // Of twice the data less that of the data.
    let difference = |size, log, run: &(dyn Fn(&Cluster<Counting>, usize) + Sync)| -> Vec<usize> {
        let (once, twice) = (sent(size, log, run), sent(size, log + 1, run));
        twice.iter().zip(once).map(|(twice, once)| twice - once).collect()
    };
    for size in [1, 2, 4, 8] {
        let (n, columns, blowup) = (1 << 7, 3, 8);
        let commit = |cluster: &Cluster<Counting>, rows: usize| {
            let own = words(cluster.rows(rows).len() * columns);
            cluster.commit::<Blake3>(&TraceSpec::default(), [rows, columns], own).unwrap();
        };
        let trace = n * columns * (size - 1) / size;
        let digests = 4 * blowup * n * (size - 1) / (size * size);
        assert_eq!(difference(size, 7, &commit), vec![trace + digests; size], "a commitment on {size} ranks");

        // By columns, of which every rank has as many.
        let (columns, blowup) = (16, 2);
        let commit = |cluster: &Cluster<Counting>, rows: usize| {
            let own = words(cluster.rows(rows).len() * columns);
            let spec = TraceSpec { blowup: blowup as u64, ..TraceSpec::default() };
            cluster.commit::<Blake3>(&spec, [rows, columns], own).unwrap();
        };
        if size > blowup {
            let own = (1 + blowup) * n * columns * (size - 1) / (size * size);
            let digests = 4 * blowup * n * (size - 1) / (size * size);
            assert_eq!(difference(size, 7, &commit), vec![own + digests; size], "by columns on {size} ranks");
        }

        let transform = |cluster: &Cluster<Counting>, n: usize| {
            let domain = Domain::new(n.ilog2(), Convention::Winterfell).unwrap();
            cluster.ntt(&domain, words(n / size)).unwrap();
        };
        assert_eq!(difference(size, 7, &transform), vec![2 * n * (size - 1) / (size * size); size]);

        let tree = |cluster: &Cluster<Counting>, n: usize| {
            let own = vec![Blake3::hash(b""); cluster.leaves(n).unwrap().len()];
            cluster.merkle_tree::<Blake3>(n, &own).unwrap();
        };
        assert_eq!(difference(size, 7, &tree), vec![0; size], "only roots of subtrees");
    }
}
