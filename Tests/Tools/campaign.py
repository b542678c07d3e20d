"""Runs the real `ferry` against `HostileServer`, several batches at the same time, and counts the outcomes.

These are errors: the process ends by a signal or with an undocumented status; it does not end after a signal; a running
upload shows no activity for a multiple of the timeouts; an upload is done although the server does not have its file
and no response was a lie about that.
"""

import asyncio
import collections
import dataclasses
import itertools
import logging
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

from batch import Batch
from hostile_server import HostileServer

# It warns about each end of a TLS connection (python/cpython#101386 and others); exceptions are logged as errors.
logging.getLogger("asyncio").setLevel(logging.ERROR)


@dataclasses.dataclass
class Result:
    answers: int = 0
    uploads: int = 0
    states: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    findings: list = dataclasses.field(default_factory=list)
    #: The uploads that are done because of a false response.
    believed: int = 0
    seconds: float = 0
    #: The seconds of CPU of the programs and of the server.
    program: float = 0
    server: float = 0

    def __str__(self):
        states = ", ".join(f"{count} {state}" for state, count in sorted(self.states.items()))
        return (
            f"{self.answers} answers in {self.seconds:.0f} s to {self.uploads} uploads ({states}; "
            f"{self.believed} done on a false word), CPU {self.program:.0f} s of programs and {self.server:.0f} s of the "
            f"server, {len(self.findings)} wrong")


class Campaign:
    #: The timeout of a server in seconds. Other timeouts are multiples of it.
    timeout = 0.5
    #: The niceness of the programs, so that the server has priority.
    niceness = 5
    #: The number of findings after which the campaign ends. A broken program would fail in every batch.
    findings_limit = 20
    #: The seconds between two reports of a long run.
    report_interval = 300

    def __init__(
            self, ferry, seed, size=32, at_once=1, batch_limit=12, keep=None, shows_believed=False, is_honest=False):
        """
        - size: The number of uploads in a batch.
        - at_once: The number of concurrent batches. A batch mostly waits for its slowest upload.
        - is_honest: True if no response is wrong. Then every upload must be done.
        """
        self.ferry = str(ferry)
        self.seed = seed
        self.size = size
        self.at_once = at_once
        self.batch_limit = batch_limit
        self.keep = keep
        self.shows_believed = shows_believed
        self.is_honest = is_honest
        self.result = Result()

    async def run(self, answers, seconds=None, first=0, batches=None):
        """Runs batches until the servers have sent so many responses, or the time is over."""
        self.begin = time.monotonic()
        self.reported = self.begin
        self.server = HostileServer(self.size * self.at_once, self.timeout)
        numbers = itertools.count(first) if batches is None else iter(range(first, first + batches))
        with tempfile.TemporaryDirectory(prefix="ferry-answers-", dir=fast_folder()) as folder:
            self.folder = pathlib.Path(folder)
            self.authority = certificate(self.folder, [self.server.host(index) for index in range(self.server.size)])
            await self.server.start(self.authority)
            await asyncio.gather(*(
                self.work(lane, numbers, answers, seconds) for lane in range(self.at_once)))
        self.count()
        return self.result

    async def work(self, lane, numbers, answers, seconds):
        """Runs batch after batch at the addresses of one lane."""
        while (
            self.server.answers < answers and len(self.result.findings) < self.findings_limit
            and (seconds is None or time.monotonic() - self.begin < seconds)
        ):
            number = next(numbers, None)
            if number is None:
                break
            await self.batch(f"{self.seed}.{number}", lane)
            if time.monotonic() - self.reported > self.report_interval:
                self.reported = time.monotonic()
                self.count()
                print(self.result, flush=True)

    async def batch(self, seed, lane):
        work = self.folder / seed
        work.mkdir()
        batch = Batch(self, seed, lane * self.size, work)
        try:
            await batch.run()
        finally:
            await self.server.forget(batch.addresses)
            for finding in batch.findings:
                print(finding, flush=True)
            self.result.findings += batch.findings
            if self.keep and batch.findings:
                shutil.copytree(work, pathlib.Path(self.keep) / seed, dirs_exist_ok=True)
            shutil.rmtree(work, ignore_errors=True)

    def count(self):
        self.result.answers = self.server.answers
        self.result.seconds = time.monotonic() - self.begin
        self.result.program = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        self.result.server = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def fast_folder():
    """Returns a folder in memory if there is such a file system, because nothing here tests the disk."""
    memory = pathlib.Path("/dev/shm")
    return memory if memory.is_dir() else None


def certificate(folder, hosts):
    """Makes a file with a self-signed certificate for `hosts` and its key."""
    path, key = folder / "server.pem", folder / "key.pem"
    names = ",".join(f"IP:{host}" for host in hosts)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=hostile", "-addext", f"subjectAltName={names}", "-keyout", str(key), "-out", str(path)],
        check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    path.chmod(0o600)
    return path
