//! Temporary.

use std::time::Instant;
use zkaccel::Engine;
use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::sparse::SparseMatrix;

fn best<T>(mut f: impl FnMut() -> T) -> f64 {
    (0..12)
        .map(|_| {
            let s = Instant::now();
            f();
            s.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let device = std::env::args().nth(1).unwrap_or("cpu".into());
    let engine = Engine::builder().device(device.parse().unwrap()).build().unwrap();
    println!("{}", engine.device().description);
    let device_ms = |f: &mut dyn FnMut()| {
        f();
        let before = engine.device_time();
        let n = 10;
        for _ in 0..n {
            f();
        }
        match (before, engine.device_time()) {
            (Some(a), Some(b)) => (b - a).as_secs_f64() * 1e3 / n as f64,
            _ => f64::NAN,
        }
    };
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 20
    };
    for log in [16u32, 18, 20] {
        let n = 1usize << log;
        for kind in ["local", "random", "skewed"] {
            let rows: Vec<Vec<(usize, Fr)>> = (0..n)
                .map(|i| {
                    let len = match kind {
                        "skewed" if i % 4096 == 0 => 3000,
                        "skewed" if i == 5 => n,
                        _ => 1 + (next() % 6) as usize,
                    };
                    (0..len)
                        .map(|_| {
                            let c = match kind {
                                "local" => (i + n - (next() % 2000) as usize) % n,
                                _ => next() as usize % n,
                            };
                            let v = match next() % 16 {
                                0..=9 => Fr::one(),
                                10..=12 => -Fr::one(),
                                13 | 14 => Fr::from(2 << (next() % 30)),
                                _ => Fr::from(next()),
                            };
                            (c, v)
                        })
                        .collect()
                })
                .collect();
            let s = Instant::now();
            let m = SparseMatrix::from_rows(n, rows).unwrap();
            let made = s.elapsed().as_secs_f64() * 1e3;
            let entries = m.entries();
            let s = Instant::now();
            let k = engine.sparse_matrix(m).unwrap();
            let kept = s.elapsed().as_secs_f64() * 1e3;
            let x: Vec<Fr> = (0..n as u64).map(|i| -Fr::from(i * i + 1)).collect();
            let dx = engine.upload(Matrix::from_column(x.clone()).unwrap()).unwrap();
            let host = best(|| engine.sparse_product(&k, &x).unwrap());
            let stays = best(|| engine.sparse_product(&k, &dx).unwrap());
            let dev = device_ms(&mut || {
                engine.sparse_product(&k, &dx).unwrap();
            });
            println!(
                "2^{log} {kind} {entries} entries: made {made:.0} kept {kept:.0} host {host:.3} stays {stays:.3} device {dev:.4} ms"
            );
        }
        let x: Vec<Fr> = (0..n as u64).map(|i| -Fr::from(i * i + 1)).collect();
        let dx = engine.upload(Matrix::from_column(x.clone()).unwrap()).unwrap();
        let dy =
            engine.upload(Matrix::from_column(x.iter().map(|x| x + Fr::from(5)).collect()).unwrap()).unwrap();
        let mut hx = x.clone();
        let host = best(|| engine.multiply_subtract(&mut hx, &x, &x).unwrap());
        let mut a = dx.clone();
        let stays = best(|| engine.multiply_subtract(&mut a, &dy, &dx).unwrap());
        let dev = device_ms(&mut || {
            engine.multiply_subtract(&mut a, &dy, &dx).unwrap();
        });
        let ntt = Ntt::forward(Domain::halo2(log).unwrap().coset(Fr::from(7)).unwrap());
        let t = best(|| engine.ntt(&ntt, &mut a).unwrap());
        let tdev = device_ms(&mut || {
            engine.ntt(&ntt, &mut a).unwrap();
        });
        println!(
            "2^{log} a b - c: host {host:.3} stays {stays:.3} device {dev:.4}; coset ntt stays {t:.3} device {tdev:.4} ms"
        );
    }
}
