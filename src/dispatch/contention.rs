//! Whether other programs have the processors that this one would use.

/// How long the threads of this process have run, and how long they have waited for a processor, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    ran: u64,
    waited: u64,
}

impl Turns {
    /// The totals so far; `None` where the system does not report them. Linux does, for each thread.
    pub(super) fn now() -> Option<Self> {
        let mut turns = Self::default();
        for thread in std::fs::read_dir("/proc/self/task").ok()? {
            // A thread may have ended meanwhile.
            let Ok(text) = std::fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
            let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
            if let (Some(Ok(ran)), Some(Ok(waited))) = (numbers.next(), numbers.next()) {
                turns.ran += ran;
                turns.waited += waited;
            }
        }
        (turns.ran > 0).then_some(turns)
    }

    /// Whether the threads waited for more than a tenth of the time that they wanted to run since some moment.
    pub(super) fn contended_since(self, before: Self) -> bool {
        let ran = self.ran.saturating_sub(before.ran);
        let waited = self.waited.saturating_sub(before.waited);
        10 * waited > ran + waited
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;

    #[test]
    fn a_tenth_is_too_much() {
        let before = Turns { ran: 1000, waited: 50 };
        for (ran, waited, contended) in
            [(1000, 50, false), (1900, 150, false), (1900, 151, true), (1000, 51, true)]
        {
            assert_eq!(Turns { ran, waited }.contended_since(before), contended, "{ran} {waited}");
        }
    }

    /// Far more threads than processors wait for each other.
    #[test]
    #[cfg(target_os = "linux")]
    fn threads_that_wait_are_seen() {
        let Some(before) = Turns::now() else { return };
        let threads = 8 * std::thread::available_parallelism().map_or(1, |count| count.get());
        std::thread::scope(|scope| {
            let busy = || {
                let start = std::time::Instant::now();
                while start.elapsed().as_millis() < 200 {
                    std::hint::spin_loop();
                }
                // While all threads are still there.
                assert!(Turns::now().unwrap().contended_since(before));
            };
            (0..threads).for_each(|_| {
                scope.spawn(busy);
            });
        });
    }
}
