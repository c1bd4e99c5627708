//! The choice between two devices: by the expected time, or always the second.

use super::*;

/// Sizes on both sides of the crossing of the lines go to different devices, with the same result.
#[test]
fn the_expected_time_decides() {
    let auto = auto(false);
    // Equal between 2^4 and 2^5 points.
    for (log, device) in [(0, "cpu"), (3, "cpu"), (5, "other"), (10, "other")] {
        let transform = Ntt::forward(Domain::new(log, Convention::Winterfell).unwrap());
        let (mut data, mut expected) = (words(1 << log), words(1 << log));
        ntt(&auto, transform, &mut data, 1).unwrap();
        Cpu::default().ntt(&transform, &mut expected, 1).unwrap();
        assert_eq!(data, expected);
        let choices = auto.choices().unwrap();
        let [last] = &choices.last[..] else { panic!("{choices:?}") };
        assert_eq!((last.chosen.0.as_str(), last.amount), (device, 1 << log), "{last}");
        assert!(last.chosen.1 <= last.other.1 && last.chosen.0 != last.other.0, "{last}");
    }
    let choices = auto.choices().unwrap();
    assert_eq!((choices.on_cpu, choices.on_device), (2, 2));
    assert_eq!(items(&auto, "ntt"), [9, 1056]);
}

/// A device that is busy with the work of other threads is passed over for a slower one, and the record of the choice counts that
/// work.
#[test]
fn a_busy_device_is_passed_over() {
    let auto = auto(false);
    let transform = || ntt(&auto, Ntt::forward(domain(0)), &mut words(1), 1).unwrap();
    transform();
    let idle = auto.choices().unwrap().last[0].clone();
    assert_eq!(idle.chosen.0, "cpu");
    let busy = auto.members[0].give(1e9);
    transform();
    drop(busy);
    let choices = auto.choices().unwrap();
    let [last] = &choices.last[..] else { panic!("{choices:?}") };
    assert_eq!((last.chosen.0.as_str(), last.chosen.1), ("other", idle.other.1), "{last}");
    assert_eq!(last.other.1, idle.chosen.1 + Duration::from_secs(1), "{last}");
    transform();
    assert_eq!(auto.choices().unwrap().last[0], idle);
}

/// A curve that is a hundred times too high is measured again when an operation shows it, and the new measurement is used.
#[test]
fn a_curve_that_proves_wrong_is_measured_again() {
    let slow = Curve::through(vec![[1.0, 1e9], [1e12, 1e21]]);
    let devices = vec![opened("cpu", Fake::default(), true), opened("other", Fake::default(), true)];
    let auto = Dispatcher::new(devices, Strategy::Choose { prefer_second: false });
    let auto = auto.measured(&[transform_kind::<Goldilocks>()], &[slow]);
    let expected = || {
        ntt(&auto, Ntt::forward(domain(4)), &mut words(16), 1).unwrap();
        auto.choices().unwrap().last[0].chosen.1
    };
    assert!(expected() >= Duration::from_secs(1));
    assert!(expected() < Duration::from_secs(1));
}

/// No times are expected of either, and the second device does everything.
#[test]
fn a_preferred_device_does_it_all() {
    let auto = auto(true);
    ntt(&auto, Ntt::forward(Domain::new(0, Convention::Winterfell).unwrap()), &mut words(1), 1).unwrap();
    assert_eq!(items(&auto, "ntt"), [0, 1]);
    assert_eq!(auto.choices().unwrap().on_device, 1);
}

/// Tells the device on which it is run.
struct Where;

impl Call for Where {
    type Output = usize;

    fn size(&self, _: &Member) -> Size {
        Activity::UPLOAD.of(1, 0, 0)
    }

    fn run(self, device: &Member) -> Result<usize, Error> {
        Ok(device.index())
    }
}

/// What is bound to devices is done by these, whichever would be chosen and whatever they have to do.
#[test]
fn what_is_bound_to_a_device_stays_there() {
    for prefer_second in [false, true] {
        let auto = auto(prefer_second);
        for busy in [0, 1] {
            let _busy = auto.members[busy].give(1e9);
            for homes in [&[0][..], &[1], &[0, 1], &[1, 1, 0]] {
                let calls = homes.iter().map(|&home| (home, Where)).collect();
                assert_eq!(auto.run(Each { calls }).unwrap(), homes, "{prefer_second}, {busy} is busy");
            }
        }
        assert!(auto.choices().unwrap().last.is_empty(), "nothing was chosen");
    }
}
