//! The interface from within: random arguments, and what C cannot provoke.

mod random;
mod statuses;
