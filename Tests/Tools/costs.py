#!/usr/bin/env python3
"""Shows what building ferry, its binary and its start cost, as Markdown tables for Tests/BENCHMARKS.md.

usage: Tests/Tools/costs.py build [--configuration debug|release] [--scratch-path FOLDER] [SWIFT-BUILD-ARGUMENT...]
       Tests/Tools/costs.py size BINARY
       Tests/Tools/costs.py start BINARY
       Tests/Tools/costs.py first [--runs N]

build: removes the results of earlier builds in the scratch path (.build unless given), keeps what was fetched, builds
the product ferry, and prints the CPU seconds of the compilers by package and by module of this package, the elapsed
time and the size of the build folder. Further arguments go to `swift build`. CPU seconds are user and system time of
each compiler and of its children. They grow by some percent, but not by half, when the machine is busy.

size: the sections of an executable that take most room, and its symbols by module. Give the binary that was not
stripped. Needs nm and size (binutils) and the toolchain's swift-demangle.

start: the system calls of `BINARY --version`, its CPU time and memory, and the libraries that it loads. Needs strace.

first: the README's command to try Ferry, without the packages of the system: `swift run ferry demo` in a clean clone of
the last commit, with an empty home folder and so without any cache. Prints the time until the demo's first screen, the
CPU seconds until the demo has ended, and the size of the build folder, of each run and as medians.
"""

import argparse
import collections
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WRAPPER = """#!/bin/bash
# Notes the CPU time of one compiler and of its children. `time` writes to the shell's standard error.
TIMEFORMAT='%U %S'
exec 3>&2
{ time "REAL" "$@" 2>&3 3>&-; } 2>"LOGS/$$.time"
status=$?
printf '%s\\n' "$PWD" "COMPILER" "$@" >"LOGS/$$.arguments"
exit $status
"""


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(f"{cell:.1f}" if isinstance(cell, float) else f"{cell}" for cell in row) + " |")


def toolchain():
    swift = os.environ.get("SWIFT") or shutil.which("swift") or sys.exit("No Swift toolchain is on the PATH.")
    return pathlib.Path(swift).resolve().parent


# Building

def compiled(arguments):
    """Returns the module and the package that a compiler call is for."""
    value = lambda name: arguments[arguments.index(name) + 1] if name in arguments else ""
    if "-emit-executable" in arguments or "-emit-library" in arguments:
        return "linking", "linking"
    output = value("-output-file-map") or value("-o")
    match = re.search(r"/([^/]+)\.build/", output)
    if not match:
        return "manifests and plugins", "manifests and plugins"
    text = " ".join(arguments)
    if "-output-file-map" in arguments:
        try:
            text = " ".join(json.loads(pathlib.Path(output).read_text()))
        except OSError:
            pass
    package = re.search(r"/checkouts/([^/]+)/", text)
    module = match[1].removesuffix("-tool")
    return module, package[1] if package else "ferry" if "-modulewrap" not in arguments else None


