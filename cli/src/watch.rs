//! Progress and stage times of long work.
//!
//! A line appears on stderr once the work has lasted a second, if stderr is a terminal and `--quiet` is not given, and vanishes when the work
//! ends. It names the stage, and has a bar, a percentage, a rate and the time left while the stage reports its progress: between its first
//! part and its last. A stage that reports nothing but its start and its end has the time since its start.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use zkaccel::progress::{Progress, Stage};

use crate::output;

/// Work that lasts less shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether nothing is to be shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Shows nothing from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// What a stage counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Unit {
    /// Bytes of files.
    #[default]
    Bytes,
    /// Anything else, by the name of several.
    Things(&'static str),
    /// Milliseconds, which have no rate.
    Time,
}

/// How long a stage took.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StageTime {
    /// What was done.
    pub(crate) stage: &'static str,
    /// How long it took.
    pub(crate) seconds: f64,
}

/// Listens to an engine and to the command, and shows their progress to the user.
pub(crate) struct Watch {
    bar: ProgressBar,
    clock: Arc<Mutex<Clock>>,
    // Dropping it ends the thread that waits to show the bar.
    _end: Sender<()>,
}

/// The stages so far: name and start of each, in order; and how far the last one is.
#[derive(Default)]
struct Clock {
    starts: Vec<(&'static str, Instant)>,
    done: u64,
    total: u64,
    unit: Unit,
    /// Whether a bar is shown.
    shows_bar: bool,
}

/// The lines of stages with and without progress.
const WITH_BAR: &str = "{spinner} {msg:<28} {wide_bar} {percent:>3} %  {rate}  {eta} left";
const WITHOUT_BAR: &str = "{spinner} {msg:<28} {elapsed}";

impl Watch {
    /// Starts to watch.
    pub(crate) fn start() -> Self {
        let (end, ended) = channel::<()>();
        let watch = Self::showing(ProgressDrawTarget::hidden(), end);
        let shown = watch.bar.clone();
        // Without a thread to spare there is no line, and no harm.
        let _ = std::thread::Builder::new().name("zkaccel-progress".into()).spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout)
                && !QUIET.load(Ordering::Relaxed)
            {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(125));
            }
        });
        watch
    }

    /// Watches and shows nothing.
    pub(crate) fn hidden() -> Self {
        Self::showing(ProgressDrawTarget::hidden(), channel().0)
    }

    fn showing(target: ProgressDrawTarget, end: Sender<()>) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(style(WITHOUT_BAR, Unit::Bytes));
        Self { bar, clock: Arc::default(), _end: end }
    }

    /// A new stage of the command's own, without progress.
    pub(crate) fn stage(&self, name: &'static str) {
        self.stage_of(name, Unit::Bytes, 0, 0);
    }

    /// A stage of the command's own, of which so many parts are done.
    pub(crate) fn stage_of(&self, name: &'static str, unit: Unit, done: u64, total: u64) {
        reach(&self.clock, &self.bar, name, unit, done, total);
    }

    /// A stage of the command's own that takes a known time.
    pub(crate) fn stage_for<R>(&self, name: &'static str, time: Duration, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let reach = || {
            let [done, total] = [start.elapsed().min(time), time].map(|time| time.as_millis() as u64);
            self.stage_of(name, Unit::Time, done, total);
        };
        reach();
        std::thread::scope(|scope| {
            // Dropping it, at the latest where the work panics, ends the thread.
            let (_end, ended) = channel::<()>();
            scope.spawn(move || {
                while ended.recv_timeout(PATIENCE / 4) == Err(RecvTimeoutError::Timeout) {
                    reach();
                }
            });
            work()
        })
    }

    /// Shows more of the stage than its name, until the next stage.
    pub(crate) fn describe(&self, text: String) {
        self.bar.set_message(text);
    }

    /// More parts of the stage are done.
    pub(crate) fn advance(&self, parts: u64) {
        let mut clock = lock(&self.clock);
        clock.done += parts;
        clock.show(&self.bar);
    }

    /// Prints something while the bar is hidden.
    pub(crate) fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    /// What an engine is to call.
    pub(crate) fn listener(&self) -> impl Fn(Progress) + Send + Sync + 'static {
        let (bar, clock) = (self.bar.clone(), Arc::clone(&self.clock));
        move |Progress { stage, done, total }| {
            let (name, unit) = stage_name(stage);
            reach(&clock, &bar, name, unit, done, total)
        }
    }

    /// Ends the watch: the time of each stage, from its start to the start of the next.
    pub(crate) fn finish(self) -> Vec<StageTime> {
        let now = Instant::now();
        let clock = lock(&self.clock);
        let ends = clock.starts.iter().skip(1).map(|&(_, start)| start).chain([now]);
        let stages = clock.starts.iter().zip(ends);
        stages
            .map(|(&(stage, start), end)| StageTime { stage, seconds: output::seconds(end - start) })
            .collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn lock(clock: &Mutex<Clock>) -> MutexGuard<'_, Clock> {
    clock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn style(template: &str, unit: Unit) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.with_key("rate", move |state: &ProgressState, text: &mut dyn Write| {
        // A line that cannot be written is a line less on the terminal.
        let _ = match (unit, state.per_sec()) {
            (Unit::Time, _) => Ok(()),
            (Unit::Bytes, rate) => write!(text, "{}/s", HumanBytes(rate as u64)),
            (Unit::Things(things), rate) if rate >= 1e4 => write!(text, "{:.0}k {things}/s", rate / 1e3),
            (Unit::Things(things), rate) if rate >= 10.0 => write!(text, "{rate:.0} {things}/s"),
            (Unit::Things(things), rate) => write!(text, "{rate:.1} {things}/s"),
        };
    })
}

