//! `zkaccel devices`: what this machine offers.

use std::fmt;

use serde::Serialize;
use zkaccel::device::{devices, free_memory};

use crate::failure::Failure;
use crate::output::Format;

/// List the devices of this machine
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Devices {
    devices: Vec<Device>,
}

#[derive(Serialize)]
struct Device {
    id: String,
    kind: String,
    description: String,
    /// Threads or compute units.
    units: usize,
    memory_bytes: Option<u64>,
    /// Nobody's at this moment, where the driver tells.
    free_memory_bytes: Option<u64>,
    driver: Option<String>,
    reason: String,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
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
        self.format.print(&Devices { devices: devices.collect() })
    }
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
        Ok(())
    }
}
