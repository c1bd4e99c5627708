//! Permutations of lookups (`kernels/lookups.cl`).
//!
//! A table of hashes tells where each input's value stands in the table, and how many inputs have each value; sums of these numbers tell where groups of equal inputs begin, and a search among
//! the groups what each row of the permuted columns has. All lookups pass each step together: seven launches, whatever their number.

use super::Gpu;
use super::device::{Arg, Launch};
use super::program::Program;
use super::session::{Region, Session};
use super::transforms::Part;
use crate::backend::{AcceleratedField, Extent, Lookups, MatrixView, Memory, ResidentLookups, Scatter};
use crate::error::Error;

/// Items of a group, and rows of an item.
const ITEMS: usize = 256;
const ROWS: usize = 8;

const KERNELS: &[&str] = &[
    include_str!("../../../kernels/atomics.h"),
    include_str!("../../../kernels/compare.h"),
    include_str!("../../../kernels/lookups.cl"),
];

/// By the words of an element: of fields nothing else matters here.
static ONE_WORD: Program =
    Program { name: "lookups_1", kernels: KERNELS, parameters: &[("WORDS", 1)], ..Program::EMPTY };
static FOUR_WORDS: Program =
    Program { name: "lookups_4", kernels: KERNELS, parameters: &[("WORDS", 4)], ..Program::EMPTY };

/// All programs.
pub(super) static PROGRAMS: [&Program; 2] = [&ONE_WORD, &FOUR_WORDS];

fn program<F: AcceleratedField>() -> &'static Program {
    const { assert!(F::MODULUS.len() == 1 || F::MODULUS.len() == 4, "a field with a program") };
    if F::MODULUS.len() == 1 { &ONE_WORD } else { &FOUR_WORDS }
}

