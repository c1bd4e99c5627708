//! Times and rates that others have published or that were measured with others' programs, as marks beside the measurements.
//!
//! The sources of these numbers are those of `docs/performance/gpus.md`.

use super::report::Measurement;

/// A published number of one operation.
pub(super) struct Published {
    pub(super) comparison: Comparison,
    pub(super) log_size: u32,
    pub(super) seconds: f64,
    /// Whose it is and on what hardware it was taken.
    pub(super) source: &'static str,
    /// A few words that tell it from others of the same operation.
    pub(super) label: &'static str,
}

/// The operations of which there are such numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Trees over Rescue Prime as of November 2021.
    Rescue2021,
    /// Trees over Rescue Prime.
    Rescue,
    /// Transforms of one column over Goldilocks.
    Ntt,
    /// Sums with uniform scalars.
    Msm,
    /// Transforms of one polynomial over BN254's scalars.
    Fft,
}

impl Comparison {
    pub(super) const ALL: [Self; 5] = [Self::Rescue2021, Self::Rescue, Self::Ntt, Self::Msm, Self::Fft];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Rescue2021 => "Merkle tree, Rescue Prime of 2021",
            Self::Rescue => "Merkle tree, Rescue Prime",
            Self::Ntt => "NTT over Goldilocks",
            Self::Msm => "MSM over BN254, uniform scalars",
            Self::Fft => "FFT over BN254\u{2019}s scalars",
        }
    }

    /// What the size counts.
    pub(super) fn items(self) -> &'static str {
        match self {
            Self::Rescue2021 | Self::Rescue => "leaves",
            Self::Ntt | Self::Fft => "points",
            Self::Msm => "pairs",
        }
    }

    /// Whether a measurement is of this operation, by the fastest approach.
    pub(super) fn is_of(self, measurement: &Measurement) -> bool {
        let subject = &measurement.subject;
        let hash = subject.hash.map(|hash| hash.name());
        let is_best = subject.approach.as_deref().is_none_or(|approach| approach == "auto");
        match self {
            Self::Rescue2021 => subject.operation == "merkle" && hash == Some("rp64_256_v2021") && is_best,
            Self::Rescue => subject.operation == "merkle" && hash == Some("rp64_256") && is_best,
            Self::Ntt => subject.operation == "ntt" && subject.columns == Some(1),
            Self::Msm => {
                subject.operation == "msm"
                    && subject.curve.is_none()
                    && subject.scalars.as_deref() == Some("uniform")
            }
            Self::Fft => subject.operation == "fft" && subject.field.is_none() && subject.columns == Some(1),
        }
    }
}

const OPENCL: &str = "OpenCL program, NVIDIA V100, as published, with its transfers";
const SYCL: &str = "SYCL program, level by level, NVIDIA V100, as published, with its transfers";
const SYCL_GROUPS: &str = "SYCL program, by work groups, NVIDIA V100, as published, with its transfers";
const PORT: &str = "plain CUDA port of the published SYCL program, one NVIDIA H200, data on the device, measured November 2026";
const SPPARK: &str = "sppark, natural order, one NVIDIA H200, data on the device, measured November 2026";
const BOOJUM: &str =
    "boojum, bit-reversed output, one NVIDIA H200, data on the device, measured November 2026";
const ERA: &str = "era-bellman-cuda, one NVIDIA H200, data on the device, measured November 2026";
const ERA_FFT: &str =
    "era-bellman-cuda, bit-reversed output, one NVIDIA H200, data on the device, measured November 2026";
const ICICLE: &str = "open-icicle with tables, one NVIDIA H200, data on the device, measured November 2026";

/// A line of the table below.
const fn number(
    comparison: Comparison,
    log_size: u32,
    milliseconds: f64,
    label: &'static str,
    source: &'static str,
) -> Published {
    Published { comparison, log_size, seconds: milliseconds / 1e3, source, label }
}

/// All of them, by operation, program and size.
pub(super) const PUBLISHED: [Published; 27] = {
    use Comparison::{Fft, Msm, Ntt, Rescue, Rescue2021};
    [
        number(Rescue2021, 20, 130.5, "OpenCL, V100", OPENCL),
        number(Rescue2021, 21, 235.5, "OpenCL, V100", OPENCL),
        number(Rescue2021, 22, 445.6, "OpenCL, V100", OPENCL),
        number(Rescue2021, 23, 864.3, "OpenCL, V100", OPENCL),
        number(Rescue2021, 20, 63.1, "SYCL levels, V100", SYCL),
        number(Rescue2021, 21, 116.2, "SYCL levels, V100", SYCL),
        number(Rescue2021, 22, 221.6, "SYCL levels, V100", SYCL),
        number(Rescue2021, 23, 431.2, "SYCL levels, V100", SYCL),
        number(Rescue2021, 20, 136.8, "SYCL groups, V100", SYCL_GROUPS),
        number(Rescue2021, 21, 238.9, "SYCL groups, V100", SYCL_GROUPS),
        number(Rescue2021, 22, 445.3, "SYCL groups, V100", SYCL_GROUPS),
        number(Rescue2021, 23, 873.7, "SYCL groups, V100", SYCL_GROUPS),
        number(Rescue, 20, 16.0, "CUDA port, H200", PORT),
        number(Rescue, 24, 184.6, "CUDA port, H200", PORT),
        number(Ntt, 20, 0.0553, "sppark, H200", SPPARK),
        number(Ntt, 22, 0.174, "sppark, H200", SPPARK),
        number(Ntt, 24, 0.725, "sppark, H200", SPPARK),
        number(Ntt, 20, 0.0353, "boojum, H200", BOOJUM),
        number(Ntt, 24, 0.536, "boojum, H200", BOOJUM),
        number(Msm, 20, 4.19, "era-bellman-cuda, H200", ERA),
        number(Msm, 22, 13.7, "era-bellman-cuda, H200", ERA),
        number(Msm, 23, 25.1, "era-bellman-cuda, H200", ERA),
        number(Msm, 24, 92.0, "open-icicle, H200", ICICLE),
        number(Fft, 20, 0.237, "era-bellman-cuda, H200", ERA_FFT),
        number(Fft, 24, 4.19, "era-bellman-cuda, H200", ERA_FFT),
        number(Fft, 20, 0.270, "sppark, H200", SPPARK),
        number(Fft, 24, 4.67, "sppark, H200", SPPARK),
    ]
};
