//! Devices: how one is asked for, and what is known of the one in use.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;

use crate::error::Error;
use crate::lock::lock;

/// The device an engine is asked to run on.
///
/// It prints as, and parses from, the name used on the command line: `auto`, `cpu`, `reference`, `cuda:0`, `opencl:1`,
/// `provider:./libother.so`; `cuda` and `opencl` are the first of their kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// The CPU and the first GPU, if there is one: each operation runs where measurements on this machine expect it to
    /// end first ([`Engine::choices`](crate::Engine::choices) tells). The environment variable `ZKACCEL_AUTO_DEVICE`
    /// names another device to weigh against the CPU.
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
    /// A shared library with the C interface of zkaccel, at this path. Names that were parsed keep their path for good.
    Provider(&'static Path),
}

impl DeviceChoice {
    /// The forms of a name, as they are listed to users.
    pub const NAMES: [&str; 6] = ["auto", "cpu", "reference", "cuda:<n>", "opencl:<n>", "provider:<path>"];
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
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    /// [`Error::UnknownName`] for what is no name of a device. Whether the device is there is seen when an engine is
    /// built.
    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(path) = text.strip_prefix("provider:").filter(|path| !path.is_empty()) {
            return Ok(Self::Provider(kept(path)));
        }
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        // `parse` would take a sign.
        let index = index.bytes().all(|byte| byte.is_ascii_digit()).then(|| index.parse().ok()).flatten();
        match (text, kind, index) {
            ("auto", ..) => Ok(Self::Auto),
            ("cpu", ..) => Ok(Self::Cpu),
            ("reference", ..) => Ok(Self::Reference),
            (_, "cuda", Some(index)) => Ok(Self::Cuda(index)),
            (_, "opencl", Some(index)) => Ok(Self::OpenCl(index)),
            _ => Err(Error::UnknownName {
                what: "device",
                found: text.into(),
                expected: Self::NAMES.join(", "),
            }),
        }
    }
}

/// A path that stays, once for each that was ever parsed.
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
    /// The name by which it is asked for, such as `cpu`.
    pub id: String,
    /// What sort of hardware it is.
    pub kind: DeviceKind,
    /// What it is, such as the processor's brand.
    pub description: String,
    /// Threads or compute units.
    pub units: usize,
    /// Its memory in bytes, where the system tells.
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

/// The devices of this machine: the CPU, then what CUDA and OpenCL find. The reference is no device and is not listed.
///
/// A GPU with two drivers stands here twice, by the name of each.
pub fn devices() -> Vec<DeviceInfo> {
    type Finder = fn() -> Result<Vec<DeviceInfo>, String>;
    let found: &[Finder] = &[
        #[cfg(feature = "cuda")]
        crate::backend::gpu::cuda::devices,
        #[cfg(feature = "opencl")]
        crate::backend::gpu::opencl::devices,
    ];
    let others = found.iter().flat_map(|devices| devices().unwrap_or_default());
    std::iter::once(cpu()).chain(others).collect()
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

/// [`Error::DeviceMissing`], with what is there instead.
pub(crate) fn missing(device: &str, reason: String) -> Error {
    let available = devices().into_iter().map(|device| device.id).collect::<Vec<_>>().join(", ");
    Error::DeviceMissing { device: device.into(), reason, available }
}

/// The processor's name, where the system tells (Linux), and its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let brand = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let brand = brand.map_or("processor", |(_, brand)| brand.trim());
    format!("{brand} ({})", std::env::consts::ARCH)
}
