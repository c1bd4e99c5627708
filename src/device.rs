//! Devices: how they are chosen, and descriptions of those that are present.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Add;
use std::path::Path;
use std::str::FromStr;

pub use crate::backend::cpu::Simd;
use crate::error::Error;
use crate::lock::lock;
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

    /// The forms of a name, as listed to users.
    pub const NAMES: [&str; 9] = [
        "auto",
        "cpu",
        "reference",
        "cuda:<n>",
        "cuda",
        "opencl:<n>",
        "opencl",
        "provider:<path>",
        "several of them with commas between",
    ];

    /// Several devices as one choice. Whether they can be used together is checked when an engine is built.
    pub fn several(devices: &[DeviceChoice]) -> Self {
        static KEPT: Mutex<BTreeMap<String, &'static [DeviceChoice]>> = Mutex::new(BTreeMap::new());
        let name = names(devices);
        let mut kept = lock(&KEPT);
        Self::Several(kept.entry(name).or_insert_with(|| devices.to_vec().leak()))
    }

    /// The devices of the choice, one by one; `cuda` and `opencl` are those that are present.
    ///
    /// [`Error::BadDevices`] for an empty list, and for one that contains a device twice, or `auto`, which chooses by itself;
    /// [`Error::DeviceMissing`] where there is none of a kind.
    pub fn each(self) -> Result<Vec<Self>, Error> {
        let all = |devices: Found| -> Result<Vec<Self>, Error> {
            let devices = devices.map_err(|reason| missing(&self.to_string(), reason))?;
            devices.iter().map(|device| device.id.parse()).collect()
        };
        match self {
            Self::AllCuda => all(cuda()),
            Self::AllOpenCl => all(opencl()),
            Self::Several(list) => {
                let refused =
                    |reason: &str| Error::BadDevices { devices: self.to_string(), reason: reason.into() };
                let mut each = Vec::new();
                for device in list {
                    each.extend(device.each()?);
                }
                if each.contains(&Self::Auto) {
                    return Err(refused("auto chooses by itself and stands alone"));
                }
                match (1..each.len()).find(|&i| each[..i].contains(&each[i])) {
                    Some(i) => Err(refused(&format!("{} is listed twice", each[i]))),
                    None if each.is_empty() => Err(refused("there is no device in the list")),
                    None => Ok(each),
                }
            }
            one => Ok(vec![one]),
        }
    }
}

/// Names separated by commas.
fn names(devices: &[DeviceChoice]) -> String {
    devices.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Reference => f.write_str("reference"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
            Self::OpenCl(index) => write!(f, "opencl:{index}"),
            Self::Provider(path) => write!(f, "provider:{}", path.display()),
            Self::AllCuda => f.write_str("cuda"),
            Self::AllOpenCl => f.write_str("opencl"),
            Self::Several(devices) => f.write_str(&names(devices)),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    /// [`Error::UnknownName`] for anything that is not the name of a device. Whether the device is present is checked when an
    /// engine is built.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut devices = Vec::new();
        let mut path: Option<String> = None;
        for piece in text.split(',') {
            match (one(piece), &mut path) {
                // A comma in the path of a provider; what follows is no device's name.
                (None, Some(path)) => *path = format!("{path},{piece}"),
                (None, None) => return Err(unknown(text)),
                (Some(device), _) => {
                    devices.extend(path.take().map(|path| Self::Provider(kept(&path))));
                    match device {
                        Self::Provider(start) => path = Some(start.display().to_string()),
                        device => devices.push(device),
                    }
                }
            }
        }
        devices.extend(path.map(|path| Self::Provider(kept(&path))));
        Ok(match devices[..] {
            [device] => device,
            _ => Self::several(&devices),
        })
    }
}

/// The device of a single name.
fn one(text: &str) -> Option<DeviceChoice> {
    if let Some(path) = text.strip_prefix("provider:").filter(|path| !path.is_empty()) {
        return Some(DeviceChoice::Provider(kept(path)));
    }
    // `parse` would take a sign.
    let number =
        |index: &str| index.bytes().all(|byte| byte.is_ascii_digit()).then(|| index.parse().ok()).flatten();
    match (text, text.split_once(':')) {
        ("auto", _) => Some(DeviceChoice::Auto),
        ("cpu", _) => Some(DeviceChoice::Cpu),
        ("reference", _) => Some(DeviceChoice::Reference),
        ("cuda", _) => Some(DeviceChoice::AllCuda),
        ("opencl", _) => Some(DeviceChoice::AllOpenCl),
        (_, Some(("cuda", index))) => number(index).map(DeviceChoice::Cuda),
        (_, Some(("opencl", index))) => number(index).map(DeviceChoice::OpenCl),
        _ => None,
    }
}

