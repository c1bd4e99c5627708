//! Whether an engine's work is to be done by a GPU or by the processor.
//!
//! A policy complements the choice of a device. For [`DeviceChoice::Auto`](crate::device::DeviceChoice::Auto) it restricts the
//! choice; for devices chosen by name it says what kind they must be, and what happens if they are missing:
//!
//! | policy | `auto` | devices by name |
//! |---|---|---|
//! | [`Any`](Policy::Any) | each operation where measurements expect it to finish first | those; missing ones are an error |
//! | [`RequireGpu`](Policy::RequireGpu) | the first GPU does everything; without one an error | all must be GPUs, else an error |
//! | [`PreferGpu`](Policy::PreferGpu) | the first GPU does all that it offers, the CPU the rest; without one the CPU | all must be GPUs, else an error; if one is missing, the CPU instead |
//! | [`RequireCpu`](Policy::RequireCpu) | the CPU does everything | all must be processors, else an error |
//! | [`PreferCpu`](Policy::PreferCpu) | the CPU does everything | all must be processors, else an error; if one is missing, the CPU instead |
//!
//! A processor that OpenCL drives is a processor. Accelerators and providers are neither, and no policy but `Any` takes them.

/// Which kind of device an engine may or should use; see the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Any device.
    #[default]
    Any,
    /// GPUs and nothing else.
    RequireGpu,
    /// GPUs where they are present and offer an operation, else the CPU.
    PreferGpu,
    /// Processors and nothing else.
    RequireCpu,
    /// Processors; the CPU if the chosen one is missing.
    PreferCpu,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 5] =
        [Self::Any, Self::RequireGpu, Self::PreferGpu, Self::RequireCpu, Self::PreferCpu];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::RequireGpu => "require-gpu",
            Self::PreferGpu => "prefer-gpu",
            Self::RequireCpu => "require-cpu",
            Self::PreferCpu => "prefer-cpu",
        }
    }

    /// Whether the CPU replaces a missing device.
    pub(crate) fn falls_back(self) -> bool {
        matches!(self, Self::PreferGpu | Self::PreferCpu)
    }
}

crate::named::named!(Policy, "policy");
