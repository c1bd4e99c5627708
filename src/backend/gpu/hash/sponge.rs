//! The parameters of a sponge, as `kernels/sponge.cl` needs them.

use super::text::define;
use crate::hash::sponge::State;
use crate::hash::{Absorb, Merge, Padding, Sponge};

/// The mode of a sponge, and how many words its power maps take at a time.
pub(super) fn mode<S: Sponge>() -> String {
    let mode = S::MODE;
    let width = S::State::WIDTH;
    let mut text = String::new();
    // An index beyond the state, where no word of the capacity is initialised.
    let (word, start, rest) = match mode.padding {
        Padding::Length(word) => (word, "(count)".into(), "(word)"),
        Padding::Remainder(word) => (word, format!("((count) % {})", mode.rate), "0"),
        Padding::OneAndZeros(word) => (word, format!("((count) % {} != 0)", mode.rate), "((place) == 0)"),
        Padding::None => (width, "0".into(), "(word)"),
    };
    let absorb = match mode.absorb {
        Absorb::Add => "gl_add(word, element)",
        Absorb::Overwrite => "(element)",
    };
    let pair = if mode.merge == Merge::Sponge { mode.rate_word } else { 0 };
    define(&mut text, "SPONGE_WIDTH", width);
    define(&mut text, "SPONGE_RATE", mode.rate);
    define(&mut text, "SPONGE_RATE_WORD", mode.rate_word);
    define(&mut text, "SPONGE_PAIR_WORD", pair);
    define(&mut text, "SPONGE_CAPACITY_WORD", word);
    define(&mut text, "SPONGE_START(count)", start);
    define(&mut text, "SPONGE_REST(place, word)", rest);
    define(&mut text, "SPONGE_ABSORB(word, element)", absorb);
    define(&mut text, "SPONGE_JIVE", u32::from(mode.merge == Merge::Jive));
    define(&mut text, "POWERS_AT_ONCE", if width.is_multiple_of(3) { 3 } else { 4 });
    text
}
