//! `zkaccel mpi ntt`: one transform over all ranks.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::field::Goldilocks;
use zkaccel::ntt::{Convention, Domain};
use zkaccel_cluster::{Cluster, Error, Mpi, Transport};

use super::{Options, Ranks, Shown, caller, read};
use crate::failure::Failure;
use crate::files::{self, Contents, NewFile};
use crate::npy;
use crate::parse;
use crate::watch::{Unit, Watch};

/// Transform one column
///
/// Coefficients become values on the coset SHIFT * H of the subgroup H with as many points as there are rows, in natural order, as with `zkaccel ntt`. Each rank reads a block of the coefficients and
/// makes a part of the values, which the first one gathers and writes. The number of ranks is a power of two, whose square is at most the number of rows.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The coefficients: a .npy file of '<u8' words below p, C order, shape (rows, 1), a power of two of rows, which every rank can open
    #[arg(value_name = "IN.npy")]
    input: PathBuf,

    /// The file for the values
    #[arg(value_name = "OUT.npy")]
    output: PathBuf,

    /// The shift of the coset: a field element other than 0, in decimal or in hexadecimal after 0x
    #[arg(long, value_name = "S", default_value = "1", value_parser = parse::shift)]
    shift: Goldilocks,

    /// Whose roots of unity generate the subgroups
    #[arg(long, value_name = "CONVENTION", default_value_t, value_parser = parse::one_of::<Convention>())]
    convention: Convention,

    #[command(flatten)]
    options: Options,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    output: String,
    rows: usize,
    convention: &'static str,
    shift: String,
    #[serde(flatten)]
    ranks: Ranks,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let report = |rows, ranks| {
            let report = Report {
                output: files::output_name(&self.output),
                rows,
                convention: self.convention.name(),
                shift: self.shift.to_string(),
                ranks,
            };
            self.options.format.print_beside(Some(&self.output), &report)
        };
        let operation = |cluster: &Cluster<Mpi>, watch: &Watch| self.transform(cluster, watch);
        self.options.run(Shown::Operations, operation, report)
    }

    /// The number of rows, once the result is written.
    fn transform(&self, cluster: &Cluster<Mpi>, watch: &Watch) -> Result<usize, Error> {
        let transport = cluster.transport();
        let (rank, size) = (transport.rank(), transport.size());
        let part = read(cluster, watch, &self.input, Some(1), |rows| Ok(cluster.rows(rows)))?;
        let rows = part.rows;
        let domain = match rows.is_power_of_two() {
            true => Domain::new(rows.ilog2(), self.convention).and_then(|domain| domain.coset(self.shift)),
            false => Err(zkaccel::Error::NotPowerOfTwo { what: "rows of the matrix", found: rows }),
        };
        let domain = cluster.agree("a domain", &[], domain.map_err(Error::from))?;
        let values = cluster.ntt(&domain, bytemuck::cast_vec(part.words))?;

        watch.stage("gathering");
        // All to the first rank, which has every P-th value from each.
        let mut send = vec![Vec::new(); size];
        send[0] = bytemuck::cast_vec(values);
        let gathered = transport.exchange(send, &vec![if rank == 0 { rows / size } else { 0 }; size])?;
        let written = if rank == 0 { self.write(&gathered, watch).map_err(caller) } else { Ok(()) };
        cluster.agree("writing", &[], written)?;
        Ok(rows)
    }

    /// Writes values, of which each rank has made every P-th.
    fn write(&self, gathered: &[Vec<u64>], watch: &Watch) -> Result<(), Failure> {
        let rows = gathered.len() * gathered[0].len();
        let mut values = vec![0_u64; rows];
        for (rank, own) in gathered.iter().enumerate() {
            values[rank..]
                .iter_mut()
                .step_by(gathered.len())
                .zip(own)
                .for_each(|(value, &own)| *value = own.to_le());
        }
        let output = NewFile::create(&self.output, Contents::Binary)?;
        watch.stage_of("writing", Unit::Bytes, 0, size_of_val(values.as_slice()) as u64);
        let tell = |bytes| watch.advance(bytes);
        output.fill(|file| npy::write(file, rows, 1, bytemuck::cast_slice(&values), tell))?;
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { output, rows, convention, shift, ranks } = self;
        writeln!(f, "transform   forward (shift {shift}, {convention})")?;
        write!(f, "result      {rows} rows in {output}\n{ranks}")
    }
}
