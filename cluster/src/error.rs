//! What can go wrong between ranks.

use std::time::Duration;

/// Why a collective operation ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This rank's own engine.
    #[error(transparent)]
    Engine(#[from] zkaccel::Error),
    /// What this rank's caller could not do before the operation, in its words.
    #[error("{message}")]
    Caller {
        /// Its words.
        message: String,
    },
    /// Another rank could not go on.
    #[error("rank {rank}: {message}")]
    Peer {
        /// The rank.
        rank: usize,
        /// What it said.
        message: String,
    },
    /// Ranks called different operations, or one with different parameters.
    #[error("{what}: rank {rank} has other parameters than rank {this}, expected the same call on all ranks")]
    Disagree {
        /// What this rank was asked for.
        what: String,
        /// A rank that was asked for something else.
        rank: usize,
        /// This rank.
        this: usize,
    },
    /// A rank has ended or was dropped.
    #[error("rank {rank} has gone")]
    Gone {
        /// The rank.
        rank: usize,
    },
    /// Ranks did not come in time.
    #[error("{what}: waited {:.1} s, expected all ranks by then; missing: {missing:?}", waited.as_secs_f64())]
    Deadline {
        /// What was waited for.
        what: String,
        /// For how long.
        waited: Duration,
        /// The ranks that had not come, as far as that is known.
        missing: Vec<usize>,
    },
    /// An earlier failure has left the transport without a common state.
    #[error(
        "a collective operation failed before, and ranks cannot know what the others have: begin again in new processes"
    )]
    Broken,
    /// No library of MPI could be used.
    #[error("MPI: {reason}; tried {tried} (ZKACCEL_MPI names another library)")]
    NoMpi {
        /// Why.
        reason: String,
        /// The libraries that were tried.
        tried: String,
    },
    /// A function of MPI failed.
    #[error("{call}: {message} (error {code})")]
    Mpi {
        /// The function.
        call: &'static str,
        /// Its code.
        code: i32,
        /// The text that the library has for it.
        message: String,
    },
    /// There is no library of NCCL that can be used.
    #[error("no library of NCCL: {reason} (tried {tried}; ZKACCEL_NCCL names another)")]
    NoNccl {
        /// Why.
        reason: String,
        /// The libraries that were tried.
        tried: String,
    },
    /// An engine does not keep its data on an NVIDIA GPU, between which NCCL exchanges them.
    #[error("NCCL for an engine on {device}, expected one NVIDIA GPU (cuda:N)")]
    NoGpu {
        /// The engine's device.
        device: String,
    },
    /// Two ranks have the same GPU.
    #[error("ranks {} and {} have the same GPU, expected one for each rank with NCCL", ranks[0], ranks[1])]
    OneGpu {
        /// Two of them.
        ranks: [usize; 2],
    },
    /// A function of NCCL failed.
    #[error("{call}: {message} (error {code})")]
    Nccl {
        /// The function.
        call: &'static str,
        /// Its code.
        code: i32,
        /// The text that the library has for it.
        message: String,
    },
    /// A part of the data is not the one that the rank has to bring.
    #[error("{what} of rank {rank}: expected {expected}, found {found}")]
    BadPart {
        /// What.
        what: &'static str,
        /// The rank.
        rank: usize,
        /// How many it has to bring.
        expected: usize,
        /// How many it brought.
        found: usize,
    },
    /// The operation cannot be divided among so many ranks.
    #[error("{what} over {ranks} ranks: expected {expected}")]
    TooManyRanks {
        /// The operation.
        what: &'static str,
        /// The ranks.
        ranks: usize,
        /// What it can be divided among.
        expected: String,
    },
    /// Ranks that have a share of something have died.
    #[error("{made} ranks have made it, of which {left} are left: expected what these have made")]
    Left {
        /// The ranks that have made it.
        made: usize,
        /// Those that are left.
        left: usize,
    },
    /// A message had another length than both sides should know.
    #[error("a message of {found} words from rank {rank}, expected {expected}")]
    Length {
        /// The sender.
        rank: usize,
        /// The words that were expected.
        expected: usize,
        /// Those that came.
        found: usize,
    },
}

impl Error {
    /// Whether all ranks know of this error, so that they can end, or go on, each by itself. After any other the ranks have to be [ended](crate::Transport::abort).
    pub fn is_agreed(&self) -> bool {
        !matches!(
            self,
            Self::Gone { .. }
                | Self::Deadline { .. }
                | Self::Broken
                | Self::Mpi { .. }
                | Self::Nccl { .. }
                | Self::Length { .. }
        )
    }
}
