//! Runs of tests of which as many in a row as there are turns do everything. What takes long and stands for more of the same has one of them.

/// How many there are.
pub const TURNS: usize = 6;

/// The number of a run, of `ZKACCEL_TURN`. Without one, everything runs where devices are required (`ZKACCEL_REQUIRE`), and what has the last turn elsewhere.
pub fn turn() -> Option<usize> {
    match std::env::var("ZKACCEL_TURN") {
        Ok(number) => Some(number.parse().expect("ZKACCEL_TURN is a number")),
        Err(_) => std::env::var_os("ZKACCEL_REQUIRE").is_none().then_some(TURNS - 1),
    }
}

/// Whether what has one of the turns runs now.
pub fn has_turn(place: usize) -> bool {
    turn().is_none_or(|turn| turn % TURNS == place)
}

/// Whether what has every second turn runs now, the even ones (0) or the odd ones (1).
pub fn has_half(place: usize) -> bool {
    turn().is_none_or(|turn| turn % 2 == place)
}
