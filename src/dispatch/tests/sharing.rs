//! Several devices at work: at the same time, with their shares, and while one is busy.

use super::*;

/// Both devices are at work at the same time, although the caller's pool has but one thread.
#[test]
fn devices_work_at_the_same_time() {
    let fake = Fake { meeting: Some(Meeting::of(2)), ..Fake::default() };
    let several = several([fake.clone(), fake], Some(vec![1, 1]));
    let mut data = words(64);
    pool().install(|| ntt(&several, Ntt::forward(domain(5)), &mut data, 1)).unwrap();
    assert_eq!(items(&several, "ntt"), [32, 32]);
}

/// Three devices, each with its part, and what they tell: sums, and means of rates of copies, over those that can tell.
#[test]
fn what_several_devices_tell_together() {
    let fakes = [("first", Some(10)), ("second", None), ("third", Some(30))];
    let devices =
        fakes.map(|(name, statistics)| opened(name, Fake { name, statistics, ..Fake::default() }, true));
    let three = Dispatcher::new(devices.into(), Strategy::Divide { weights: Some(vec![1, 1, 2]) });
    let three = three.measured(&kinds::<Blake3>(), &[line()]);
    let (mut data, mut expected) = (words(256), words(256));
    ntt(&three, Ntt::forward(domain(5)), &mut data, 1).unwrap();
    ntt(&Dispatcher::alone(Cpu::default()), Ntt::forward(domain(5)), &mut expected, 1).unwrap();
    assert_eq!((data, items(&three, "ntt")), (expected, vec![64, 64, 128]));

    assert_eq!(three.name(), "first,second,third");
    assert_eq!(three.device_time(), Some(Duration::from_secs(40)));
    assert_eq!(three.replays(), Some(80));
    let rates = three.bandwidths().unwrap().unwrap();
    assert_eq!((rates.copy, rates.upload, rates.download), (60.0, 80.0, 100.0));
    let rates = three.product_rates().unwrap().unwrap();
    assert_eq!((rates.goldilocks, rates.bn254), (240.0, Some(280.0)));
    assert_eq!(three.resident_bytes(), 0);
    let occupied = [three.members[0].occupy(5), three.members[2].occupy(7)];
    assert_eq!(three.resident_bytes(), 12);
    drop(occupied);
    assert!(three.choices().is_none() && three.lock(1).unwrap().is_none());
    // None of them has memory of its own.
    assert!(!three.is_one() && !three.always_keeps_data() && three.device_budget().is_none());

    let none = several([Fake::default(), Fake::default()], None);
    assert!(none.device_time().is_none() && none.replays().is_none());
    assert!(none.bandwidths().unwrap().is_none() && none.product_rates().unwrap().is_none());
    let one = Dispatcher::alone(Fake { statistics: Some(3), ..Fake::default() });
    assert!(one.is_one());
    // A device may have a rate over one field alone.
    assert_eq!(one.product_rates().unwrap().unwrap().bn254, None);
}

/// Parts that devices hold are theirs, with the time that each is expected to take there; no items make one share.
#[test]
fn shares_of_what_devices_hold() {
    let twice = Curve::through(vec![[1.0, 2.0], [1e12, 2e12]]);
    let several = several([Fake::default(), Fake::default()], None);
    let several = several.measured(&[transform_kind::<Goldilocks>()], &[line(), twice]);
    let demand = |items| {
        let costs = vec![Cost { kind: transform_kind::<Goldilocks>(), work: [3000.0; 2] }];
        Demand { costs, stays: false, items, overhead: 0.0 }
    };
    let shares = several.shares(&demand(30), Some(&[(1, 0..10), (0, 10..30)]), None).unwrap();
    let shares: Vec<_> =
        shares.into_iter().map(|share| (share.member, share.items, share.ns.round())).collect();
    assert_eq!(shares, [(1, 0..10, 2000.0), (0, 10..30, 2000.0)]);
    let shares = several.shares(&demand(0), None, Some(&[1, 2])).unwrap();
    assert_eq!(shares, [Share { member: 0, items: 0..0, ns: 0.0 }]);
}

/// Where one device would do all of it, nothing is done.
#[test]
fn only_what_is_divided() {
    let run = |on: &Dispatcher| {
        let (ntt, mut data) = (Ntt::forward(domain(5)), words(64));
        let transform = Transform { ntt, data: &mut data, width: 1, unchecked: true };
        let done = on.divided_only(transform).unwrap();
        (done.is_some(), data != words(64))
    };
    let several = several([Fake::default(), Fake::default()], Some(vec![1, 1]));
    assert_eq!((run(&several), items(&several, "ntt")), ((true, true), vec![32, 32]));
    assert_eq!(run(&Dispatcher::alone(Cpu::default())), (false, false));
}

#[test]
fn what_no_device_has_is_refused() {
    let several = several([Fake::default(), Fake::default()], None);
    let kind = transform_kind::<Goldilocks>();
    several.curves.pretend(&kind, vec![None, None]);
    let refused = Error::Unsupported { operation: kind.name, device: "left,right".into() };
    assert_eq!(ntt(&several, Ntt::forward(domain(4)), &mut words(64), 1), Err(refused));
}

/// Small operations go to the device with the smaller backlog: of three at a time that all wait for each other, two are on one
/// device.
#[test]
fn a_busy_device_is_passed_by() {
    let fake = Fake { meeting: Some(Meeting::of(3)), ..Fake::default() };
    let several = several([fake.clone(), fake], None);
    let run = |log: u32| ntt(&several, Ntt::forward(domain(log)), &mut words(1 << log), 1);
    std::thread::scope(|scope| {
        // The largest first: when it has begun, the others find the device busy.
        let first = scope.spawn(|| run(10));
        let begun = |count: u64| {
            while several.work().iter().map(|work| work.under_way).sum::<u64>() < count {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        begun(1);
        let second = scope.spawn(|| run(4));
        begun(2);
        let account: Vec<_> = several.work().iter().map(|work| work.under_way).collect();
        assert_eq!(account, [1, 1]);
        run(5).unwrap();
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
    assert_eq!(items(&several, "ntt"), [1 << 10, 16 + 32]);
    assert!(several.members.iter().all(|member| member.backlog.load(Ordering::Relaxed) == 0));
}
