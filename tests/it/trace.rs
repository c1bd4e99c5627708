//! The example trace: what the committed file holds, and that it can be made again byte for byte.

#[path = "../../examples/trace.rs"]
mod example;

#[test]
fn the_file_is_what_the_example_makes() {
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/trace.npy")).unwrap();
    assert!(
        example::npy().unwrap() == file,
        "examples/data/trace.npy is not what `cargo run --example trace` makes"
    );
}

#[test]
fn the_machine_counts_primes() {
    let trace = example::trace();
    let prime = |n: u64| n >= 2 && (2..n).all(|d| !n.is_multiple_of(d));
    for row in trace.chunks_exact(example::COLUMNS).filter(|row| row[1] == 2) {
        let (count, candidate) = (row[6], row[7]);
        assert_eq!(count as usize, (2..candidate).filter(|&n| prime(n)).count(), "primes below {candidate}");
    }
}
