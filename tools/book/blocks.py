"""Runs the blocks of code on the book's pages, and on the READMEs beside it: `blocks.py [PAGE...]`, in the environment of python/check.sh.

`blocks.py --texts` only does what needs nothing that was built: whether commands run elsewhere where the table below says, and what is done with toml, json and both kinds of rust.

Each page has a folder of its own under target/book-run, in which its blocks run one after another. `tools/check-book.sh` says what has to be built before.

| language | what is done |
|---|---|
| sh | runs, but for what the tables below replace or find elsewhere, which is printed |
| python | runs, all blocks of a page in one namespace; `print(...)  # text` must print the text |
| c | is compiled against the installed C library, and runs |
| rust | is a test of tests/oracles, which must name the page (`src/book.rs`); `cargo test` in integrations runs it |
| rust,ignore | its lines stand in a file that is compiled: `<!-- compiled in PATH -->` before the block names it |
| toml, json | is well-formed; crates of this repository that it names exist, with the features that it names |
| text | what the block before prints, if it follows one; `...` stands for anything. After text that begins with `error:` the status is not 0 |

Anything else fails: another language, none, an indented block, a command that needs what is not there.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
TARGET = TARGET if TARGET.is_absolute() else ROOT / TARGET
WORK = TARGET / "book-run"
PREFIX = WORK / "prefix"
REPOSITORY = "https://github.com/zkaccel/zkaccel"
LIMIT = 300

# What stands for a command here, with the reason. The first column is a regular expression.
REPLACED = [
    (r"^cargo install --path cli$", f"cargo install --quiet --locked --path {ROOT}/cli --root {WORK}/cargo", "into a folder of its own"),
    (r"^cargo run --release -- ", "zkaccel ", "`.ci/run` has built it"),
    (r"^cargo run --release --example (\w+) -- (\S+).*$", rf"{TARGET}/release/examples/\1 \2 6 4 8", "built by the tests, at a small size"),
    (r"^capi/install\.sh /usr/local$", f"test -s {PREFIX}/lib/libzkaccel.so", "`tools/check-book.sh` has run it for a folder of its own"),
    (r"^capi/install\.sh \"\$PREFIX\"$", f'cp -R {PREFIX} "$PREFIX"', "`tools/check-book.sh` has run it for a folder of its own"),
    (r"^sudo ldconfig$", f"export LD_LIBRARY_PATH={PREFIX}/lib", "only root changes the linker's list"),
    (r"^(zkaccel bench \w+)(?! --sizes 6)(.*?)( --sizes [0-9.]+)?(?= --|$)", r"\1 --sizes 6\2", "at a small size, which takes less time"),
    (r"^(zkaccel bench(?!.*--from).*--compare \S+)$", r"\1 || [ $? = 1 ]", "noise may make a measurement slower"),
    (r"provider:\./libother\.so", f"provider:{TARGET}/release/libzkaccel_example_provider.so", "the example of a provider"),
    (r"^(zkaccel selftest(?!.*--(?:only|for)).*)$", r"\1 --only known", "some of the cases, which takes less time"),
]

# Commands that something else in CI runs, or compiles where they take minutes: the file, and what must stand in it.
ELSEWHERE = [
    (r"^mpirun -n 4 zkaccel mpi commit trace\.npy$", "tools/check-mpi.sh", '"$command" mpi commit'),
    (r"^mpirun --with-ft ulfm -n 4 zkaccel mpi commit trace\.npy$", "tools/check-mpi.sh", 'on ulfm 4 "$command" mpi commit'),
    (r"^mpirun -n 4 python commit\.py$", "tools/check-mpi.sh", "$python tools/mpi/check.py launcher"),
    (r"^python farm/ray_farm\.py (commit|prove) ", "tools/check-farm.sh", "farm/check_ray.py"),
    (r"^sbatch farm/slurm-array\.sh ", "tools/check-farm.sh", "farm/slurm-array.sh"),
    (r"^kubectl apply -f farm/kubernetes-job\.yaml$", "tools/check-farm.sh", "farm/kubernetes-job.yaml"),
    (r"^cargo test( --test '\*')?$", ".ci/run", "cargo test --release --workspace --locked"),
    (r"^cargo run --release -p zkaccel-groth16 --example known_tau -- ", "tools/check-groth16.sh", '"$known_tau"'),
    (r"^ZKACCEL_PROOFS=10000 cargo test ", ".ci/run", "cargo test --release --workspace --locked"),
    (r"^ZKACCEL_DEVICE=cuda:0 ZKACCEL_PROOFS=10000 cargo test ", ".ci/run", "ZKACCEL_DEVICE=cpu in_half 1 adaptors"),
    (r"^tools/check-groth16\.sh$", ".ci/run", "tools/check-groth16.sh"),
    (r"^cargo test -p zkaccel-capi$", ".ci/run", "cargo test --release --workspace --locked"),
    (r"^cargo test --workspace --test c -- --ignored$", ".ci/run", "cargo test --release --locked --workspace --test c -- --ignored"),
    (r"^capi/check-install\.sh$", ".ci/run", "capi/check-install.sh"),
    (r"^tools/fuzz\.sh [\w ]+$", ".ci/run", "tools/fuzz.sh --light 4"),
    (r"^tools/scheduled\.sh[\w :]*$", "tools/scheduled.sh", 'tools/fuzz.sh "$fuzz"'),
    (r"^tools/miri\.sh$", ".ci/run", "tools/miri.sh"),
    (r"^mpirun --bind-to none -n 2 zkaccel mpi commit trace\.npy --nccl$", "tools/check-nccl.sh", '"$command" mpi commit examples/data/trace.npy $way'),
    (r"^tools/make-header\.sh$", "capi/tests/headers.rs", "tools/make-header.sh"),
    (r"^pip install \./python$", "python/check.sh", "pip install --quiet --no-build-isolation --force-reinstall --no-deps './python[test]'"),
    (r"^zkaccel bench( --all| --each --report report.html)?$", "tools/check-report.sh", "bench --sizes 6,8 --approach all --device cpu,opencl:0 --each --report"),
    (r"^cd benches/peers && cargo bench$", ".ci/run", "cd benches/peers && CARGO_TARGET_DIR=../../target/peers cargo clippy --benches"),
    (r"^integrations/halo2/patch\.sh --manifest-path \S+ \S+$", "integrations/halo2/compare.sh", '"$here/patch.sh" --manifest-path "$here/$example/Cargo.toml" "$@" "$crates"'),
    (r"^integrations/halo2/compare\.sh 10$", ".ci/run", "comparison 10"),
    (r"^integrations/halo2/compare\.sh time [0-9 ]+$", ".ci/run", "comparison 10"),
    (r"^integrations/halo2/compare\.sh --zcash time [0-9 ]+$", ".ci/run", "comparison --zcash 9"),
    (r"^ZKACCEL_DEVICE=cpu cargo test --release$", ".ci/run", "ZKACCEL_DEVICE=cpu in_half 1 adaptors"),
    # Minutes; the examples are compiled by turns, and the tests make such proofs of a small size.
    (r"^(\w+=\S+ )*cargo run --release -p zkaccel-\w+ (--features [\w,/-]+ )?--example \w+ -- [\w=: ]+$", ".ci/run", "in_turn 5 adaptors --examples"),
]


def pages():
    """The pages of the book, and what stands beside it."""
    summary = (ROOT / "docs/SUMMARY.md").read_text()
    book = [ROOT / "docs" / link for link in re.findall(r"\]\(([^)]+\.md)\)", summary)]
    return book + [ROOT / name for name in ("README.md", "capi/README.md", "python/README.md")]


def blocks(path):
    """(first line, language, text, comment before) of each block of a page."""
    found, comment, block = [], "", None
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if block is not None:
            if line.startswith("```"):
                found.append((block[0], block[1], "\n".join(block[2]), comment))
                block, comment = None, ""
            else:
                block[2].append(line)
        elif line.startswith("```"):
            block = (number, line[3:].strip(), [])
        elif re.match(r"    \S", line) and not lines[number - 2].strip():
            raise Failure(f"{place(path, number)}: an indented block, expected a fence with a language")
        elif line.startswith("<!--"):
            comment = line
        elif line.strip():
            # A block follows what was printed only if nothing stands between.
            comment = ""
            found.append((number, None, "", ""))
    if block is not None:
        raise Failure(f"{place(path, block[0])}: a block without an end")
    return found


class Failure(Exception):
    """Why a page fails."""


def place(path, number):
    return f"{path.relative_to(ROOT)}:{number}"


def without_comment(line):
    """A line of code without the comment at its end."""
    return re.sub(r"(^|\s)(#|//).*$", "", line).strip()


class Page:
    """Runs the blocks of a page."""

    def __init__(self, path, devices):
        self.path, self.devices = path, devices
        self.folder = WORK / path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "-")
        self.folder.mkdir(parents=True)
        shutil.copy(ROOT / "examples/data/trace.npy", self.folder)
        for name in ("capi", "examples", "groth16", "integrations"):
            (self.folder / name).symlink_to(ROOT / name)
        home = Path.home()
        self.environment = {
            **os.environ,
            "HOME": str(self.folder),
            # With what other steps have compiled and measured.
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(home / ".cache")),
            "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo")),
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
            "CARGO_TARGET_DIR": str(TARGET),
            "PATH": f"{WORK}/bin:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": f"{PREFIX}/lib/pkgconfig",
            "LD_LIBRARY_PATH": f"{PREFIX}/lib",
        }
        self.namespace = {"__name__": "__main__"}
        self.number = 0

    def run(self, languages=None):
        """Does what is to be done with the blocks, or with those in some languages."""
        found = blocks(self.path)
        counts = {}
        for i, (self.number, language, text, comment) in enumerate(found):
            if language is None or languages and language not in languages:
                continue
            following = found[i + 1] if i + 1 < len(found) else (0, None, "", "")
            expected = following[2] if following[1] == "text" else None
            method = getattr(self, "run_" + re.sub(r"\W", "_", language or "nothing"), None)
            if method is None:
                raise Failure(f"{place(self.path, self.number)}: the language is {language!r}, expected one of this script's table")
            printed = method(text, comment, expected)
            if expected is not None and printed is not None:
                self.compare(expected, printed, following[0])
            elif expected is not None and language != "text":
                self.note("its output is not compared, because it was not run")
            counts[language] = counts.get(language, 0) + 1
        return counts

    def note(self, text):
        print(f"  {place(self.path, self.number)}: {text}")

    def compare(self, expected, printed, number):
        """Fails unless the text is what was printed; `...` is any part of a line, and any lines where it stands alone."""
        pattern = ""
        for line in expected.strip().split("\n"):
            if line.strip() == "...":
                pattern += r"(?:.*\n)*?"
            else:
                pattern += ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n"
        if not re.fullmatch(pattern, printed.strip() + "\n"):
            raise Failure(f"{place(self.path, number)}: the page says\n{expected}\nbut the block before printed\n{printed}")

    def process(self, command, **options):
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, **options
        )
        return done.returncode, done.stdout

    def command(self, line, expected):
        """What runs here for a command; None if something else in CI runs it."""
        for pattern, file, needle in ELSEWHERE:
            if re.match(pattern, line):
                self.note(f"`{line}` not run here, because {file} has `{needle}`")
                return None
        command = line
        for pattern, replacement, reason in REPLACED:
            replaced = re.sub(pattern, replacement, command)
            if replaced != command:
                self.note(f"`{replaced}` for `{command}`: {reason}")
                command = replaced
        if "cuda:0 is missing" in (expected or ""):
            if "cuda:0" in self.devices:
                self.note(f"`{command}` not run: this machine has the device")
                return None
            return command
        for names, stand_in in ((r"cuda:0,cuda:1|(?<=--device )cuda(?= |$)", "cpu,opencl:0"), (r"cuda:0", "opencl:0")):
            needed = {"cuda:0"} if names == "cuda:0" else {"cuda:0", "cuda:1"}
            if re.search(names, command) and not needed <= self.devices:
                command = re.sub(names, stand_in, command)
                self.note(f"`{command}`: without {', '.join(sorted(needed))}")
        return command

    def run_sh(self, text, _, expected):
        # A file whose commands run one after another; a line that ends in a backslash goes on.
        script = ["set -euo pipefail"]
        for line in re.sub(r"\\\n\s*", " ", text).split("\n"):
            line = without_comment(line)
            command = self.command(line, expected) if line else None
            if command:
                script.append(command)
        if len(script) == 1:
            return None
        status, printed = self.process(["bash", "-c", "\n".join(script)])
        fails = (expected or "").startswith("error:")
        if (status != 0) != fails:
            raise Failure(f"{place(self.path, self.number)}: status {status} of\n{text}\nwhich printed\n{printed}")
        return printed

    def run_python(self, text, _, __):
        printed = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(text, place(self.path, self.number), "exec"), self.namespace)
        except Exception as error:
            raise Failure(f"{place(self.path, self.number)}: {type(error).__name__}: {error}") from error
        finally:
            os.chdir(before)
        said = re.findall(r"^print\(.*\)\s+# (.*)$", text, re.MULTILINE)
        if said and printed.getvalue().split("\n")[:-1] != said:
            raise Failure(f"{place(self.path, self.number)}: the comments say {said}, but it prints\n{printed.getvalue()}")
        return printed.getvalue()

    def run_c(self, text, _, __):
        (self.folder / "block.c").write_text(text + "\n")
        flags = f"-std=c99 -Wall -Wextra -Werror -pedantic -I{PREFIX}/include -L{PREFIX}/lib -lzkaccel"
        status, printed = self.process(["bash", "-c", f"cc block.c {flags} -o block && ./block"])
        if status:
            raise Failure(f"{place(self.path, self.number)}: status {status}:\n{printed}")
        return printed

    def run_rust(self, *_):
        name = self.path.relative_to(ROOT).as_posix()
        if f'"../../../{name}"' not in (ROOT / "tests/oracles/src/book.rs").read_text():
            raise Failure(f"{place(self.path, self.number)}: tests/oracles/src/book.rs does not name {name}")
        if "ZKACCEL_DEVICE=cpu in_half 1 adaptors" not in (ROOT / ".ci/run").read_text():
            raise Failure(".ci/run does not run `cargo test` in integrations")

    def run_rust_ignore(self, text, comment, _):
        named = re.match(r"<!-- compiled in (\S+) -->$", comment)
        if not named:
            raise Failure(f"{place(self.path, self.number)}: expected `<!-- compiled in PATH -->` before a block that is not run")
        # As it may be formatted: other spaces, and commas at the ends of lists.
        def squeezed(code):
            return re.sub(r"\s", "", code).replace(",)", ")")

        if not (ROOT / named[1]).exists():
            raise Failure(f"{place(self.path, self.number)}: there is no {named[1]}, in which the block is said to be compiled")
        compiled = squeezed((ROOT / named[1]).read_text())
        for line in text.split("\n"):
            line = without_comment(line)
            if line and squeezed(line) not in compiled:
                raise Failure(f"{place(self.path, self.number)}: {named[1]} does not contain `{line}`")

    def run_toml(self, text, *_):
        data = tomllib.loads(text)
        for name, dependency in data.get("dependencies", {}).items():
            if isinstance(dependency, dict) and dependency.get("git") == REPOSITORY:
                short = name.removeprefix("zkaccel-")
                folder = "" if name == "zkaccel" else short if (ROOT / short).exists() else f"integrations/{short}"
                manifest = ROOT / folder / "Cargo.toml"
                package = tomllib.loads(manifest.read_text())
                missing = set(dependency.get("features", [])) - set(package.get("features", {}))
                if package["package"]["name"] != name or missing:
                    raise Failure(f"{place(self.path, self.number)}: {manifest} is not {name} with the features of the block")

    def run_json(self, text, *_):
        json.loads(text)

    def run_text(self, *_):
        """Compared with what the block before has printed, or no code."""


def check_tables():
    """Exits unless each file of `ELSEWHERE` contains what stands beside it."""
    false = [(file, needle) for _, file, needle in ELSEWHERE if needle not in (ROOT / file).read_text()]
    if false:
        sys.exit("\n".join(f"tools/book/blocks.py: {file} should contain {needle!r}, which it does not" for file, needle in false))


def run(paths, devices, languages=None):
    """Exits unless the blocks of these pages are as they should be."""
    WORK.mkdir(parents=True, exist_ok=True)
    for entry in WORK.iterdir():
        if entry != PREFIX:
            shutil.rmtree(entry)
    (WORK / "bin").mkdir()
    (WORK / "bin/zkaccel").symlink_to(TARGET / "release/zkaccel")
    counts, failures = {}, []
    for path in paths:
        try:
            for language, number in Page(path, devices).run(languages).items():
                counts[language] = counts.get(language, 0) + number
        except (Failure, subprocess.TimeoutExpired) as failure:
            failures.append(str(failure))
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(paths)} pages: " + ", ".join(f"{number} {language}" for language, number in sorted(counts.items())))


def main():
    check_tables()
    if sys.argv[1:] == ["--texts"]:
        return run(pages(), set(), ["rust", "rust,ignore", "toml", "json"])
    zkaccel = TARGET / "release/zkaccel"
    for path in (zkaccel, PREFIX / "lib/libzkaccel.so"):
        if not path.exists():
            sys.exit(f"{path} is missing: tools/check-book.sh says what has to be built before")
    listed = subprocess.run([zkaccel, "devices"], capture_output=True, text=True, check=True).stdout
    devices = set(re.findall(r"^(\S+) ", listed, re.MULTILINE))
    if not devices & {"opencl:0", "cuda:0"}:
        sys.exit("there is neither opencl:0 nor cuda:0 (PoCL serves): blocks with devices cannot run")
    run([Path(name).resolve() for name in sys.argv[1:]] or pages(), devices)


if __name__ == "__main__":
    main()
