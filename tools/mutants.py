#!/usr/bin/env python3
"""Mutation testing: changes the crate in one place after another, and lists the changes that no test noticed.

    tools/mutants.py FILE... [--sample N] [--only REGEX] [--again] [--quick] [--list] [--limit SECONDS] [-- ARGUMENTS OF `cargo test`]
    tools/mutants.py src/dispatch/*.rs src/memory.rs -- --lib --features bn254
    tools/mutants.py src/merkle/*.rs --sample 50 -- --test it -- merkle::

The changes are those of cargo-mutants. What runs is told by the arguments of `cargo test`: the target, or all are compiled, the features, of which there
are none otherwise, and the tests; without a choice of tests, or with nothing but `--skip NAME`, they are those of the file's module, `dispatch::` and `memory::`
above. What these did not notice can be tried with others: `--again` takes the survivors alone.

Compilation takes far longer than the tests of a file. So one program has many mutants: a function's body becomes a choice among its changed bodies, by a
number in the environment; a function that the compiler runs as well is changed where the program runs it. Where that does not compile, and outside of functions, each mutant is a program of its own, and so is, with
`--alone`, each in a function that the compiler runs as well.
Both are compiled in a copy of the repository that keeps its build (the profile `mutants`). The tests of a mutant end with the first that fails, and a mutant
with which they take longer than the limit is noticed as well.

Results are lines of target/mutants/results.jsonl, in the order of time. A mutant that has one is not run again but with `--again`. docs/hardening.md says what
became of survivors.
"""

import argparse
import collections
import json
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "target/mutants"
TREE, RESULTS, ALONE = WORK / "tree", WORK / "results.jsonl", WORK / "alone.txt"
TOOL, VERSION = ROOT / "target/tools/bin/cargo-mutants", "27.1.0"

# Not tried: texts for people, and bodies that do not compile, because no type here can be made like that.
LEFT_OUT = r"[A-Za-z]::(from_iter|from)\(|[^cgx]::new\(|Matrix::new\(|Debug|Display"

# A recursive function is deeper without optimisation, and what one mutant's failure was found with is no test of the next.
ENVIRONMENT = os.environ | {
    "CARGO_TARGET_DIR": str(WORK / "build"),
    "RUST_MIN_STACK": str(64 << 20),
    "RUSTC_BOOTSTRAP": "1",
    "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
}

# What `--again` runs again.
AGAIN = ["survives", "runs for too long"]

# What the choice takes of the compiler that is not stable.
FEATURES = "#![feature(core_intrinsics, const_eval_select)]\n#![allow(internal_features, long_running_const_eval)]\n"

# The number of the mutant that runs; 0 is the crate as it is, and what the compiler runs.
CHOICE = """
#[doc(hidden)]
#[inline(always)]
pub(crate) const fn mutant() -> u32 {
    const fn as_it_is() -> u32 {
        0
    }
    core::intrinsics::const_eval_select((), as_it_is, chosen_mutant)
}

#[inline(always)]
fn chosen_mutant() -> u32 {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(u32::MAX);
    #[cold]
    fn read() -> u32 {
        let number = std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap());
        NUMBER.store(number, std::sync::atomic::Ordering::Relaxed);
        number
    }
    match NUMBER.load(std::sync::atomic::Ordering::Relaxed) {
        u32::MAX => read(),
        number => number,
    }
}
"""


