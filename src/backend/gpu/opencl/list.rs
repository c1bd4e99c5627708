//! The devices of this machine.

use opencl3::device::{self, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::platform::get_platforms;

use crate::device::{DeviceInfo, DeviceKind};
use crate::lock::lock;
use crate::sync::Mutex;

/// A device that has been found.
pub(super) struct Found {
    pub(super) device: device::Device,
    pub(super) info: DeviceInfo,
    pub(super) identity: String,
    pub(super) version: String,
}

/// The devices of all platforms, in the order of the platforms; the error says why there is none.
pub(super) fn found() -> Result<Vec<Found>, String> {
    // One thread at a time: PoCL 3.1 sets its devices up when they are first listed, and a second thread that lists them
    // meanwhile gets devices without names and crashes.
    static LISTING: Mutex<()> = Mutex::new(());
    let _listing = lock(&LISTING);
    let platforms = get_platforms().map_err(|ClError(code)| match code {
        // The loader's own code where no platform is installed.
        -1001 => "no OpenCL platform is installed".to_owned(),
        _ => format!("no OpenCL loader library answers ({})", ClError(code)),
    })?;
    let mut all = Vec::new();
    for platform in platforms {
        // A platform without devices reports that as an error.
        let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
        let platform_name = platform.name().unwrap_or_default();
        let platform_version = platform.version().unwrap_or_default();
        for id in devices {
            let device = device::Device::new(id);
            if let Ok(found) = describe(device, all.len(), &platform_name, &platform_version) {
                all.push(found);
            }
        }
    }
    match all.is_empty() {
        true => Err("the OpenCL platforms have no device".into()),
        false => Ok(all),
    }
}

fn describe(
    device: device::Device,
    index: usize,
    platform: &str,
    platform_version: &str,
) -> Result<Found, ClError> {
    let kind = device.dev_type()?;
    let (name, driver, version) = (device.name()?, device.driver_version()?, device.version()?);
    let info = DeviceInfo {
        id: format!("opencl:{index}"),
        kind: match kind {
            kind if kind & CL_DEVICE_TYPE_GPU != 0 => DeviceKind::Gpu,
            kind if kind & CL_DEVICE_TYPE_CPU != 0 => DeviceKind::Cpu,
            _ => DeviceKind::Accelerator,
        },
        description: name.trim().to_owned(),
        units: device.max_compute_units()? as usize,
        memory: Some(device.global_mem_size()?),
        driver: Some(format!("{} {}", platform.trim(), driver.trim())),
        reason: "found by OpenCL".into(),
    };
    let identity = [platform, platform_version, &name, &driver, &version].join("\n");
    Ok(Found { device, info, identity, version })
}

/// The OpenCL devices of this machine, or why there are none.
pub fn devices() -> Result<Vec<DeviceInfo>, String> {
    Ok(found()?.into_iter().map(|found| found.info).collect())
}

/// `OpenCL <major>.<minor> <vendor's words>`.
pub(super) fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.strip_prefix("OpenCL ")?.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions() {
        assert_eq!(parse_version("OpenCL 3.0 PoCL HSTR: pthread"), Some((3, 0)));
        assert_eq!(parse_version("OpenCL 1.1 "), Some((1, 1)));
        assert_eq!(parse_version("OpenGL 4.6"), None);
    }
}
