//! Ranks of one host, which share its devices and processors.

use crate::error::Error;
use crate::transport::Transport;

/// The place of a rank among those of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its number among them, from 0 on.
    pub rank: usize,
    /// How many they are.
    pub size: usize,
    /// Its share, at least 1, of the processors that the launcher lets it use, in threads. Some launchers bind each process to few of them: Open MPI's binds two processes to one core each unless it is
    /// told otherwise (`--bind-to none`).
    pub threads: usize,
    /// The processors of the host, as the system counts them, if it tells.
    pub processors: Option<usize>,
}

impl Local {
    /// That of this rank, by the names of all hosts. Whoever shares devices or processors of a host among its ranks asks it, before there is an engine.
    pub fn of(transport: &impl Transport) -> Result<Self, Error> {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let name = read("/proc/sys/kernel/hostname");
        let status = read("/proc/self/status");
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let text = format!("{} {}", name.trim(), allowed.unwrap_or_default().trim());
        let here = name.trim().len();
        let words: Vec<u64> = text.bytes().map(u64::from).collect();
        let all = transport.all_gather(words.clone())?;
        let is_here = |other: &&Vec<u64>| other.get(..=here) == Some(&words[..=here]);
        let sharing = all.iter().filter(|other| **other == words).count();
        let available = std::thread::available_parallelism().map_or(1, |available| available.get());
        Ok(Self {
            rank: all[..transport.rank()].iter().filter(is_here).count(),
            size: all.iter().filter(is_here).count(),
            threads: (available / sharing).max(1),
            processors: processors(&read("/sys/devices/system/cpu/online")),
        })
    }

    /// Whether the launcher has bound this rank to less than its share of the host's processors.
    pub fn is_bound(&self) -> bool {
        self.processors.is_some_and(|processors| self.threads < processors / self.size)
    }
}

/// The number of processors in a list such as `0-3,8`.
fn processors(list: &str) -> Option<usize> {
    let run = |run: &str| {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let [first, last] = [first, last].map(|number| number.parse::<usize>().ok());
        Some((last? + 1).saturating_sub(first?))
    };
    list.trim().split(',').map(run).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        for (list, count) in
            [("0", Some(1)), ("0-31\n", Some(32)), ("0-3,8,10-11", Some(7)), ("", None), ("0-x", None)]
        {
            assert_eq!(processors(list), count, "{list:?}");
        }
        let local = Local { rank: 0, size: 2, threads: 1, processors: Some(32) };
        assert!(local.is_bound());
        assert!(!Local { threads: 16, ..local }.is_bound());
        assert!(!Local { processors: None, ..local }.is_bound());
        assert!(!Local { processors: Some(2), ..local }.is_bound());
        assert!(!Local { size: 8, processors: Some(4), ..local }.is_bound());
    }
}