class File:
    """A source file of the repository."""

    def __init__(self, name):
        self.name = name
        self.text = (ROOT / name).read_text()
        self.lines = [0]
        for line in self.text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def range(self, span):
        """The places in the text of a span of cargo-mutants."""
        return [self.lines[span[side]["line"] - 1] + span[side]["column"] - 1 for side in ("start", "end")]

    def changed(self, mutant, start=0, end=None):
        """The text from `start` to `end`, with the change."""
        first, last = self.range(mutant["span"])
        return self.text[start:first] + mutant["replacement"] + self.text[last:end]

    def body(self, mutant, alone):
        """The range of the body of the mutant's function, braces included; None if it has no function, or one that cannot choose, or is not to where the compiler runs it as well."""
        if mutant["function"] is None or self.name == "src/lib.rs":
            return None
        start, end = self.range(mutant["function"]["span"])
        name = mutant["function"]["function_name"].split("::")[-1]
        head = re.compile(rf"\bfn\s+{re.escape(name)}\b").search(self.text, start, end)
        if not head or alone and re.search(r"\bconst\b", self.text[start : head.start()]):
            return None
        # The brace behind the parameters, around which there are no others. An arrow ends no generics.
        depth = 0
        for at in range(head.end(), end):
            letter = self.text[at]
            if letter in "(<[":
                depth += 1
            elif letter in ")]" or letter == ">" and self.text[at - 1] != "-":
                depth -= 1
            elif letter == "{" and depth == 0:
                return None if re.search(r"->[^>]*\bimpl ", self.text[head.end() : at]) else (at, end)
        return None

    def with_choices(self, bodies):
        """The text in which bodies, by their ranges, are choices among those of their mutants; and the lines of each mutant and of each function."""
        text, at, places = "", 0, []
        line = lambda: text.count("\n") + 1
        for (start, end), mutants in sorted(bodies.items()):
            text += self.text[at:start] + "{ match crate::mutant() {\n"
            first = line()
            for mutant in mutants:
                text += f"{mutant['number']} => {self.changed(mutant, start, end)}\n"
                places.append((first, line() - 1, [mutant]))
                first = line()
            text += f"_ => {self.text[start:end]}\n}} }}"
            places.append((first, line(), mutants))
            at = end
        return text + self.text[at:], places


def install():
    """cargo-mutants, which lists the mutants."""
    if not TOOL.exists():
        options = ["--version", VERSION, "--locked", "--debug", "--root", ROOT / "target/tools"]
        subprocess.run(["cargo", "install", "cargo-mutants", *options], check=True)


