//! Devices: how they are chosen, and descriptions of those that are present.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Add;
use std::path::Path;

pub use crate::backend::cpu::Simd;
pub use crate::backend::open::{devices, free_memory};
use crate::error::Error;
use crate::lock::lock;
use crate::policy::Policy;
use crate::sync::Mutex;

/// The device an engine is asked to run on, or several.
///
/// It prints as, and parses from, the name used on the command line: `auto`, `cpu`, `reference`, `cuda:0`, `opencl:1`,
/// `provider:./libother.so`; `cuda` and `opencl` are all of their kind; names separated by commas are several devices, over which
/// work is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// The CPU and the first GPU, if there is one: each operation runs where measurements on this machine expect it to finish
    /// first ([`Engine::choices`](crate::Engine::choices) reports the choices). The environment variable `ZKACCEL_AUTO_DEVICE`
    /// names another device to compare with the CPU.
    #[default]
    Auto,
    /// The CPU, with all threads and vector units.
    Cpu,
    /// The textbook algorithms on one thread: the oracle of the tests, orders of magnitude slower.
    Reference,
    /// The NVIDIA GPU with this number, counted from 0 as the driver counts.
    Cuda(u32),
    /// The OpenCL device with this number, counted from 0 through all platforms.
    OpenCl(u32),
    /// A shared library with the C interface of zkaccel, at this path. Parsed paths are never freed.
    Provider(&'static Path),
    /// Every NVIDIA GPU of the machine.
    AllCuda,
    /// Every OpenCL device of the machine, processors among them.
    AllOpenCl,
    /// Several devices; made by [`several`](Self::several). Lists are never freed.
    Several(&'static [DeviceChoice]),
}

/// An environment variable that names one or several devices. An empty one counts as unset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The device of engines for which none is chosen otherwise.
    Device,
    /// The device that `auto` compares with the CPU.
    AutoDevice,
}

impl Variable {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Device => DeviceChoice::VARIABLE,
            Self::AutoDevice => "ZKACCEL_AUTO_DEVICE",
        }
    }

    /// Its value as a choice; [`Error::UnknownName`], with the name of the variable, for anything that is not the name of a
    /// device.
    pub(crate) fn read(self) -> Result<Option<DeviceChoice>, Error> {
        let named = std::env::var_os(self.name()).filter(|name| !name.is_empty());
        named.map(|name| name.to_string_lossy().parse().map_err(|error| self.blame(error))).transpose()
    }

    /// An error about a device whose name this variable holds: the message says so.
    pub(crate) fn blame(self, error: Error) -> Error {
        let name = self.name();
        match error {
            Error::UnknownName { what: "device", found, expected } => {
                let what = match self {
                    Self::Device => "device (ZKACCEL_DEVICE)",
                    Self::AutoDevice => "device (ZKACCEL_AUTO_DEVICE)",
                };
                Error::UnknownName { what, found, expected }
            }
            Error::DeviceMissing { device, reason, available } => {
                Error::DeviceMissing { device, reason: format!("{reason} ({name} names it)"), available }
            }
            Error::BadDevices { devices, reason } => {
                Error::BadDevices { devices, reason: format!("{reason} ({name} names them)") }
            }
            Error::PolicyContradicted { policy, device, kind } => {
                Error::PolicyContradicted { policy, device, kind: format!("{kind} ({name} names it)") }
            }
            Error::DriverTooOld { device, found, needed } => {
                Error::DriverTooOld { device: format!("{device} ({name} names it)"), found, needed }
            }
            other => other,
        }
    }
}

impl DeviceChoice {
    /// The environment variable that names the device where none is chosen otherwise, for
    /// [`EngineBuilder::device_from_environment`](crate::EngineBuilder::device_from_environment), and so for
    /// [`Engine::global`](crate::Engine::global) and the `zkaccel` command.
    pub const VARIABLE: &str = "ZKACCEL_DEVICE";

    /// Several devices as one choice. Whether they can be used together is checked when an engine is built.
    pub fn several(devices: &[DeviceChoice]) -> Self {
        static KEPT: Mutex<BTreeMap<String, &'static [DeviceChoice]>> = Mutex::new(BTreeMap::new());
        let name = Self::names(devices);
        let mut kept = lock(&KEPT);
        Self::Several(kept.entry(name).or_insert_with(|| devices.to_vec().leak()))
    }

    /// Their names, separated by commas.
    pub(crate) fn names(devices: &[Self]) -> String {
        devices.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

/// What sort of hardware a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// A processor.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Anything else that OpenCL drives.
    Accelerator,
}

impl DeviceKind {
    /// Whether a policy lets such a device be used.
    pub(crate) fn is_admitted_by(self, policy: Policy) -> bool {
        match policy {
            Policy::Any => true,
            Policy::RequireGpu | Policy::PreferGpu => self == Self::Gpu,
            Policy::RequireCpu | Policy::PreferCpu => self == Self::Cpu,
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
            Self::Accelerator => "accelerator",
        })
    }
}

/// A device that is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name by which it is chosen, such as `cpu`.
    pub id: String,
    /// What sort of hardware it is.
    pub kind: DeviceKind,
    /// Its description, such as the processor's brand.
    pub description: String,
    /// Threads or compute units.
    pub units: usize,
    /// Its memory in bytes, where the system reports it.
    pub memory: Option<u64>,
    /// Its driver and the driver's version, where it has one.
    pub driver: Option<String>,
    /// Why the engine uses it.
    pub reason: String,
}

/// How fast a device copies, in bytes a second; see [`Engine::bandwidths`](crate::Engine::bandwidths).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidths {
    /// Within its memory; bytes read and bytes written both count.
    pub copy: f64,
    /// From page-locked host memory.
    pub upload: f64,
    /// To page-locked host memory.
    pub download: f64,
}

/// How many products of two elements a device computes in a second, in chains that lie in registers; see
/// [`Engine::product_rates`](crate::Engine::product_rates).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProductRates {
    /// Over Goldilocks.
    pub goldilocks: f64,
    /// Over BN254's scalar field, four words an element; `None` without the feature `bn254`.
    pub bn254: Option<f64>,
}

impl Add for ProductRates {
    type Output = Self;

    /// The rates of two devices together; over a field for which one has none, there is none.
    fn add(self, other: Self) -> Self {
        Self {
            goldilocks: self.goldilocks + other.goldilocks,
            bn254: self.bn254.zip(other.bn254).map(|(a, b)| a + b),
        }
    }
}
