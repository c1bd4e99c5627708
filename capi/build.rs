//! The name by which programs look for the shared library: it changes with the interface, not with the version.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Apple's linker has another option for it.
    let of = |name: &str| std::env::var(name).ok();
    if of("CARGO_CFG_UNIX").is_some() && of("CARGO_CFG_TARGET_VENDOR").as_deref() != Some("apple") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libzkaccel.so.1");
    }
}
