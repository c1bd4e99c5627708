//! Repeated lists of launches, as graphs.
//!
//! A launch costs the host 2.6 us in a stream and 0.85 us in a graph, so a chain of small launches is bound by the host.
//! Operations come in series and get the same memory from the pool each time, so the same list of launches is repeated: the same
//! kernels, grids and parameters. Parameters are values (addresses and words), so the list determines what is done, whatever the
//! memory contains. A list is looked up by its kernels, grids and parameters; the second time it is captured into a graph, and
//! from then on the graph is launched instead.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use cudarc::driver::result::{graph, stream};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstream, CUstreamCaptureMode_enum as CaptureMode};

use super::handles::Graph;
use super::{Cuda, Prepared};
use crate::error::Error;
use crate::lock::lock;
use crate::sync::{Arc, MutexGuard};

/// The lengths of lists for which a graph pays. It does not for a single launch, nor for long lists, where the host is ahead of
/// the device.
const WORTH_IT: RangeInclusive<usize> = 2..=64;

/// The number of lists that are remembered; beyond that the least recently used is forgotten.
const REMEMBERED: usize = 64;

/// The lists of launches seen before.
#[derive(Default)]
pub(super) struct Graphs {
    lists: HashMap<Vec<u64>, List>,
    /// A counter of lookups, by which the least recently used list is found.
    now: u64,
    replays: u64,
}

struct List {
    used: u64,
    capture: Capture,
}

enum Capture {
    /// The list was launched once.
    Seen,
    Captured(Graph),
    /// The driver cannot capture it.
    Refused,
}

impl Graphs {
    /// The graph of a list, if it has one; `capture` makes it when the list is launched for the second time.
    fn find(&mut self, list: Vec<u64>, capture: impl FnOnce() -> Result<Graph, Error>) -> Option<&Graph> {
        self.now += 1;
        let now = self.now;
        if !self.lists.contains_key(&list) {
            if self.lists.len() >= REMEMBERED {
                let oldest = self.lists.iter().min_by_key(|(_, list)| list.used);
                let oldest = oldest.map(|(list, _)| list.clone()).expect("there are some");
                // The driver keeps a graph that still runs until it is done.
                self.lists.remove(&oldest);
            }
            self.lists.insert(list, List { used: now, capture: Capture::Seen });
            return None;
        }
        let list = self.lists.get_mut(&list).expect("it was just found");
        list.used = now;
        if let Capture::Seen = list.capture {
            // A graph only makes the launches faster. If it cannot be made, they are launched one by one and report their own
            // errors.
            list.capture = capture().map_or(Capture::Refused, Capture::Captured);
        }
        match &list.capture {
            Capture::Captured(graph) => {
                self.replays += 1;
                Some(graph)
            }
            Capture::Seen | Capture::Refused => None,
        }
    }
}

impl Cuda {
    /// Launches a list as a graph, if it has one, through `timed`.
    pub(super) fn replay(
        &self,
        stream: CUstream,
        list: &[Prepared],
        timed: impl FnOnce(&dyn Fn(CUstream) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Option<Result<(), Error>> {
        if !WORTH_IT.contains(&list.len()) {
            return None;
        }
        let text = list.iter().flat_map(Prepared::text).collect();
        // One thread at a time launches graphs: the driver requires that of each graph, and a launch is short.
        let mut graphs = self.graphs();
        let graph = graphs.find(text, || self.capture(stream, list))?;
        let launch = |stream| {
            // SAFETY: graph and stream are alive; the caller keeps the memory of the launches alive.
            unsafe { graph::launch(graph.graph, stream) }.map_err(self.failed("launching kernels again"))
        };
        Some(timed(&launch))
    }

    /// The number of lists that were launched as graphs.
    pub(super) fn replay_count(&self) -> u64 {
        self.graphs().replays
    }

    fn graphs(&self) -> MutexGuard<'_, Graphs> {
        // A panic in between leaves a list without a graph, or one too many remembered.
        lock(&self.graphs)
    }

    fn capture(&self, stream: CUstream, list: &[Prepared]) -> Result<Graph, Error> {
        let failed = self.failed("capturing launches");
        // SAFETY: the stream is alive; a capture that was begun is ended whatever happens, and the graph destroyed.
        let graph = unsafe {
            let mode = CaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            stream::begin_capture(stream, mode).map_err(&failed)?;
            let enqueued = self.enqueue(stream, list);
            let captured = stream::end_capture(stream).map_err(&failed);
            enqueued?;
            let captured = captured?;
            let instantiated = graph::instantiate(captured, CUgraphInstantiate_flags(0));
            graph::destroy(captured).map_err(&failed)?;
            instantiated.map_err(&failed)?
        };
        Ok(Graph { context: Arc::clone(&self.context), graph })
    }
}
