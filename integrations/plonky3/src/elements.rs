//! Elements change sides where they lie: both sides keep one in a word, zkaccel canonical, Plonky3 any that is congruent.

use std::mem::ManuallyDrop;

use p3_field::PrimeField64;
use p3_goldilocks::Goldilocks as Element;
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use rayon::prelude::*;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, MatrixRef, Shape};

/// Elements that a task reduces.
const GRAIN: usize = 1 << 14;

// Plonky3's element is `repr(transparent)` over a word, and here the word is seen to be the residue, canonical or not.
const _: () = {
    assert!(
        size_of::<Element>() == size_of::<Goldilocks>() && align_of::<Element>() == align_of::<Goldilocks>()
    );
    let words = [0, 1, 0x0123_4567_89ab_cdef, Element::ORDER_U64, u64::MAX];
    let mut i = 0;
    while i < words.len() {
        // SAFETY: of equal size, and every word is a value of either type.
        assert!(unsafe { std::mem::transmute::<Element, u64>(Element::new(words[i])) } == words[i]);
        i += 1;
    }
};

pub(crate) fn to_engine(element: Element) -> Goldilocks {
    Goldilocks::new(element.as_canonical_u64())
}

pub(crate) fn from_engine(element: Goldilocks) -> Element {
    Element::new(element.as_u64())
}

/// Makes words canonical. Those of matrices that were computed mostly are, and are then only read.
fn reduce(elements: &mut [Element]) {
    let is_canonical = |element: &Element| as_word(element) < Element::ORDER_U64;
    elements.par_chunks_mut(GRAIN).for_each(|elements| {
        // Without an early end, which would keep it from being done in vectors.
        if !elements.iter().fold(true, |all, element| all & is_canonical(element)) {
            elements.iter_mut().for_each(|element| *element = Element::new(element.as_canonical_u64()));
        }
    });
}

/// The word that an element is kept in.
fn as_word(element: &Element) -> u64 {
    // SAFETY: a word, as is seen above.
    unsafe { std::mem::transmute::<Element, u64>(*element) }
}

/// Makes the words of a matrix canonical, which was taken as it was.
pub(crate) fn reduce_matrix(matrix: &mut Matrix<Goldilocks>) {
    let words = matrix.as_mut_slice();
    // SAFETY: memory of words of the same size and alignment, all of them values of the other type, and borrowed for as long.
    reduce(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) });
}

/// A matrix as the engine takes it.
pub(crate) fn matrix(matrix: RowMajorMatrix<Element>) -> Matrix<Goldilocks> {
    let mut matrix = as_it_is(matrix);
    reduce_matrix(&mut matrix);
    matrix
}

/// A matrix of which some words may not be canonical, which the engine refuses.
pub(crate) fn as_it_is(matrix: RowMajorMatrix<Element>) -> Matrix<Goldilocks> {
    let (rows, columns) = (matrix.height(), matrix.width());
    let mut elements = ManuallyDrop::new(matrix.values);
    // SAFETY: memory of words of the same size and alignment, all of them values of the other type, and no longer the other vector's.
    let words =
        unsafe { Vec::from_raw_parts(elements.as_mut_ptr().cast(), elements.len(), elements.capacity()) };
    Matrix::from_rows(words, rows, columns).expect("a matrix of whole rows")
}

/// The same where it lies.
pub(crate) fn view(matrix: &RowMajorMatrix<Element>) -> MatrixRef<'_, Goldilocks> {
    let elements = &matrix.values;
    // SAFETY: words of the same size and alignment, all of them values of the other type, borrowed for as long.
    let words = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) };
    let shape = Shape { rows: matrix.height(), columns: matrix.width(), layout: Layout::RowMajor };
    MatrixRef::new(words, shape).expect("a matrix of whole rows")
}

/// A copy of a matrix, made by all threads: most of what it takes is fresh memory.
pub(crate) fn copied(matrix: MatrixRef<'_, Goldilocks>) -> Matrix<Goldilocks> {
    let elements = matrix.as_slice().par_iter().with_min_len(GRAIN).copied().collect();
    Matrix::new(elements, matrix.shape()).expect("as many elements as the matrix has")
}

/// A matrix as Plonky3 takes it.
pub(crate) fn dense(matrix: Matrix<Goldilocks>) -> RowMajorMatrix<Element> {
    let columns = matrix.shape().columns;
    let mut words = ManuallyDrop::new(matrix.into_vec());
    // SAFETY: as above.
    let elements = unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) };
    RowMajorMatrix::new(elements, columns)
}
