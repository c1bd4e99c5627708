//! The ranks' engines and the way between them.

use zkaccel::Engine;

use crate::error::Error;
use crate::mpi::{Mpi, Settled};
use crate::transport::Transport;

/// This rank's engine, and the way to the others. All its functions are collective.
#[derive(Debug)]
pub struct Cluster<T> {
    transport: T,
    engine: Engine,
}

/// The place of a rank among those of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its number among them, from 0 on.
    pub rank: usize,
    /// How many they are.
    pub size: usize,
}

impl Local {
    /// That of this rank, by the names of all hosts. Whoever shares devices or processors of a host among its ranks asks it, before there is an engine.
    pub fn of(transport: &impl Transport) -> Result<Self, Error> {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let words: Vec<u64> = name.trim().bytes().map(u64::from).collect();
        let names = transport.all_gather(words.clone())?;
        let is_here = |names: &[Vec<u64>]| names.iter().filter(|&name| *name == words).count();
        Ok(Self { rank: is_here(&names[..transport.rank()]), size: is_here(&names) })
    }
}

impl<T: Transport> Cluster<T> {
    /// A cluster whose ranks have made their engines; each of them may have other devices.
    pub fn new(transport: T, engine: Engine) -> Self {
        Self { transport, engine }
    }

    /// The same, if every rank has made its engine; errors as [`agree`](Self::agree).
    pub fn started(transport: T, engine: Result<Engine, Error>) -> Result<Self, Error> {
        let engine = agree(&transport, "an engine", &[], engine)?;
        Ok(Self { transport, engine })
    }

    /// The way between ranks.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// This rank's engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// This rank's result, if every rank has one, and all of them have the same parameters.
    ///
    /// The rank's own error, or [`Error::Peer`] for that of the first other rank that has one, or [`Error::Disagree`].
    pub fn agree<R>(&self, what: &str, parameters: &[u64], result: Result<R, Error>) -> Result<R, Error> {
        agree(&self.transport, what, parameters, result)
    }
}

impl Cluster<Mpi> {
    /// Does a collective operation, and again by the ranks that are left where some have died. They have new numbers then, from 0 on in the same order: each time the operation
    /// finds its part of the inputs anew, and what it did before counts for nothing. Collective; errors are those of the operation.
    ///
    /// Ranks go on if the library and the launcher let them: Open MPI from 5.0 on, with `mpirun --with-ft ulfm`. Otherwise the operation is done once.
    pub fn surviving<R>(&mut self, operation: impl Fn(&Self) -> Result<R, Error>) -> Result<R, Error> {
        loop {
            let result = operation(self);
            match self.settle() {
                Ok(true) => {}
                Ok(false) => return result,
                Err(error) => return result.and(Err(error)),
            }
        }
    }

    /// Whether the collective operations since the last time are to be done again, because some ranks have died in their midst: what [`surviving`](Self::surviving) asks after its
    /// operation, for callers that cannot give theirs as a closure. Collective over the ranks that are left, which have new numbers then; no other call is under way.
    ///
    /// The failure of an exchange, if there was one and the ranks cannot go on.
    pub fn settle(&self) -> Result<bool, Error> {
        match self.transport.settle()? {
            Settled::Done => Ok(false),
            Settled::Left { .. } => Ok(true),
            Settled::Failed => Err(Error::Broken),
        }
    }
}

fn agree<R>(
    transport: &impl Transport,
    what: &str,
    parameters: &[u64],
    result: Result<R, Error>,
) -> Result<R, Error> {
    let text = match &result {
        Ok(_) => what.to_string(),
        Err(error) => error.to_string(),
    };
    let mut words = match &result {
        Ok(_) => [&[0, what.len() as u64], parameters].concat(),
        Err(_) => vec![1],
    };
    words.extend(text.bytes().map(u64::from));
    let all = transport.all_gather(words.clone())?;
    let value = result?;
    for (rank, words) in all.iter().enumerate() {
        if let Some((1, text)) = words.split_first() {
            let bytes: Vec<u8> = text.iter().map(|&byte| byte as u8).collect();
            return Err(Error::Peer { rank, message: String::from_utf8_lossy(&bytes).into() });
        }
    }
    match all.iter().position(|other| *other != words) {
        Some(rank) => Err(Error::Disagree { what: what.into(), rank, this: transport.rank() }),
        None => Ok(value),
    }
}
