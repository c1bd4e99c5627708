//! What was measured on.

use crate::bench::report::{Device, Report};
use crate::page::escape;
use crate::page::figure::{Table, columns};
use crate::page::frame::Section;
use crate::page::number::si;

/// The section on the machine, its devices and their ceilings.
pub(super) fn section(report: &Report) -> Section {
    let machine = &report.machine;
    let memory = |bytes: Option<u64>| {
        let gibibytes = |bytes: u64| format!("{:.1}\u{202f}GiB", bytes as f64 / f64::from(1 << 30));
        bytes.map_or_else(|| "unknown".into(), gibibytes)
    };
    let facts = [
        ("Processor", machine.processor.clone()),
        ("Threads", machine.threads.to_string()),
        ("Vector instructions", machine.vectors.clone()),
        ("Memory", memory(machine.memory_bytes)),
        ("System", machine.system.clone()),
        ("zkaccel", report.version.clone()),
    ];
    let facts: String =
        facts.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(value))).collect();
    let row = |device: &Device| {
        let driver = device.driver.clone().unwrap_or_else(|| "\u{2013}".into());
        vec![
            device.id.clone(),
            device.description.clone(),
            device.units.to_string(),
            memory(device.memory_bytes),
            driver,
            device.reason.clone(),
        ]
        .into()
    };
    let devices = Table {
        caption: "The devices that were measured".into(),
        columns: columns(["Device", "Description", "#Units", "#Memory", "Driver", "Why"]),
        rows: report.devices.iter().map(row).collect(),
    };
    let row = |device: &Device| {
        let ceilings = &device.ceilings;
        let dash = || "\u{2013}".to_owned();
        let bytes = |rate: Option<f64>| rate.map_or_else(dash, |rate| format!("{rate:.1}\u{202f}GB/s"));
        let products = |rate: Option<f64>| rate.map_or_else(dash, |rate| si(rate, "/s"));
        vec![
            device.id.clone(),
            bytes(ceilings.copy_gigabytes_per_second),
            bytes(ceilings.upload_gigabytes_per_second),
            bytes(ceilings.download_gigabytes_per_second),
            products(ceilings.goldilocks_products_per_second),
            products(ceilings.bn254_products_per_second),
        ]
        .into()
    };
    let ceilings = Table {
        caption: "Ceilings, measured before everything else: copies within the memory of the device (bytes read and bytes written), copies \
                  from and to page-locked host memory, and general products in the fields, in chains that stay in registers"
            .into(),
        columns: columns([
            "Device",
            "#Copies",
            "#To the device",
            "#From the device",
            "#Goldilocks products",
            "#BN254 products",
        ]),
        rows: report.devices.iter().map(row).collect(),
    };
    let left_out: String = report
        .devices
        .iter()
        .flat_map(|device| device.left_out.iter().map(move |reason| (device, reason)))
        .map(|(device, reason)| format!("<li>{}: {}</li>\n", escape(&device.id), escape(reason)))
        .collect();
    let left_out = match left_out.as_str() {
        "" => String::new(),
        list => format!("<h3>Not measured</h3>\n<ul>\n{list}</ul>\n"),
    };
    let choices: String = report
        .devices
        .iter()
        .flat_map(|device| &device.choices)
        .map(|choice| format!("<li>{}</li>\n", escape(choice)))
        .collect();
    let choices = match choices.as_str() {
        "" => String::new(),
        list => format!("<h3>What <code>auto</code> chose, and why</h3>\n<ul>\n{list}</ul>\n"),
    };
    Section {
        id: "machine",
        title: "The machine".into(),
        body: format!(
            "<dl class=\"facts\">\n{facts}</dl>\n{}{}{left_out}{choices}",
            devices.html(),
            ceilings.html()
        ),
    }
}
