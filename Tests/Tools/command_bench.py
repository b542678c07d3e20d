"""Measures commands on a long queue with a running engine, for `Tests/bench commands`."""

import os
import pathlib
import statistics
import subprocess
import sys
import time

from upload_clients import measured

TICKS = os.sysconf("SC_CLK_TCK")
QUIET_SECONDS, LONGEST_SECONDS = 0.5, 10
# The order matters: all uploads are paused before the first command.
COMMANDS = (
    "list", "list --json", "list --state failed", "status", "pause --all", "resume --all", "pause --all", "undo", "redo",
    "remove --all", "undo",
)
NOTES = {4: " that changes nothing", 10: " of that"}
LISTS = ("list", "list --json")


def engine_cpu(process):
    """Returns the seconds of CPU that a process has used so far."""
    words = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS


def engine_peak(process):
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def quiet_cpu(process):
    """Waits until the engine is idle, or for a limited time, and returns its seconds of CPU."""
    end = time.monotonic() + LONGEST_SECONDS
    before = -1
    while (now := engine_cpu(process)) > before + 1 / TICKS and time.monotonic() < end:
        before = now
        time.sleep(QUIET_SECONDS)
    return now


def first_line(ferry, home, command):
    """Returns the seconds until a command has printed the beginning of its output."""
    began = time.monotonic()
    with subprocess.Popen(
        [ferry, *command.split()], env=home.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        process.stdout.read(1)
        elapsed = time.monotonic() - began
        process.stdout.read()
    return elapsed


def session(ferry, home):
    """Runs the commands once. Returns for each the seconds of wall clock, of its own CPU and of the engine's, and for the
    lists the seconds until the first line.
    """
    home.run("pause", "--all")
    engine = subprocess.Popen(
        [ferry, "run"], env=home.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + LONGEST_SECONDS
        while subprocess.run([ferry, "status"], env=home.environment, capture_output=True).returncode == 3:
            if time.monotonic() > end:
                sys.exit("the engine does not start")
            time.sleep(0.1)
        rows, firsts = [], []
        for command in COMMANDS:
            before = quiet_cpu(engine)
            cost = measured([ferry, *command.split()], home.environment)
            rows.append((cost.wall, cost.cpu, quiet_cpu(engine) - before, cost.peak, engine_peak(engine)))
            if command in LISTS:
                firsts.append(first_line(ferry, home, command))
        return rows, firsts
    finally:
        engine.terminate()
        engine.wait()


def commands(ferry, options, make_home):
    """Measures the commands. `make_home` makes a home with a queue of uploads to a server that never responds."""
    print(
        f"{options.uploads:,} uploads, an engine running; medians of {options.rounds} rounds;"
        f" {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print(f"the engine's CPU counts until it was quiet for {QUIET_SECONDS} s, at most {LONGEST_SECONDS} s\n")
    print("| command | wall s | its CPU s | engine's CPU s | its peak MiB | engine's peak MiB so far |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    rounds = [session(ferry, make_home()) for _ in range(options.rounds)]
    for number, command in enumerate(COMMANDS):
        wall, own, engine, peak, engines = (statistics.median(column) for column in zip(*(rows[number] for rows, _ in rounds)))
        title = f"`ferry {command}`{NOTES.get(number, '')}"
        print(f"| {title} | {wall:.2f} | {own:.2f} | {engine:.2f} | {peak:.0f} | {engines:.0f} |")
    for command, *seconds in zip(LISTS, *(firsts for _, firsts in rounds)):
        print(f"\nthe first line of `ferry {command}` after {statistics.median(seconds):.3f} s")
