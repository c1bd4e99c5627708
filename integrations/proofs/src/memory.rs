//! Where the matrices of a proof are: in the device's memory, or in the host's where the device has no room for them.
//!
//! Matrices are wide, those of traces and others whose numbers of columns depend on the AIR, or narrow. An operation on a matrix in host memory copies to the device what it needs, in parts, and its
//! result is in host memory.

use std::sync::OnceLock;

use zkaccel::device::DeviceChoice;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::MatrixInput;
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};

use super::Claim;

/// Where matrices are. Where the host is the device they are all in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In the device's memory.
    Device,
    /// The wide ones in host memory, the narrow ones in the device's.
    Divided,
    /// In host memory.
    Host,
}

/// The places in the order in which they are tried.
const PLACES: [Placement; 3] = [Placement::Device, Placement::Divided, Placement::Host];

/// The most elements that a proof has in the device's memory if all of its matrices are there.
#[derive(Clone, Copy, Debug)]
pub struct Required {
    /// Those of wide matrices.
    pub wide: u64,
    /// Those of narrow matrices.
    pub narrow: u64,
}

impl Required {
    /// Those of all matrices.
    pub fn elements(self) -> usize {
        self.wide.saturating_add(self.narrow) as usize
    }

    /// The bytes that a proof takes of the device's memory.
    pub fn bytes(self, placement: Placement) -> u64 {
        let elements = match placement {
            Placement::Device => self.wide.saturating_add(self.narrow),
            Placement::Divided => self.narrow,
            Placement::Host => 0,
        };
        elements.saturating_mul(size_of::<Goldilocks>() as u64)
    }
}

/// The engine, and where it has the matrices of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Memory<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The place.
    pub placement: Placement,
    /// Elements of all matrices of the proof, so that an engine that chooses among devices has them on one.
    pub elements: usize,
    /// A matrix in whose device's memory the others are to be: one of several devices.
    beside: Option<&'a DeviceMatrix<Goldilocks>>,
}

impl<'e> Memory<'e> {
    /// The memory for the matrices of a proof, which have so many elements in all.
    pub fn new(engine: &'e Engine, placement: Placement, elements: usize) -> Self {
        Self { engine, placement, elements, beside: None }
    }

    /// The same, where a matrix of the proof is already: others come to the same device.
    pub fn beside<'a>(self, matrix: &'a DeviceMatrix<Goldilocks>) -> Memory<'a>
    where
        'e: 'a,
    {
        Memory { beside: Some(matrix).filter(|matrix| matrix.as_host().is_none()), ..self }
    }

    /// Whether a matrix that was kept from another proof is where those of this one are.
    pub fn has(self, matrix: &DeviceMatrix<Goldilocks>) -> bool {
        self.beside.is_none_or(|other| matrix.is_beside(other))
    }

    fn upload<'a>(
        self,
        matrix: impl Into<MatrixInput<'a, Goldilocks>>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        match self.beside {
            Some(other) => self.engine.upload_beside(other, matrix),
            None => self.engine.upload_for_proof(matrix, self.elements),
        }
    }

    /// Brings a wide matrix to its place.
    pub fn wide<'a>(
        self,
        matrix: impl Into<MatrixInput<'a, Goldilocks>>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        match self.placement {
            Placement::Device => self.upload(matrix),
            Placement::Divided | Placement::Host => self.engine.keep_in_host_memory(matrix),
        }
    }

    /// Brings a narrow matrix to its place.
    pub fn narrow<'a>(
        self,
        matrix: impl Into<MatrixInput<'a, Goldilocks>>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        match self.placement {
            Placement::Device | Placement::Divided => self.upload(matrix),
            Placement::Host => self.engine.keep_in_host_memory(matrix),
        }
    }

    /// An engine for what takes the host less time than the launches for it: a processor, or the proof's own where its memory is the host's.
    pub fn host(self) -> Result<&'e Engine, Error> {
        static HOST: OnceLock<Engine> = OnceLock::new();
        if self.engine.device_budget().is_none() {
            return Ok(self.engine);
        }
        if HOST.get().is_none() {
            let engine = Engine::builder().device(DeviceChoice::Cpu).build()?;
            // Another thread's is as good.
            let _ = HOST.set(engine);
        }
        Ok(HOST.get().expect("the engine that was set"))
    }

    /// Whether there is no further place.
    pub fn is_last(self) -> bool {
        self.placement == Placement::Host || self.engine.device_budget().is_none()
    }

    /// Whether wide matrices may be in parts, in the memory of several devices.
    pub fn keeps_parts(self) -> bool {
        self.placement == Placement::Device && self.engine.keeps_parts()
    }

    /// A narrow matrix that several devices made of a wide one in parts, where narrow matrices are.
    pub fn joined(self, matrix: Cosets<Goldilocks>) -> Result<DeviceMatrix<Goldilocks>, Error> {
        match (matrix.whole(), self.placement) {
            (Some(whole), _) => Ok(whole.clone()),
            (None, Placement::Host) => self.narrow(matrix.download()?),
            (None, _) => matrix.copy_beside(self.beside.unwrap_or(&matrix.parts()[0])),
        }
    }

    /// A narrow matrix that was made of a wide one, and so is where that is, among the narrow ones.
    pub fn among_narrow(self, matrix: DeviceMatrix<Goldilocks>) -> Result<DeviceMatrix<Goldilocks>, Error> {
        let belongs_there = self.placement != Placement::Host && self.engine.device_budget().is_some();
        match matrix.as_host().filter(|_| belongs_there) {
            Some(view) => self.upload(view),
            None => Ok(matrix),
        }
    }

    /// A narrow matrix of which wide ones are made, so that these are in their place.
    pub fn among_wide(self, matrix: &DeviceMatrix<Goldilocks>) -> Result<DeviceMatrix<Goldilocks>, Error> {
        match self.placement == Placement::Divided && matrix.as_host().is_none() {
            true => self.engine.keep_in_host_memory(self.engine.download(matrix)?),
            false => Ok(matrix.clone()),
        }
    }
}

