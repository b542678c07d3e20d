"""Tests `ferry init` on a terminal."""


def test_a_secret_is_not_shown(home, server, start):
    screen = start("init", "tus+" + server.url + "files/")
    screen.wait("Name of the destination")
    screen.press("place\r")
    screen.wait("A number [1]:")
    screen.press("3\r")
    screen.wait("Token (not shown")
    screen.press("s3cr")
    screen.press("\x7f3t\r")
    screen.wait("Write it? [Y/n]")
    screen.press("\r")
    screen.wait("written; next: `ferry add")
    assert screen.exit_status() == 0
    assert b"s3c" not in screen.raw
    assert (home.path / "config" / "ferry" / "place-token").read_text() == "s3c3t\n"


def test_ctrl_c_at_a_hidden_question_leaves_the_terminal_as_it_was(home, server, start, ferry):
    script = f"trap : INT; {ferry} init tus+{server.url}files/; echo status $?; stty -a"
    screen = start(command=["/bin/sh", "-c", script])
    screen.wait("Name of the destination")
    screen.press("\r")
    screen.wait("A number [1]:")
    screen.press("3\r")
    screen.wait("Token (not shown")
    screen.press("abc\x03")
    screen.wait("status 130", " echo ", " icanon ", "isig ")
    assert [path.name for path in (home.path / "config" / "ferry").iterdir()] == ["config.json"]


def test_no_word_is_broken_at_the_edge(home, server, start):
    screen = start("init", columns=60)
    screen.wait("The address:")
    shown = " ".join(line.strip() for line in screen.lines())
    assert "Nothing is written before the last question." in shown
    assert "the server is asked how it takes files" in " ".join(shown.split())
