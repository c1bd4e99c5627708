//! The interface from within: arguments random and nearly right, and what C cannot provoke.

mod mutations;
mod numbers;
mod random;
mod statuses;
mod stays;
