//! From the names of devices and a policy to the devices of an engine.

mod families;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::cpu::Cpu;
#[cfg(any(feature = "cuda", feature = "opencl"))]
use super::gpu::{self, Gpu};
use crate::device::{DeviceChoice, DeviceInfo, DeviceKind, Variable};
use crate::dispatch::{self, Dispatcher, Strategy};
use crate::error::Error;
use crate::faults::Faults;
use crate::policy::Policy;
#[cfg(any(feature = "cuda", feature = "opencl"))]
use crate::sync::Arc;
use families::{FAMILIES, Which};

/// The variable that names the device which `auto` weighs against the CPU.
const AUTO_DEVICE: Variable = Variable::AutoDevice;

/// Bytes of the stack of a thread that computes. Without optimisation, transforms with 32 vector registers of 64 bytes need more than the 2 MiB
/// that threads have by default; pages that are not used are not there.
pub(crate) const STACK: usize = 16 << 20;

/// A request for the devices of an engine.
pub(crate) struct Request<'a> {
    /// The devices.
    pub(crate) choice: DeviceChoice,
    /// The kinds that they must be.
    pub(crate) policy: Policy,
    /// The CPU's backend.
    pub(crate) on_host: &'a Cpu,
    /// The most bytes of its own memory that a device spends on one operation.
    pub(crate) device_memory: Option<u64>,
    /// Threads of the engine, and of each device among several.
    pub(crate) threads: usize,
    /// Fixed shares of several devices.
    pub(crate) weights: Option<Vec<usize>>,
    /// Faults of devices with memory of their own.
    pub(crate) faults: Option<Faults>,
}

/// The devices of an engine, and what they are.
type Opened = (Dispatcher, DeviceInfo);

/// The devices that a request asks for.
pub(crate) fn open(request: Request<'_>) -> Result<Opened, Error> {
    let Request { choice, policy, .. } = request;
    match (choice, policy) {
        (DeviceChoice::Auto, Policy::RequireCpu | Policy::PreferCpu) => {
            Ok(request.cpu_alone(format!("the policy is {policy}")))
        }
        (DeviceChoice::Auto, Policy::RequireGpu) => request.first_gpu(),
        (DeviceChoice::Auto, Policy::Any | Policy::PreferGpu) => request.auto(),
        (_, policy) => match request.by_name() {
            Err(error @ (Error::DeviceMissing { .. } | Error::DriverTooOld { .. }))
                if policy.falls_back() =>
            {
                Ok(request.cpu_alone(format!("{choice} was preferred: {error}")))
            }
            opened => opened,
        },
    }
}

/// One device, for everything.
fn alone(device: dispatch::Opened, info: DeviceInfo) -> Opened {
    (Dispatcher::new(vec![device], Strategy::Alone), info)
}

/// The CPU and its instructions.
fn host(on_host: &Cpu) -> DeviceInfo {
    let host = cpu();
    DeviceInfo { description: format!("{}, {}", host.description, on_host.simd()), ..host }
}

