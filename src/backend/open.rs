//! From the name of a device to its backend.

use super::Backend;
use super::cpu::Cpu;
use super::reference::Reference;
#[cfg(any(feature = "cuda", feature = "opencl"))]
use super::{
    auto::Auto,
    gpu::{self, Gpu},
};
use crate::device::{DeviceChoice, DeviceInfo, DeviceKind, cpu, devices};
use crate::error::Error;

/// The variable that names the device which `auto` weighs against the CPU.
const AUTO_DEVICE: &str = "ZKACCEL_AUTO_DEVICE";

/// A backend, and what it is.
type Opened = (Box<dyn Backend>, DeviceInfo);

/// The backend of a device, which may spend so many bytes of its own memory; on the host it is `on_host` or the reference.
pub(crate) fn open(choice: DeviceChoice, on_host: &Cpu, device_memory: Option<u64>) -> Result<Opened, Error> {
    let (backend, info): Opened = match choice {
        DeviceChoice::Auto => return auto(on_host, device_memory),
        DeviceChoice::Cpu => (Box::new(on_host.clone()), host(on_host)),
        DeviceChoice::Reference => (Box::new(Reference), DeviceInfo { id: "reference".into(), ..cpu() }),
        #[cfg(feature = "cuda")]
        DeviceChoice::Cuda(index) => of_device(gpu::cuda::Cuda::open(index)?, device_memory),
        #[cfg(feature = "opencl")]
        DeviceChoice::OpenCl(index) => of_device(gpu::opencl::OpenCl::open(index)?, device_memory),
        #[cfg(feature = "providers")]
        DeviceChoice::Provider(path) => {
            let external = super::provider::External::open(path)?;
            let info = external.info().clone();
            (Box::new(external), info)
        }
        #[cfg(not(all(feature = "cuda", feature = "opencl", feature = "providers")))]
        missing => {
            let reason = "this build of zkaccel has no backend for it".into();
            return Err(crate::device::missing(&missing.to_string(), reason));
        }
    };
    Ok((backend, DeviceInfo { reason: "asked for".into(), ..info }))
}

#[cfg(any(feature = "cuda", feature = "opencl"))]
fn of_device<D: gpu::Device>(device: D, memory: Option<u64>) -> Opened {
    let info = device.info().clone();
    (Box::new(Gpu::new(device, memory)), info)
}

/// The CPU and its instructions.
fn host(on_host: &Cpu) -> DeviceInfo {
    let host = cpu();
    DeviceInfo { description: format!("{}, {}", host.description, on_host.simd()), ..host }
}

/// The CPU, and beside it the device that the environment names or the first GPU, if there is one that works.
fn auto(on_host: &Cpu, device_memory: Option<u64>) -> Result<Opened, Error> {
    let alone = |why: String| -> Opened {
        let reason = format!("chosen by auto: {why}");
        (Box::new(on_host.clone()), DeviceInfo { reason, ..host(on_host) })
    };
    let named = std::env::var(AUTO_DEVICE).ok().filter(|name| !name.is_empty());
    let (choice, named) = match named {
        Some(name) => (name.parse()?, true),
        // CUDA's devices are listed first. A processor that OpenCL drives is the CPU once more.
        None => match devices().into_iter().find(|device| device.kind != DeviceKind::Cpu) {
            Some(device) => (device.id.parse()?, false),
            None => return Ok(alone("there is no GPU".into())),
        },
    };
    if matches!(choice, DeviceChoice::Auto | DeviceChoice::Cpu | DeviceChoice::Reference) {
        return Ok(alone(format!("{AUTO_DEVICE} is {choice}")));
    }
    match open(choice, on_host, device_memory) {
        #[cfg(any(feature = "cuda", feature = "opencl"))]
        Ok((backend, device)) => Ok(both(on_host, backend, device)),
        #[cfg(not(any(feature = "cuda", feature = "opencl")))]
        Ok(_) => unreachable!("no device was built in"),
        Err(error) if named => Err(error),
        Err(error) => Ok(alone(format!("{choice} cannot be used: {error}"))),
    }
}

/// The CPU and a device, each for what it is faster at.
#[cfg(any(feature = "cuda", feature = "opencl"))]
fn both(on_host: &Cpu, backend: Box<dyn Backend>, device: DeviceInfo) -> Opened {
    let host = host(on_host);
    let driver = device.driver.clone().unwrap_or_default();
    let machine = vec![host.description.clone(), device.id.clone(), device.description.clone(), driver];
    let info = DeviceInfo {
        id: "auto".into(),
        description: format!("{} and {}, {}", host.description, device.id, device.description),
        reason: "chosen by auto: each operation runs where measurements expect it to end first".into(),
        ..host
    };
    (Box::new(Auto::new(on_host.clone(), backend, device.id, machine)), info)
}
