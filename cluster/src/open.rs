//! Shared libraries that are opened at run time.

use std::ffi::{OsStr, OsString};

/// The file that an environment variable names, or else the known names, the likeliest first.
pub(crate) fn names(variable: &str, known: &[&str]) -> Vec<OsString> {
    match std::env::var_os(variable).filter(|name| !name.is_empty()) {
        Some(name) => vec![name],
        None => known.iter().map(OsString::from).collect(),
    }
}

/// The first that can be used; otherwise why the likeliest cannot be, and what was tried.
pub(crate) fn first<L>(
    names: &[OsString],
    open: impl Fn(&OsStr, &str) -> Result<L, libloading::Error>,
) -> Result<L, (String, String)> {
    let mut reasons = Vec::new();
    for name in names {
        match open(name, &name.to_string_lossy()) {
            Ok(library) => return Ok(library),
            Err(reason) => reasons.push(match std::error::Error::source(&reason) {
                Some(source) => format!("{reason}: {source}"),
                None => reason.to_string(),
            }),
        }
    }
    let tried = names.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join(", ");
    Err((reasons.swap_remove(0), tried))
}