/// A kernel, its groups with their items, and its arguments.
type Step = (&'static str, (usize, usize), Vec<Arg<Region>>);

/// Lookups whose columns lie in a region.
#[derive(Clone, Copy, Debug)]
struct Plan {
    lookups: usize,
    rows: usize,
    used: usize,
    /// Words of an element.
    words: usize,
    /// Whether the columns lie one after another.
    column_major: bool,
}

impl Plan {
    /// Words of all entries.
    fn entries(self) -> usize {
        2 * self.lookups * self.rows * self.words
    }

    /// Words from an entry to the one below, and to the next of its row.
    fn steps(self) -> [usize; 2] {
        match self.column_major {
            true => [self.words, self.rows * self.words],
            false => [2 * self.lookups * self.words, self.words],
        }
    }

    /// The binary logarithm of the number of slots of a lookup: at least half of them stay empty.
    fn bits(self) -> u32 {
        (2 * self.used).next_power_of_two().ilog2().max(1)
    }

    /// Tiles of a lookup, whose sums a group makes.
    fn tiles(self) -> usize {
        self.used.div_ceil(ITEMS * ROWS).max(1)
    }

    /// Halves of words that begin as zeros: slots, how many inputs each row of the tables has, and what is missing; and where the latter two are.
    fn cleared(self) -> [usize; 3] {
        let inputs = self.lookups << self.bits();
        let missing = inputs + self.lookups * self.used;
        [inputs, missing, missing + self.lookups]
    }

    /// Words of memory for the operation besides what it reads and writes.
    fn scratch(self) -> usize {
        let others = (self.lookups * (self.used + 1)).div_ceil(2);
        self.cleared()[2].div_ceil(2) + others + self.lookups * (self.used + self.tiles()) + 2 * self.words
    }

    /// The permuted columns of a region. A lookup of an error is named by its number here.
    fn launch<F: AcceleratedField>(
        self,
        session: &mut Session<'_>,
        from: Region,
        to: Region,
    ) -> Result<(), Error> {
        let Self { lookups, rows, used, words, .. } = self;
        assert!(from.words() >= self.entries() && to.words() >= self.entries() && used <= rows);
        let [inputs_at, missing_at, cleared_len] = self.cleared();
        let (tiles, limits) = (self.tiles(), session.limits());
        let factors = session.upload_new(bytemuck::cast_slice(Scatter::new(words).factors()))?;
        let cleared = session.allocate(cleared_len.div_ceil(2))?;
        let others = session.allocate((lookups * (used + 1)).div_ceil(2))?;
        let begins = session.allocate(lookups * (used + tiles))?;
        let word = |number: usize| Arg::Word(number as u64);
        let at = |region, offset: usize| Arg::Buffer(region, offset as u64);
        let [row_words, column_words] = self.steps().map(word);
        let (slots, inputs, missing) = (at(cleared, 0), at(cleared, inputs_at), at(cleared, missing_at));
        let (groups, sums) = (at(others, lookups * used), at(begins, lookups * used));
        let matrix = [at(from, 0), row_words, column_words, word(used)];
        let search = [at(factors, 0), word(self.bits() as usize), slots];
        let parts = used.div_ceil(ROWS);
        let mut steps: Vec<Step> = Vec::new();
        if used > 0 {
            let all = lookups * used;
            steps.push(("lookup_clear", limits.grid(cleared_len), vec![slots, word(cleared_len)]));
            let insert = [&matrix[..], &search, &[word(all)]].concat();
            steps.push(("lookup_insert", limits.grid(all), insert));
            let items = lookups * parts;
            let count = [&matrix[..], &search, &[inputs, missing, word(parts), word(items)]].concat();
            steps.push(("lookup_count", limits.grid(items), count));
            let (each_tile, each_lookup) = ((lookups * tiles, ITEMS), (lookups, ITEMS));
            let (used, tiles) = (word(used), word(tiles));
            steps.push(("lookup_tiles", each_tile, vec![inputs, used, tiles, sums]));
            steps.push(("lookup_before", each_lookup, vec![sums, used, tiles, groups]));
            let places = vec![inputs, used, tiles, sums, at(begins, 0), at(others, 0)];
            steps.push(("lookup_groups", each_tile, places));
        }
        let written =
            [missing, groups, at(begins, 0), at(others, 0), at(to, 0), word(rows), word(lookups * rows)];
        steps.push(("lookup_write", limits.grid(lookups * rows), [&matrix[..], &written].concat()));
        let launches: Vec<_> = steps
            .into_iter()
            // SAFETY: these kernels have these parameters. They read and write the entries of both regions, which have so many of them; slots, of which half stay empty, so that every search
            // ends; a number for each row of the tables; and of groups and other rows, which are as many as rows of a table, what was written before.
            .map(|(kernel, grid, args)| unsafe { Launch::new(program::<F>(), kernel, grid, args) })
            .collect();
        session.launch(&launches)?;
        if used == 0 {
            return Ok(());
        }
        let mut missing = vec![0_u32; lookups];
        session.download(cleared, 4 * missing_at, bytemuck::cast_slice_mut(&mut missing))?;
        let refused = missing.iter().enumerate().find(|(_, above)| **above > 0);
        refused
            .map_or(Ok(()), |(lookup, &above)| Err(Error::NotInTable { lookup, row: used - above as usize }))
    }
}

impl<F: AcceleratedField> Lookups<F> for Gpu {
    /// As many lookups at once as the budget has room for.
    fn permute_lookups(
        &self,
        matrix: MatrixView<'_, F>,
        used: usize,
        permuted: &mut [F],
    ) -> Result<(), Error> {
        let MatrixView { elements, rows, columns, row_step, .. } = matrix;
        let (words, column_major) = (F::MODULUS.len(), row_step == 1);
        let plan = |lookups| Plan { lookups, rows, used, words, column_major };
        let one = plan(1);
        self.divide(columns / 2, one.scratch().saturating_add(2 * one.entries()), |part| {
            let (own, plan) = (2 * part.start..2 * part.end, plan(part.len()));
            let part_of_matrix = match column_major {
                true => Part { blocks: own, columns: 0..1, width: 1 },
                false => Part { blocks: 0..1, columns: own, width: columns },
            };
            let mut session = Session::new(self)?;
            let from = self.upload_part(&mut session, &part_of_matrix, rows, elements)?;
            let to = session.allocate(plan.entries())?;
            plan.launch::<F>(&mut session, from, to).map_err(|error| error.of_lookups(part.start))?;
            self.download_part(&mut session, &part_of_matrix, rows, to, permuted)
        })
    }
}

impl<F: AcceleratedField> ResidentLookups<F> for Gpu {
    fn permute_lookups(&self, matrix: &Memory, extent: Extent, used: usize) -> Result<Memory, Error> {
        let (Extent { rows, width, block }, words) = (extent, F::MODULUS.len());
        let plan = Plan { lookups: width / words / 2, rows, used, words, column_major: block < width };
        self.grant(plan.scratch().saturating_add(2 * plan.entries()))?;
        let mut session = Session::new(self)?;
        let from = self.borrow(&mut session, matrix, extent);
        let to = session.allocate(plan.entries())?;
        plan.launch::<F>(&mut session, from, to)?;
        session.lease(to)
    }
}
