//! The engines that targets compare: each is made once and kept.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use zkaccel::device::{DeviceChoice, Simd, devices};
use zkaccel::{Engine, EngineBuilder};

use crate::draw::Draw;

/// What distinguishes an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Cpu {
        simd: Simd,
        threads: usize,
        check_answers: bool,
    },
    /// An OpenCL device, with a limit of its memory for one operation.
    OpenCl {
        device_memory: Option<u64>,
    },
    /// The processor and an OpenCL device, which divide every operation in proportion to weights.
    Both {
        device_memory: Option<u64>,
        weights: [usize; 2],
    },
}

/// The oracle.
pub fn reference() -> &'static Engine {
    static ENGINE: LazyLock<Engine> =
        LazyLock::new(|| build(Engine::builder().device(DeviceChoice::Reference)));
    &ENGINE
}

/// The processor with all it has.
pub fn cpu() -> &'static Engine {
    static ENGINE: LazyLock<Engine> =
        LazyLock::new(|| build(Engine::builder().device(DeviceChoice::Cpu).threads(2)));
    &ENGINE
}

fn build(builder: EngineBuilder) -> Engine {
    builder.build().expect("an engine on a device that is present")
}

/// An engine of any kind: the processor with any level of vectors, number of threads, with and without tests of its answers, and one time in
/// sixteen an OpenCL device, where there is one.
pub fn draw(draw: &mut Draw<'_>) -> Engine {
    static LEVELS: LazyLock<Vec<Simd>> = LazyLock::new(|| Simd::available().rev().collect());
    kept(match draw.below(16) {
        15 if *HAS_OPENCL => Kind::OpenCl { device_memory: draw.pick(&BUDGETS) },
        choice => {
            Kind::Cpu { simd: draw.pick(&LEVELS), threads: 1 + draw.below(3), check_answers: choice == 14 }
        }
    })
}

/// An engine of several devices that divides whatever can be divided among them; where there is one device, that.
pub fn several(draw: &mut Draw<'_>) -> Engine {
    match *HAS_OPENCL {
        true => kept(Kind::Both {
            device_memory: draw.pick(&BUDGETS),
            weights: draw.pick(&[[1, 1], [1, 3], [3, 1], [0, 1]]),
        }),
        false => cpu().clone(),
    }
}

/// Limits of a device's memory for one operation.
const BUDGETS: [Option<u64>; 4] = [None, Some(0), Some(1 << 12), Some(1 << 16)];

static HAS_OPENCL: LazyLock<bool> = LazyLock::new(|| devices().iter().any(|device| device.id == "opencl:0"));

fn kept(kind: Kind) -> Engine {
    static ENGINES: LazyLock<Mutex<HashMap<Kind, Engine>>> = LazyLock::new(Mutex::default);
    let mut engines = ENGINES.lock().expect("no engine panics");
    let engine = engines.entry(kind).or_insert_with(|| {
        let builder = Engine::builder();
        build(match kind {
            Kind::Cpu { simd, threads, check_answers } => {
                builder.device(DeviceChoice::Cpu).simd(simd).threads(threads).check_answers(check_answers)
            }
            Kind::OpenCl { device_memory } => {
                let builder = builder.device(DeviceChoice::OpenCl(0)).threads(2);
                device_memory.into_iter().fold(builder, EngineBuilder::device_memory)
            }
            Kind::Both { device_memory, weights } => {
                let builder = builder.devices(&[DeviceChoice::Cpu, DeviceChoice::OpenCl(0)]).threads(2);
                let builder = zkaccel::fuzzing::dividing(builder, weights.into());
                device_memory.into_iter().fold(builder, EngineBuilder::device_memory)
            }
        })
    });
    engine.clone()
}
