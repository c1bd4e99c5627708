//! The interface from within: random arguments, and what C cannot provoke.

mod hashes;
mod random;
mod statuses;
