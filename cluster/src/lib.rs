//! Operations over the ranks of a cluster: processes on one host or many, each with an engine of its own.
//!
//! # Model
//!
//! P *ranks* make the same calls in the same order with the same parameters, each with its own part of the data: calls are *collective*. Between computations they exchange
//! words by a [`Transport`], of which there are two: [`Threads`], the ranks of one process, and [`Mpi`], processes that an MPI launcher has started. No rank is special. What ranks keep on NVIDIA GPUs they may exchange
//! from GPU to GPU instead ([`Cluster::use_nccl`]).
//!
//! | operation | a rank brings | it gets | words that it sends |
//! |---|---|---|---|
//! | [`commit`](Cluster::commit) | rows of the trace | cosets of the extension, and subtrees | its rows to all, and 4 for each row of its cosets; with more ranks than the blow-up its share of the trace and of the extension instead of its rows to all |
//! | [`merkle_tree`](Cluster::merkle_tree) | leaves | subtrees | 4 to each rank for each of its subtrees |
//! | [`ntt`](Cluster::ntt) | a block of the coefficients | every P-th value | twice its block |
//! | [`msm`](Cluster::msm) | scalars and bases | the sum | one point to each rank |
//!
//! # Failures
//!
//! Before ranks exchange data they [agree](Cluster::agree) that all of them have come so far. So an error on one of them, such as bad input or a lost device, is an error on all:
//! the rank's own there, and [`Error::Peer`] with its words on the others. A rank that has gone, or does not come within the deadline, is [`Error::Gone`] or [`Error::Deadline`]; after that
//! the transport refuses everything. MPI's own waiting has no end, which is why no caller waits for it for longer than the deadline.

mod cluster;
mod columns;
mod commit;
mod error;
mod exchange;
mod local;
mod mpi;
mod nccl;
mod open;
mod parts;
mod sum;
mod threads;
mod transform;
mod transport;
mod tree;

pub use cluster::Cluster;
pub use commit::Commitment;
pub use error::Error;
pub use local::Local;
pub use mpi::Mpi;
pub use parts::parts;
pub use threads::Threads;
pub use transform::Block;
pub use transport::Transport;
pub use tree::Tree;