impl Request<'_> {
    /// One device, if the policy admits it.
    fn device(&self, choice: DeviceChoice) -> Result<(dispatch::Opened, DeviceInfo), Error> {
        let (opened, info) = self.any_device(choice)?;
        match info.kind.is_admitted_by(self.policy) {
            true => Ok((opened, info)),
            false => {
                let (device, kind) = (info.id, format!("{} ({})", info.kind, info.description));
                Err(Error::PolicyContradicted { policy: self.policy, device, kind })
            }
        }
    }

    /// One device, whatever the policy.
    fn any_device(&self, choice: DeviceChoice) -> Result<(dispatch::Opened, DeviceInfo), Error> {
        let (family, which) = choice.family().expect("one device");
        let (backend, info) = family.open(which, self)?;
        // The processor's curves do not depend on the other device.
        let mut machine = vec![self.threads.to_string(), host(self.on_host).description];
        machine.extend((family.machine)(&info));
        let on_host = family.on_host;
        let opened = dispatch::Opened { backend, name: info.id.clone(), machine, on_host, threads: None };
        Ok((opened, DeviceInfo { reason: "asked for".into(), ..info }))
    }

    /// The devices that were named, one or several.
    fn by_name(&self) -> Result<Opened, Error> {
        let each = self.choice.each()?;
        if let [one] = each[..] {
            return self.device(one).map(|(device, info)| alone(device, info));
        }
        let opened = each.iter().map(|&choice| self.device(choice)).collect::<Result<Vec<_>, _>>()?;
        let info = together(opened.iter().map(|(_, info)| info));
        let devices = each.into_iter().zip(opened).map(|(choice, (device, _))| {
            let threads = choice.family().and_then(|(family, _)| (family.threads)(self.threads));
            let threads = threads.map(|threads| self.pool(threads)).transpose()?;
            Ok(dispatch::Opened { threads, ..device })
        });
        let strategy = Strategy::Divide { weights: self.weights.clone() };
        Ok((Dispatcher::new(devices.collect::<Result<_, Error>>()?, strategy), info))
    }

    /// Threads that wait for a device.
    fn pool(&self, threads: usize) -> Result<ThreadPool, Error> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("zkaccel-device-{i}"))
            .stack_size(STACK)
            .build();
        pool.map_err(|error| Error::BadThreadCount { threads, reason: error.to_string() })
    }

    /// The CPU, with the reason for the choice.
    fn cpu_alone(&self, why: String) -> Opened {
        let reason = format!("chosen by {}: {why}", self.choice);
        let (device, info) = self.any_device(DeviceChoice::Cpu).expect("the CPU is there");
        alone(device, DeviceInfo { reason, ..info })
    }

    /// The device next to the CPU: the one that the environment names, or the first GPU; and whether it was named.
    fn beside_the_cpu(&self) -> Result<Option<(DeviceChoice, bool)>, Error> {
        if let Some(named) = AUTO_DEVICE.read()? {
            return match named {
                list if list.is_list() => {
                    let name = AUTO_DEVICE.name();
                    let reason = format!("{name} names one device, to be weighed against the CPU");
                    Err(Error::BadDevices { devices: list.to_string(), reason })
                }
                one => Ok(Some((one, true))),
            };
        }
        // CUDA's devices are listed first. A processor that OpenCL drives is the CPU again.
        let found = devices().into_iter().find(|device| match self.policy {
            Policy::Any => device.kind != DeviceKind::Cpu,
            policy => device.kind.is_admitted_by(policy),
        });
        found.map(|device| Ok((device.id.parse()?, false))).transpose()
    }

    /// The first GPU, for everything.
    fn first_gpu(&self) -> Result<Opened, Error> {
        let policy = self.policy;
        let unmet = |reason: String| {
            let available = devices().into_iter().map(|device| device.id).collect::<Vec<_>>().join(", ");
            Error::PolicyUnmet { policy, reason, available }
        };
        match self.beside_the_cpu()? {
            Some((choice, _)) if choice.is_auto_or_on_host() => {
                Err(unmet(format!("{} is {choice}", AUTO_DEVICE.name())))
            }
            Some((choice, named)) => {
                let blame = |error| if named { AUTO_DEVICE.blame(error) } else { error };
                let (device, info) = self.device(choice).map_err(blame)?;
                let reason = format!("chosen by auto: the policy is {policy}");
                Ok(alone(device, DeviceInfo { reason, ..info }))
            }
            None => Err(unmet("there is no GPU".into())),
        }
    }

    /// The CPU, and a second device, if there is one that works.
    fn auto(&self) -> Result<Opened, Error> {
        let Some((choice, named)) = self.beside_the_cpu()? else {
            return Ok(self.cpu_alone("there is no GPU".into()));
        };
        if choice.is_auto_or_on_host() {
            return Ok(self.cpu_alone(format!("{} is {choice}", AUTO_DEVICE.name())));
        }
        match self.device(choice) {
            Ok((device, info)) => Ok(self.both(device, info)),
            Err(error) if named => Err(AUTO_DEVICE.blame(error)),
            Err(error) => Ok(self.cpu_alone(format!("{choice} cannot be used: {error}"))),
        }
    }

    /// The CPU and a device, each for the operations at which it is faster, or the device for everything.
    fn both(&self, device: dispatch::Opened, info: DeviceInfo) -> Opened {
        let (on_host, host) = self.any_device(DeviceChoice::Cpu).expect("the CPU is there");
        let prefer_second = self.policy == Policy::PreferGpu;
        let reason = match prefer_second {
            true => format!("chosen by auto: the policy is {}, and {} is there", self.policy, info.id),
            false => {
                "chosen by auto: each operation runs where measurements expect it to finish first".into()
            }
        };
        let both = DeviceInfo {
            id: "auto".into(),
            description: format!("{} and {}, {}", host.description, info.id, info.description),
            reason,
            ..host
        };
        (Dispatcher::new(vec![on_host, device], Strategy::Choose { prefer_second }), both)
    }

    #[cfg(any(feature = "cuda", feature = "opencl"))]
    fn of_device(&self, device: impl gpu::Device) -> (Box<dyn super::Backend>, DeviceInfo) {
        let mut device: Arc<dyn gpu::Device> = Arc::new(device);
        let info = device.info().clone();
        if let Some(faults) = &self.faults {
            device = Arc::new(gpu::faulty::Faulty::new(&device, faults.clone()));
        }
        (Box::new(Gpu::new(device, self.device_memory)), info)
    }
}

