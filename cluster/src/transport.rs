//! What an algorithm over ranks asks of the way between them.

use crate::error::Error;

/// The way between ranks. All calls but `rank`, `size` and `abort` are collective: every rank makes them in the same order.
///
/// Lengths are in words of 64 bits, without a limit but memory. Every wait ends: with an error at a deadline, if a rank does not come. After an error of a call
/// that waits the transport refuses all others with [`Error::Broken`].
pub trait Transport: Send + Sync {
    /// The number of this rank, from 0 on.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// Sends words to every rank, of which this one keeps its own, and receives from rank r as many as `counts[r]`, in the order of ranks. Messages of no words are not sent.
    ///
    /// [`Error::Gone`], [`Error::Deadline`], [`Error::Length`], [`Error::Broken`].
    fn exchange(&self, send: Vec<Vec<u64>>, counts: &[usize]) -> Result<Vec<Vec<u64>>, Error>;

    /// Ends all ranks as far as the transport can, for a reason.
    fn abort(&self, reason: &str);

    /// Returns once all ranks have called it.
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather_of(vec![0]).map(drop)
    }

    /// The words of the rank `root`, which are `count`, on every rank. What other ranks bring is dropped.
    fn broadcast(&self, root: usize, words: Vec<u64>, count: usize) -> Result<Vec<u64>, Error> {
        let is_root = self.rank() == root;
        let send = vec![if is_root { words } else { Vec::new() }; self.size()];
        let counts: Vec<_> = (0..self.size()).map(|rank| if rank == root { count } else { 0 }).collect();
        Ok(self.exchange(send, &counts)?.swap_remove(root))
    }

    /// The words of every rank on every rank, of which each brings as many.
    fn all_gather_of(&self, words: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        let counts = vec![words.len(); self.size()];
        self.exchange(vec![words; self.size()], &counts)
    }

    /// The words of every rank on every rank; each brings as many as it likes.
    fn all_gather(&self, words: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        let lengths = self.all_gather_of(vec![words.len() as u64])?;
        let counts: Vec<_> = lengths.iter().map(|length| length[0] as usize).collect();
        self.exchange(vec![words; self.size()], &counts)
    }
}
