//! Results of row programs as columns of their own.

use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel::program::{Node, ProgramRows};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use super::Builder;

/// The outputs of a program that is recorded but for them, each in a matrix of its own: only a column of its own can be divided into rows of siblings.
pub fn run_apart(
    engine: &Engine,
    builder: &Builder,
    outputs: Vec<Node>,
    rows: ProgramRows,
    inputs: &[&DeviceMatrix<Goldilocks>],
    values: &[Goldilocks],
) -> Result<Vec<DeviceMatrix<Goldilocks>>, Error> {
    let run = |outputs: &[Node]| {
        let mut builder = builder.clone();
        outputs.iter().for_each(|&output| builder.output(output));
        engine.run_program(&builder.finish()?, rows, inputs, values)
    };
    let on_device = || outputs.iter().map(|&output| run(&[output])).collect();
    if inputs.iter().all(|input| input.as_host().is_none()) {
        return on_device();
    }
    // What outputs share is computed once.
    let all = run(&outputs)?;
    let Some(all) = all.as_host() else { return on_device() };
    let apart = |column: &[_]| engine.keep_in_host_memory(Matrix::from_column(column.to_vec())?);
    all.as_slice().chunks_exact(rows.count).map(apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::engine;
    use zkaccel::ntt::Order;

    /// Wherever the inputs are.
    #[test]
    fn sums_and_products() {
        let engine = engine(1 << 20);
        let mut builder = Builder::new();
        let [x, y] = [0, 1].map(|input| builder.column(input, 0, 0));
        let outputs = vec![builder.add(x, y), builder.mul(x, y)];
        let rows = ProgramRows { count: 8, stride: 1, order: Order::Natural };
        let column = |count: u64| Matrix::from_column((3..3 + count).map(Goldilocks::new).collect()).unwrap();
        // The first has more rows than the program, of which it reads every other one.
        let inputs = [column(16), column(8)];
        for there in [[true, true], [true, false], [false, true], [false, false]] {
            let place = |(matrix, there): (&Matrix<Goldilocks>, bool)| match there {
                true => engine.upload(matrix).unwrap(),
                false => engine.keep_in_host_memory(matrix).unwrap(),
            };
            let inputs: Vec<_> = inputs.iter().zip(there).map(place).collect();
            let inputs: Vec<_> = inputs.iter().collect();
            let found = run_apart(&engine, &builder, outputs.clone(), rows, &inputs, &[]).unwrap();
            let found: Vec<_> = found.iter().map(|column| engine.download(column).unwrap()).collect();
            for row in 0..8 {
                let [x, y] = [3 + 2 * row, 3 + row];
                let entries = [0, 1].map(|output: usize| found[output].as_slice()[row as usize]);
                assert_eq!(
                    entries,
                    [x + y, x * y].map(Goldilocks::new),
                    "row {row}, on the device: {there:?}"
                );
            }
        }
    }
}
