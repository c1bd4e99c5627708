//! Faults in operations on vectors that stay on the device.

use std::sync::Arc;

use super::{failing, survive};
use crate::backend::gpu::{Device, Gpu};
use crate::backend::reference::Reference;
use crate::backend::{BaseField, Memory, Pointwise, Resident, ResidentPointwise, ResidentSparse, Sparse};
use crate::bn254::Fr;
use crate::error::Error;
use crate::faults::Fault;
use crate::sparse::SparseMatrix;

fn vector(factor: u64) -> Vec<Fr> {
    (1..=40).map(|i| -Fr::from(i * factor)).collect()
}

fn faults(device: Arc<dyn Device>) {
    let (a, b) = (vector(3), vector(5));
    let mut expected = a.clone();
    Reference.multiply(&mut expected, &b, Some(&a)).unwrap();
    for fault in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Anything, 1), (Fault::Anything, 2)] {
        let failing_after = |calls| failing(&device, fault, calls, None);
        survive(failing_after, "products of what stays", &a, &expected, |gpu, a| {
            let [x, y] = [&*a, &b].map(|vector| gpu.upload(Fr::words(vector)));
            let (x, y) = (x?, y?);
            let product = ResidentPointwise::<Fr>::multiply(gpu, a.len(), &x, &y, Some(&x))?;
            download(gpu, &product, a)
        });
    }
}

fn download(gpu: &Gpu, memory: &Memory, to: &mut [Fr]) -> Result<(), Error> {
    let mut found = vec![0; 32 * to.len()];
    gpu.download(memory, 0, &mut found)?;
    Fr::words_mut(to).copy_from_slice(bytemuck::cast_slice(&found));
    Ok(())
}

/// A matrix that is kept, unless there is no memory for it, and one that goes in parts; one of the rows is longer than a piece.
fn sparse(device: Arc<dyn Device>) {
    let row =
        |row: usize| (0..if row == 17 { 70 } else { row % 4 }).map(move |i| (i % 40, Fr::from(i as u64)));
    let matrix = SparseMatrix::from_rows(40, (0..40).map(row)).unwrap();
    let (matrix, x) = (matrix.view(), vector(3));
    let mut expected = x.clone();
    Reference.sparse_product(matrix, None, &x, &mut expected).unwrap();
    for fault in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Memory, u32::MAX), (Fault::Anything, 1)] {
        for budget in [None, Some(4000)] {
            let failing_after = |calls| failing(&device, fault, calls, budget);
            survive(failing_after, "a sparse product", &x, &expected, |gpu, x| {
                let kept = Sparse::<Fr>::keep_sparse(gpu, matrix)?;
                let mut product = vec![Fr::zero(); 40];
                Sparse::sparse_product(gpu, matrix, kept.as_ref(), x, &mut product)?;
                x.copy_from_slice(&product);
                Ok(())
            });
        }
        let failing_after = |calls| failing(&device, fault, calls, None);
        survive(failing_after, "a sparse product that stays", &x, &expected, |gpu, x| {
            let vector = gpu.upload(Fr::words(x))?;
            let Some(kept) = Sparse::<Fr>::keep_sparse(gpu, matrix)? else {
                let vector = x.to_vec();
                return Sparse::sparse_product(gpu, matrix, None, &vector, x);
            };
            let product = ResidentSparse::<Fr>::sparse_product(gpu, &kept, &vector)?;
            download(gpu, &product, x)
        });
    }
}

on_the_first_devices! {
    every_moment: faults,
    every_moment_of_sparse_products: sparse,
}
