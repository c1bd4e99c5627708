//! Values of arguments, from text.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use zkaccel::Error;
use zkaccel::field::Goldilocks;
use zkaccel::merkle::Approach;
use zkaccel::ntt::Convention;
use zkaccel::policy::Policy;

use crate::hashes::{HashName, approach_help};

/// A value that is chosen by name from a list.
pub(crate) trait Named: FromStr<Err = Error> + Clone + Send + Sync + 'static {
    /// All names, in the order in which they are listed to users.
    fn names() -> Vec<&'static str>;
}

impl Named for HashName {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|hash| hash.name()).collect()
    }
}

impl Named for Convention {
    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::name).to_vec()
    }
}

impl Named for Approach {
    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::name).to_vec()
    }
}

impl Named for Policy {
    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::name).to_vec()
    }
}

/// The parser of such names: it lists all of them in the help, and its error is the library's.
pub(crate) struct OneOf<T>(PhantomData<fn() -> T>);

/// One of a list of names.
pub(crate) fn one_of<T: Named>() -> OneOf<T> {
    OneOf(PhantomData)
}

impl<T> Clone for OneOf<T> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<T: Named> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parse: fn(&str) -> Result<T, Error> = str::parse;
        parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(T::names().into_iter().map(PossibleValue::new)))
    }
}

/// A whole number without sign.
pub(crate) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    // `parse` alone would take "+3".
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = if digits { text.parse().ok() } else { None };
    parsed.ok_or_else(|| format!("found {text:?}, expected a whole number of at most 64 bits"))
}

/// A number of at least one.
pub(crate) fn positive(text: &str) -> Result<usize, String> {
    match number(text)? {
        0 => Err("found 0, expected at least 1".into()),
        number => Ok(number),
    }
}

/// A field element: an integer below p, in decimal, or in hexadecimal after 0x.
pub(crate) fn element(text: &str) -> Result<Goldilocks, String> {
    let refused = || {
        format!("found {text:?}, expected a whole number of at most 64 bits, or one in hexadecimal after 0x")
    };
    let value = match text.strip_prefix("0x") {
        // `from_str_radix` alone would take a sign.
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).map_err(|_| refused())?
        }
        Some(_) => return Err(refused()),
        None => number(text).map_err(|_| refused())?,
    };
    Goldilocks::try_from(value)
        .map_err(|_| format!("found {text}, expected a field element below {}", Goldilocks::MODULUS))
}

/// A field element as files hold it, in its one form: decimal, without leading zeros.
pub(crate) fn canonical_element(text: &str) -> Result<Goldilocks, String> {
    match element(text)? {
        element if element.to_string() == text => Ok(element),
        _ => Err(format!("found {text:?}, expected a decimal number without leading zeros")),
    }
}

/// A coset shift; zero is refused by the library, with the same error for every caller.
pub(crate) fn shift(text: &str) -> Result<Goldilocks, String> {
    nonzero(element(text)?)
}

/// A coset shift as files hold it.
pub(crate) fn canonical_shift(text: &str) -> Result<Goldilocks, String> {
    nonzero(canonical_element(text)?)
}

fn nonzero(shift: Goldilocks) -> Result<Goldilocks, String> {
    match shift == Goldilocks::default() {
        true => Err(Error::BadShift.to_string()),
        false => Ok(shift),
    }
}

/// A number of bytes: digits, and K, M, G or T for powers of 1024, with or without "iB" behind it.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let refused = || format!("found {text:?}, expected a number of bytes such as 4096, 512M or 16GiB");
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let unit = suffix.strip_suffix("iB").unwrap_or(suffix);
    let power = match unit {
        "" if suffix.is_empty() => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(refused()),
    };
    let count: u64 = number(digits).map_err(|_| refused())?;
    count.checked_mul(1024_u64.pow(power)).ok_or_else(refused)
}

/// A time: digits, and s, m or h for seconds, minutes or hours.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let refused = || format!("found {text:?}, expected a time such as 90s, 15m or 1h");
    let units = [("s", 1), ("m", 60), ("h", 3600)];
    let found = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, *seconds)));
    let (digits, unit) = found.ok_or_else(refused)?;
    let count: u64 = number(digits).map_err(|_| refused())?;
    match count.checked_mul(unit) {
        Some(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
        _ => Err(refused()),
    }
}

/// Approaches to trees, as one argument.
#[derive(Clone, Debug)]
pub(crate) struct Approaches(pub(crate) Vec<Approach>);

/// The help of an argument for them.
pub(crate) fn approaches_help() -> String {
    let names = Approach::names().join(", ");
    approach_help(&format!("How a GPU builds trees: {names}, or all, which measures each of them"))
}

/// The name of one approach, or `all`.
pub(crate) fn approaches(text: &str) -> Result<Approaches, String> {
    if text == "all" {
        return Ok(Approaches(Approach::ALL.to_vec()));
    }
    let one = text.parse().map_err(|error: Error| format!("{error}, or all"))?;
    Ok(Approaches(vec![one]))
}

/// Indices of rows, as one argument.
#[derive(Clone, Debug)]
pub(crate) struct Rows(pub(crate) Vec<usize>);

/// Row indices separated by commas; an empty text is an empty list, which the library refuses.
pub(crate) fn rows(text: &str) -> Result<Rows, String> {
    if text.is_empty() {
        return Ok(Rows(Vec::new()));
    }
    text.split(',').map(number).collect::<Result<_, _>>().map(Rows)
}

/// Binary logarithms of sizes, as one argument.
#[derive(Clone, Debug)]
pub(crate) struct Sizes(pub(crate) Vec<u32>);

/// `12..20` with both ends, or `12,14,16`.
pub(crate) fn sizes(text: &str) -> Result<Sizes, String> {
    let one = |text: &str| match number::<u32>(text)? {
        log_size @ 0..=32 => Ok(log_size),
        other => Err(format!("found 2^{other}, expected sizes of at most 2^32")),
    };
    let sizes = match text.split_once("..") {
        Some((first, last)) => (one(first)?..=one(last)?).collect(),
        None => text.split(',').map(one).collect::<Result<Vec<_>, _>>()?,
    };
    match sizes.is_empty() {
        true => Err(format!("found {text:?}, expected an ascending range such as 12..20")),
        false => Ok(Sizes(sizes)),
    }
}
