//! Runs of tests of which as many in a row as there are turns do everything. What takes long and stands for more of the same has one of them.

/// How many there are.
pub const TURNS: usize = 3;

/// The number of a run, of `ZKACCEL_TURN`; a run without one does everything.
pub fn turn() -> Option<usize> {
    Some(std::env::var("ZKACCEL_TURN").ok()?.parse().expect("ZKACCEL_TURN is a number"))
}

/// Whether what has one of the turns runs now.
pub fn has_turn(place: usize) -> bool {
    turn().is_none_or(|turn| turn % TURNS == place)
}
