//! Approaches to building a tree on a device.

/// How a GPU builds the Merkle trees of an engine. Every approach makes the same tree.
///
/// It concerns Rescue Prime (`rp64_256`, `rp64_256_v2021`) on devices with kernels, `cuda:N` and `opencl:N`. Trees over other
/// hashes are built level by level in any case, and the CPU has a single approach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Approach {
    /// One launch for each level.
    Level,
    /// One launch for the first level; then each work group climbs above the nodes that it has computed, several levels per
    /// launch.
    Group,
    /// One launch for each level, with the hash's constants in work-group memory.
    Local,
    /// The fastest in measurements: level by level while a level fills the device, then several work items for each hash, and
    /// several levels per launch at the top. Level by level where OpenCL runs on a processor.
    #[default]
    Auto,
}

impl Approach {
    /// Every approach.
    pub const ALL: [Self; 4] = [Self::Level, Self::Group, Self::Local, Self::Auto];

    /// The name by which it is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::Group => "group",
            Self::Local => "local",
            Self::Auto => "auto",
        }
    }
}

crate::named::named!(Approach, "approach to trees");

#[cfg(test)]
mod tests {
    use super::Approach;

    #[test]
    fn names_are_read_back() {
        for approach in Approach::ALL {
            assert_eq!(approach.to_string().parse(), Ok(approach));
        }
        let refused = "levels".parse::<Approach>().unwrap_err().to_string();
        assert!(refused.contains("levels") && refused.contains("level, group, local, auto"), "{refused}");
    }
}