/// Does something in the first place for which the device's budget has room; where the device turns out to have less, in the next one. What it takes there is claimed.
///
/// `engine_error` is that of the engine in an error, if it is one.
pub fn placed<R, E>(
    engine: &Engine,
    required: Required,
    engine_error: impl Fn(&E) -> Option<&Error>,
    mut run: impl FnMut(Memory<'_>) -> Result<R, E>,
) -> Result<(R, Claim), E> {
    let lacks_room = |error: &E| {
        matches!(engine_error(error), Some(Error::OverDeviceBudget { .. } | Error::DeviceOutOfMemory { .. }))
    };
    for placement in PLACES {
        let memory = Memory::new(engine, placement, required.elements());
        let Some(claim) = Claim::of(engine, required.bytes(placement)) else { continue };
        match run(memory) {
            Err(error) if !memory.is_last() && lacks_room(&error) => {}
            done => return Ok((done?, claim)),
        }
    }
    unreachable!("the last place takes no memory of the device")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::engine;
    use zkaccel::matrix::Matrix;

    // Claims are the process's, so each test has budgets of its own.
    const REQUIRED: Required = Required { wide: 800, narrow: 200 };

    fn itself(error: &Error) -> Option<&Error> {
        Some(error)
    }

    /// The places that are tried in turn where each before the last has less memory than its device's budget says, and how it ends.
    fn tried(engine: &Engine) -> (Vec<Placement>, Result<(), Error>) {
        let mut tried = Vec::new();
        let done = placed(engine, REQUIRED, itself, |memory| {
            tried.push(memory.placement);
            match memory.placement {
                Placement::Host => Ok(()),
                _ => Err(Error::DeviceOutOfMemory { device: engine.device().id.clone(), requested: 8 }),
            }
        });
        (tried, done.map(|_| ()))
    }

    #[test]
    fn places_for_which_there_is_room() {
        use Placement::{Device, Divided, Host};
        let engines = [8000, 7999, 1599].map(engine);
        for (engine, expected) in
            engines.iter().zip([&[Device, Divided, Host][..], &[Divided, Host], &[Host]])
        {
            let (tried, done) = tried(engine);
            match engine.device_budget() {
                Some(_) => {
                    assert_eq!(tried, expected);
                    done.unwrap();
                }
                // The host's memory is all there is.
                None => {
                    assert_eq!(tried, [Device]);
                    assert!(matches!(done, Err(Error::DeviceOutOfMemory { .. })));
                }
            }
        }
    }

    #[test]
    fn other_errors_end_it() {
        let mut runs = 0;
        let done = placed(&engine(8001), REQUIRED, itself, |_| {
            runs += 1;
            Err::<(), _>(Error::NotPowerOfTwo { what: "rows", found: 3 })
        });
        assert!(matches!(done, Err(Error::NotPowerOfTwo { .. })));
        assert_eq!(runs, 1);
    }

    /// What is claimed is not there for others, until it is given back.
    #[test]
    fn proofs_at_once() {
        let engine = engine(9000);
        let place = || placed(&engine, REQUIRED, itself, |memory| Ok::<_, Error>(memory.placement)).unwrap();
        let (first, claim) = place();
        assert_eq!(first, Placement::Device);
        let (second, _) = place();
        let beside = if engine.device_budget().is_some() { Placement::Host } else { Placement::Device };
        assert_eq!(second, beside);
        drop(claim);
        assert_eq!(place().0, Placement::Device);
    }

    #[test]
    fn matrices_in_their_places() {
        let engine = engine(1 << 20);
        let has_own = engine.device_budget().is_some();
        for (placement, wide, narrow) in [
            (Placement::Device, has_own, has_own),
            (Placement::Divided, false, has_own),
            (Placement::Host, false, false),
        ] {
            let memory = Memory::new(&engine, placement, 100);
            let entries: Vec<_> = (1..9).map(Goldilocks::new).collect();
            let matrix = Matrix::from_column(entries.clone()).unwrap();
            let of_wide = memory.wide(&matrix).unwrap();
            let of_narrow = memory.narrow(&matrix).unwrap();
            let among_narrow = memory.among_narrow(of_wide.clone()).unwrap();
            let among_wide = memory.among_wide(&of_narrow).unwrap();
            for (matrix, on_device) in
                [(of_wide, wide), (of_narrow, narrow), (among_narrow, narrow), (among_wide, wide)]
            {
                assert_eq!(matrix.as_host().is_none(), on_device, "{placement:?}");
                assert_eq!(engine.download(&matrix).unwrap().as_slice(), entries);
            }
        }
    }
}
