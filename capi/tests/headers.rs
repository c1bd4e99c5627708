//! The headers in `include/` are those of the source. With `ZKACCEL_WRITE_HEADERS` set they are written instead of compared
//! (`tools/make-header.sh`).

use std::path::Path;

use cbindgen::{Builder, Config};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn compare(name: &str, config: &str, source: impl FnOnce(Builder) -> Builder) {
    let here = Path::new(HERE);
    let config = Config::from_file(here.join(config)).unwrap();
    let mut written = Vec::new();
    source(Builder::new().with_config(config)).generate().unwrap().write(&mut written);
    let header = here.join("include").join(name);
    if std::env::var_os("ZKACCEL_WRITE_HEADERS").is_some() {
        std::fs::write(&header, &written).unwrap();
        return;
    }
    let (written, found) = (String::from_utf8(written).unwrap(), std::fs::read_to_string(&header).unwrap());
    if written != found {
        let same = written.lines().zip(found.lines()).take_while(|(written, found)| written == found).count();
        let [expected, found] = [&written, &found].map(|text| text.lines().nth(same).unwrap_or("the end"));
        panic!(
            "{name}, line {}: {found:?}, by the source {expected:?}; tools/make-header.sh writes it",
            same + 1
        );
    }
}

#[test]
fn of_the_whole_interface() {
    compare("zkaccel.h", "cbindgen.toml", |builder| builder.with_crate(HERE));
}

#[test]
fn of_the_names_of_the_proposal() {
    compare("h2k.h", "h2k.toml", |builder| builder.with_src(Path::new(HERE).join("src/h2k.rs")));
}
