//! `zkaccel devices`: the devices of this machine.

use std::fmt;

use serde::Serialize;
use zkaccel::cache;
use zkaccel::device::{devices, free_memory};

use crate::failure::{Context, Failure};
use crate::output::Format;

/// List the devices of this machine
///
/// With the device auto, and with several devices, what each kind of operation costs on each device is measured at its first use and kept
/// in $XDG_CACHE_HOME/zkaccel, or in ~/.cache/zkaccel where that variable is not set: files whose names end in .curve. The kernels that
/// OpenCL has compiled lie there too, in files whose names end in .bin, but for those of PoCL, which keeps them itself.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Forget the costs that were measured on this machine, so that each is measured again at its next use: after a change of
    /// hardware that its description does not show, or when they were measured while the machine was busy
    #[arg(long)]
    remeasure: bool,

    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Devices {
    devices: Vec<Device>,
    /// With `--remeasure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<Forgotten>,
}

/// Measurements that were removed.
#[derive(Serialize)]
struct Forgotten {
    cost_curves: usize,
    folder: String,
}

#[derive(Serialize)]
struct Device {
    id: String,
    kind: String,
    description: String,
    /// Threads or compute units.
    units: usize,
    memory_bytes: Option<u64>,
    /// Free at this moment, where the driver reports it.
    free_memory_bytes: Option<u64>,
    driver: Option<String>,
    reason: String,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let forgotten = self.remeasure.then(forget).transpose()?;
        let devices = devices().into_iter().map(|device| Device {
            free_memory_bytes: device.id.parse().ok().and_then(free_memory),
            id: device.id,
            kind: device.kind.to_string(),
            description: device.description,
            units: device.units,
            memory_bytes: device.memory,
            driver: device.driver,
            reason: device.reason,
        });
        self.format.print(&Devices { devices: devices.collect(), forgotten })
    }
}

fn forget() -> Result<Forgotten, Failure> {
    let folder = cache::folder().ok_or_else(|| {
        Failure::new("--remeasure: nothing is kept, expected a folder for it in XDG_CACHE_HOME or HOME")
    })?;
    let cost_curves = cache::forget_measurements().context("--remeasure")?;
    Ok(Forgotten { cost_curves, folder: folder.display().to_string() })
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
        for device in &self.devices {
            let Device { id, kind, description, units, memory_bytes, free_memory_bytes, driver, reason } =
                device;
            let free =
                free_memory_bytes.map_or(String::new(), |bytes| format!(", {} free", gibibytes(bytes)));
            let memory = match memory_bytes {
                Some(bytes) => format!("{} of memory{free}", gibibytes(*bytes)),
                None => "memory unknown".into(),
            };
            let driver = driver.as_ref().map_or(String::new(), |driver| format!(", {driver}"));
            writeln!(f, "{id:<10} {kind}: {description}, {units} units, {memory}{driver} ({reason})")?;
        }
        self.forgotten.iter().try_for_each(|Forgotten { cost_curves, folder }| {
            let curves = if *cost_curves == 1 { "cost curve" } else { "cost curves" };
            writeln!(
                f,
                "removed {cost_curves} {curves} from {folder}; costs are measured again at their next use"
            )
        })
    }
}
