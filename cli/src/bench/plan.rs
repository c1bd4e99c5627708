//! What is measured: the operations, their sizes and their variants, in order.

use clap::ValueEnum;
use zkaccel::device::DeviceKind;
use zkaccel::merkle::Approach;
use zkaccel::{Engine, Error};

use super::curves::{self, KeptInputs, ScalarKind};
use super::fields::{OverScalars, Transforms};
use super::report::Measurement;
use super::workloads::{self, Bench};
use crate::curves::CurveName;
use crate::fields::FieldName;
use crate::hashes::HashName;

/// The operations that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Operation {
    /// A Merkle tree over given leaves
    Merkle,
    /// A forward transform, natural order on both sides
    Ntt,
    /// A low-degree extension onto a coset, column by column, natural order on both sides
    Lde,
    /// A commitment to a trace
    Commit,
    /// A multi-scalar multiplication over the curve of --curve, kept bases: uniform scalars, bytes and bits
    Msm,
    /// A forward transform over the field of --field, natural order on both sides
    Fft,
    /// Digests of the rows of a matrix
    Rows,
    /// A forward transform of points of BN254's G1
    Points,
    /// Inverses of elements, over BN254's scalars as all that follows
    Invert,
    /// Products of two vectors, element by element
    Multiply,
    /// A linear combination of the columns of a matrix
    Combine,
    /// Prefix products of the columns of a matrix
    Prefix,
    /// A row program: PLONK's gate on eight columns
    Program,
    /// The permuted columns of a lookup argument
    Lookup,
    /// The product of a sparse matrix, of three entries in each row, with a vector
    Sparse,
}

/// How deep to go.
#[derive(Clone, Debug)]
pub(super) enum Depth {
    /// A few sizes of everything, in about a minute.
    Tour,
    /// All usual sizes.
    Usual,
    /// These sizes.
    Sizes(Vec<u32>),
}

impl Operation {
    /// The name on the command line and in the JSON.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
    }

    /// Why it cannot be measured over a curve or a field that the user has named.
    pub(super) fn refuses(self, curve: CurveName, field: FieldName) -> Option<String> {
        let over = |found: &str, expected: &str| {
            Some(format!("{} is measured over {expected} alone, found {found}", self.name()))
        };
        match self {
            Self::Points if !curve.is_default() => over(curve.name(), CurveName::DEFAULT),
            Self::Invert
            | Self::Multiply
            | Self::Combine
            | Self::Prefix
            | Self::Program
            | Self::Lookup
            | Self::Sparse
                if !field.is_default() =>
            {
                over(field.name(), FieldName::DEFAULT)
            }
            _ => None,
        }
    }

    /// Whether its matrices have as many columns as the user wishes.
    pub(super) fn has_columns(self) -> bool {
        self.usual_columns().is_some()
    }

    /// The columns of its matrices, where the user may wish for others.
    fn usual_columns(self) -> Option<usize> {
        match self {
            Self::Ntt | Self::Fft | Self::Prefix => Some(1),
            Self::Lde | Self::Commit | Self::Rows | Self::Combine => Some(16),
            _ => None,
        }
    }

    /// Binary logarithms of the sizes to measure.
    fn sizes(self, depth: &Depth, kind: DeviceKind) -> Vec<u32> {
        match depth {
            Depth::Sizes(sizes) => sizes.clone(),
            Depth::Usual => match self {
                Self::Merkle | Self::Ntt => (12..=20).collect(),
                // An eightfold extension of 2^16 rows has 2^19, and 64 MiB.
                Self::Lde | Self::Commit => (12..=16).collect(),
                Self::Msm => (10..=16).collect(),
                Self::Points => (4..=10).collect(),
                _ => (10..=18).collect(),
            },
            // Small sizes tell little of a GPU.
            Depth::Tour => {
                let (first, last) = match (kind, self) {
                    (DeviceKind::Gpu, Self::Ntt) => (12, 24),
                    (DeviceKind::Gpu, Self::Lde | Self::Commit) => (10, 16),
                    (DeviceKind::Gpu, Self::Points) => (6, 10),
                    (DeviceKind::Gpu, _) => (12, 20),
                    (_, Self::Merkle | Self::Msm) => (10, 16),
                    (_, Self::Ntt) => (12, 20),
                    (_, Self::Lde | Self::Commit) => (8, 14),
                    (_, Self::Fft) => (10, 18),
                    (_, Self::Points) => (2, 6),
                    (_, _) => (12, 16),
                };
                (first..=last).step_by(2).collect()
            }
        }
    }
}

