//! The programs of passes: one for each tile, access and number form, compiled and loaded when first used.

use std::sync::LazyLock;

use super::super::program::Program;

/// The number form of butterflies; see `kernels/ntt_form.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) enum Form {
    /// On canonical words.
    Plain,
    /// On pairs of doubles, for devices with full-rate FP64.
    Double,
}

/// The words that work items load and store: neighbouring items follow columns, or the rows of a column where those are
/// contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Access {
    /// Columns at both ends.
    Columns,
    /// Rows are loaded, columns stored.
    RowsIn,
    /// Rows at both ends.
    Rows,
}

/// The part that a work group transforms: 2^(sum of the layers) points of 2^log_columns columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    /// Binary logarithms of the radices; 0 for absent layers.
    pub(super) layers: [u32; 3],
    /// Binary logarithm of the number of columns.
    pub(super) log_columns: u32,
    /// Groups that registers allow on a multiprocessor where columns are followed, and where rows are: the most without spills.
    groups: [u32; 2],
}

impl Tile {
    const fn new(layers: [u32; 3], log_columns: u32, groups: [u32; 2]) -> Self {
        Self { layers, log_columns, groups }
    }

    /// Binary logarithm of the points of a column.
    pub(super) fn log_size(&self) -> u32 {
        self.layers.iter().sum()
    }

    /// Binary logarithm of the radix of the last layer.
    pub(super) fn log_last(&self) -> u32 {
        self.layers.into_iter().rfind(|&layer| layer > 0).unwrap_or(0)
    }

    /// Work items of a group.
    pub(super) fn items(&self) -> usize {
        let points = self.layers.into_iter().max().unwrap_or(0);
        1 << (self.log_size() + self.log_columns - points)
    }
}

/// The tiles for columns of 2^i points at index i: enough columns for 128 items and whole memory transactions, and work-group memory
/// within 48 KiB.
const WIDE: [Tile; 11] = [
    Tile::new([0, 0, 0], 7, [6, 6]),
    Tile::new([1, 0, 0], 7, [6, 6]),
    Tile::new([2, 0, 0], 7, [6, 6]),
    Tile::new([3, 0, 0], 7, [6, 6]),
    Tile::new([4, 0, 0], 7, [4, 4]),
    Tile::new([3, 2, 0], 5, [8, 8]),
    Tile::new([3, 3, 0], 4, [8, 8]),
    Tile::new([4, 3, 0], 4, [5, 5]),
    Tile::new([4, 4, 0], 3, [5, 5]),
    Tile::new([3, 3, 3], 2, [4, 4]),
    Tile::new([4, 3, 3], 2, [3, 2]),
];

/// The tiles for columns of 2^5 points and more in transforms so small that there are too few groups: few columns, radix 8 at
/// most.
const NARROW: [Tile; 5] = [
    Tile::new([3, 2, 0], 3, [16, 16]),
    Tile::new([3, 3, 0], 2, [16, 16]),
    Tile::new([3, 2, 2], 1, [16, 16]),
    Tile::new([3, 3, 2], 1, [12, 12]),
    Tile::new([3, 3, 3], 1, [6, 6]),
];

/// The tile for columns of 2^`log_size` points.
pub(super) fn tile(log_size: u32, narrow: bool) -> Tile {
    match log_size.checked_sub(5) {
        Some(index) if narrow && (index as usize) < NARROW.len() => NARROW[index as usize],
        _ => WIDE[log_size as usize],
    }
}

struct Pass {
    form: Form,
    tile: Tile,
    access: Access,
    program: Program,
}

/// Every pass.
static PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for form in [Form::Plain, Form::Double] {
        for tile in WIDE.into_iter().chain(NARROW) {
            for access in [Access::Columns, Access::RowsIn, Access::Rows] {
                if exists(tile.log_size(), access) {
                    all.push(Pass { form, tile, access, program: program(form, tile, access) });
                }
            }
        }
    }
    all
});

/// Whether there is a program for columns of 2^`log_size` points with an access.
pub(super) fn exists(log_size: u32, access: Access) -> bool {
    match access {
        Access::Columns => true,
        Access::RowsIn => log_size >= 5,
        Access::Rows => log_size >= 1,
    }
}

fn program(form: Form, tile: Tile, access: Access) -> Program {
    let [a, b, c] = tile.layers;
    let form_name = match form {
        Form::Plain => "plain",
        Form::Double => "double",
    };
    let access_name = match access {
        Access::Columns => "columns",
        Access::RowsIn => "rows_in",
        Access::Rows => "rows",
    };
    let name = format!("ntt_{form_name}_{a}{b}{c}_{}_{access_name}", tile.log_columns);
    let doubles: &[&str] = &[
        include_str!("../../../../kernels/double.h"),
        include_str!("../../../../kernels/ntt_form.h"),
        include_str!("../../../../kernels/ntt_pass.cl"),
    ];
    // Registers are allocated in multiples of eight, and a multiprocessor has 65536.
    let groups = tile.groups[(access != Access::Columns) as usize];
    let registers = (65536 / (groups * tile.items() as u32) / 8 * 8).clamp(32, 255);
    Program {
        // It lives as long as the program itself, which is never dropped; so do the parameters.
        name: Box::leak(name.into_boxed_str()),
        kernels: match form {
            Form::Plain => &doubles[1..],
            Form::Double => doubles,
        },
        parameters: Box::leak(Box::new([
            ("NTT_DOUBLE", (form == Form::Double) as u32),
            ("NTT_LR1", a),
            ("NTT_LR2", b),
            ("NTT_LR3", c),
            ("NTT_LC", tile.log_columns),
            ("NTT_ROWS_IN", (access != Access::Columns) as u32),
            ("NTT_ROWS_OUT", (access == Access::Rows) as u32),
            ("NTT_GROUPS", groups),
        ])),
        registers: Some(registers),
        ..Program::EMPTY
    }
}

/// The program of a pass.
pub(super) fn pass(form: Form, tile: Tile, access: Access) -> &'static Program {
    let found = PASSES.iter().find(|pass| (pass.form, pass.tile, pass.access) == (form, tile, access));
    &found.expect("plans ask for programs that exist").program
}

/// The programs of all passes.
pub(in super::super) fn all() -> impl Iterator<Item = &'static Program> {
    PASSES.iter().map(|pass| &pass.program)
}