def write(name, text):
    """Writes a file of the copy. What is the same keeps its time, so that the build is kept too."""
    path = TREE / name
    if not (path.exists() and path.read_bytes() == text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def copy_tree(but=()):
    """Brings the copy to what the repository holds, but for files that are about to be changed."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    for name in listed.stdout.decode().split("\0")[:-1]:
        if name not in but and (ROOT / name).is_file():
            write(name, (ROOT / name).read_bytes())


def all_mutants(files):
    """Those of the files."""
    command = [TOOL, "mutants", "--dir", ROOT, "--package", "zkaccel", "--list", "--json", "--exclude-re", LEFT_OUT]
    for file in files:
        command += ["--file", Path(file).resolve().relative_to(ROOT)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def may_run(process):
    """Whether a thread of a process wants the processor, or waits for a disk."""
    states = []
    for thread in Path(f"/proc/{process}/task").glob("*/stat"):
        try:
            states.append(thread.read_text().rsplit(")", 1)[1].split()[0])
        except OSError:
            pass
    return any(state in "RD" for state in states)


def run(command, limit=3600, stop=None, number=0):
    """The output, and the status, which is None after the limit. Ends the program at the first line that `stop` is in."""
    # The limit is one of the processor's time, which other programs on the machine do not change.
    program = subprocess.Popen(
        command, cwd=TREE, env=ENVIRONMENT | {"MUTANT": str(number)}, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit),) * 2),
    )  # fmt: skip
    late, ended = threading.Event(), threading.Event()
    kill = lambda: os.killpg(program.pid, signal.SIGKILL)

    def watch():
        # A program that waits for the processor has a thread that could run, one that waits for ever has none, whenever one looks.
        ended.wait(2 * limit)
        waiting = 0
        while waiting < 30 and not ended.wait(1):
            waiting = 0 if may_run(program.pid) else waiting + 1
        if not ended.is_set():
            late.set()
            kill()

    threading.Thread(target=watch, daemon=True).start()
    output = []
    for line in program.stdout:
        output.append(line)
        if stop and stop in line:
            kill()
            break
    status = program.wait()
    ended.set()
    is_late = late.is_set() or status in (-signal.SIGXCPU, -signal.SIGKILL) and not (stop and output and stop in output[-1])
    return "".join(output), None if is_late else status


def compile(arguments):
    """The test programs, and the compiler's errors; no programs, if there are errors."""
    command = ["cargo", "test", "--no-run", "--package", "zkaccel", "--no-default-features", "--profile", "mutants", "--message-format", "json", *arguments]
    output, status = run(command)
    messages = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if status == 0:
        return [message["executable"] for message in messages if message.get("executable")], []
    errors = [message["message"] for message in messages if message.get("message", {}).get("level") == "error"]
    if not errors:
        sys.exit(output)
    return [], errors


def together(mutants, arguments, alone, const_alone):
    """The test programs that all of these are in but some, and those: each compiles only alone, or not at all. Some are known to."""
    files = {}
    for mutant in mutants:
        files.setdefault(mutant["file"], File(mutant["file"]))
    bodies = {mutant["number"]: files[mutant["file"]].body(mutant, const_alone) for mutant in mutants}
    # A function within a function would be in every copy of that.
    outer = {(mutant["file"], bodies[mutant["number"]]) for mutant in mutants if bodies[mutant["number"]]}
    within = lambda name, body: any(name == other and a < body[0] and body[1] < b for other, (a, b) in outer)
    while True:
        chosen = collections.defaultdict(lambda: collections.defaultdict(list))
        for mutant in mutants:
            body = bodies[mutant["number"]]
            if body and mutant not in alone and not within(mutant["file"], body):
                chosen[mutant["file"]][body].append(mutant)
        places = {}
        for name, file in files.items():
            text, places[name] = file.with_choices(chosen[name])
            # Else a function that is always inlined would bring all of its bodies into each body of its callers, and so on.
            write(name, text.replace("#[inline(always)]", "#[inline]").encode())
        write("src/lib.rs", FEATURES.encode() + (ROOT / "src/lib.rs").read_bytes() + CHOICE.encode())
        programs, errors = compile(arguments)
        if programs:
            compiled = {mutant["number"] for bodies in chosen.values() for mutants in bodies.values() for mutant in mutants}
            return programs, [mutant for mutant in mutants if mutant["number"] not in compiled]
        before = len(alone)
        for error in errors:
            for span in error["spans"]:
                for first, last, there in places.get(span["file_name"], []):
                    if span["is_primary"] and first <= span["line_start"] <= last:
                        alone += [mutant for mutant in there if mutant not in alone]
        if len(alone) == before:
            sys.exit("\n".join(error["rendered"] for error in errors))


def processor_time():
    """Seconds that the programs which have ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def module(name):
    """The tests of the module of a file: of the folder that it is in, if that is one."""
    parts = Path(name).with_suffix("").parts[1:]
    return "".join(part + "::" for part in parts[: max(1, len(parts) - 1)])


def outcome(programs, filters, limit, number):
    """What the tests say of a mutant."""
    for program in programs:
        output, status = run([program, *filters], limit, " ... FAILED", number)
        if status != 0:
            return "runs for too long" if status is None else "caught"
    return "survives"


def main():
    own, arguments, filters = [], [], []
    into, target = iter([arguments, filters]), own
    for argument in sys.argv[1:]:
        if argument == "--" and target is not filters:
            target = next(into)
        else:
            target.append(argument)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--sample", type=int, help="as many as this, at random")
    parser.add_argument("--only", default="", help="only mutants whose description has this regular expression")
    parser.add_argument("--again", action="store_true", help="those that survived the last time, or ran for too long")
    parser.add_argument("--alone", action="store_true", help="mutants of functions that the compiler runs as well are programs of their own")
    parser.add_argument("--quick", action="store_true", help="not those that are programs of their own")
    parser.add_argument("--list", action="store_true", help="print the mutants with their results, and run none")
    parser.add_argument("--limit", type=float, help="seconds of the processor's time for the tests; otherwise five more than three times what they take")
    options = parser.parse_args(own)

    install()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    kept = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    results = {result["name"]: result["outcome"] for result in kept}
    # Known from former runs, which spares the compiler's errors about them.
    known = set(ALONE.read_text().splitlines() if ALONE.exists() else [])
    mutants = [mutant for mutant in all_mutants(options.file) if re.search(options.only, mutant["name"])]
    if options.sample is not None:
        # More of them are these and others.
        random.Random(0).shuffle(mutants)
        mutants = mutants[: options.sample]
    if options.list:
        for mutant in mutants:
            print(f"{results.get(mutant['name'], 'not run')}: {mutant['name']}")
        return summarise(results.get(mutant["name"], "not run") for mutant in mutants)
    # Of all, so that the program is the same when some have been run.
    for number, mutant in enumerate(mutants, 1):
        mutant["number"] = number
    left = [mutant for mutant in mutants if results.get(mutant["name"]) in (AGAIN if options.again else [None])]
    outcomes = []

    def note(mutant, what, start):
        outcomes.append(what)
        seconds = round(time.monotonic() - start, 2)
        with RESULTS.open("a") as file:
            print(json.dumps({"name": mutant["name"], "outcome": what, "seconds": seconds}), file=file)
        print(f"{len(outcomes)}/{len(left)} {what} ({seconds} s): {mutant['name']}", flush=True)

    copy_tree({"src/lib.rs", *(mutant["file"] for mutant in mutants)})
    start = time.monotonic()
    programs, alone = together(mutants, arguments, [mutant for mutant in mutants if mutant["name"] in known], options.alone)
    ALONE.write_text("".join(f"{name}\n" for name in sorted(known | {mutant["name"] for mutant in alone})))
    print(f"{len(mutants)} mutants, all but {len(alone)} in one program, compiled in {time.monotonic() - start:.0f} s", flush=True)
    is_chosen = any(name != "--skip" and before != "--skip" for before, name in zip(["", *filters], filters))
    chosen = lambda mutant: filters if is_chosen else [module(mutant["file"]), *filters]
    tests, limits = {mutant["number"]: chosen(mutant) for mutant in left}, {}
    for chosen in {tuple(chosen) for chosen in tests.values()}:
        start = processor_time()
        for program in programs:
            output, status = run([program, *chosen])
            if status != 0 or "ok. 0 passed" in output:
                sys.exit(f"{output}\nstatus {status} of the tests without a change, expected 0 and some tests that passed")
        took = processor_time() - start
        limits[chosen] = options.limit or 5 + 3 * took
        print(f"{' '.join(chosen)} takes {took:.1f} s", flush=True)

    def test(mutant, programs, number):
        chosen = tests[mutant["number"]]
        return outcome(programs, chosen, limits[tuple(chosen)], number)

    for mutant in left:
        if mutant not in alone:
            start = time.monotonic()
            note(mutant, test(mutant, programs, mutant["number"]), start)

    copy_tree()
    for mutant in left:
        if mutant not in alone or options.quick:
            continue
        start, file = time.monotonic(), File(mutant["file"])
        write(mutant["file"], file.changed(mutant).encode())
        programs, errors = compile(arguments)
        write(mutant["file"], file.text.encode())
        # What is computed or asserted at compile time is a test.
        asserted = any((error["code"] or {}).get("code") in ("E0080", "long_running_const_eval") for error in errors)
        note(mutant, test(mutant, programs, 0) if programs else "caught by the compiler" if asserted else "does not compile", start)
    summarise(outcomes)


def summarise(outcomes):
    """How many there are of each outcome."""
    for what, count in collections.Counter(outcomes).most_common():
        print(f"{count} {what}")


if __name__ == "__main__":
    main()
