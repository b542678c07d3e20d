"""The servers of a soak, each behind a faulty link."""

import contextlib
import json
import os
import re
import signal

from link_lab import HOST, Link, digest, free_port, s3_contents, server

# Every name contains its upload's number, so that a name can be recognized however a server changes it.
NUMBER = re.compile(r"n(\d{6})-")


def number_in(name):
    found = NUMBER.search(name)
    return int(found[1]) if found else None


class Place:
    """A server that keeps its port and folder when it is restarted, and the link to it."""

    # True if the server still has what it acknowledged after a kill.
    survives_kills = True
    # True if the server keeps names unchanged. Otherwise only the number in them counts.
    keeps_names = False

    def __init__(self, folder, options):
        self.folder = folder / "servers" / self.name
        self.folder.mkdir(parents=True)
        self.options = options
        self.server_port, self.port = free_port(), free_port()
        log = folder / f"server-{self.name}"
        self.server = server(self.program, self.server_port, self.folder, options.ferry, log)
        self.log = folder / f"link-{self.name}"
        self.bytes = self.links = 0
        self.link = None
        self.server.start()
        self.prepare()
        self.set_link([])

    def prepare(self):
        pass

    def url(self, path="/"):
        return f"http://{HOST}:{self.port}{path}"

    def set_link(self, words):
        """Replaces the faults of the link. Connections over it are reset."""
        self.drop_link()
        self.links += 1
        log = self.log.with_name(f"{self.log.name}-{self.links}")
        self.link = Link(self.options.faulty_link, self.server_port, self.port, words, log).start()

    def drop_link(self):
        if self.link is None or self.link.process.poll() is not None:
            return
        self.link.stop()
        self.bytes += self.link.report()["bytes"]

    def signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.server.process.pid, number)

    def end(self):
        self.signal(signal.SIGCONT)
        self.drop_link()
        self.server.stop()

    def left_over(self):
        """Returns the number of unfinished uploads at the server."""
        return 0

    def files_below(self, folder, hidden=()):
        """Returns the names and digests of the files in a folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = os.fsdecode(os.path.relpath(path, folder))
                if not any(re.search(pattern, name) for pattern in hidden):
                    yield name, digest(path)


class Tus(Place):
    """The server tuspyserver. It is not killed, because a kill during a request leaves a wrong offset."""

    name, program, survives_kills = "tus", "tus", False

    def destinations(self):
        return {"tus": {"url": self.url("/files/"), "protocol": "tus"}}

    def _uploads(self):
        for path in sorted(self.folder.glob("*.info")):
            yield path.with_suffix(""), json.loads(path.read_text())

    def stored(self):
        for path, told in self._uploads():
            if told["offset"] == told["size"]:
                yield told["metadata"]["filename"], digest(path)

    def left_over(self):
        return sum(told["offset"] != told["size"] for _, told in self._uploads())


class Nginx(Place):
    """The server nginx with PUT. It gives a file its name when it is complete."""

    name, program, keeps_names = "put", "nginx", True

    def destinations(self):
        return {"put": {"url": self.url(), "protocol": "put"}}

    def stored(self):
        return self.files_below(self.folder / "files")


class Apache(Place):
    """The server Apache with WebDAV, for whole files and for chunks. Unfinished files have hidden names."""

    name, program, keeps_names = "webdav", "apache", True
    hidden = (r"(^|/)\.[^/]*\.part-[^/]*$", r"(^|/)\.davfs\.tmp")

    def destinations(self):
        return {
            "webdav": {"url": self.url(), "protocol": "webdav"},
            "webdav-pieces": {"url": self.url("/pieces/"), "protocol": "webdav", "chunkSize": "256K"},
        }

    def prepare(self):
        (self.folder / "files/pieces").mkdir(exist_ok=True)

    def stored(self):
        for name, value in self.files_below(self.folder / "files", self.hidden):
            yield name.removeprefix("pieces/"), value

    def left_over(self):
        return sum(1 for path in (self.folder / "files").rglob("*") if re.search(self.hidden[0], str(path)))


class Moto(Place):
    """The server moto with S3. It is in memory, so it is not killed."""

    name, program, keeps_names, survives_kills = "s3", "moto", True, False

    def destinations(self):
        return {
            "s3": {
                "url": self.url("/soak/in/"), "protocol": "s3", "chunkSize": "5M", "parallel": 2,
                "auth": {"s3": {"accessKey": "ferry", "secretKey": "a secret"}},
            }
        }

    def prepare(self):
        s3_contents(self.server_port, "soak", "make")

    def stored(self):
        for entry in s3_contents(self.server_port, "soak", "objects"):
            yield entry["key"].removeprefix("in/"), entry["sha256"]

    def left_over(self):
        return len(s3_contents(self.server_port, "soak", "unfinished"))


class Receiver(Place):
    """The receiver `ferry serve`, with each of its protocols."""

    name, program = "serve", "serve"

    def destinations(self):
        return {
            "form": {"url": self.url(), "protocol": "form"},
            "post": {"url": self.url(), "protocol": "post"},
            "resumable": {"url": self.url(), "protocol": "resumable"},
            "serve-tus": {"url": self.url("/files/"), "protocol": "tus", "checksum": "sha-256"},
            "auto": {"url": self.url(), "protocol": "auto"},
        }

    def stored(self):
        return self.files_below(self.folder, (r"^\.ferry/",))

    def left_over(self):
        return sum(1 for path in (self.folder / ".ferry").glob("*.part"))


PLACES = (Tus, Nginx, Apache, Moto, Receiver)
