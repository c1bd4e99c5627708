//! Devices: how one is asked for, and what is known of the one in use.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The device an engine is asked to run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// The best device present; [`DeviceInfo`] says which it was and why.
    #[default]
    Auto,
    /// The CPU, with all threads and vector units.
    Cpu,
    /// The textbook algorithms on one thread: the oracle of the tests, orders of magnitude slower.
    Reference,
}

impl DeviceChoice {
    /// Every choice, in the order in which they are listed to users.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Cpu, Self::Reference];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Reference => "reference",
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    /// [`Error::DeviceMissing`] for a device of a kind that exists but not here (`cuda:0`, `opencl:1`),
    /// [`Error::UnknownName`] for anything else.
    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(choice) = Self::ALL.into_iter().find(|choice| choice.name() == text) {
            return Ok(choice);
        }
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        if ["cuda", "opencl"].contains(&kind) && index.parse::<u32>().is_ok() {
            return Err(Error::DeviceMissing {
                device: text.into(),
                reason: format!("this version has no {kind} backend"),
                available: "cpu".into(),
            });
        }
        Err(Error::UnknownName {
            what: "device",
            found: text.into(),
            expected: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// A device that is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name by which it is asked for, such as `cpu`.
    pub id: String,
    /// What it is, such as the processor's brand.
    pub description: String,
    /// Threads or compute units.
    pub units: usize,
    /// Its memory in bytes, where the system tells.
    pub memory: Option<u64>,
    /// Why the engine uses it.
    pub reason: String,
}

/// The devices of this machine. The reference is no device and is not listed.
pub fn devices() -> Vec<DeviceInfo> {
    vec![DeviceInfo {
        id: "cpu".into(),
        description: processor(),
        units: std::thread::available_parallelism().map_or(1, |n| n.get()),
        memory: crate::memory::installed(),
        reason: "always present".into(),
    }]
}

/// The processor's name, where the system tells (Linux), and its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let brand = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let brand = brand.map_or("processor", |(_, brand)| brand.trim());
    format!("{brand} ({})", std::env::consts::ARCH)
}
