//! The engine of the process, in a process of its own.

use zkaccel::device::DeviceChoice;
use zkaccel::hash::{Blake3, Hasher};
use zkaccel::work::items;
use zkaccel::{Engine, Error};

use crate::child::{elsewhere, is_child};

#[test]
fn there_is_one_and_it_stays() {
    elsewhere("global::child_that_makes_it", &[]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_that_makes_it() {
    if !is_child() {
        return;
    }
    let of = |device| Engine::builder().device(device).build().unwrap();
    of(DeviceChoice::Reference).make_global().unwrap();
    let global = Engine::global().unwrap();
    assert_eq!(global.device().id, "reference");
    assert_eq!(of(DeviceChoice::Cpu).make_global(), Err(Error::GlobalTaken { device: "reference".into() }));

    // Whoever asks for it has the same one, with one account.
    assert_eq!(items(&global.work(), "merkle tree"), 0);
    Engine::global().unwrap().merkle_tree::<Blake3>(&[Blake3::hash(b""); 8]).unwrap();
    assert_eq!(items(&global.work(), "merkle tree"), 8);
}
