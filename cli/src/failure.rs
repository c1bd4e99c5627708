//! Why a command ends early: one sentence and an exit status.

use std::fmt::Display;

/// The longest message that is printed, in characters; hostile files can hold texts of any length.
const LONGEST: usize = 600;

/// A sentence for stderr and the status to exit with.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The message, which says what was expected and what was found.
    message: String,
    /// 1 for a false proof, 2 for everything else.
    pub(crate) status: u8,
}

impl Failure {
    /// The status of a well-formed claim that is false.
    pub(crate) const REFUTED: u8 = 1;

    /// Bad input, a missing device, a file that cannot be written: exit status 2.
    pub(crate) fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), status: 2 }
    }

    /// A well-formed claim that is false: exit status 1.
    pub(crate) fn refuted(message: impl Display) -> Self {
        Self { message: message.to_string(), status: Self::REFUTED }
    }

    /// An error that another process has printed: exit status 2.
    pub(crate) fn told_elsewhere() -> Self {
        Self::new("")
    }

    /// Whether there is nothing left to print.
    pub(crate) fn is_told(&self) -> bool {
        self.message.is_empty()
    }

    /// The message on one line and of bounded length, whatever it quotes from a file or an argument.
    pub(crate) fn line(&self) -> String {
        printable_line(&self.message)
    }
}

/// A message on one line and of bounded length.
pub(crate) fn printable_line(message: &str) -> String {
    let mut line: String = message.chars().take(LONGEST).flat_map(printable).collect();
    if message.chars().nth(LONGEST).is_some() {
        line.push_str(" ...");
    }
    line
}

/// A character as it may be sent to a terminal.
fn printable(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control().then(|| c.escape_default());
    let plain = (!c.is_control()).then_some(c);
    escaped.into_iter().flatten().chain(plain)
}

impl From<zkaccel::Error> for Failure {
    fn from(error: zkaccel::Error) -> Self {
        match error {
            zkaccel::Error::NotVerified => Self::refuted(error),
            error => Self::new(error),
        }
    }
}

impl From<zkaccel_groth16::Error> for Failure {
    fn from(error: zkaccel_groth16::Error) -> Self {
        match error {
            zkaccel_groth16::Error::NotVerified => Self::refuted(error),
            error => Self::new(error),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(error)
    }
}

/// Adds the subject of an error.
pub(crate) trait Context<T> {
    /// Puts `subject: ` before the message and keeps the status.
    fn context(self, subject: impl Display) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> Context<T> for Result<T, E> {
    fn context(self, subject: impl Display) -> Result<T, Failure> {
        self.map_err(|error| {
            let Failure { message, status } = error.into();
            Failure { message: format!("{subject}: {message}"), status }
        })
    }
}
