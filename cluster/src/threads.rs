//! Ranks that are threads of one process: messages are moved.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::transport::Transport;

/// One of the ranks of a process. Dropped, for instance by a panic, it has gone: the others' calls that wait for it end.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    deadline: Duration,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    mailboxes: Mutex<Mailboxes>,
    changed: Condvar,
}

#[derive(Debug)]
struct Mailboxes {
    /// Messages that were not taken, by sender and receiver.
    messages: Vec<Vec<VecDeque<Vec<u64>>>>,
    gone: Vec<bool>,
    broken: Vec<bool>,
}

impl Threads {
    /// So many ranks, whose waits end after `deadline`.
    pub fn ranks(size: usize, deadline: Duration) -> Vec<Self> {
        let mailboxes = Mailboxes {
            messages: vec![vec![VecDeque::new(); size]; size],
            gone: vec![false; size],
            broken: vec![false; size],
        };
        let shared = Arc::new(Shared { mailboxes: Mutex::new(mailboxes), changed: Condvar::new() });
        (0..size).map(|rank| Self { rank, deadline, shared: Arc::clone(&shared) }).collect()
    }

    /// Nothing that is done under the lock can panic half way.
    fn mailboxes(&self) -> MutexGuard<'_, Mailboxes> {
        self.shared.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The messages of all ranks, of which those that bring nothing are not sent.
    fn receive(&self, counts: &[usize]) -> Result<Vec<Vec<u64>>, Error> {
        let start = Instant::now();
        let mut mailboxes = self.mailboxes();
        loop {
            let waits = |from: usize| counts[from] > 0 && mailboxes.messages[from][self.rank].is_empty();
            let missing: Vec<_> = (0..counts.len()).filter(|&from| waits(from)).collect();
            if missing.is_empty() {
                break;
            }
            if let Some(&rank) = missing.iter().find(|&&from| mailboxes.gone[from]) {
                return Err(Error::Gone { rank });
            }
            let Some(left) = self.deadline.checked_sub(start.elapsed()) else {
                return Err(Error::Deadline { what: "an exchange".into(), waited: start.elapsed(), missing });
            };
            let waited = self.shared.changed.wait_timeout(mailboxes, left);
            mailboxes = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let take = |(rank, &expected): (usize, &usize)| match expected {
            0 => Ok(Vec::new()),
            _ => {
                let words = mailboxes.messages[rank][self.rank].pop_front().expect("a message that has come");
                match words.len() == expected {
                    true => Ok(words),
                    false => Err(Error::Length { rank, expected, found: words.len() }),
                }
            }
        };
        counts.iter().enumerate().map(take).collect()
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.mailboxes().gone.len()
    }

    fn exchange(&self, send: Vec<Vec<u64>>, counts: &[usize]) -> Result<Vec<Vec<u64>>, Error> {
        {
            let mut mailboxes = self.mailboxes();
            if mailboxes.broken[self.rank] {
                return Err(Error::Broken);
            }
            for (to, words) in send.into_iter().enumerate().filter(|(_, words)| !words.is_empty()) {
                mailboxes.messages[self.rank][to].push_back(words);
            }
            self.shared.changed.notify_all();
        }
        let received = self.receive(counts);
        if received.is_err() {
            self.mailboxes().broken[self.rank] = true;
        }
        received
    }

    /// The other ranks find this one gone.
    fn abort(&self, _: &str) {
        self.mailboxes().gone[self.rank] = true;
        self.shared.changed.notify_all();
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.mailboxes().gone[self.rank] = true;
        self.shared.changed.notify_all();
    }
}
