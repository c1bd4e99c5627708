//! Bases that stay on the device, and multiples of them.

use std::marker::PhantomData;

use super::launches;
use super::plan::{Shape, TERMS, longest};
use super::programs::DeviceCurve;
use crate::backend::Memory;
use crate::backend::gpu::Gpu;
use crate::backend::gpu::session::Session;
use crate::curve::limbs_of_points;
use crate::error::Error;

/// Points that are doubled at once.
const TOGETHER: usize = 1 << 20;

/// Bases on the device: all of them, then their multiples by 2^(c S), then by 2^(2 c S), and so on.
pub(super) struct DeviceBases<C> {
    pub(super) memory: Memory,
    pub(super) count: usize,
    /// The shape of the digits for which the multiples are made.
    pub(super) shape: Option<Shape>,
    curve: PhantomData<C>,
}

impl Gpu {
    /// Bases with the best tables of at most `table_bytes`; `None` where not even the bases are within the budget.
    pub(super) fn device_bases<C: DeviceCurve>(
        &self,
        points: &[C],
        table_bytes: u64,
    ) -> Result<Option<DeviceBases<C>>, Error> {
        let count = points.len();
        // The memory of sums must fit beside them.
        let each = (8 * C::AFFINE * count) as u64;
        if count == 0 || count >= TERMS || each > self.limit / 2 {
            return Ok(None);
        }
        let most = (table_bytes.min(self.limit / 2) / each) as usize;
        let shape = Shape::of_tables(count, longest::<C>(), most.min(TERMS / count));
        match self.tables_of(points, shape) {
            Err(Error::DeviceOutOfMemory { .. }) if shape.is_some() => self.tables_of(points, None).map(Some),
            made => made.map(Some),
        }
    }

    fn tables_of<C: DeviceCurve>(&self, points: &[C], shape: Option<Shape>) -> Result<DeviceBases<C>, Error> {
        let count = points.len();
        let mut session = Session::new(self)?;
        let table = session.allocate(C::AFFINE * count * shape.map_or(1, Shape::tables))?;
        session.upload(bytemuck::cast_slice(limbs_of_points(points)), table, 0)?;
        if let Some(shape) = shape {
            let space = session.allocate(C::XYZZ * count.min(TOGETHER))?;
            for to in (count..count * shape.tables()).step_by(count) {
                for start in (0..count).step_by(TOGETHER) {
                    let (len, doublings) = (TOGETHER.min(count - start), shape.sets * shape.bits as usize);
                    let indices = (to - count + start, to + start);
                    let limits = session.limits();
                    session
                        .launch(&launches::multiples::<C>(limits, table, indices, len, doublings, space))?;
                }
            }
        }
        Ok(DeviceBases { memory: session.lease(table)?, count, shape, curve: PhantomData })
    }
}
