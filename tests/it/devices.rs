//! Devices that are not there, and caches that cannot be used, in processes with other environments.

use std::path::Path;

use zkaccel::device::{DeviceChoice, devices};
use zkaccel::hash::{Blake3, Hasher};
use zkaccel::policy::Policy;
use zkaccel::{Engine, Error};

use crate::child::{elsewhere, is_child};

#[test]
#[ignore = "runs in a process of its own"]
fn child_without_devices() {
    if !is_child() {
        return;
    }
    let names: Vec<_> = devices().into_iter().map(|device| device.id).collect();
    assert_eq!(names, ["cpu"]);
    for choice in [DeviceChoice::Cuda(0), DeviceChoice::OpenCl(0)] {
        match Engine::builder().device(choice).build() {
            Err(Error::DeviceMissing { device, available, .. }) => {
                assert_eq!((device, available), (choice.to_string(), "cpu".into()));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(Engine::new().unwrap().device().id, "cpu");
    let with =
        |policy, device: &str| Engine::builder().policy(policy).device(device.parse().unwrap()).build();
    let unmet = Error::PolicyUnmet {
        policy: Policy::RequireGpu,
        reason: "there is no GPU".into(),
        available: "cpu".into(),
    };
    assert_eq!(with(Policy::RequireGpu, "auto").err(), Some(unmet));
    for (policy, device) in [
        (Policy::PreferGpu, "auto"),
        (Policy::PreferGpu, "cuda:0"),
        (Policy::PreferGpu, "cuda"),
        (Policy::PreferGpu, "cuda:0,opencl:0"),
        (Policy::PreferCpu, "opencl:0"),
    ] {
        let engine = with(policy, device).unwrap();
        assert_eq!(engine.device().id, "cpu", "{policy} {device}");
        assert!(
            engine.device().reason.starts_with(&format!("chosen by {device}")),
            "{}",
            engine.device().reason
        );
    }
    for device in ["cuda", "opencl", "cpu,cuda"] {
        match with(Policy::Any, device) {
            Err(Error::DeviceMissing { available, .. }) => assert_eq!(available, "cpu"),
            other => panic!("{device}: {other:?}"),
        }
    }
}

/// The loader finds no OpenCL platform, the driver of CUDA no GPU.
#[test]
fn a_machine_without_devices_has_its_cpu() {
    let nowhere = Path::new("/nowhere");
    let hidden = [("OCL_ICD_VENDORS", nowhere), ("OPENCL_VENDOR_PATH", nowhere)];
    elsewhere(
        "devices::child_without_devices",
        &[&hidden[..], &[("CUDA_VISIBLE_DEVICES", Path::new(""))]].concat(),
    );
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_with_a_cache() {
    if !is_child() {
        return;
    }
    match Engine::builder().device(DeviceChoice::OpenCl(0)).build() {
        Ok(engine) => {
            let leaves: Vec<_> = (0..8u8).map(|i| Blake3::hash(&[i])).collect();
            let expected = Engine::builder().device(DeviceChoice::Cpu).build().unwrap();
            let expected = expected.merkle_tree::<Blake3>(&leaves).unwrap();
            assert_eq!(engine.merkle_tree::<Blake3>(&leaves).unwrap(), expected);
            println!("warnings: {:?}", zkaccel::cache::warnings());
        }
        // Where it must be present, the conformance tests say that it is not.
        Err(error) => assert!(matches!(error, Error::DeviceMissing { .. }), "{error:?}"),
    }
}

/// The bytes of a file of the cache, as `zkaccel::cache` describes them.
fn sealed(path: &Path, contents: &[u8]) -> Vec<u8> {
    let name = path.file_name().unwrap().as_encoded_bytes();
    let mut hasher = blake3::Hasher::new_derive_key("zkaccel cache 2");
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name).update(contents);
    [b"zkaccel cache 2\n", &hasher.finalize().as_bytes()[..], contents].concat()
}

/// A cache of compiled kernels that is used, damaged, replaced by something else, or that cannot be written.
#[test]
fn any_state_of_the_cache_will_do() {
    let root = tempfile::tempdir().unwrap();
    let run = |path: &Path| elsewhere("devices::child_with_a_cache", &[("XDG_CACHE_HOME", path)]);
    run(root.path());
    run(root.path());
    let directory = root.path().join("zkaccel");
    let files = || -> Vec<_> {
        let entries = std::fs::read_dir(&directory).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    for file in files() {
        // Damaged; and whole, but no program.
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        let text = run(root.path());
        assert!(text.contains("it is damaged"), "{text}");
        assert!(std::fs::read(&file).unwrap().len() > whole.len() / 2, "a damaged file is replaced");
        std::fs::write(&file, sealed(&file, b"no program")).unwrap();
        let text = run(root.path());
        assert!(text.contains("warnings: []"), "{text}");
        assert!(
            std::fs::read(&file).unwrap().len() > whole.len() / 2,
            "a file that is no program is replaced"
        );
    }
    let file = root.path().join("file");
    std::fs::write(&file, "no directory").unwrap();
    run(&file);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_with_an_auto_device_that_is_missing() {
    if !is_child() {
        return;
    }
    match Engine::new() {
        Err(Error::DeviceMissing { device, .. }) => assert_eq!(device, "opencl:4000"),
        other => panic!("{other:?}"),
    }
}

/// A device that somebody named is not replaced by another in silence.
#[test]
fn auto_refuses_a_named_device_that_is_missing() {
    let environment = [("ZKACCEL_AUTO_DEVICE", Path::new("opencl:4000"))];
    elsewhere("devices::child_with_an_auto_device_that_is_missing", &environment);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_with_a_device_in_the_environment() {
    if !is_child() {
        return;
    }
    match Engine::global() {
        Ok(engine) => println!("uses {}: {}", engine.device().id, engine.device().reason),
        Err(error) => println!("refused: {error}"),
    }
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_that_counts_threads() {
    if is_child() {
        let threads = |engine: Result<Engine, Error>| engine.unwrap().device().units;
        let engine = || Engine::builder().device(DeviceChoice::Cpu);
        println!(
            "{} by default, {} asked for",
            threads(engine().build()),
            threads(engine().threads(2).build())
        );
    }
}

/// `RAYON_NUM_THREADS` is for the engine too, which has taken over what provers do with rayon; what the program asks for comes first.
#[test]
fn threads_of_the_environment() {
    let text = elsewhere("devices::child_that_counts_threads", &[("RAYON_NUM_THREADS", Path::new("3"))]);
    assert!(text.contains("3 by default, 2 asked for"), "{text}");
    let text = elsewhere("devices::child_that_counts_threads", &[("RAYON_NUM_THREADS", Path::new("none"))]);
    let all = std::thread::available_parallelism().unwrap();
    assert!(text.contains(&format!("{all} by default")), "{text}");
}

/// The variables that name devices: an empty one counts as not set, and errors say which variable is wrong.
#[test]
fn devices_of_the_environment() {
    for (device, beside, expected) in [
        ("", "", "uses "),
        ("reference", "", "uses reference: asked for by ZKACCEL_DEVICE"),
        ("cpu", "abacus", "uses cpu: asked for by ZKACCEL_DEVICE"),
        ("abacus", "", "refused: unknown device (ZKACCEL_DEVICE) \"abacus\", expected one of auto, cpu"),
        ("opencl:4000", "", "(ZKACCEL_DEVICE names it); available: cpu"),
        ("cpu,cpu", "", "cpu is listed twice (ZKACCEL_DEVICE names them)"),
        ("", "abacus", "refused: unknown device (ZKACCEL_AUTO_DEVICE) \"abacus\", expected one of auto, cpu"),
        ("auto", "opencl:4000", "(ZKACCEL_AUTO_DEVICE names it); available: cpu"),
        ("", "cpu,reference", "ZKACCEL_AUTO_DEVICE names one device, to be weighed against the CPU"),
    ] {
        let environment = [("ZKACCEL_DEVICE", Path::new(device)), ("ZKACCEL_AUTO_DEVICE", Path::new(beside))];
        let text = elsewhere("devices::child_with_a_device_in_the_environment", &environment);
        assert!(text.contains(expected), "{device:?}, {beside:?}: {text}");
    }
}
