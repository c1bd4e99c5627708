//! The times of the phases of a proof: of the spans in which the prover says where it is.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A span: its name, when it was entered, and the time in it.
struct Span(&'static str, Option<Instant>, Duration);

/// All spans since they were last taken, of which the next to be made is numbered on from those before.
static SPANS: Mutex<Vec<Span>> = Mutex::new(Vec::new());

/// Measures the spans of this library's prover, and of the stock one, where a span is in the time of that around it, too.
#[derive(Debug)]
pub struct Phases;

impl Phases {
    /// From now on, in the whole process.
    ///
    /// # Panics
    /// If the process has a subscriber already.
    pub fn start() {
        tracing::subscriber::set_global_default(Self).expect("the first subscriber");
    }

    /// The phases since the last call, in the order in which they began, with the sums of their times.
    pub fn take() -> Vec<(&'static str, Duration)> {
        let mut phases: Vec<(&'static str, Duration)> = Vec::new();
        for Span(name, _, time) in spans().drain(..) {
            match phases.iter_mut().find(|phase| phase.0 == name) {
                Some(phase) => phase.1 += time,
                None => phases.push((name, time)),
            }
        }
        phases
    }
}

fn spans() -> std::sync::MutexGuard<'static, Vec<Span>> {
    SPANS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a span is.
fn index(id: &Id) -> usize {
    id.into_u64() as usize - 1
}

impl Subscriber for Phases {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let targets = ["zkaccel_", "p3_uni_stark", "p3_batch_stark", "p3_fri"];
        metadata.is_span() && targets.iter().any(|target| metadata.target().starts_with(target))
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = spans();
        spans.push(Span(span.metadata().name(), None, Duration::ZERO));
        Id::from_u64(spans.len() as u64)
    }

    fn enter(&self, id: &Id) {
        spans()[index(id)].1 = Some(Instant::now());
    }

    fn exit(&self, id: &Id) {
        let Span(_, entered, time) = &mut spans()[index(id)];
        *time += entered.take().map_or(Duration::ZERO, |entered| entered.elapsed());
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}
}
