//! Whether other programs have the processors that this one would use.

use std::collections::HashMap;
use std::ffi::OsString;

/// How long each thread of this process has run, and how long it has waited for a processor, in nanoseconds, by its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(HashMap<OsString, [u64; 2]>);

impl Turns {
    /// The totals so far; `None` where the system does not report them. Linux does, for each thread.
    pub(super) fn now() -> Option<Self> {
        let mut turns = Self::default();
        for thread in std::fs::read_dir("/proc/self/task").ok()? {
            let thread = thread.ok()?;
            // A thread may end meanwhile.
            let Ok(text) = std::fs::read_to_string(thread.path().join("schedstat")) else { continue };
            let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
            if let (Some(Ok(ran)), Some(Ok(waited))) = (numbers.next(), numbers.next()) {
                turns.0.insert(thread.file_name(), [ran, waited]);
            }
        }
        (!turns.0.is_empty()).then_some(turns)
    }

    /// Whether the threads that exist now waited for more than a tenth of the time that they wanted to run since some moment.
    pub(super) fn contended_since(&self, before: &Self) -> bool {
        let [mut ran, mut waited] = [0, 0];
        for (thread, now) in &self.0 {
            let then = before.0.get(thread).unwrap_or(&[0, 0]);
            ran += now[0].saturating_sub(then[0]);
            waited += now[1].saturating_sub(then[1]);
        }
        10 * waited > ran + waited
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;

    fn turns(threads: &[(&str, [u64; 2])]) -> Turns {
        Turns(threads.iter().map(|&(name, times)| (name.into(), times)).collect())
    }

    #[test]
    fn a_tenth_is_too_much() {
        let before = turns(&[("1", [1000, 50]), ("2", [5000, 5000])]);
        for (ran, waited, contended) in
            [(1000, 50, false), (1900, 150, false), (1900, 151, true), (1000, 51, true)]
        {
            // A thread that has ended counts no more; one that is new counts from its beginning.
            let now = turns(&[("1", [ran, waited]), ("3", [0, 0])]);
            assert_eq!(now.contended_since(&before), contended, "{ran} {waited}");
        }
        assert!(turns(&[("3", [9, 2])]).contended_since(&before));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_thread_has_run() {
        let turns = Turns::now();
        // Where the kernel counts them.
        assert_eq!(turns.is_some(), std::fs::read("/proc/thread-self/schedstat").is_ok());
        let Some(turns) = turns else { return };
        assert!(turns.0.values().any(|&[ran, _]| ran > 0), "{turns:?}");
    }
}
