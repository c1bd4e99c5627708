//! `zkaccel devices`: what this machine offers.

use std::fmt;

use serde::Serialize;
use zkaccel::device::devices;

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
    description: String,
    /// Threads or compute units.
    units: usize,
    memory_bytes: Option<u64>,
    reason: String,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let devices = devices().into_iter().map(|device| Device {
            id: device.id,
            description: device.description,
            units: device.units,
            memory_bytes: device.memory,
            reason: device.reason,
        });
        self.format.print(&Devices { devices: devices.collect() })
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Device { id, description, units, memory_bytes, reason } in &self.devices {
            let memory = memory_bytes.map_or("memory unknown".into(), |bytes| {
                format!("{:.1} GiB of memory", bytes as f64 / f64::from(1 << 30))
            });
            writeln!(f, "{id:<10} {description}, {units} threads, {memory} ({reason})")?;
        }
        Ok(())
    }
}