/// The devices of this machine: the CPU, then what CUDA and OpenCL find. The reference is not hardware and is not listed.
///
/// A GPU with two drivers is listed twice, under both names.
pub fn devices() -> Vec<DeviceInfo> {
    FAMILIES.iter().flat_map(|family| family.list().unwrap_or_default()).collect()
}

/// The bytes of a device's memory that are free now, where the system or the driver reports them: Linux for the host, and CUDA
/// for NVIDIA's GPUs, whose driver is started for that. OpenCL has no such query.
pub fn free_memory(device: DeviceChoice) -> Option<u64> {
    device.family().and_then(|(family, which)| family.free_memory(which))
}

impl DeviceChoice {
    /// The devices of the choice, one by one; `cuda` and `opencl` are those that are present.
    ///
    /// [`Error::BadDevices`] for an empty list, and for one that contains a device twice, or `auto`, which chooses by itself;
    /// [`Error::DeviceMissing`] where there is none of a kind.
    pub fn each(self) -> Result<Vec<Self>, Error> {
        match self {
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
            _ => match self.family() {
                Some((family, Which::All)) => {
                    let devices = family.list().map_err(|reason| missing(&self.to_string(), reason))?;
                    devices.iter().map(|device| device.id.parse()).collect()
                }
                _ => Ok(vec![self]),
            },
        }
    }
}

/// The CPU.
fn cpu() -> DeviceInfo {
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

/// The processor's name, where the system reports it (Linux), and its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let brand = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let brand = brand.map_or("processor", |(_, brand)| brand.trim());
    format!("{brand} ({})", std::env::consts::ARCH)
}

/// [`Error::DeviceMissing`], with the devices that are present.
pub(super) fn missing(device: &str, reason: String) -> Error {
    let available = devices().into_iter().map(|device| device.id).collect::<Vec<_>>().join(", ");
    Error::DeviceMissing { device: device.into(), reason, available }
}

/// Several devices as one: units and memory together.
fn together<'a>(infos: impl Iterator<Item = &'a DeviceInfo>) -> DeviceInfo {
    let infos: Vec<_> = infos.collect();
    let joined = |of: fn(&DeviceInfo) -> Option<&str>, between: &str| {
        infos.iter().filter_map(|info| of(info)).collect::<Vec<_>>().join(between)
    };
    let drivers = joined(|info| info.driver.as_deref(), "; ");
    DeviceInfo {
        id: joined(|info| Some(&info.id), ","),
        kind: if infos.iter().any(|info| info.kind == DeviceKind::Gpu) {
            DeviceKind::Gpu
        } else {
            infos[0].kind
        },
        description: joined(|info| Some(&info.description), " and "),
        units: infos.iter().map(|info| info.units).sum(),
        memory: infos.iter().map(|info| info.memory).sum(),
        driver: (!drivers.is_empty()).then_some(drivers),
        reason: "asked for: work is divided among them".into(),
    }
}
