//! Operations over the ranks of MPI, each a process with an engine of its own (`zkaccel_cluster`).
//!
//! What only this rank's arguments have wrong is told to the others as well, or they would wait for it.

use std::ffi::c_char;
use std::sync::Arc;
use std::time::Duration;

use accel::field::Goldilocks;
use accel::ntt::Domain;
use zkaccel_cluster::{Cluster, Error, Mpi, Transport};

use crate::arguments::{Arguments, copied, product, text};
use crate::curves::Curve;
use crate::engine::{Running, SharedEngine, find, zka_engine};
use crate::handles::{Handles, Kind};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_OK, guard, last_text, name_of, zka_status};

/// The ranks of an MPI communicator, and the engine of this one.
///
/// All ranks call the functions of a cluster in the same order with the same parameters, each with its own part of the data; those that say so are for one rank. An error of one rank is
/// one of all: its own there and `ZKA_CLUSTER` with its text on the others, after which all can go on, unless ranks have gone or did not come in time.
pub struct zka_cluster {
    _opaque: (),
}

/// Opens a library of MPI, and takes all processes that the launcher has started, or those of a communicator if one is given: its handle in Fortran (`MPI_Comm_c2f`, `MPI_Comm_toint`), of which a
/// duplicate is made. MPI is initialised if it is not yet, and finalised with the cluster then; a program that has initialised it has done so with `MPI_THREAD_SERIALIZED` or more, and
/// calls no function of MPI while one of the cluster runs.
///
/// `deadline` is the most seconds that an operation waits for other ranks. `ZKA_CLUSTER` if they do not come, or there is no library of MPI (the environment variable `ZKACCEL_MPI`
/// names another). `communicator` may be NULL. Free the cluster with `zka_cluster_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_cluster,
    communicator: *const i32,
    deadline: f64,
) -> zka_status {
    guard(|| {
        let shared = find(engine)?;
        let _running = Running::on(&shared)?;
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let out = arguments.output("out", out, 1)?;
        let communicator =
            arguments.input("communicator", communicator, usize::from(!communicator.is_null()))?;
        arguments.check_aliases()?;
        let seconds = seconds(deadline)?;
        let transport = match communicator.as_slice() {
            [handle] => Mpi::of_fortran(*handle, seconds)?,
            _ => Mpi::world(seconds)?,
        };
        let cluster = Cluster::new(transport, shared.engine.clone());
        out.write(&[CLUSTERS.insert(Arc::new(Ranks { cluster, shared: Arc::clone(&shared) }))]);
        Ok(())
    })
}

/// A deadline.
fn seconds(deadline: f64) -> Result<Duration, Failure> {
    let seconds = Duration::try_from_secs_f64(deadline).ok().filter(|seconds| !seconds.is_zero());
    seconds.ok_or_else(|| {
        let text = format!("a deadline of {deadline} s, expected seconds above 0");
        Failure::new(ZKA_BAD_ARGUMENT, text)
    })
}

/// Has ranks exchange what their GPUs keep by NVIDIA's library of collective communication (NCCL), from GPU to GPU, from now on; otherwise it goes through host memory and MPI. Each rank has an
/// engine on one GPU of its own (`cuda:N`). `deadline` is the most seconds that an exchange takes. `ZKA_CLUSTER` if there is no library (`libnccl.so.2`, or what the environment variable
/// `ZKACCEL_NCCL` names), or a rank has no GPU of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_use_nccl(cluster: *const zka_cluster, deadline: f64) -> zka_status {
    guard(|| {
        let ranks = CLUSTERS.get(cluster)?;
        let _running = Running::on(&ranks.shared)?;
        let deadline = ranks.agree(seconds(deadline))?;
        ranks.cluster.use_nccl(deadline)?;
        Ok(())
    })
}

/// Leaves the other ranks, which do the same; NULL is nothing to free. Commitments may outlive it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_free(cluster: *mut zka_cluster) -> zka_status {
    guard(|| CLUSTERS.free(cluster))
}

