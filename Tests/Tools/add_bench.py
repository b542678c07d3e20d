"""Measures `ferry add` of many files without an engine, for `Tests/bench add`."""

import os
import pathlib
import shutil
import statistics
import tempfile

from upload_clients import environment, measured, work_folder

IN_FOLDER = 1_000


def make_tree(tree, count):
    """Makes `count` empty files, so many in a folder."""
    for first in range(0, count, IN_FOLDER):
        inner = tree / f"folder-{first // IN_FOLDER:05}"
        inner.mkdir(parents=True)
        folder = os.open(inner, os.O_RDONLY)
        for number in range(min(IN_FOLDER, count - first)):
            os.close(os.open(f"file-{number:03}.dat", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=folder))
        os.close(folder)


def one_round(ferry, tree, other, folder):
    """Returns the costs by the name of the command."""
    home = pathlib.Path(tempfile.mkdtemp(dir=folder))
    # The address is not used, as no engine runs.
    add = [ferry, "add", "--yes", "--to", "http://127.0.0.1:9/"]
    try:
        return {
            "`find FOLDER -printf '%s %p\\n'`": measured(["find", tree, "-printf", "%s %p\n"]),
            "`ferry add --recursive FOLDER`": measured([*add, "--recursive", tree], environment(home)),
            "the same again: nothing is new": measured([*add, "--recursive", tree], environment(home)),
            "`ferry add` of one more": measured([*add, other], environment(home)),
        }
    finally:
        shutil.rmtree(home)


def add(options, ferry):
    with work_folder() as folder:
        make_tree(folder / "files", options.uploads)
        other = folder / "other.dat"
        other.touch()
        print(
            f"{options.uploads:,} empty files, {IN_FOLDER:,} in a folder, without an engine; medians of"
            f" {options.rounds} rounds; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
        )
        print("| command | wall s | CPU s | peak MiB |\n| --- | ---: | ---: | ---: |")
        rounds = [one_round(ferry, folder / "files", other, folder) for _ in range(options.rounds)]
        for name in rounds[0]:
            wall, cpu, peak, _ = (statistics.median(column) for column in zip(*(costs[name] for costs in rounds)))
            print(f"| {name} | {wall:.2f} | {cpu:.2f} | {peak:.0f} |")