def build(options, rest):
    scratch = pathlib.Path(options.scratch_path).absolute()
    for name in ["debug", "release", "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "build.db"]:
        path = scratch / name
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        for name, variable in [("swiftc", "SWIFT_EXEC"), ("clang", "CC")]:
            path = pathlib.Path(folder, name)
            text = WRAPPER.replace("REAL", f"{toolchain() / name}").replace("LOGS", folder)
            path.write_text(text.replace("COMPILER", name))
            path.chmod(0o755)
            environment[variable] = str(path)
        began = time.monotonic()
        subprocess.run(
            [toolchain() / "swift", "build", "--package-path", ROOT, "--scratch-path", scratch,
             "--configuration", options.configuration, "--product", "ferry", *rest],
            env=environment, stdout=sys.stderr, check=True)
        elapsed = time.monotonic() - began
        seconds = collections.Counter()
        packages = {}
        for log in pathlib.Path(folder).glob("*.arguments"):
            spent = log.with_suffix(".time").read_text().split()
            module, package = compiled(log.read_text().splitlines()[1:])
            seconds[module] += float(spent[-2]) + float(spent[-1])
            if package:
                packages[module] = package
    by_package = collections.Counter()
    for module, spent in seconds.items():
        by_package[packages.get(module, "ferry")] += spent
    total = sum(seconds.values())
    size = sum(f.stat().st_blocks * 512 for f in scratch.rglob("*") if f.is_file() and not f.is_symlink())
    print(f"{options.configuration}: {total:.0f} s of CPU, {elapsed:.0f} s elapsed, {size / 1e6:.0f} MB of build folder\n")
    table(["package", "CPU s", "%", "modules"], [
        (name, spent, 100 * spent / total, ", ".join(
            f"{module} {seconds[module]:.0f}" for module in sorted(packages, key=lambda m: -seconds[m])
            if packages[module] == name and seconds[module] >= max(1, spent / 50)))
        for name, spent in by_package.most_common()])


# Size

def demangled(names):
    out = subprocess.run([toolchain() / "swift-demangle", "-compact"], input="\n".join(names), text=True,
                         capture_output=True, check=True).stdout
    return out.splitlines()


def module_of(mangled, plain):
    """Returns the module of a symbol: from the mangled name for Swift, from the prefix for C."""
    if match := re.match(r"\$s(\d+)", mangled):
        start = match.end()
        return mangled[start:start + int(match[1])]
    if mangled.startswith("$ss") or mangled.startswith("$sS"):
        return "Swift"
    if match := re.search(r" (?:for|of|in|to) (\w+)\.", plain):
        return match[1]
    for prefix, module in [
        (r"CNIOBoringSSL_|.*CNIOBoringSSL", "CNIOBoringSSL"), (r"CCryptoBoringSSL_|.*CCryptoBoringSSL", "CCryptoBoringSSL"),
        (r"icu|u[a-z]+_|ucol|.*icu_\d|_ZN.*icu|_ZT.*icu|.*_foundation_unicode", "ICU"), (r"_swift_|swift_|_ZN5swift", "runtime"),
        (r"CF|_CF|__CF|kCF", "CoreFoundation"), (r"\$ss|\$sS", "Swift"),
        (r"xml|html", "libxml2"), (r"_ZN", "C++"),
    ]:
        if re.match(prefix, mangled):
            return module
    return "C and others"


def size(options):
    lines = subprocess.run(["size", "-A", options.binary], capture_output=True, text=True, check=True).stdout.splitlines()
    sections = [(f[0], int(f[1])) for f in (line.split() for line in lines) if len(f) == 3 and f[1].isdigit()]
    loaded = [s for s in sections if not s[0].startswith(".debug") and s[0] not in (".symtab", ".strtab", ".comment", ".swift_ast")]
    print(f"{os.path.getsize(options.binary) / 1e6:.1f} MB, loaded sections {sum(s for _, s in loaded) / 1e6:.1f} MB\n")
    table(["section", "MB"], [(f"`{n}`", f"{s / 1e6:.2f}") for n, s in sorted(loaded, key=lambda s: -s[1]) if s > 100_000])
    symbols = subprocess.run(["nm", "--print-size", "--defined-only", options.binary], capture_output=True, text=True,
                             check=True).stdout.splitlines()
    symbols = [line.split(maxsplit=3) for line in symbols]
    symbols = {(s[0], s[3]): int(s[1], 16) for s in symbols if len(s) == 4}
    # Several symbols may have the same address.
    places = {}
    for (address, name), bytes in symbols.items():
        if address not in places or places[address][1] < bytes:
            places[address] = (name, bytes)
    names = [name for name, _ in places.values()]
    by_module = collections.Counter()
    for (name, bytes), plain in zip(places.values(), demangled(names)):
        by_module[module_of(name, plain)] += bytes
    print()
    table(["module", "MB"], [(n, f"{b / 1e6:.2f}") for n, b in by_module.most_common(40) if b > 50_000])


# Start

def start(options):
    command = [options.binary, "--version"]
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["strace", "-f", "-c", "-o", file.name, *command], stdout=subprocess.DEVNULL, check=True)
        calls = pathlib.Path(file.name).read_text()
    spent, memory = [], 0
    for _ in range(20):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        spent.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss)
        del before
    print(f"{statistics.median(spent) * 1000:.1f} ms of CPU (median of 20), {memory / 1000:.1f} MB resident at the peak\n")
    rows = [line.split() for line in calls.splitlines() if re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+\d+", line)]
    table(["system call", "calls"], [(f"`{r[-1]}`", r[3]) for r in sorted(rows, key=lambda r: -int(r[3]))[:12] if r[-1] != "total"])
    libraries = subprocess.run(["ldd", options.binary], capture_output=True, text=True).stdout.splitlines()
    print(f"\nLibraries loaded: {len([line for line in libraries if '=>' in line])}.")


def first_run(folder):
    clone, home = folder / "ferry", folder / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    environment = {"HOME": str(home), "PATH": f"{toolchain()}:{os.environ['PATH']}", "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    began = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(clone)
        os.execvpe("swift", ["swift", "run", "ferry", "demo"], environment)
    shown, appeared = b"", None
    while time.monotonic() - began < 3600:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown = (shown + os.read(terminal, 65536))[-200_000:]
        except OSError:
            break
        # The screen starts with the switch to the terminal's alternate screen.
        if appeared is None and b"\x1b[?1049h" in shown:
            appeared = time.monotonic() - began
        if appeared and time.monotonic() - began > appeared + 5:
            os.write(terminal, b"qq")
    _, status, usage = os.wait4(process, 0)
    os.close(terminal)
    if appeared is None:
        sys.exit("The demo did not appear:\n" + shown.decode(errors="replace")[-3000:])
    size = int(subprocess.run(["du", "-sm", clone / ".build"], capture_output=True, text=True, check=True).stdout.split()[0])
    return round(appeared), round(usage.ru_utime + usage.ru_stime), size


def first(options):
    runs = []
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory(dir=ROOT.parent, prefix="ferry-first-") as folder:
            runs.append(first_run(pathlib.Path(folder)))
        print(runs[-1], file=sys.stderr, flush=True)
    rows = [(f"run {number + 1}", *run) for number, run in enumerate(runs)]
    rows.append(("median", *(round(statistics.median(column)) for column in zip(*runs))))
    table(["swift run ferry demo", "s to the first screen", "CPU s", "MB of build folder"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build")
    builder.add_argument("--configuration", choices=["debug", "release"], default="debug")
    builder.add_argument("--scratch-path", default=ROOT / ".build")
    for name in ["size", "start"]:
        commands.add_parser(name).add_argument("binary")
    commands.add_parser("first").add_argument("--runs", type=int, default=3)
    options, rest = parser.parse_known_args()
    if options.command == "build":
        build(options, rest)
    elif rest:
        parser.error(f"unknown: {rest}")
    else:
        {"size": size, "start": start, "first": first}[options.command](options)


main()
