//! Operations on nothing, by an engine that tests its answers: there may be nothing to draw samples from.

use zkaccel::bn254::{Fr, G1Affine};
use zkaccel::device::DeviceChoice;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Rp64_256;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::msm::BasesOptions;
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::sparse::SparseMatrix;
use zkaccel::{Engine, Error};

fn engine() -> Engine {
    Engine::builder().device(DeviceChoice::Cpu).threads(1).check_answers(true).build().unwrap()
}

#[test]
fn no_rows_of_scalars() {
    let engine = engine();
    for count in [0, 1, 3, 100] {
        let bases = vec![G1Affine::generator(); count];
        assert_eq!(engine.msm_batch::<G1Affine>(&[] as &[Fr], &bases), Ok(vec![]), "{count} bases");
        let bases = engine.bases(bases, BasesOptions::default()).unwrap();
        assert_eq!(engine.msm_batch::<G1Affine>(&[] as &[Fr], &bases), Ok(vec![]), "{count} kept bases");
    }
}

#[test]
fn no_points_and_no_elements() -> Result<(), Error> {
    let engine = engine();
    for log_size in [0, 1, 10] {
        let domain = Domain::<Fr>::halo2(log_size)?;
        engine.transform_points::<G1Affine>(&Ntt::forward(domain), &mut [])?;
    }
    engine.invert(&mut [] as &mut [Fr])?;
    engine.invert(&mut [] as &mut [Goldilocks])?;
    engine.multiply(&mut [] as &mut [Fr], &[])?;
    for columns in [0, 1, 100] {
        let matrix = engine.sparse_matrix(SparseMatrix::<Fr>::new(columns, &[0], &[], &[])?)?;
        assert_eq!(engine.sparse_product(&matrix, &vec![Fr::one(); columns])?, []);
        let rows = engine.sparse_matrix(SparseMatrix::<Fr>::new(columns, &vec![0; 101], &[], &[])?)?;
        assert_eq!(engine.sparse_product(&rows, &vec![Fr::one(); columns])?, vec![Fr::zero(); 100]);
    }
    Ok(())
}

/// Where a matrix may be empty, in either layout.
#[test]
fn no_rows_and_no_columns() {
    let engine = engine();
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        for (rows, columns) in [(0, 0), (0, 1), (0, 100), (1, 0), (100, 0)] {
            let shape = Shape { rows, columns, layout };
            // What is refused has no answer.
            let Ok(matrix) = Matrix::<Goldilocks>::new(vec![], shape) else { continue };
            if let Ok(digests) = engine.hash_rows::<Rp64_256, _>(&matrix) {
                assert_eq!(digests.len(), rows);
            }
            if let Ok((products, all)) = engine.prefix_products(&matrix, &[]) {
                assert_eq!((products.shape(), all), (shape, vec![Goldilocks::new(1); columns]));
            }
            if let Ok(permuted) = engine.permute_lookups(&matrix, 0) {
                assert_eq!(permuted.shape(), shape);
            }
            let weights = |rows| {
                Matrix::<Goldilocks>::new(
                    vec![Goldilocks::new(1); 2 * rows],
                    Shape { rows, columns: 2, layout },
                )
            };
            let Ok(coefficients) = weights(columns) else { continue };
            if let Ok(combined) = engine.combine_columns(&matrix, &coefficients) {
                assert_eq!(combined.as_slice(), vec![Goldilocks::new(0); 2 * rows]);
            }
            let Ok(weights) = weights(rows) else { continue };
            if let Ok(sums) = engine.combine_rows(&weights, &matrix) {
                assert_eq!(sums.as_slice(), vec![Goldilocks::new(0); 2 * columns]);
            }
        }
    }
    // Lookups of which no row is used.
    let matrix = Matrix::from_columns(vec![Goldilocks::new(5); 8], 4, 2).unwrap();
    assert_eq!(engine.permute_lookups(&matrix, 0).unwrap().as_slice(), matrix.as_slice());
}
