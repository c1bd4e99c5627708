//! Classes of failures that accelerators of this kind have had, and the cases that would have caught each.
//!
//! The classes come from public reports on GPU libraries and provers for zero-knowledge proofs, 2023 to 2026. A case belongs to every class that
//! it would have caught; every case belongs to one at least, and every class has one.

use crate::{Case, cases};

/// A class of failures.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// A name that does not change, for reports and scripts.
    pub id: &'static str,
    /// What goes wrong.
    pub failure: &'static str,
    /// What its cases check.
    pub caught_by: &'static str,
    /// Public reports, as owner/repository#number; none where there are only accounts without a number.
    pub reports: &'static [&'static str],
    /// What the names of its cases begin with or contain.
    pub patterns: &'static [&'static str],
}

/// Every class.
pub const CLASSES: &[Class] = &[
    Class {
        id: "race",
        failure: "A race inside a kernel, or a barrier that is missing: an answer is wrong now and then",
        caught_by: "the same input many times on a busy device, sizes 2^k and around it, several callers at once",
        reports: &["supranational/sppark#85", "supranational/sppark#24"],
        patterns: &[
            "again",
            "four threads",
            "jobs and threads",
            "sizes around powers of two",
            "transforms of 1 to 8",
        ],
    },
    Class {
        id: "lifetime",
        failure: "Memory is freed or used for something else before the device is done with it",
        caught_by: "jobs, matrices and kept bases that are dropped at once, while others go on in the memory that they leave",
        reports: &[
            "ingonyama-zk/icicle-snark#17",
            "risc0/risc0#3522",
            "matter-labs/zksync-airbender#56",
            "openvm-org/stark-backend#362",
        ],
        patterns: &["dropped", "jobs give", "on the device, jobs", "that stay"],
    },
    Class {
        id: "now-and-then",
        failure: "A proof is wrong now and then: each of its operations is right by itself, and together they are not always",
        caught_by: "many commitments, each with its root, its rows and the verification of its opening, while other threads keep the engine busy",
        reports: &[
            "risc0/risc0#3798",
            "risc0/risc0#3760",
            "ingonyama-zk/icicle-snark#18",
            "Consensys/gnark#1665",
        ],
        patterns: &["on a busy device"],
    },
    Class {
        id: "index-width",
        failure: "Indices or byte counts overflow 16, 31 or 32 bits",
        caught_by: "sizes whose bytes or words pass 2^16 and 2^24, many columns, more data than staging memory holds; matrices of more than 2^32 \
                    bytes and words, all but a few of them zeros that take no memory on the host",
        reports: &["risc0/risc0#3773", "ingonyama-zk/icicle#358", "openvm-org/stark-backend#312"],
        patterns: &["large", "staging", "batches", "low-degree extension", "beyond 2^32"],
    },
    Class {
        id: "memory-limits",
        failure: "A wrong answer, or an abort, where memory ends",
        caught_by: "every operation within budgets down to less than its input, and allocations that are refused, with the right answer or the right error",
        reports: &["Consensys/gnark#1166", "succinctlabs/sp1#2950", "scroll-tech/zkvm-prover#174"],
        patterns: &["within any", "allocations"],
    },
    Class {
        id: "constants",
        failure: "Constants or generated code of a device are not those of the host",
        caught_by: "known answers, and every operation of the device against the host's, which shares no code with it",
        reports: &[
            "succinctlabs/sp1#2946",
            "openvm-org/stark-backend#307",
            "matter-labs/zksync-airbender#341",
        ],
        patterns: &["known", "rows", "commit", "transforms", "row programs"],
    },
    Class {
        id: "alignment",
        failure: "An architecture, or an address, that the code was not tried on",
        caught_by: "host data at every offset of words, page-locked memory in part; and all of this suite on each machine",
        reports: &["succinctlabs/sp1#2874", "boundless-xyz/boundless#850", "risc0/risc0#937"],
        patterns: &["offset", "page-locked"],
    },
    Class {
        id: "montgomery-form",
        failure: "Montgomery form is taken for the integer, or the other way",
        caught_by: "transforms, sums and inverses of small integers with known answers, values at and above the prime, and there and back",
        reports: &["Layr-Labs/eigenda#2240"],
        patterns: &["edge values", "edge scalars", "forward and back", "transforms of 1"],
    },
    Class {
        id: "curve-edges",
        failure: "The identity, equal or opposite points, or points of low order go wrong in formulas that are not complete",
        caught_by: "identities, repeated and opposite bases at every place, scalars 0, 1, p - 1 and around every window",
        reports: &[
            "ProvableHQ/snarkVM#548",
            "ProvableHQ/snarkVM#566",
            "privacy-scaling-explorations/halo2curves#212",
            "midnightntwrk/midnight-zk#225",
            "mratsim/constantine#366",
            "mratsim/constantine#390",
            "mratsim/constantine#406",
            "supranational/sppark#1",
            "supranational/sppark#7",
        ],
        patterns: &["identities", "edge scalars", "kept bases"],
    },
    Class {
        id: "vector-level",
        failure: "One level of vector instructions, or one compiler, is wrong",
        caught_by: "the whole suite at each level (ZKACCEL_SIMD), and every element of vectors that are full, nearly full and just begun",
        reports: &["binius-zk/binius64#1801", "0xPolygonHermez/goldilocks#27", "Consensys/gnark-crypto#816"],
        patterns: &["sizes", "every", "trees", "rows"],
    },
    Class {
        id: "skew",
        failure: "Scalars that are alike, small or mostly zero make a sum wrong, or very slow",
        caught_by: "all equal, bits, bytes, one bucket, p - 1 alone, mostly zeros",
        reports: &["ingonyama-zk/icicle#143", "privacy-scaling-explorations/halo2curves#130"],
        patterns: &["narrow and skewed", "alike"],
    },
    Class {
        id: "small-sizes",
        failure: "Sizes 0, 1 and 2, one column, or the other layout",
        caught_by: "every size from nothing on, both layouts, one and many columns",
        reports: &["ingonyama-zk/icicle#716", "yetanotherco/lambda_vm#745"],
        patterns: &["of 1", "sizes", "row-major", "fewer items", "matrices and jobs", "rows", "combinations"],
    },
    Class {
        id: "hash-parameters",
        failure: "Parameters, padding or separation of domains of a hash are not those of its specification",
        caught_by: "known roots and answers of independent implementations, rows of every length around the rate",
        reports: &["ProjectZKM/Ziren#524"],
        patterns: &["known roots", "known answers", "rows", "changes the root", "trees"],
    },
    Class {
        id: "deadlock",
        failure: "A deadlock, or a lock that a panic has poisoned, where calls come from workers or several threads",
        caught_by: "calls from jobs inside jobs, from four threads, of scopes that borrow; each with the answers of direct calls",
        reports: &["risc0/risc0#2750", "yetanotherco/lambda_vm#863", "Consensys/gnark#1665"],
        patterns: &["jobs", "four threads"],
    },
    Class {
        id: "silent-fallback",
        failure: "The work is done on the CPU, or with one approach only, and nobody is told",
        caught_by: "the account of each device after each operation, launches that are replayed, every approach that is asked for",
        reports: &["risc0/risc0#3753", "zkonduit/ezkl#882"],
        patterns: &["account", "work that comes again", "every approach", "each its part"],
    },
    Class {
        id: "errors",
        failure: "Bad input is accepted, crashes, or has changed something when it is refused",
        caught_by: "every refusal with its exact error, and data that are as before",
        reports: &["succinctlabs/sp1#2297", "ingonyama-zk/icicle#1036"],
        patterns: &["refused", "missing"],
    },
    Class {
        id: "stale-state",
        failure: "Kernels, tables or bases of another run, another size or another device are used",
        caught_by: "operations that come again over other data and sizes, tables and bases that others push out, results of several devices",
        reports: &[],
        patterns: &["again", "kept bases", "several devices", "parts that are", "on the device", "that stay"],
    },
    Class {
        id: "conventions",
        failure: "Conventions of proving systems are mixed up: the coset, the order of points, the form of an opening",
        caught_by: "every order and coset against the definition, roots known from other implementations, openings that verify under the root, and \
                    none that was changed",
        reports: &["arkworks-rs/groth16#60"],
        patterns: &["every order", "extended domains", "known", "open", "on a coset"],
    },
];

impl Class {
    /// Whether a case would have caught failures of this class.
    pub fn has(&self, case: &Case) -> bool {
        self.patterns.iter().any(|pattern| case.name.contains(pattern))
    }

    /// Its cases.
    pub fn cases(&self) -> Vec<Case> {
        cases().into_iter().filter(|case| self.has(case)).collect()
    }
}