/// The choices of the user.
pub(super) struct Choices<'a> {
    /// All operations where none is named.
    pub(super) operation: Option<Operation>,
    pub(super) depth: Depth,
    /// For trees all hashes and for commitments the first where none is named.
    pub(super) hash: Option<HashName>,
    pub(super) approaches: &'a [Approach],
    pub(super) columns: Option<usize>,
    pub(super) blowup: u64,
    pub(super) curve: CurveName,
    pub(super) field: FieldName,
    pub(super) kept: KeptInputs,
}

/// One measurement to take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    what: What,
    log_size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Merkle {
        hash: HashName,
        approach: Option<Approach>,
    },
    Ntt {
        columns: usize,
    },
    Lde {
        columns: usize,
        blowup: u64,
    },
    Commit {
        hash: HashName,
        approach: Option<Approach>,
        columns: usize,
        blowup: u64,
    },
    Msm {
        curve: CurveName,
        scalars: ScalarKind,
        kept: KeptInputs,
    },
    Rows {
        hash: HashName,
        columns: usize,
    },
    Points,
    Fft {
        field: FieldName,
        polynomials: usize,
    },
    /// Any of the other operations over a prime field.
    OverScalars {
        operation: Operation,
        columns: usize,
    },
}

/// The measurements to take on an engine.
pub(super) fn plan(choices: &Choices<'_>, engine: &Engine) -> Vec<Task> {
    let mut tasks = Vec::new();
    for &operation in Operation::value_variants() {
        if choices.operation.is_some_and(|only| only != operation) {
            continue;
        }
        for log_size in operation.sizes(&choices.depth, engine.device().kind) {
            let variants = choices.variants(operation, engine);
            tasks.extend(variants.into_iter().map(|what| Task { what, log_size }));
        }
    }
    tasks
}

impl Choices<'_> {
    fn variants(&self, operation: Operation, engine: &Engine) -> Vec<What> {
        let columns = self.columns.or(operation.usual_columns()).unwrap_or(1);
        let blowup = self.blowup;
        let (curve, kept) = (self.curve, self.kept);
        match operation {
            Operation::Merkle => {
                let hashes = self.hash.as_ref().map_or(HashName::ALL, std::slice::from_ref);
                let each = |&hash| {
                    let approaches = self.approaches(engine, hash).into_iter();
                    approaches.map(move |approach| What::Merkle { hash, approach })
                };
                hashes.iter().flat_map(each).collect()
            }
            Operation::Ntt => vec![What::Ntt { columns }],
            Operation::Lde => vec![What::Lde { columns, blowup }],
            Operation::Commit => {
                let hash = self.hash.unwrap_or(HashName::ALL[0]);
                let approaches = self.approaches(engine, hash).into_iter();
                approaches.map(|approach| What::Commit { hash, approach, columns, blowup }).collect()
            }
            Operation::Msm => ScalarKind::ALL.map(|scalars| What::Msm { curve, scalars, kept }).to_vec(),
            Operation::Rows => vec![What::Rows { hash: self.hash.unwrap_or(HashName::ALL[0]), columns }],
            Operation::Points => vec![What::Points],
            Operation::Fft => vec![What::Fft { field: self.field, polynomials: columns }],
            _ => vec![What::OverScalars { operation, columns }],
        }
    }

    /// The approaches to measure; `None`, once, where there is no choice.
    fn approaches(&self, engine: &Engine, hash: HashName) -> Vec<Option<Approach>> {
        // A device without a clock is the host.
        match engine.device_time().is_some() && hash.has_approaches() {
            true => self.approaches.iter().copied().map(Some).collect(),
            false => vec![None],
        }
    }
}

