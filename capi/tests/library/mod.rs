//! The workspace's shared and static libraries, which cargo does not build for tests.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// The directory that has them.
pub(crate) static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    // As the workspace's tests are built, so that nothing is built twice: with a test among the targets features are the same.
    let arguments = "build --quiet --locked --workspace --lib --test c --profile test".split(' ');
    assert!(Command::new(cargo).args(arguments).status().unwrap().success());
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().to_path_buf()
});
