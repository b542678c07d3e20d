"""Tests the manual's pages, `ferry help TOPIC`, on a terminal."""

import subprocess


def test_a_long_page_opens_in_the_pager(start):
    terminal = start("help", "protocols", PAGER="cat >/dev/null; echo the pager; exit 3")
    terminal.wait("the pager")
    assert terminal.exit_status() == 0


def test_an_empty_choice_of_a_pager_is_none(start):
    terminal = start("help", "lines", PAGER="", PATH="/usr/bin:/bin", LESS="FRX", rows=60)
    terminal.wait("LINES IN PLACE OF THE SCREEN", "--plain")
    assert terminal.exit_status() == 0


def test_a_pager_that_is_left_early_is_no_error(start):
    terminal = start("help", "json", PAGER="head -n 1")
    terminal.wait("OUTPUT FOR PROGRAMS")
    assert terminal.exit_status() == 0


def test_without_a_terminal_the_page_is_printed_and_no_pager_runs(ferry, home):
    result = subprocess.run(
        [ferry, "help", "hooks"], env=home.environment(PAGER="echo the pager"), capture_output=True, text=True
    )
    assert result.returncode == 0
    assert result.stdout.startswith("HOOKS\n") and "the pager" not in result.stdout