/// Starts a stage unless it has begun, and records its progress.
fn reach(clock: &Mutex<Clock>, bar: &ProgressBar, name: &'static str, unit: Unit, done: u64, total: u64) {
    let mut clock = lock(clock);
    let is_new = clock.starts.last().is_none_or(|&(last, _)| last != name);
    (clock.done, clock.total, clock.unit) = (done, total, unit);
    // The bar of one stage goes before the name of the next one comes.
    clock.show(bar);
    if is_new {
        clock.starts.push((name, Instant::now()));
        // Rate and time left are those of the stage alone.
        bar.reset();
        bar.set_message(name);
    }
}

impl Clock {
    /// Shows how far the stage is, if that is known: after its first part, and until its last.
    fn show(&mut self, bar: &ProgressBar) {
        let (done, total) = (self.done, self.total);
        let shows_bar = 0 < done && done < total;
        if shows_bar {
            bar.update(|state| {
                state.set_len(total);
                state.set_pos(done);
            });
        }
        if shows_bar != self.shows_bar {
            bar.set_style(style(if shows_bar { WITH_BAR } else { WITHOUT_BAR }, self.unit));
            self.shows_bar = shows_bar;
        }
    }
}

/// What a stage of the library is called here, and what it counts.
fn stage_name(stage: Stage) -> (&'static str, Unit) {
    match stage {
        Stage::Extension => ("low-degree extension", Unit::Things("parts")),
        Stage::Rows => ("hashing rows", Unit::Things("rows")),
        Stage::Tree => ("Merkle tree", Unit::Things("parts")),
        Stage::Transform => ("transforming", Unit::Things("parts")),
        Stage::Points => ("checking the bases", Unit::Things("parts")),
        Stage::Sum => ("multiplying", Unit::Things("parts")),
        _ => ("working", Unit::Things("parts")),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use indicatif::TermLike;

    use super::*;

    /// A terminal that keeps the lines that it is shown.
    #[derive(Clone, Debug, Default)]
    struct Screen(Arc<Mutex<Vec<String>>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push(text.into());
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Every line that is drawn while a commitment runs, drawn after each report, belongs to its stage, and no percentage is false.
    #[test]
    fn a_percentage_is_shown_where_it_is_known() {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let watch = Watch::showing(target, channel().0);
        let drawn = || {
            // Longer than the least time between two frames.
            std::thread::sleep(Duration::from_millis(8));
            watch.bar.tick();
            std::mem::take(&mut *screen.0.lock().unwrap()).concat()
        };
        let listener = watch.listener();
        let engine = |stage, done, total| listener(Progress { stage, done, total });
        let check = |lines: String, name: &str, percentage: Option<&str>| {
            assert!(lines.contains(name), "{name}: {lines:?}");
            match percentage {
                Some(percentage) => {
                    assert!(lines.contains(percentage), "{name}: {lines:?}");
                    assert!(lines.contains("/s  ") && lines.contains(" left"), "{name}: {lines:?}");
                }
                None => assert!(!lines.contains('%'), "{name}: {lines:?}"),
            }
            assert!(!lines.contains("100 %") && !lines.contains("  0 %"), "{name}: {lines:?}");
        };
        watch.stage_of("reading", Unit::Bytes, 0, 1000);
        check(drawn(), "reading", None);
        watch.advance(250);
        check(drawn(), "reading", Some(" 25 %"));
        watch.advance(750);
        check(drawn(), "reading", None);
        for done in [0, 1] {
            engine(Stage::Extension, done, 1);
            check(drawn(), "low-degree extension", None);
        }
        for (done, percentage) in [(0, None), (2, Some(" 50 %")), (3, Some(" 75 %")), (4, None)] {
            engine(Stage::Rows, done, 4);
            check(drawn(), "hashing rows", percentage);
        }
        for done in [0, 1] {
            engine(Stage::Tree, done, 1);
            check(drawn(), "Merkle tree", None);
        }
        watch.stage_of("writing", Unit::Bytes, 0, 10);
        watch.advance(9);
        check(drawn(), "writing", Some(" 90 %"));
        watch.stage("something else");
        check(drawn(), "something else", None);
        let stages: Vec<_> = watch.finish().into_iter().map(|time| time.stage).collect();
        let expected =
            ["reading", "low-degree extension", "hashing rows", "Merkle tree", "writing", "something else"];
        assert_eq!(stages, expected);
    }
}
