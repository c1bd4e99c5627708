//! The error type of the crate: a variant for each kind of error, with the values found.

use crate::field::MODULUS;
use crate::ntt::Order;
use crate::policy::Policy;

/// What went wrong. Every message says what was expected and what was found; after any error the engine is
/// usable and the caller's inputs are untouched, but for [`ResultLost`](Self::ResultLost), which says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A word of p or above where a canonical field element is expected; `index` counts words from the start.
    #[error("word {index} is {value}, expected a canonical Goldilocks element below {MODULUS}")]
    NotCanonical {
        /// Position of the word in the slice, counted in words.
        index: usize,
        /// The word found.
        value: u64,
    },

    /// Limbs at or above the modulus where a reduced element of a field of BN254 is expected.
    #[error("{what} {index} is {value}, expected limbs below the modulus {modulus}")]
    NotReduced {
        /// The element that the limbs represent.
        what: &'static str,
        /// Its position, counted in scalars or points.
        index: usize,
        /// The limbs found, as one hexadecimal number.
        value: String,
        /// The modulus.
        modulus: String,
    },

    /// A text that should be a scalar of BN254.
    #[error(
        "{found:?} is no scalar, expected a decimal number, or 0x and a hexadecimal one, below the order of BN254"
    )]
    BadScalar {
        /// The text found.
        found: String,
    },

    /// A point that is neither on the curve nor the identity.
    #[error("point {index} is not on the curve, expected a point of the curve or the identity, all zero")]
    NotOnCurve {
        /// Position of the point.
        index: usize,
    },

    /// A point of the curve that is not in the group of prime order over which sums are.
    #[error(
        "point {index} is on the curve but not in the group of the scalars' order, expected a point of that group or the identity, all zero"
    )]
    NotInSubgroup {
        /// Position of the point.
        index: usize,
    },

    /// A text that should be a digest.
    #[error("{found:?} is no digest, expected 64 hexadecimal digits")]
    BadHex {
        /// The text found.
        found: String,
    },

    /// An unknown name.
    #[error("unknown {what} {found:?}, expected one of {expected}")]
    UnknownName {
        /// What was to be named.
        what: &'static str,
        /// The text found.
        found: String,
        /// The known names.
        expected: String,
    },

    /// A domain of more points than the field has roots of unity for.
    #[error("a domain of 2^{log_size} points was asked for, expected at most 2^{limit}")]
    DomainTooLarge {
        /// The binary logarithm of the number of points asked for.
        log_size: u32,
        /// The two-adicity of the field.
        limit: u32,
    },

    /// A generator of the wrong order.
    #[error("{root} is no root of unity of order exactly 2^{log_size}")]
    BadRoot {
        /// The element given.
        root: String,
        /// The binary logarithm of the order expected.
        log_size: u32,
    },

    /// A coset shift of zero.
    #[error("the coset shift is 0, expected a non-zero field element")]
    BadShift,

    /// A blow-up factor that is not a power of two of at least 2.
    #[error("the blow-up factor is {found}, expected a power of two of at least 2")]
    BadBlowup {
        /// The factor found.
        found: u64,
    },

    /// Entries that do not fill the rows and columns asked for, or no rows or columns at all.
    #[error(
        "a matrix of {rows} rows and {columns} columns was asked for with {entries} entries, \
             expected at least one row and one column and rows x columns entries"
    )]
    BadShape {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
        /// Entries given.
        entries: usize,
    },

    /// A matrix of several columns one after another, where rows one after another are expected.
    #[error(
        "a matrix of {columns} columns that lie one after another, expected a row-major matrix or a single column"
    )]
    NotRowMajor {
        /// The number of columns.
        columns: usize,
    },

    /// Two lengths that must agree but differ.
    #[error("{what}: expected {expected}, found {found}")]
    LengthMismatch {
        /// What was counted.
        what: &'static str,
        /// The number expected.
        expected: usize,
        /// The number found.
        found: usize,
    },

    /// A number that must be a power of two but is not.
    #[error("{what}: found {found}, expected a power of two")]
    NotPowerOfTwo {
        /// What was counted.
        what: &'static str,
        /// The number found.
        found: usize,
    },

    /// An index at or past the end.
    #[error("index {index} is out of range, expected less than {len}")]
    IndexOutOfRange {
        /// The index given.
        index: usize,
        /// The number of things that can be indexed.
        len: usize,
    },

    /// An input of a lookup that is not in its table.
    #[error("row {row} of the input of lookup {lookup} is not in its table, expected every input there")]
    NotInTable {
        /// The number of the lookup.
        lookup: usize,
        /// The row.
        row: usize,
    },

    /// A row program that no device could run.
    #[error("this row program cannot be run: {found}")]
    BadProgram {
        /// What it lacks or has too much of, and what was expected.
        found: String,
    },

    /// Rows in another order than that by which a matrix is in parts.
    #[error("rows in {found} order, expected them in {expected} order, as the parts of the matrix have them")]
    OtherOrder {
        /// The order of the parts.
        expected: Order,
        /// The order asked for.
        found: Order,
    },

    /// An index that was given twice where each may occur once.
    #[error("index {index} was given twice, expected each index once")]
    DuplicateIndex {
        /// The index.
        index: usize,
    },

    /// An index that follows a larger one in a list that must ascend.
    #[error("index {index} stands after {after}, expected ascending indices")]
    UnsortedIndex {
        /// The index.
        index: usize,
        /// The one before it.
        after: usize,
    },

    /// An opening of nothing.
    #[error("no index was given, expected at least one")]
    NoIndices,

    /// A cap above the leaves.
    #[error("a cap of height {height} was asked for, expected at most {depth}, the depth of the tree")]
    CapTooHigh {
        /// The height asked for.
        height: u32,
        /// The depth of the tree.
        depth: u32,
    },

    /// A path or multiproof of the wrong length.
    #[error("the opening holds {found} siblings, expected {expected}")]
    SiblingCount {
        /// Siblings that the indices and the size of the tree call for.
        expected: usize,
        /// Siblings found.
        found: usize,
    },

    /// A well-formed opening that leads to another root.
    #[error("the opening does not verify: it leads to a digest other than the one expected")]
    NotVerified,

    /// Bytes that are not the encoding of the object they should be.
    #[error("these bytes are not the encoding of {what}: {found}")]
    BadEncoding {
        /// The object expected.
        what: &'static str,
        /// What is wrong.
        found: String,
    },

    /// A device that this machine, or this build, does not have.
    #[error("device {device} is missing: {reason}; available: {available}")]
    DeviceMissing {
        /// The device asked for.
        device: String,
        /// Why it cannot be used.
        reason: String,
        /// The devices that can.
        available: String,
    },

    /// A list of devices that cannot be used together.
    #[error("the devices {devices:?} cannot be used together: {reason}")]
    BadDevices {
        /// The list.
        devices: String,
        /// Why not.
        reason: String,
    },

    /// A policy for which the machine has no device.
    #[error("the policy {policy} cannot be met: {reason}; available: {available}")]
    PolicyUnmet {
        /// The policy.
        policy: Policy,
        /// Why not.
        reason: String,
        /// The devices that there are.
        available: String,
    },

    /// A device that the policy excludes, asked for by name.
    #[error("the policy {policy} contradicts the device {device}, which is {kind}")]
    PolicyContradicted {
        /// The policy.
        policy: Policy,
        /// The device asked for.
        device: String,
        /// What it is.
        kind: String,
    },

    /// An operation that a device does not offer.
    #[error("{operation} is not supported on {device}; expected a device that offers it, such as cpu")]
    Unsupported {
        /// The operation asked for.
        operation: &'static str,
        /// The device of the engine.
        device: String,
    },

    /// A handle made by another engine.
    #[error("the {what} belongs to another engine, of {found}, expected one of this engine, of {expected}")]
    WrongEngine {
        /// The object that the handle represents.
        what: &'static str,
        /// The device of the engine that was called.
        expected: String,
        /// The device of the engine that made it.
        found: String,
    },

    /// A driver that is older than what the backend needs.
    #[error("the driver of {device} is too old: found {found}, expected {needed} or later")]
    DriverTooOld {
        /// The device asked for.
        device: String,
        /// The version found.
        found: String,
        /// The oldest that serves.
        needed: &'static str,
    },

    /// A device has no memory left, even after releasing its pool.
    #[error("{device} refused {requested} bytes of device memory")]
    DeviceOutOfMemory {
        /// The device.
        device: String,
        /// The size of the allocation.
        requested: u64,
    },

    /// A matrix, or an operation on matrices that stay on the device, that needs more device memory than it may take.
    #[error(
        "the operation needs {required} bytes of device memory, expected at most {budget}, the device's memory budget"
    )]
    OverDeviceBudget {
        /// Bytes that the operation would take, its inputs and its result included.
        required: u64,
        /// The engine's budget.
        budget: u64,
    },

    /// A device that was lost while it copied back the result of a transform in place. This is the one error after which an
    /// input may be changed: the matrix holds parts of the result.
    #[error(
        "{device} was lost while it copied a result over its input, which may be partly written: {message}"
    )]
    ResultLost {
        /// The device.
        device: String,
        /// What its driver said.
        message: String,
    },

    /// A device that failed at something it should be able to do.
    #[error("{device} failed at {operation}: {message}")]
    DeviceFailed {
        /// The device.
        device: String,
        /// What it was doing.
        operation: &'static str,
        /// What its driver said.
        message: String,
    },

    /// A device whose answer is wrong.
    #[error("{device} gave an answer that fails {operation}")]
    CheckFailed {
        /// The device.
        device: String,
        /// The test that the answer fails.
        operation: &'static str,
    },

    /// A number of threads of zero, or one that the system refuses.
    #[error("{threads} threads were asked for: {reason}")]
    BadThreadCount {
        /// The number asked for.
        threads: usize,
        /// Why not.
        reason: String,
    },

    /// The process already has its global engine.
    #[error("the process has a global engine already, on {device}, expected none")]
    GlobalTaken {
        /// The device of that engine.
        device: String,
    },

    /// The system has no memory left.
    ///
    /// This is the answer where the system refuses memory for what grows with the data: results, copies, scratch, keys with their tables,
    /// page-locked memory. Three things cannot be refused like this. The lists by which an operation organises its work, and whatever
    /// the libraries beneath and the drivers allocate for themselves, abort the process where the system refuses them, as Rust's
    /// allocator does; so do, on the CPU, the tables of roots of unity of BN254's transforms, as large as a polynomial. Threads that the
    /// system refuses are [`Error::BadThreadCount`] when an engine is built. And a system that overcommits, as Linux does by
    /// default, grants memory that it does not have, and ends a process that writes to it: what keeps an operation within the
    /// memory that there is is the budget ([`EngineBuilder::memory_budget`](crate::EngineBuilder::memory_budget)).
    #[error("the system refused {bytes} bytes of host memory")]
    HostOutOfMemory {
        /// The size of the allocation.
        bytes: u64,
    },

    /// An operation that needs more memory than the engine may use.
    #[error(
        "the operation needs {required} bytes of host memory, expected at most {budget}, the memory budget"
    )]
    OverBudget {
        /// Bytes that the operation would allocate.
        required: u64,
        /// The engine's budget.
        budget: u64,
    },

    /// A job was polled after it had given up its result.
    #[error("the job's result was already taken, expected it to be collected once")]
    JobConsumed,

    /// An operation panicked inside a job; this is a bug in zkaccel.
    #[error("the operation panicked: {message}")]
    JobPanicked {
        /// What the panic said.
        message: String,
    },
}

impl Error {
    /// Whether an operation was refused because the device has no room for it: [`OverDeviceBudget`](Self::OverDeviceBudget) or [`DeviceOutOfMemory`](Self::DeviceOutOfMemory). With its data in host memory
    /// ([`keep_in_host_memory`](crate::Engine::keep_in_host_memory)) it is done in parts.
    pub fn is_of_device_memory(&self) -> bool {
        matches!(self, Self::OverDeviceBudget { .. } | Self::DeviceOutOfMemory { .. })
    }

    /// The error of some lookups as one of all of them, of which the first had this number.
    pub(crate) fn of_lookups(self, first: usize) -> Self {
        match self {
            Self::NotInTable { lookup, row } => Self::NotInTable { lookup: first + lookup, row },
            other => other,
        }
    }
}

/// The message, which is why a case of the conformance suite fails.
impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}
