//! What `auto` chose, and why.
//!
//! An engine whose device is [`DeviceChoice::Auto`](crate::device::DeviceChoice::Auto) on a machine with a GPU sends each
//! operation to the device that is expected to end it first. Small operations are faster on the CPU, because an
//! operation on a GPU starts with copies and launches; where the balance tips is measured on the machine.

use std::fmt;
use std::time::Duration;

/// An operation that either device could do, and what was expected of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What was to be done, such as `ntt`.
    pub operation: &'static str,
    /// Its size.
    pub amount: u64,
    /// What the size counts, such as `words`.
    pub unit: &'static str,
    /// The device that was chosen, and the time expected of it.
    pub chosen: (String, Duration),
    /// The other one.
    pub other: (String, Duration),
}

/// What was chosen so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Operations that the CPU did, those among them that the other device does not offer.
    pub on_cpu: u64,
    /// Operations that the other device did.
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