/// The number of this rank, from 0 on, and that of ranks. For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_rank(
    cluster: *const zka_cluster,
    rank: *mut usize,
    size: *mut usize,
) -> zka_status {
    let rank_and_size = |ranks: &Ranks| {
        let transport = ranks.cluster.transport();
        Ok([transport.rank(), transport.size()])
    };
    // SAFETY: the caller's promise.
    unsafe { two(cluster, ["rank", "size"], [rank, size], rank_and_size) }
}

/// The rows that this rank brings of a trace of `count` rows: `len` of them from number `first` on. Also its block of the coefficients of a transform, and a fair share of the pairs of
/// a sum. For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_rows(
    cluster: *const zka_cluster,
    first: *mut usize,
    len: *mut usize,
    count: usize,
) -> zka_status {
    let rows = |ranks: &Ranks| {
        let rows = ranks.cluster.rows(count);
        Ok([rows.start, rows.len()])
    };
    // SAFETY: the caller's promise.
    unsafe { two(cluster, ["first", "len"], [first, len], rows) }
}

/// The leaves that this rank brings of a Merkle tree over `count` leaves, a power of two with a leaf for each rank's subtree. For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_leaves(
    cluster: *const zka_cluster,
    first: *mut usize,
    len: *mut usize,
    count: usize,
) -> zka_status {
    let leaves = |ranks: &Ranks| {
        let leaves = ranks.cluster.leaves(count)?;
        Ok([leaves.start, leaves.len()])
    };
    // SAFETY: the caller's promise.
    unsafe { two(cluster, ["first", "len"], [first, len], leaves) }
}

/// Tells all ranks how this one fares, for what they do apart from each other: returns `status`, or `ZKA_CLUSTER` if that is `ZKA_OK` and another rank's is not, with that rank's last
/// error for a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_agree(cluster: *const zka_cluster, status: zka_status) -> zka_status {
    guard(|| {
        let own = match status {
            ZKA_OK => Ok(()),
            other => Err(Failure::new(other, format!("{}: {}", name_of(other), last_text()))),
        };
        CLUSTERS.get(cluster)?.agree(own)
    })
}

/// Shrinks the cluster to the ranks that are left where some have died, and tells whether what all ranks did since the last time is to be done again because of that, `again` being 1
/// then. Those that are left have new numbers then, from 0 on in the same order (`zka_cluster_rank`), and other parts of the data; what was made by more of them cannot be opened any
/// more. Whatever its functions returned, each rank that is left calls this after them, while no other function of the cluster runs.
///
/// Ranks go on if the library and the launcher let them: Open MPI from 5.0 on, with `mpirun --with-ft ulfm`. Otherwise, and where an exchange failed and nobody has died, `ZKA_CLUSTER`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_shrink(cluster: *const zka_cluster, again: *mut i32) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let again = unsafe { Arguments::new() }.output("again", again, 1)?;
        again.write(&[i32::from(CLUSTERS.get(cluster)?.cluster.shrink()?)]);
        Ok(())
    })
}

/// Ends the processes of all ranks, because this one cannot go on; `reason` is a text for their standard error. For one rank; returns only if there is no way to end them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_abort(cluster: *const zka_cluster, reason: *const c_char) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let reason = unsafe { text("reason", reason) }?;
        CLUSTERS.get(cluster)?.cluster.transport().abort(&reason.to_string_lossy());
        Ok(())
    })
}

