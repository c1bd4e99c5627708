//! The interface from within: arguments random and nearly right, and what C cannot provoke.

mod hashes;
mod mutations;
mod random;
mod statuses;
mod stays;
