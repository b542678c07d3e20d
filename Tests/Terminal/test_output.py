"""Compares every line that Ferry prints for programs with its schema."""

import http.server
import json
import pathlib
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from terminal import TIMEOUT


@pytest.fixture(scope="module")
def schema(ferry, tmp_path_factory):
    environment = {"HOME": str(tmp_path_factory.mktemp("home"))}
    command = [ferry, "config", "--output-schema"]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


class Answers(http.server.BaseHTTPRequestHandler):
    """A server whose response depends on the beginning of the path."""

    def do_PUT(self):
        kind = self.path.split("/")[1]
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = {"no": 403, "later": 503}.get(kind, 201)
        self.send_response(status)
        if kind == "later":
            self.send_header("Retry-After", "3600")
        if kind == "put":
            self.send_header("ETag", '"0123456789abcdef0123456789abcdef"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.endswith("?uploads="):
            self.close_connection = True  # no response
            return
        body = b"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def web():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def places(home, server, web):
    """Configures a destination for each outcome of an upload, and a hook for each event."""
    home.configure(
        server.url,
        concurrency=20,
        put={"url": f"{web}put/", "protocol": "put"},
        no={"url": f"{web}no/", "protocol": "put"},
        later={"url": f"{web}later/", "protocol": "put"},
        lost={"url": f"{web}lost/", "protocol": "post"},
        sum={"url": server.url + "files/", "protocol": "tus", "checksum": "sha-256"},
        parts={
            "url": f"{web}put/bucket/",
            "protocol": "s3",
            "auth": {"s3": {"accessKey": "a", "secretKey": "b"}},
        },
        auto={"url": server.url + "files/"},
    )
    written = home.path / "hook-lines"
    hook = ["sh", "-c", f"cat >> {written}"]
    home.change(hooks={name: hook for name in ("done", "failed", "held", "idle", "offline", "online", "notSaved")})
    return written


def lines(output):
    return [json.loads(line) for line in output.decode().splitlines()]


class Check:
    def __init__(self, schema, home):
        self._schema, self._home = schema, home

    def fit(self, definition, found):
        assert found
        validator = Draft202012Validator({**self._schema, "$ref": f"#/$defs/{definition}"})
        for line in found:
            error = best_match(validator.iter_errors(line))
            assert error is None, f"{line}: {error.json_path}: {error.message}"
        return found

    def run(self, *words, status=0):
        result = self._home.run(*words, "--json")
        assert result.returncode == status, result.stderr.decode()
        command = "-".join(words[: 2 if words[0] == "state" else 1])
        return self.fit(f"ferry-{command}", lines(result.stdout))


@pytest.fixture
def check(schema, home):
    return Check(schema, home)


def until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_it_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "line",
    [
        {"event": "online", "more": 1},
        {"event": "nothing"},
        {"event": "changed", "ids": [1]},
        {"event": "changed", "change": "paused", "ids": ["1"]},
        {"event": "slow", "host": "h", "status": 503, "waiting": 1, "until": "tomorrow"},
    ],
)
def test_a_line_that_no_command_prints_does_not_fit(schema, line):
    assert not Draft202012Validator(schema).is_valid(line)


