//! Choices by name, as the command line, the environment and files have them.

/// Reads and writes the values of an enum by their names: `name` of each of `ALL`.
macro_rules! named {
    ($choice:ty, $what:literal) => {
        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $choice {
            type Err = crate::error::Error;

            /// [`Error::UnknownName`](crate::Error::UnknownName) for anything that is not a [`name`](Self::name).
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.into_iter().find(|choice| choice.name() == text).ok_or_else(|| {
                    Self::Err::UnknownName {
                        what: $what,
                        found: text.into(),
                        expected: Self::ALL.map(Self::name).join(", "),
                    }
                })
            }
        }
    };
}
pub(crate) use named;
