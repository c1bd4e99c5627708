//! Values of arguments, from text.

use std::str::FromStr;

use zkaccel::Error;
use zkaccel::field::Goldilocks;
use zkaccel::merkle::Approach;

/// A whole number without sign.
pub(crate) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    // `parse` alone would take "+3".
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = if digits { text.parse().ok() } else { None };
    parsed.ok_or_else(|| format!("found {text:?}, expected a whole number of at most 64 bits"))
}

/// A field element in its one decimal form: below p, no sign, no leading zeros.
pub(crate) fn element(text: &str) -> Result<Goldilocks, String> {
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("found {text:?}, expected a number without leading zeros"));
    }
    let value: u64 = number(text)?;
    Goldilocks::try_from(value)
        .map_err(|_| format!("found {value}, expected a field element below {}", Goldilocks::MODULUS))
}

/// A coset shift; zero is the library's to refuse, which says the same to every caller.
pub(crate) fn shift(text: &str) -> Result<Goldilocks, String> {
    match element(text)? {
        zero if zero == Goldilocks::default() => Err(Error::BadShift.to_string()),
        shift => Ok(shift),
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

/// Approaches to trees, as one argument.
#[derive(Clone, Debug)]
pub(crate) struct Approaches(pub(crate) Vec<Approach>);

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