def test_lines_about_uploads_in_every_state(home, places, check, ferry):
    for name in ("put", "no", "later", "lost", "sum", "auto"):
        check.run("add", home.make(name, 1000), "--to", name)
    check.run("add", home.make(b"\xff\xfe", 10), "--to", "put")
    changed = home.make("changed", 10)
    added = check.run("add", changed, home.make("paused", 10), "--to", "put")
    assert check.run("pause", str(added[1]["id"]))[0]["ids"] == [added[1]["id"]]
    pathlib.Path(changed).write_text("another version")
    engine = subprocess.Popen(
        [ferry, "run", "--json"], env=home.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    states = lambda: {upload["name"]: upload["state"] for upload in home.list()}
    ends = {"put": "done", "no": "failed", "later": "waiting", "lost": "held", "sum": "done", "auto": "done"}
    until(lambda: ends.items() <= states().items())
    assert states()["changed"] == "held"
    home.run("remove", str(next(upload["id"] for upload in home.list() if upload["name"] == "later")))
    engine.send_signal(signal.SIGTERM)
    output, _ = engine.communicate(timeout=TIMEOUT)
    check.fit("ferry-run", lines(output))

    uploads = {upload["name"]: upload for upload in check.run("list")}
    assert {upload["state"] for upload in uploads.values()} == {"done", "failed", "held", "paused"}
    assert uploads["put"]["location"].endswith("/put/put")
    assert uploads["sum"]["verified"] == "sha-256"
    assert any(upload["path"].startswith("base64:") for upload in uploads.values())
    assert check.run("wait", str(uploads["no"]["id"]), status=1)[0]["state"] == "failed"
    check.run("remove", str(uploads["no"]["id"]))
    assert {line["outcome"] for line in check.run("history")} == {"done", "removed"}
    events = {line["event"] for line in check.fit("hooks", lines(places.read_bytes()))}
    assert {"done", "failed", "held"} <= events


def test_lines_about_an_engine_that_works(home, server, places, check, ferry):
    home.change(limits={"bandwidth": "2M"}, watch=[{"folder": str(home.temporary), "to": "put"}])
    assert check.run("limit", "1M", "--to", "put")[0]["from"] == "command"
    assert [limit["scope"] for limit in check.run("limit")] == ["total", "destination"]
    check.run("add", home.make("large", "40M"), "--to", "parts")
    check.run("add", home.make("later", 10), "--to", "later")
    engine = subprocess.Popen(
        [ferry, "run", "--json"], env=home.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    until(lambda: {upload["state"] for upload in home.list()} == {"running", "waiting"})
    until(lambda: any("parts" in upload for upload in home.list()))
    uploads = {upload["name"]: upload for upload in check.run("list")}
    assert uploads["large"]["parts"]["planned"] > 1
    assert uploads["later"]["until"] > "2020"
    status = check.run("status")[0]
    assert status["running"] and status["uploads"]["running"] == 1 and status["slow"][0]["waiting"] == 1
    assert status["limits"][0]["name"] == "put" and status["watched"][0]["there"]
    check.run("move", str(uploads["later"]["id"]), "top")
    assert check.run("undo")[0]["change"] == "moved"
    check.run("redo")
    check.run("retry", str(uploads["later"]["id"]))
    check.run("resume", "--all")
    check.run("state", "verify")
    assert pathlib.Path(check.run("state", "flush")[0]["file"]).exists()
    home.change(limits={"bandwidth": "3M"})
    assert check.run("reload")[0]["now"] == ["limits"]
    time.sleep(5.5)  # the interval of `progress` events
    assert check.run("stop")[0] == {"event": "stop", "running": False, "process": engine.pid}
    output, _ = engine.communicate(timeout=TIMEOUT)
    events = {line["event"] for line in check.fit("ferry-run", lines(output))}
    assert {"state", "slow", "progress"} <= events
    assert check.run("stop") == [{"event": "stop", "running": False}]
    assert check.run("status", status=3) == [{"event": "status", "running": False}]


def test_a_run_that_ends_is_summed_up(home, places, check):
    check.run("add", home.make("a", 10), "--to", "put")
    assert check.run("run", "--exit-when-idle")[-1] == {"event": "summary", "counts": {"done": 1}}
    assert lines(places.read_bytes())[-1] == {"event": "idle", "counts": {"done": 1}}


def test_add_names_the_files_that_it_skips(home, places, check):
    path, missing = home.make("a", 10), str(home.files / "missing")
    (would,) = check.run("add", "--dry-run", path, "--to", "put")
    assert would["event"] == "wouldAdd" and "id" not in would
    added, skipped = sorted(check.run("add", path, missing, "--to", "put", status=1), key=lambda line: line["event"])
    assert (added["event"], added["id"], added["path"], added["size"]) == ("added", 1, path, 10)
    assert skipped == {"event": "skipped", "path": missing, "reason": "no such file"}
    (known,) = check.run("add", "--skip-queued", path, "--to", "put")
    assert (known["event"], known["known"], known["id"]) == ("skipped", True, 1)


def test_destinations_that_are_asked(home, places, check):
    found = {line["destination"]: line for line in check.run("check", "put", "auto", "sum")}
    assert found["auto"]["protocol"] == "tus" and found["sum"]["ok"]
    (refused,) = check.run("check", "http://127.0.0.1:9/", status=1)
    assert refused["error"]


def test_the_configuration(home, places, check):
    (line,) = check.run("config")
    assert line["file"].endswith("config.json") and line["folder"] == str(home.state)
    assert [place["name"] for place in line["destinations"] if place["isDefault"]] == ["box"]


def test_the_lines_of_a_receiver_fit(home, check, ferry):
    receiver = subprocess.Popen(
        [ferry, "serve", "--json", "--no-token", "--bind", "127.0.0.1:0", "--directory", str(home.files)],
        env=home.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )
    first = receiver.stdout.readline()
    url = json.loads(first)["url"]
    request = urllib.request.Request(url + "a.txt", data=b"hello", method="PUT")
    urllib.request.urlopen(request, timeout=TIMEOUT).close()
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(urllib.request.Request(url + "..%2Fb", data=b"", method="PUT"), timeout=TIMEOUT)
    receiver.send_signal(signal.SIGTERM)
    output, _ = receiver.communicate(timeout=TIMEOUT)
    events = [line["event"] for line in check.fit("ferry-serve", lines(first + output))]
    assert events[0] == "listening" and {"stored", "refused"} <= set(events)
