//! Progress and stage times of long work.
//!
//! A bar appears on stderr once the work has lasted a second, if stderr is a terminal, and vanishes when it ends.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use zkaccel::progress::{Progress, Stage};

use crate::output;

/// Work that lasts less shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a stage took.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StageTime {
    /// What was done.
    pub(crate) stage: &'static str,
    /// How long it took.
    pub(crate) seconds: f64,
}

/// Listens to an engine and to the command, and tells the user.
pub(crate) struct Watch {
    bar: ProgressBar,
    clock: Arc<Mutex<Clock>>,
    // Dropping it ends the thread that waits to show the bar.
    _end: Sender<()>,
}

/// The stages so far: name and start of each, in order.
#[derive(Default)]
struct Clock {
    starts: Vec<(&'static str, Instant)>,
}

impl Watch {
    /// Starts to watch.
    pub(crate) fn start() -> Self {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {msg:<28} {wide_bar} {percent:>3} %  {elapsed}")
        {
            bar.set_style(style);
        }
        let (end, ended) = channel::<()>();
        let shown = bar.clone();
        // Without a thread to spare there is no bar, and no harm.
        let _ = std::thread::Builder::new().name("zkaccel-progress".into()).spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(125));
            }
        });
        Self { bar, clock: Arc::default(), _end: end }
    }

    /// A new stage of the command's own.
    pub(crate) fn stage(&self, name: &'static str) {
        begin(&self.clock, &self.bar, name);
    }

    /// Prints something while the bar is out of the way.
    pub(crate) fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    /// What an engine is to call.
    pub(crate) fn listener(&self) -> impl Fn(Progress) + Send + Sync + 'static {
        let (bar, clock) = (self.bar.clone(), Arc::clone(&self.clock));
        move |progress| {
            begin(&clock, &bar, stage_name(progress.stage));
            bar.set_length(progress.total);
            bar.set_position(progress.done);
        }
    }

    /// Ends the watch: the time of each stage, from its start to the start of the next.
    pub(crate) fn finish(self) -> Vec<StageTime> {
        let now = Instant::now();
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
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

/// Starts a stage unless it is under way already.
fn begin(clock: &Mutex<Clock>, bar: &ProgressBar, name: &'static str) {
    let mut clock = clock.lock().unwrap_or_else(PoisonError::into_inner);
    if clock.starts.last().is_none_or(|&(last, _)| last != name) {
        clock.starts.push((name, Instant::now()));
        bar.set_message(name);
        bar.set_length(1);
        bar.set_position(0);
    }
}

/// What a stage of the library is called here.
fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Extension => "low-degree extension",
        Stage::Rows => "hashing rows",
        Stage::Tree => "Merkle tree",
        _ => "working",
    }
}
