//! The workspace's shared and static libraries, which cargo does not build for tests.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// The directory that has them.
pub(crate) static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = std::env::current_exe().unwrap();
    let directory = test.ancestors().nth(2).unwrap();
    // As the workspace's tests are built, so that nothing is built twice.
    let profile = match directory.file_name().and_then(|name| name.to_str()).unwrap() {
        "debug" => "test",
        other => other,
    };
    let packages = "build --quiet --locked -p zkaccel-capi -p zkaccel-example-provider --lib --profile";
    let arguments = packages.split(' ').chain([profile]);
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    assert!(Command::new(cargo).args(arguments).status().unwrap().success());
    // The name by which programs look for it, which `install.sh` gives it as well.
    let _ = std::fs::remove_file(directory.join("libzkaccel.so.1"));
    std::os::unix::fs::symlink("libzkaccel.so", directory.join("libzkaccel.so.1")).unwrap();
    directory.to_path_buf()
});
