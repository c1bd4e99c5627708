//! The programs on the pages of the book, `docs/`: each is a test. `tools/book/blocks.py` knows when a page is missing here.

macro_rules! pages {
    ($($name:ident: $path:literal;)*) => {$(
        #[doc = include_str!($path)]
        mod $name {}
    )*};
}
pages! {
    readme: "../../../README.md";
    first: "../../../docs/first.md";
    conventions: "../../../docs/conventions.md";
    transforms: "../../../docs/operations/transforms.md";
    extensions: "../../../docs/operations/extensions.md";
    trees: "../../../docs/operations/trees.md";
    commitments: "../../../docs/operations/commitments.md";
    sums: "../../../docs/operations/sums.md";
    points: "../../../docs/operations/points.md";
    inverses: "../../../docs/operations/inverses.md";
    programs: "../../../docs/operations/programs.md";
    combinations: "../../../docs/operations/combinations.md";
    prefix: "../../../docs/operations/prefix.md";
    lookups: "../../../docs/operations/lookups.md";
    vectors: "../../../docs/operations/vectors.md";
    devices: "../../../docs/devices.md";
    memory: "../../../docs/memory.md";
    cluster: "../../../docs/cluster.md";
}
