//! Commitments to traces, in host memory and where they stay: root, extension and openings are those of the reference, and so are errors.

use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Accelerated;
use zkaccel::matrix::{Matrix, Shape};
use zkaccel::ntt::Convention;
use zkaccel::{Engine, Error};

use crate::draw::Draw;
use crate::engines;
use crate::hashes::{HashVisitor, NAMES, visit};

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let name = draw.pick(NAMES);
    visit(name, Hash(draw));
}

struct Hash<'a>(Draw<'a>);

/// What is compared: the root, the extension, the tree, and an opening or its error.
type Found<H> = (
    <H as zkaccel::hash::Hasher>::Digest,
    Vec<Goldilocks>,
    Vec<<H as zkaccel::hash::Hasher>::Digest>,
    Result<(Vec<Vec<Goldilocks>>, Vec<u8>), Error>,
);

impl HashVisitor for Hash<'_> {
    fn visit<H: Accelerated>(self) {
        let draw = &mut { self.0 };
        // Several devices make cosets of the extension.
        let engine = if draw.below(4) == 3 { engines::several(draw) } else { engines::draw(draw) };
        let spec = TraceSpec {
            blowup: if draw.below(12) == 11 { draw.word() } else { 2 << draw.below(3) },
            convention: draw.pick(&Convention::ALL),
            shift: if draw.below(12) == 11 { bytemuck::cast(draw.word()) } else { draw.element() },
        };
        let columns = 1 + draw.below(12);
        let rows = match draw.below(12) {
            11 => 1 + draw.below(40),
            _ => 1 << draw.below(5),
        };
        let layout = draw.layout();
        let mut trace = draw.matrix::<Goldilocks>(Shape { rows, columns, layout });
        if draw.below(16) == 15 {
            trace.as_mut_slice()[draw.below(rows * columns)] = bytemuck::cast(draw.word());
        }
        let extended = rows.saturating_mul(spec.blowup.min(64) as usize);
        let indices: Vec<_> = (0..draw.below(6))
            .map(|_| if draw.below(16) == 15 { draw.word() as usize } else { draw.below(extended.max(1)) })
            .collect();
        let (height, form) = (draw.below(5) as u32, draw.below(4));
        let commit =
            |engine: &Engine, form: usize| commit::<H>(engine, &spec, &trace, form, &indices, height);
        match (commit(&engine, form), commit(engines::reference(), form)) {
            (Err(Error::OverDeviceBudget { .. }), _) if form == 2 => {}
            (found, expected) => {
                assert_eq!(
                    found,
                    expected,
                    "{spec:?} of {:?}, {}, on {}",
                    trace.shape(),
                    H::NAME,
                    engine.device().id
                );
            }
        }
    }
}

fn commit<H: Accelerated>(
    engine: &Engine,
    spec: &TraceSpec,
    trace: &Matrix<Goldilocks>,
    form: usize,
    indices: &[usize],
    height: u32,
) -> Result<Found<H>, Error> {
    // No reasonable blow-up is larger, and the extension has to fit into memory.
    if spec.blowup.is_power_of_two() && spec.blowup > 64 {
        return spec.lde(trace.shape().rows).and(Err(Error::BadShift));
    }
    let commitment = match form {
        0 => engine.commit::<H>(spec, trace)?,
        1 => engine.commit::<H>(spec, trace.clone())?,
        2 => engine.commit::<H>(spec, engine.upload(trace)?)?,
        _ => engine.commit_async::<H>(spec, trace.clone()).wait()?,
    };
    let opening = commitment.open_to_cap(indices, height);
    if let Ok(opening) = &opening {
        assert_eq!(opening.verify(&commitment.cap(height)?, commitment.shape().columns), Ok(()));
    }
    let opening = opening.map(|opening| (opening.rows, opening.opening.to_bytes()));
    let extension = commitment.extension()?.as_slice().to_vec();
    Ok((commitment.root(), extension, commitment.tree()?.heap().to_vec(), opening))
}