/// Makes of the coefficients of a polynomial, of which rank q of P has the block of `len` words from number q * len on in `data`, its values on the coset of order 2^log_n = P * len: those
/// with the numbers q, q + P, q + 2P, ....
///
/// P is a power of two whose square is at most 2^log_n. `omega` is a root of unity of order exactly 2^log_n, `coset` is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_goldilocks_ntt(
    cluster: *const zka_cluster,
    data: *mut u64,
    len: usize,
    log_n: u32,
    omega: u64,
    coset: u64,
) -> zka_status {
    let prepare = |arguments: &mut Arguments, _: &Ranks| {
        let (omega, coset): (Goldilocks, Goldilocks) = (bytemuck::cast(omega), bytemuck::cast(coset));
        let domain = Domain::with_root(log_n, omega)?.coset(coset)?;
        let mut data = arguments.in_out("data", data.cast::<Goldilocks>(), len)?;
        let own = copied(data.as_mut_slice())?;
        Ok(move |cluster: &Cluster<Mpi>| {
            data.as_mut_slice().copy_from_slice(&cluster.ntt(&domain, own)?);
            Ok(())
        })
    };
    // SAFETY: the caller's promise.
    unsafe { on_all(cluster, prepare) }
}

/// Makes of `count` sums that each rank has of its own pairs (X, Y and Z, as `zka_msm` and its kin write them) those of all ranks' pairs: the i-th of all are added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_add_up(
    cluster: *const zka_cluster,
    curve: u32,
    sums: *mut u64,
    count: usize,
) -> zka_status {
    let prepare = |arguments: &mut Arguments, _: &Ranks| {
        let curve = Curve::of(curve)?;
        let mut sums = arguments.in_out("sums", sums, product("sums", count, curve.sum)?)?;
        Ok(move |cluster: &Cluster<Mpi>| {
            let all = (curve.add_up)(cluster, sums.as_mut_slice())?;
            sums.as_mut_slice().copy_from_slice(&all);
            Ok(())
        })
    };
    // SAFETY: the caller's promise.
    unsafe { on_all(cluster, prepare) }
}

static CLUSTERS: Handles<Ranks> = Handles::new(Kind::Cluster);

/// A cluster, and its engine.
pub(crate) struct Ranks {
    pub(crate) cluster: Cluster<Mpi>,
    shared: Arc<SharedEngine>,
}

impl Ranks {
    /// This rank's failure, if it has one, which the others learn, or theirs.
    fn agree<R>(&self, own: Result<R, Failure>) -> Result<R, Failure> {
        let told = match &own {
            Ok(_) => Ok(()),
            Err(failure) => Err(Error::Caller { message: failure.text.clone() }),
        };
        match self.cluster.agree("an argument", &[], told) {
            Ok(()) | Err(Error::Caller { .. }) => own,
            Err(error) => Err(error.into()),
        }
    }
}

/// Checks the arguments of an operation of all ranks, and runs it.
///
/// # Safety
/// What `prepare` adds to the arguments must be null or valid for its length during the call.
pub(crate) unsafe fn on_all<C: FnOnce(&Cluster<Mpi>) -> Result<(), Error>>(
    cluster: *const zka_cluster,
    prepare: impl FnOnce(&mut Arguments, &Ranks) -> Result<C, Failure>,
) -> zka_status {
    guard(|| {
        let ranks = CLUSTERS.get(cluster)?;
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let prepared = Running::on(&ranks.shared).and_then(|running| {
            let call = prepare(&mut arguments, &ranks)?;
            arguments.check_aliases()?;
            Ok((running, call))
        });
        match prepared {
            Ok((_running, call)) => Ok(call(&ranks.cluster)?),
            Err(failure) => ranks.agree(Err(failure)),
        }
    })
}

/// Writes two numbers of a cluster.
///
/// # Safety
/// The pointers are null or valid.
unsafe fn two(
    cluster: *const zka_cluster,
    names: [&'static str; 2],
    out: [*mut usize; 2],
    numbers: impl FnOnce(&Ranks) -> Result<[usize; 2], Failure>,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let [a, b] =
            [(names[0], out[0]), (names[1], out[1])].map(|(name, out)| arguments.output(name, out, 1));
        let (a, b) = (a?, b?);
        arguments.check_aliases()?;
        let numbers = numbers(&*CLUSTERS.get(cluster)?)?;
        a.write(&numbers[..1]);
        b.write(&numbers[1..]);
        Ok(())
    })
}
