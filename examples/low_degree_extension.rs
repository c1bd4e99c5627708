//! Extends columns to a larger domain, in both root-of-unity conventions, and goes back.
//!
//! ```text
//! cargo run --release --example low_degree_extension
//! ```

use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Lde, Ntt};
use zkaccel::{Engine, Error};

fn main() -> Result<(), Error> {
    let engine = Engine::new()?;
    for convention in Convention::ALL {
        // Four columns of 2^10 values on the subgroup, extended fourfold onto the coset by 7.
        let values = Matrix::from_columns((0..4096).map(Goldilocks::new).collect(), 1024, 4)?;
        let lde = Lde::onto_coset(10, 4, convention, Goldilocks::GENERATOR)?;
        let mut extended = engine.lde(&lde, &values)?;
        println!("{convention}: {} rows become {}", values.shape().rows, extended.shape().rows);
        // The inverse gives coefficients: those above the degree are zero.
        engine.ntt(&Ntt::inverse(lde.to()), extended.view_mut())?;
        assert!((1024..4096).all(|i| (0..4).all(|j| extended.get(i, j) == Goldilocks::new(0))));
    }
    Ok(())
}