fn unknown(text: &str) -> Error {
    Error::UnknownName { what: "device", found: text.into(), expected: DeviceChoice::NAMES.join(", ") }
}

/// A path that is never freed, stored once for each path that was ever parsed.
fn kept(path: &str) -> &'static Path {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = lock(&KEPT);
    let path = kept.get(path).copied().unwrap_or_else(|| String::from(path).leak());
    kept.insert(path);
    Path::new(path)
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

/// Devices of a kind, or why there are none.
type Found = Result<Vec<DeviceInfo>, String>;

/// The devices of this machine: the CPU, then what CUDA and OpenCL find. The reference is not hardware and is not listed.
///
/// A GPU with two drivers is listed twice, under both names.
pub fn devices() -> Vec<DeviceInfo> {
    let others = [cuda(), opencl()].into_iter().flat_map(Result::unwrap_or_default);
    std::iter::once(cpu()).chain(others).collect()
}

/// The bytes of a device's memory that are free now, where the system or the driver reports them: Linux for the host, and CUDA
/// for NVIDIA's GPUs, whose driver is started for that. OpenCL has no such query.
pub fn free_memory(device: DeviceChoice) -> Option<u64> {
    match device {
        DeviceChoice::Cpu => crate::memory::available(),
        #[cfg(feature = "cuda")]
        DeviceChoice::Cuda(index) => crate::backend::gpu::cuda::free_memory(index),
        _ => None,
    }
}

fn cuda() -> Found {
    #[cfg(feature = "cuda")]
    return crate::backend::gpu::cuda::devices();
    #[cfg(not(feature = "cuda"))]
    Err("this build of zkaccel has no backend for it".into())
}

fn opencl() -> Found {
    #[cfg(feature = "opencl")]
    return crate::backend::gpu::opencl::devices();
    #[cfg(not(feature = "opencl"))]
    Err("this build of zkaccel has no backend for it".into())
}

/// The CPU.
pub(crate) fn cpu() -> DeviceInfo {
    DeviceInfo {
        id: "cpu".into(),
        kind: DeviceKind::Cpu,
        description: processor(),
        units: std::thread::available_parallelism().map_or(1, |n| n.get()),
        memory: crate::memory::installed(),
        driver: None,
        reason: "always present".into(),
    }
}

/// [`Error::DeviceMissing`], with the devices that are present.
pub(crate) fn missing(device: &str, reason: String) -> Error {
    let available = devices().into_iter().map(|device| device.id).collect::<Vec<_>>().join(", ");
    Error::DeviceMissing { device: device.into(), reason, available }
}

/// The processor's name, where the system reports it (Linux), and its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let brand = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let brand = brand.map_or("processor", |(_, brand)| brand.trim());
    format!("{brand} ({})", std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::DeviceChoice;
    use crate::error::Error;

    fn parsed(text: &str) -> DeviceChoice {
        text.parse().unwrap()
    }

    #[test]
    fn lists_print_as_they_parse() {
        for text in ["cpu,reference", "cuda", "opencl", "cuda:0,cuda:1", "cpu,provider:/a,b.so,opencl:0"] {
            assert_eq!(parsed(text).to_string(), text);
            assert_eq!(parsed(text), parsed(text));
        }
        assert_eq!(parsed("cuda:3"), DeviceChoice::Cuda(3));
        assert_eq!(
            parsed("cpu,opencl:1"),
            DeviceChoice::several(&[DeviceChoice::Cpu, DeviceChoice::OpenCl(1)])
        );
        let each = parsed("provider:/a,b.so,cpu").each().unwrap();
        assert_eq!(each, [parsed("provider:/a,b.so"), DeviceChoice::Cpu]);
        for text in
            ["", ",", "cpu,", ",cpu", "cpu,,reference", "cpu, reference", "cuda:", "cuda:+1", "cpu,cuda:x"]
        {
            let unknown = text.parse::<DeviceChoice>().unwrap_err();
            assert!(matches!(&unknown, Error::UnknownName { found, .. } if found == text), "{unknown}");
        }
    }

    #[test]
    fn lists_that_contradict_themselves_are_refused() {
        for (text, why) in [
            ("cpu,reference,cpu", "cpu is listed twice"),
            ("cpu,auto", "auto chooses by itself and stands alone"),
            ("provider:a,provider:a", "provider:a is listed twice"),
        ] {
            let refused = Error::BadDevices { devices: text.into(), reason: why.into() };
            assert_eq!(parsed(text).each(), Err(refused));
        }
        let refused =
            Error::BadDevices { devices: String::new(), reason: "there is no device in the list".into() };
        assert_eq!(DeviceChoice::several(&[]).each(), Err(refused));
    }
}
