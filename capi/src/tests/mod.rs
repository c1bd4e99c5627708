//! The interface from within: arguments random and nearly right, and what C cannot provoke. Fuzz targets make calls with them too.

#[allow(missing_docs, reason = "read by the tests here and by fuzz targets")]
pub mod case;
#[cfg(test)]
mod mutations;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod random;
#[cfg(test)]
mod statuses;
mod stays;
