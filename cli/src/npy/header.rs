//! The header of a `.npy` file: a Python dictionary with three known keys.

/// The three entries of a header, as far as they were found.
#[derive(Default)]
pub(super) struct Header {
    descr: Option<String>,
    fortran_order: Option<bool>,
    shape: Option<Vec<u64>>,
}

impl Header {
    /// Parses the dictionary; only the forms that a matrix can have are known.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut scanner = Scanner { rest: text };
        let mut header = Self::default();
        scanner.expect('{')?;
        while !scanner.accept('}') {
            let key = scanner.string()?;
            scanner.expect(':')?;
            let twice = match key {
                "descr" => header.descr.replace(scanner.descr()?).is_some(),
                "fortran_order" => header.fortran_order.replace(scanner.boolean()?).is_some(),
                "shape" => header.shape.replace(scanner.tuple()?).is_some(),
                other => return Err(format!("the header has the unknown key {other:?}")),
            };
            if twice {
                return Err(format!("the header has the key {key:?} twice"));
            }
            if !scanner.accept(',') {
                scanner.expect('}')?;
                break;
            }
        }
        match scanner.rest.trim_matches([' ', '\n', '\0']) {
            "" => Ok(header),
            rest => Err(format!("the header goes on with {:?} after its end", start_of(rest))),
        }
    }

    /// The shape, if this is a matrix of words in C order.
    pub(super) fn shape(self) -> Result<[usize; 2], String> {
        let missing = |key| format!("the header lacks the key {key:?}");
        let descr = self.descr.ok_or_else(|| missing("descr"))?;
        if descr != "<u8" {
            let expected = "expected '<u8' (little-endian unsigned 64-bit words)";
            return Err(format!("the dtype is {descr:?}, {expected}"));
        }
        if self.fortran_order.ok_or_else(|| missing("fortran_order"))? {
            return Err("the matrix is in Fortran order, expected C order (row by row)".into());
        }
        let shape = self.shape.ok_or_else(|| missing("shape"))?;
        let &[rows, columns] = shape.as_slice() else {
            let dimensions: Vec<_> = shape.iter().map(u64::to_string).collect();
            let found = dimensions.join(", ");
            return Err(format!("the shape is ({found}), expected two dimensions (rows, columns)"));
        };
        if rows == 0 || columns == 0 {
            return Err(format!(
                "the shape is ({rows}, {columns}), expected at least one row and one column"
            ));
        }
        let fits =
            |n: u64| usize::try_from(n).map_err(|_| format!("the shape ({rows}, {columns}) is too large"));
        Ok([fits(rows)?, fits(columns)?])
    }
}

/// Goes through a header from left to right, without recursion.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn accept(&mut self, token: char) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn expect(&mut self, token: char) -> Result<(), String> {
        match self.accept(token) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("'{token}'"))),
        }
    }

    fn unexpected(&self, expected: &str) -> String {
        format!("the header has {:?} where {expected} is expected", start_of(self.rest))
    }

    fn string(&mut self) -> Result<&'a str, String> {
        let quote = if self.accept('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.expect('"').map_err(|_| self.unexpected("a text in quotes"))?;
        }
        let (text, rest) = self.rest.split_once(quote).ok_or_else(|| self.unexpected("an end of quotes"))?;
        self.rest = rest;
        Ok(text)
    }

    /// A dtype as numpy writes it; the list of a structured one is used only in a message.
    fn descr(&mut self) -> Result<String, String> {
        if self.rest.trim_start().starts_with('[') {
            return Err(
                "the dtype is a structure, expected '<u8' (little-endian unsigned 64-bit words)".into()
            );
        }
        self.string().map(str::to_owned)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.unexpected("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            numbers.push(digits.parse().map_err(|_| self.unexpected("a number of at most 64 bits"))?);
            self.rest = rest;
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(numbers)
    }
}

/// The first characters of a text, for a message.
fn start_of(text: &str) -> String {
    text.chars().take(24).collect()
}
