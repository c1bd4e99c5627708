//! The container of iden3's binary files (`.zkey`, `.wtns`, `.r1cs`), and fields that are read from it.
//!
//! # Layout
//!
//! Four letters that name the format, a version (u32), the number of sections (u32); then the sections, in any order, each with its number (u32), its
//! length in bytes (u64) and its data. All integers are little-endian. A reader looks sections up by their numbers and ignores those that it does not
//! know.

use std::fmt;
use std::io::{self, Write};

use crate::Error;
use crate::numbers::decimal;
use crate::pairing::{AnyPairing, Pairing};

/// One of the formats.
pub(crate) struct Format {
    /// Its first four bytes, which are also its name.
    pub(crate) magic: &'static str,
    pub(crate) version: u32,
    /// The numbers of the sections that are read, with their names.
    pub(crate) sections: &'static [(u32, &'static str)],
}

/// A file of a format, looked at in place.
#[derive(Clone)]
pub(crate) struct Container<'a> {
    magic: &'static str,
    sections: Vec<Section<'a>>,
}

/// A section, looked at in place.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    magic: &'static str,
    number: u32,
    name: &'static str,
    pub(crate) bytes: &'a [u8],
}

/// Where a section is, for messages.
impl fmt::Display for Section<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: section {} ({})", self.magic, self.number, self.name)
    }
}

#[cfg(test)]
impl<'a> Section<'a> {
    /// Bytes as a section of a file without others.
    pub(crate) fn alone(bytes: &'a [u8]) -> Self {
        Self { magic: "test", number: 1, name: "points", bytes }
    }
}

impl<'a> Container<'a> {
    /// The sections of a file. Each of those that the format names is there once, and the file ends where they do.
    pub(crate) fn parse(format: &Format, bytes: &'a [u8]) -> Result<Self, Error> {
        let magic = format.magic;
        let mut head = Fields { place: format!("{magic}: the file's first 12 bytes"), bytes };
        let found = head.take(4, "the name of the format")?;
        if found != magic.as_bytes() {
            let found = format!("{:?}", String::from_utf8_lossy(found));
            return Err(Error::malformed(
                format!("{magic}: the file's first 4 bytes"),
                found,
                format!("{magic:?}"),
            ));
        }
        let version = head.u32("the version")?;
        if version != format.version {
            return Err(Error::malformed(format!("{magic}: the version"), version, format.version));
        }
        let count = head.u32("the number of sections")?;
        let mut sections: Vec<Section<'a>> = Vec::with_capacity(format.sections.len());
        let mut rest = Fields { place: format!("{magic}: the list of sections"), bytes: head.bytes };
        for i in 0..count {
            rest.place = format!("{magic}: section {} of {count} in the file", u64::from(i) + 1);
            let (number, length) = (rest.u32("its number")?, rest.u64("its length")?);
            let bytes = rest.take(length, "its data")?;
            let Some(&(_, name)) = format.sections.iter().find(|(known, _)| *known == number) else {
                continue;
            };
            let section = Section { magic, number, name, bytes };
            if sections.iter().any(|section| section.number == number) {
                return Err(Error::malformed(section, "the section twice", "it once"));
            }
            sections.push(section);
        }
        rest.place = format!("{magic}: after the last of {count} sections");
        rest.end()?;
        let container = Self { magic, sections };
        format.sections.iter().try_for_each(|&(number, name)| {
            match container.sections.iter().any(|section| section.number == number) {
                true => Ok(()),
                false => Err(Error::malformed(
                    Section { magic: container.magic, number, name, bytes: &[] },
                    "no such section",
                    "one",
                )),
            }
        })?;
        Ok(container)
    }

    /// The section with a number that the format names.
    pub(crate) fn section(&self, number: u32) -> Section<'a> {
        let found = self.sections.iter().find(|section| section.number == number);
        *found.unwrap_or_else(|| panic!("{} has a section {number}", self.magic))
    }
}

