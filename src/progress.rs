//! Progress of long operations.

/// A part of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Low-degree extension of a trace.
    Extension,
    /// Hashing the rows of a matrix.
    Rows,
    /// The inner nodes of a Merkle tree.
    Tree,
    /// A transform in place.
    Transform,
    /// Whether points are of a curve's group.
    Points,
    /// A sum over a curve, or a batch of them.
    Sum,
}

/// `done` of `total` parts of a stage; a stage begins with none done and ends with all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// Parts done.
    pub done: u64,
    /// Parts in all.
    pub total: u64,
}
