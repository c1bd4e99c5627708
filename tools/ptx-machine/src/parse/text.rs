//! Statements, lists and numbers.

/// What is left of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Where it is in the text.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Whether there is more than space and comments, which it passes.
    pub(super) fn more(&mut self) -> bool {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return !trimmed.is_empty();
            }
            self.line();
        }
    }

    /// The rest of the line.
    pub(super) fn line(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The next word, which stays.
    pub(super) fn peek_word(&self) -> &'a str {
        self.rest().split_whitespace().next().unwrap_or_default()
    }

    /// What comes before a character, which is passed.
    pub(super) fn until(&mut self, end: char) -> Result<&'a str, String> {
        let rest = self.rest();
        let found = rest.find(end).ok_or_else(|| format!("no {end:?} until the end of the text"))?;
        self.at += found + end.len_utf8();
        Ok(&rest[..found])
    }

    /// Passes a character, if it comes next.
    pub(super) fn pass(&mut self, character: char) -> bool {
        let comes = self.rest().starts_with(character);
        if comes {
            self.at += character.len_utf8();
        }
        comes
    }

    /// A label, if one comes next.
    pub(super) fn label(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c)))?;
        let is_label = end > 0 && rest[end..].starts_with(':');
        is_label.then(|| {
            self.at += end + 1;
            &rest[..end]
        })
    }
}

/// A number of PTX: decimal or hexadecimal, and the representation of a double.
pub(super) fn integer(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let parsed = match text.strip_prefix('-') {
        Some(digits) => magnitude(digits).map(u64::wrapping_neg),
        None => magnitude(text),
    };
    parsed.ok_or_else(|| format!("{text:?} is no number"))
}

fn magnitude(text: &str) -> Option<u64> {
    let prefixed = |prefix| text.strip_prefix(prefix);
    match prefixed("0x").or_else(|| prefixed("0d")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// What commas separate outside of brackets of any form.
pub(super) fn separate(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// What is listed in a pair of brackets, or the text itself.
pub(super) fn items(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = [('{', '}'), ('(', ')')]
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    separate(inner.unwrap_or(text))
}

/// The beginning of a text, for messages.
pub(super) fn quoted(text: &str) -> &str {
    let end = text.find(';').map_or(text.len(), |end| end + 1).min(120);
    text.get(..end).unwrap_or(text).trim()
}