impl<'a> Section<'a> {
    /// The fields of the section, from its beginning.
    pub(crate) fn fields(&self) -> Fields<'a> {
        Fields { place: self.to_string(), bytes: self.bytes }
    }

    /// An error unless the section has `count` records of `size` bytes after `before` bytes.
    pub(crate) fn check_length(&self, before: u64, count: u64, size: u64) -> Result<(), Error> {
        let expected = count.checked_mul(size).and_then(|bytes| bytes.checked_add(before));
        match expected == Some(self.bytes.len() as u64) {
            true => Ok(()),
            false => {
                let expected = expected.map_or("more than 2^64".into(), |bytes| bytes.to_string());
                let expected = format!("{expected} bytes, for {count} of {size} bytes each");
                Err(Error::malformed(self, format!("{} bytes", self.bytes.len()), expected))
            }
        }
    }

    /// The error for one of the section's records.
    pub(crate) fn malformed(
        &self,
        record: impl fmt::Display,
        found: impl ToString,
        expected: impl ToString,
    ) -> Error {
        Error::malformed(format!("{self}: {record}"), found, expected)
    }
}

/// Fields that are read one after another.
pub(crate) struct Fields<'a> {
    pub(crate) place: String,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The next bytes.
    pub(crate) fn take(&mut self, length: u64, what: &str) -> Result<&'a [u8], Error> {
        let left = self.bytes.len();
        match usize::try_from(length).ok().and_then(|length| self.bytes.split_at_checked(length)) {
            Some((taken, rest)) => {
                self.bytes = rest;
                Ok(taken)
            }
            None => Err(self.malformed(what, format!("{left} bytes to the end"), format!("{length} bytes"))),
        }
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        Ok(self.take(N as u64, what)?.try_into().expect("as many bytes as asked for"))
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32, Error> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &str) -> Result<u64, Error> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// An integer, as many words as there is room for.
    pub(crate) fn integer(&mut self, what: &str, words: &mut [u64]) -> Result<(), Error> {
        words.iter_mut().try_for_each(|word| self.u64(what).map(|read| *word = read))
    }

    /// The size and the modulus of a field of a pairing, which must be those of `modulus`.
    pub(crate) fn expect_field<P: Pairing>(&mut self, name: &str, modulus: &[u64]) -> Result<(), Error> {
        self.field_of(name, &[(P::VALUE, modulus)]).map(drop)
    }

    /// The pairing of the list whose field has this size and this modulus.
    pub(crate) fn pairing(
        &mut self,
        name: &str,
        modulus: fn(AnyPairing) -> &'static [u64],
    ) -> Result<AnyPairing, Error> {
        let all: Vec<_> = AnyPairing::ALL.iter().map(|&pairing| (pairing, modulus(pairing))).collect();
        self.field_of(name, &all)
    }

    /// The pairing, out of several with the moduli of their fields.
    fn field_of(&mut self, name: &str, pairings: &[(AnyPairing, &[u64])]) -> Result<AnyPairing, Error> {
        let expected = |text: fn(&[u64]) -> String| {
            let each = pairings.iter().map(|(of, modulus)| format!("{}, of {}", text(modulus), of.name()));
            each.collect::<Vec<_>>().join(", or ")
        };
        let what = format!("n8{name}, the bytes of an element");
        let bytes = self.u32(&what)? as usize;
        if pairings.iter().all(|(_, modulus)| size_of_val(*modulus) != bytes) {
            return Err(self.malformed(&what, bytes, expected(|modulus| size_of_val(modulus).to_string())));
        }
        let what = format!("{name}, the modulus");
        let mut found = vec![0; bytes / size_of::<u64>()];
        self.integer(&what, &mut found)?;
        match pairings.iter().find(|(_, modulus)| *modulus == found) {
            Some((pairing, _)) => Ok(*pairing),
            None => Err(self.malformed(&what, decimal(&found), expected(decimal))),
        }
    }

    /// An error unless all was read.
    pub(crate) fn end(&self) -> Result<(), Error> {
        match self.bytes.len() {
            0 => Ok(()),
            more => Err(self.malformed("its end", format!("{more} bytes more"), "none")),
        }
    }

    /// The error for a field.
    pub(crate) fn malformed(&self, what: &str, found: impl ToString, expected: impl ToString) -> Error {
        Error::malformed(format!("{}: {what}", self.place), found, expected)
    }
}

/// A section to be written: its number, its length, and what writes as many bytes.
pub(crate) type Written<'a> = (u32, u64, Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>);

/// Writes a file of a format.
pub(crate) fn write(format: &Format, sections: Vec<Written<'_>>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(format.magic.as_bytes())?;
    out.write_all(&format.version.to_le_bytes())?;
    out.write_all(&(sections.len() as u32).to_le_bytes())?;
    for (number, length, write) in sections {
        out.write_all(&number.to_le_bytes())?;
        out.write_all(&length.to_le_bytes())?;
        write(out)?;
    }
    Ok(())
}
