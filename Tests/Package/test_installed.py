"""Tests the package on a fresh Debian."""

import pathlib
import re

import pytest

from conftest import install
from terminal import Terminal

CONFIGURATION = '{ "destinations": { "films": { "url": "http://127.0.0.1:9/box/", "protocol": "put" } } }'


@pytest.fixture
def start():
    terminals = []

    def start(root, *command, **changes):
        terminal = Terminal(root.command(*command), root.environment(**changes), rows=30, columns=100)
        terminals.append(terminal)
        return terminal

    yield start
    for terminal in terminals:
        terminal.dispose()


def test_the_program_starts(installed):
    result = installed.run("ferry", "--version")
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", result.stdout)


def test_the_demo_shows_its_screen_uploads_and_ends(installed, start):
    screen = start(installed, "ferry", "demo")
    screen.wait("interview-cam-A.mov", "報告書-最終版.pdf", "▲ running")
    screen.wait("✓ done", timeout=60)
    screen.press("q")
    screen.wait("are running:")
    screen.press_until("q", lambda: not screen.is_up)
    assert screen.exit_status() == 0
    assert not list((installed.path / "tmp").glob("ferry*"))


def test_the_unit_is_what_the_program_prints_and_is_not_enabled(installed):
    printed = installed.run("ferry", "config", "--systemd")
    unit = installed.path / "usr/lib/systemd/user/ferry.service"
    assert printed.stdout == unit.read_text()
    assert "\nExecStart=/usr/bin/ferry run\nExecReload=/usr/bin/ferry reload\n" in printed.stdout
    enabled = [path for path in (installed.path / "etc").rglob("*") if path.name == "ferry.service"]
    assert not enabled


def test_the_manual_page_renders_without_warnings(equipped):
    page = equipped.run("man", "--warnings", "ferry")
    assert page.returncode == 0
    assert page.stderr == ""
    assert "ferry - uploads files reliably over bad links" in " ".join(page.stdout.split())
    assert "EXIT STATUS" in page.stdout


def test_apropos_finds_it(equipped):
    equipped.run("mandb", "--quiet")
    assert "over bad links" in equipped.run("whatis", "--long", "ferry").stdout


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source /usr/share/bash-completion/bash_completion; PS1='ready> '"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit && compinit -u -D; PS1='ready> '"),
    "fish": (["fish", "-i"], "function fish_prompt; echo 'ready> '; end; function fish_greeting; end"),
}


@pytest.fixture(scope="module")
def queued(equipped):
    """The Debian with a destination and two uploads, of which the second is paused."""
    folder = equipped.path / "root/.config/ferry"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(CONFIGURATION)
    for name in ("a", "b"):
        (equipped.path / "srv" / name).touch()
    for command in (["add", "/srv/a", "/srv/b", "--to", "films"], ["pause", "2"]):
        result = equipped.run("ferry", *command)
        assert result.returncode == 0, result.stderr
    return equipped


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_commands_options_destinations_and_numbers(queued, start, shell):
    command, setup = SHELLS[shell]
    terminal = start(queued, *command, HISTFILE="/dev/null")
    terminal.press(setup + "\r")
    terminal.wait(lambda: terminal.lines()[terminal.cells.cursor.y].startswith("ready>"))
    for typed, completed in [
        ("ferry ad", "ferry add"),
        ("ferry add --skip", "ferry add --skip-queued"),
        ("ferry add --to fi", "ferry add --to films"),
        ("ferry resume ", "ferry resume 2"),
        ("ferry check fi", "ferry check films"),
        ("ferry add --if-exists rep", "ferry add --if-exists replace"),
    ]:
        # Tab has inserted the text before the x. A mere suggestion would stand behind the cursor.
        terminal.press(f"{typed}\tx")
        terminal.wait(lambda: re.search(rf"ready> ?{completed} ?x", terminal.text))
        terminal.press("\x15")
        terminal.wait(lambda: not re.search(r"ready> ?ferry", terminal.text))


def test_removing_it_leaves_no_file_of_it(make_root, package):
    root = make_root()
    install(root, package)
    listed = root.run("dpkg", "-L", "ferry").stdout.splitlines()
    files = [path for path in listed if (root.path / path.lstrip("/")).is_file()]
    assert "/usr/bin/ferry" in files
    result = root.run("apt-get", "purge", "-y", "ferry")
    assert result.returncode == 0, result.stderr
    named = [path for path in root.path.rglob("*ferry*") if not path.is_relative_to(root.path / "var/tmp")]
    assert not [path for path in map(pathlib.Path, files) if (root.path / str(path).lstrip("/")).exists()]
    assert not [path for path in named if not path.is_relative_to(root.path / "proc")]
    assert root.run("dpkg", "-s", "ferry").returncode == 1
