//! What `auto` chose, and why.
//!
//! An engine whose device is [`DeviceChoice::Auto`](crate::device::DeviceChoice::Auto) on a machine with a GPU sends each
//! operation to the device that is expected to finish it first. Small operations are faster on the CPU, because an operation on a
//! GPU starts with copies and launches; the size at which the GPU becomes faster is measured on the machine.

use std::fmt;
use std::time::Duration;

/// An operation that both devices offer, with the time until each is expected to have finished it. A device that is busy with
/// operations of other threads finishes these first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The operation, such as `ntt`.
    pub operation: &'static str,
    /// Its size.
    pub amount: u64,
    /// The unit of the size, such as `words`.
    pub unit: &'static str,
    /// The device that was chosen, and the time until it is expected to have finished.
    pub chosen: (String, Duration),
    /// The other one.
    pub other: (String, Duration),
}

/// The choices so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The number of operations that the CPU did, including those that the other device does not offer.
    pub on_cpu: u64,
    /// The number of operations that the other device did.
    pub on_device: u64,
    /// The last of each kind of operation that both offer, in the order in which kinds first occurred.
    pub last: Vec<Choice>,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, amount, unit, chosen, other } = self;
        let [(chosen, expected), (other, otherwise)] = [chosen, other];
        write!(f, "{operation} of {amount} {unit} on {chosen}: ")?;
        write!(f, "about {expected:.2?} expected, {otherwise:.2?} on {other}")
    }
}
