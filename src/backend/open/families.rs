//! The families of devices, a line of a table for each: what devices of it are called, how those that are present are listed, and how one is opened.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::super::Backend;
#[cfg(feature = "cuda")]
use super::super::gpu::cuda;
#[cfg(feature = "opencl")]
use super::super::gpu::opencl;
use super::super::reference::Reference;
use super::{Request, cpu};
use crate::device::{DeviceChoice, DeviceInfo};
use crate::error::Error;
use crate::lock::lock;
use crate::sync::Mutex;

/// A backend, and what its device is.
type Device = (Box<dyn Backend>, DeviceInfo);

/// Opens the device at a path.
type OpenAt = fn(&'static Path) -> Result<Device, Error>;

/// Devices of a family, or why there are none.
type Found = Result<Vec<DeviceInfo>, String>;

/// Devices that one backend drives.
pub(super) struct Family {
    /// The name of its device, or the beginning of the names of its devices.
    name: &'static str,
    devices: Devices,
    /// Whether a device computes as the host does, in its memory.
    pub(super) on_host: bool,
    /// The threads of a device among several, if it does not use those of the engine, of which there are so many.
    pub(super) threads: fn(usize) -> Option<usize>,
    /// What its measurements depend on, besides the processor.
    pub(super) machine: fn(&DeviceInfo) -> Vec<String>,
}

/// The devices of a family. What is `None` is not in this build.
enum Devices {
    /// There is one.
    One {
        choice: DeviceChoice,
        list: fn() -> Vec<DeviceInfo>,
        open: fn(&Request<'_>) -> Device,
        free_memory: fn() -> Option<u64>,
    },
    /// They have numbers.
    Numbered { one: fn(u32) -> DeviceChoice, all: DeviceChoice, driver: Option<Driver> },
    /// They have paths, of which there is no list.
    AtPath { one: fn(&'static Path) -> DeviceChoice, open: Option<OpenAt> },
}

/// What a driver does for its devices.
struct Driver {
    list: fn() -> Found,
    open: fn(&Request<'_>, u32) -> Result<Device, Error>,
    free_memory: fn(u32) -> Option<u64>,
}

/// What a choice names of a family.
#[derive(Clone, Copy)]
pub(super) enum Which {
    /// Its only device.
    Only,
    /// The device with this number.
    Number(u32),
    /// The device at this path.
    At(&'static Path),
    /// Every device.
    All,
}

static CPU: Family = Family {
    name: "cpu",
    devices: Devices::One {
        choice: DeviceChoice::Cpu,
        list: || vec![cpu()],
        open: |request| (Box::new(request.on_host.clone()), super::host(request.on_host)),
        free_memory: crate::memory::available,
    },
    on_host: true,
    threads: |_| None,
    machine: |_| Vec::new(),
};

/// It is not hardware, and is not listed.
static REFERENCE: Family = Family {
    name: "reference",
    devices: Devices::One {
        choice: DeviceChoice::Reference,
        list: Vec::new,
        open: |_| (Box::new(Reference), DeviceInfo { id: "reference".into(), ..cpu() }),
        free_memory: || None,
    },
    on_host: true,
    threads: |_| Some(1),
    machine: |info| vec![info.id.clone()],
};

static CUDA: Family = Family {
    name: "cuda",
    devices: Devices::Numbered {
        one: DeviceChoice::Cuda,
        all: DeviceChoice::AllCuda,
        #[cfg(feature = "cuda")]
        driver: Some(Driver {
            list: cuda::devices,
            open: |request, index| Ok(request.of_device(cuda::Cuda::open(index)?)),
            free_memory: cuda::free_memory,
        }),
        #[cfg(not(feature = "cuda"))]
        driver: None,
    },
    on_host: false,
    threads: Some,
    machine: description_and_driver,
};

static OPENCL: Family = Family {
    name: "opencl",
    devices: Devices::Numbered {
        one: DeviceChoice::OpenCl,
        all: DeviceChoice::AllOpenCl,
        #[cfg(feature = "opencl")]
        driver: Some(Driver {
            list: opencl::devices,
            open: |request, index| Ok(request.of_device(opencl::OpenCl::open(index)?)),
            // OpenCL has no such query.
            free_memory: |_| None,
        }),
        #[cfg(not(feature = "opencl"))]
        driver: None,
    },
    on_host: false,
    threads: Some,
    machine: description_and_driver,
};

static PROVIDER: Family = Family {
    name: "provider",
    devices: Devices::AtPath {
        one: DeviceChoice::Provider,
        #[cfg(feature = "providers")]
        open: Some(|path| {
            let external = super::super::provider::External::open(path)?;
            let info = external.info().clone();
            Ok((Box::new(external), info))
        }),
        #[cfg(not(feature = "providers"))]
        open: None,
    },
    on_host: false,
    threads: Some,
    machine: description_and_driver,
};

/// All families, in the order in which their devices are listed.
pub(super) static FAMILIES: [&Family; 5] = [&CPU, &REFERENCE, &CUDA, &OPENCL, &PROVIDER];

/// Not the number of a device: like devices have the same curves.
fn description_and_driver(info: &DeviceInfo) -> Vec<String> {
    [Some(info.description.clone()), info.driver.clone()].into_iter().flatten().collect()
}

/// Why a device of a family that this build lacks cannot be used.
fn not_in_this_build() -> String {
    "this build of zkaccel has no backend for it".into()
}

impl Family {
    /// The devices that are present, or why there are none.
    pub(super) fn list(&self) -> Found {
        match &self.devices {
            Devices::One { list, .. } => Ok(list()),
            Devices::Numbered { driver, .. } => {
                driver.as_ref().ok_or_else(not_in_this_build).and_then(|driver| (driver.list)())
            }
            Devices::AtPath { .. } => Ok(Vec::new()),
        }
    }

    /// Opens a device.
    pub(super) fn open(&self, which: Which, request: &Request<'_>) -> Result<Device, Error> {
        match (&self.devices, which) {
            (Devices::One { open, .. }, Which::Only) => Ok(open(request)),
            (Devices::Numbered { driver: Some(driver), .. }, Which::Number(index)) => {
                (driver.open)(request, index)
            }
            (Devices::AtPath { open: Some(open), .. }, Which::At(path)) => open(path),
            _ => Err(super::missing(&self.text(which), not_in_this_build())),
        }
    }

    /// The bytes of a device's memory that are free now, where something reports them.
    pub(super) fn free_memory(&self, which: Which) -> Option<u64> {
        match (&self.devices, which) {
            (Devices::One { free_memory, .. }, Which::Only) => free_memory(),
            (Devices::Numbered { driver: Some(driver), .. }, Which::Number(index)) => {
                (driver.free_memory)(index)
            }
            _ => None,
        }
    }

    /// The name of what a choice names.
    fn text(&self, which: Which) -> String {
        let name = self.name;
        match which {
            Which::Only | Which::All => name.into(),
            Which::Number(index) => format!("{name}:{index}"),
            Which::At(path) => format!("{name}:{}", path.display()),
        }
    }

    /// The choice that a name makes, of which `rest` stands behind the family's name and a colon.
    fn choice(&self, rest: Option<&str>) -> Option<DeviceChoice> {
        match (&self.devices, rest) {
            (Devices::One { choice, .. }, None) => Some(*choice),
            (Devices::Numbered { all, .. }, None) => Some(*all),
            // `parse` would take a sign.
            (Devices::Numbered { one, .. }, Some(index))
                if index.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                index.parse::<u32>().ok().map(one)
            }
            (Devices::AtPath { one, .. }, Some(path)) if !path.is_empty() => Some(one(kept(path))),
            _ => None,
        }
    }
}

impl DeviceChoice {
    /// The family of what is chosen, and what of it; `None` for `auto` and for lists.
    pub(super) fn family(self) -> Option<(&'static Family, Which)> {
        match self {
            Self::Auto | Self::Several(_) => None,
            Self::Cpu => Some((&CPU, Which::Only)),
            Self::Reference => Some((&REFERENCE, Which::Only)),
            Self::Cuda(index) => Some((&CUDA, Which::Number(index))),
            Self::AllCuda => Some((&CUDA, Which::All)),
            Self::OpenCl(index) => Some((&OPENCL, Which::Number(index))),
            Self::AllOpenCl => Some((&OPENCL, Which::All)),
            Self::Provider(path) => Some((&PROVIDER, Which::At(path))),
        }
    }

    /// Whether it is `auto`, or computes as the host does.
    pub(super) fn is_auto_or_on_host(self) -> bool {
        self == Self::Auto || self.family().is_some_and(|(family, _)| family.on_host)
    }

    /// Whether it may be several devices.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Several(_)) || matches!(self.family(), Some((_, Which::All)))
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.family()) {
            (_, Some((family, which))) => f.write_str(&family.text(which)),
            (Self::Several(devices), None) => f.write_str(&Self::names(devices)),
            (_, None) => f.write_str(AUTO),
        }
    }
}

/// The name of the choice that is left to the engine.
const AUTO: &str = "auto";

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
    if text == AUTO {
        return Some(DeviceChoice::Auto);
    }
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    FAMILIES.iter().find(|family| family.name == name)?.choice(rest)
}

fn unknown(text: &str) -> Error {
    Error::UnknownName { what: "device", found: text.into(), expected: DeviceChoice::forms().join(", ") }
}

impl DeviceChoice {
    /// The forms of a name, as listed to users.
    pub fn forms() -> Vec<String> {
        let of_families = FAMILIES.iter().flat_map(|family| match family.devices {
            Devices::One { .. } => vec![family.name.into()],
            Devices::Numbered { .. } => vec![format!("{}:<n>", family.name), family.name.into()],
            Devices::AtPath { .. } => vec![format!("{}:<path>", family.name)],
        });
        let several = "several of them with commas between".into();
        std::iter::once(AUTO.into()).chain(of_families).chain([several]).collect()
    }
}

/// A path that is never freed, stored once for each path that was ever parsed.
fn kept(path: &str) -> &'static Path {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = lock(&KEPT);
    let path = kept.get(path).copied().unwrap_or_else(|| String::from(path).leak());
    kept.insert(path);
    Path::new(path)
}

#[cfg(test)]
mod tests {
    use crate::device::DeviceChoice;
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