impl Task {
    pub(super) fn run(self, bench: Bench<'_>) -> Result<Measurement, Error> {
        let log_size = self.log_size;
        match self.what {
            What::Merkle { hash, approach } => {
                hash.visit(workloads::Merkle { bench, hash, approach, log_size })
            }
            What::Ntt { columns } => workloads::ntt(bench, columns, log_size),
            What::Lde { columns, blowup } => workloads::lde(bench, blowup, columns, log_size),
            What::Commit { hash, approach, columns, blowup } => {
                hash.visit(workloads::Commit { bench, hash, approach, shape: (columns, blowup, log_size) })
            }
            What::Msm { curve, scalars, kept } => {
                curve.visit(curves::Sums { bench, curve, scalars, kept, log_size })
            }
            What::Rows { hash, columns } => hash.visit(workloads::Rows { bench, hash, columns, log_size }),
            What::Points => curves::points(bench, log_size),
            What::Fft { field, polynomials } => {
                field.visit(Transforms { bench, field, polynomials, log_size })
            }
            What::OverScalars { operation, columns } => {
                OverScalars { bench, operation, columns, log_size }.run()
            }
        }
    }

    /// Whether the two differ in their sizes alone.
    pub(super) fn is_variant_of(&self, other: &Self) -> bool {
        self.what == other.what
    }

    /// What is measured, for people.
    pub(super) fn describe(self) -> String {
        let of = |approach: Option<Approach>| {
            approach.map_or_else(String::new, |approach| format!(", {}", approach.name()))
        };
        let what = match self.what {
            What::Merkle { hash, approach } => format!("tree, {hash}{}", of(approach)),
            What::Ntt { .. } => "transform".into(),
            What::Lde { .. } => "extension".into(),
            What::Commit { approach, .. } => format!("commitment{}", of(approach)),
            What::Msm { curve, scalars, .. } => {
                let over = if curve.is_default() { String::new() } else { format!(" over {}", curve.name()) };
                format!("multi-scalar multiplication{over}, {}", scalars.name())
            }
            What::Rows { hash, .. } => format!("digests of rows, {hash}"),
            What::Points => "transform of points".into(),
            What::Fft { field, .. } => format!("transform over {}", field.name()),
            What::OverScalars { operation, .. } => operation.name(),
        };
        format!("{what}, 2^{}", self.log_size)
    }
}

#[cfg(test)]
mod tests {
    use zkaccel::device::DeviceChoice;

    use super::*;
    use crate::bench::measure::ENOUGH;

    /// The choices of `zkaccel bench` alone.
    const TOUR: Choices<'_> = Choices {
        operation: None,
        depth: Depth::Tour,
        hash: None,
        approaches: &Approach::ALL,
        columns: None,
        blowup: 8,
        curve: CurveName::FIRST,
        field: FieldName::FIRST,
        kept: KeptInputs { tables: false, scalars: false },
    };

    /// So long as every size that is not long is measured.
    #[test]
    fn a_tour_takes_two_minutes_at_most() {
        let engine = Engine::builder().device(DeviceChoice::Cpu).threads(1).build().unwrap();
        let tasks = plan(&TOUR, &engine);
        for &operation in Operation::value_variants() {
            let sizes = operation.sizes(&TOUR.depth, DeviceKind::Cpu).len();
            assert!(sizes >= 2 && tasks.len() >= sizes, "{operation:?}: {sizes} sizes");
        }
        let seconds = (ENOUGH * tasks.len() as u32).as_secs();
        assert!((20..=120).contains(&seconds), "{seconds} s for {} measurements", tasks.len());
    }
}
