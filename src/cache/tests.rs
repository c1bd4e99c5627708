//! Files that are damaged, of another name, of another user, or links; what is removed, and what is told.

use super::*;

/// A folder for a cache, and the path of a file in it.
fn cache_file() -> (tempfile::TempDir, PathBuf) {
    let base = tempfile::tempdir().unwrap();
    let path = base.path().join("zkaccel").join("0123abcd.curve");
    (base, path)
}

fn refusal(path: &Path) -> String {
    match read(path) {
        Err(Unusable::Refused(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_stored_is_loaded() {
    let (_base, path) = cache_file();
    assert_eq!(load(&path), None);
    for contents in [&b"binary"[..], &[7; 100_000], b"x"] {
        store(&path, contents);
        assert_eq!(load(&path).as_deref(), Some(contents));
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing unfinished is left");
}

#[test]
fn every_damage_is_seen_told_and_made_good() {
    let (_base, path) = cache_file();
    store(&path, b"the contents of a file");
    let whole = fs::read(&path).unwrap();
    let damaged = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        assert_eq!(load(&path), None, "{bytes:?}");
        assert!(refusal(&path).contains("it is damaged"), "{}", refusal(&path));
    };
    for at in 0..whole.len() {
        for bit in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            damaged(&bytes);
        }
        damaged(&whole[..at]);
    }
    damaged(&[&whole[..], b"x"].concat());
    let warned = warnings().into_iter().filter(|warning| warning.contains(path.to_str().unwrap())).count();
    assert_eq!(warned, 1, "the same warning is given once");
    store(&path, b"again");
    assert_eq!(load(&path).as_deref(), Some(&b"again"[..]));
}

#[test]
fn the_environment_names_the_folder() {
    let folder = |cache: &str, home: &str| {
        let variable = |name: &str| match name {
            "XDG_CACHE_HOME" => (!cache.is_empty()).then(|| cache.into()),
            "HOME" => (!home.is_empty()).then(|| home.into()),
            other => panic!("{other}"),
        };
        folder_named_by(variable).map(|folder| folder.to_str().unwrap().to_owned())
    };
    assert_eq!(folder("/caches", "/home/me").as_deref(), Some("/caches/zkaccel"));
    for relative in ["", "caches"] {
        assert_eq!(folder(relative, "/home/me").as_deref(), Some("/home/me/.cache/zkaccel"));
        assert_eq!(folder(relative, "me"), None);
        assert_eq!(folder(relative, ""), None);
    }
    assert_eq!(super::folder(), folder_named_by(|name| std::env::var_os(name)));
}

#[test]
fn a_file_of_the_greatest_length_is_read_and_a_longer_one_is_not() {
    let (_base, path) = cache_file();
    store(&path, b"contents");
    let len = fs::metadata(&path).unwrap().len();
    assert_eq!(read_up_to(&path, len), Ok(b"contents".to_vec()));
    match read_up_to(&path, len - 1) {
        Err(Unusable::Refused(reason)) => assert!(reason.contains("it is longer than"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

/// A whole file under another one's name is not that one.
#[test]
fn a_file_belongs_to_its_name() {
    let (_base, path) = cache_file();
    let other = path.with_file_name("other.curve");
    store(&path, b"contents");
    fs::copy(&path, &other).unwrap();
    assert!(refusal(&other).contains("it is damaged"));
    assert!(load(&path).is_some());
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let (base, _) = cache_file();
    let file = base.path().join("file");
    fs::write(&file, "no folder").unwrap();
    for path in [file.join("program.bin"), file.join("zkaccel").join("program.bin")] {
        store(&path, b"binary");
        assert_eq!(load(&path), None);
    }
    assert_eq!(fs::read(&file).unwrap(), b"no folder");
    assert!(refusal(&file.join("program.bin")).contains("it is not a folder"));
}

#[test]
fn what_is_written_long_ago_and_unfinished_is_removed() {
    let (_base, path) = cache_file();
    store(&path, b"contents");
    let [old, young] = ["1-1.tmp", "2-2.tmp"].map(|name| path.with_extension(name));
    fs::write(&young, "half").unwrap();
    fs::write(&old, "half").unwrap();
    let long_ago = std::time::SystemTime::now() - 2 * STALE;
    File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    store(&path, b"contents");
    assert!(!old.exists() && young.exists());
}

#[test]
fn measurements_are_forgotten_and_nothing_else() {
    let (_base, path) = cache_file();
    let folder = path.parent().unwrap();
    assert_eq!(forget_measurements_in(folder).unwrap(), 0, "there is no folder yet");
    let name = |parts: &[&str]| self::path(parts).map(|path| path.file_name().unwrap().to_owned());
    let (curve, binary) = (name(&["cpu", "curve", "ntt"]), name(&["opencl", "options", "source"]));
    for name in [curve, binary].into_iter().flatten() {
        store(&folder.join(name), b"contents");
    }
    store(&path, b"contents");
    let removed = forget_measurements_in(folder).unwrap();
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // Without a folder in the environment there are no names either.
    let named = usize::from(super::folder().is_some());
    assert_eq!((removed, left.len()), (1 + named, named));
    assert!(left.iter().all(|path| path.extension().unwrap() == BINARY), "{left:?}");
    // What cannot be removed is an error.
    fs::create_dir(&path).unwrap();
    assert!(forget_measurements_in(folder).is_err());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_written_is_private() {
        let (_base, path) = cache_file();
        store(&path, b"contents");
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
    }

    #[test]
    fn what_others_can_write_is_not_used() {
        let (_base, path) = cache_file();
        let folder = path.parent().unwrap();
        store(&path, b"contents");
        for mode in [0o775, 0o757, 0o777, 0o1777] {
            set_mode(folder, mode);
            let expected = format!("other users can write it, its mode is {mode:04o}");
            assert!(refusal(&path).contains(&expected), "{}", refusal(&path));
            assert!(forget_measurements_in(folder).unwrap_err().to_string().contains(&expected));
            store(&path, b"other contents");
            set_mode(folder, 0o755);
            assert_eq!(load(&path).as_deref(), Some(&b"contents"[..]), "nothing was written");
        }
        set_mode(&path, 0o666);
        assert!(refusal(&path).contains("other users can write it"));
        // The file is replaced by one that is private.
        store(&path, b"new");
        assert_eq!(load(&path).as_deref(), Some(&b"new"[..]));
    }

    /// Only root can give a folder away; others have nothing to test here.
    #[test]
    fn what_belongs_to_others_is_not_used() {
        let (_base, path) = cache_file();
        let folder = path.parent().unwrap();
        store(&path, b"contents");
        let give = |path: &Path, user| std::os::unix::fs::chown(path, Some(user), None);
        let own = fs::metadata(folder).unwrap().uid();
        for given in [folder, &path] {
            if give(given, 4321).is_err() {
                return;
            }
            assert!(refusal(&path).contains("it belongs to another user, number 4321"));
            give(given, own).unwrap();
        }
        assert!(load(&path).is_some());
    }

    #[test]
    fn links_are_not_followed() {
        let (base, path) = cache_file();
        let folder = path.parent().unwrap();
        store(&path, b"contents");
        let target = base.path().join("target");
        fs::rename(&path, &target).unwrap();
        symlink(&target, &path).unwrap();
        assert!(refusal(&path).contains("it is a symbolic link"));
        store(&path, b"new");
        assert_eq!(load(&path).as_deref(), Some(&b"new"[..]));
        assert!(fs::read(&target).unwrap().ends_with(b"contents"), "the link's target is untouched");

        let elsewhere = base.path().join("elsewhere");
        fs::rename(folder, &elsewhere).unwrap();
        symlink(&elsewhere, folder).unwrap();
        assert!(refusal(&path).contains("it is a symbolic link"));
        store(&path, b"newer");
        store(&folder.join("more.bin"), b"newer");
        assert!(forget_measurements_in(folder).is_err());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
        assert!(fs::read(elsewhere.join(path.file_name().unwrap())).unwrap().ends_with(b"new"));
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let (_base, path) = cache_file();
        fs::create_dir_all(&path).unwrap();
        set_mode(path.parent().unwrap(), 0o700);
        assert!(refusal(&path).contains("it is not a regular file"));
        store(&path, b"contents");
        assert_eq!(load(&path), None);
    }
}
