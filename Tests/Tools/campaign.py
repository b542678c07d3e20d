"""Runs the real `ferry` against `HostileServer`, batch after batch and several at once, and counts what came of them.

What is wrong: the process ends by a signal or with a status that is none of its own; it does not end when it is told to;
an upload is under way and nothing has happened for many times the timeouts; an upload is done whose file the server
does not hold, although no answer lied about that.
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

# It warns of each end of a TLS connection (python/cpython#101386 and others); exceptions are told as errors.
logging.getLogger("asyncio").setLevel(logging.ERROR)


@dataclasses.dataclass
class Result:
    answers: int = 0
    uploads: int = 0
    states: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    findings: list = dataclasses.field(default_factory=list)
    #: Uploads that are done on a server's false word.
    believed: int = 0
    seconds: float = 0
    #: Of the CPU, for the programs and for the server.
    program: float = 0
    server: float = 0

    def __str__(self):
        states = ", ".join(f"{count} {state}" for state, count in sorted(self.states.items()))
        return (
            f"{self.answers} answers in {self.seconds:.0f} s to {self.uploads} uploads ({states}; "
            f"{self.believed} done on a false word), CPU {self.program:.0f} s of programs and {self.server:.0f} s of the "
            f"server, {len(self.findings)} wrong")


class Campaign:
    #: Of a server, in seconds. The other figures are many times as long.
    timeout = 0.5
    #: Of the programs, behind the server.
    niceness = 5
    #: A program that is broken altogether need not be shown to be so in every batch.
    findings_limit = 20
    #: How often a long run says how far it is, in seconds.
    report_interval = 300

    def __init__(
            self, ferry, seed, size=32, at_once=1, batch_limit=12, keep=None, shows_believed=False, is_honest=False):
        """
        - size: Uploads of a batch.
        - at_once: Batches at once: most of a batch's time is spent waiting for the slowest of its uploads.
        - is_honest: No answer is wrong, and each upload is to be done: what the server says is right, then.
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
        """Runs batches until there were so many answers, or the time is over."""
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
    """Returns a folder in memory, where there is such a file system: nothing here tests the disk."""
    memory = pathlib.Path("/dev/shm")
    return memory if memory.is_dir() else None


def certificate(folder, hosts):
    """A file with a new certificate for `hosts` and its key; it is its own authority."""
    path, key = folder / "server.pem", folder / "key.pem"
    names = ",".join(f"IP:{host}" for host in hosts)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=hostile", "-addext", f"subjectAltName={names}", "-keyout", str(key), "-out", str(path)],
        check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    path.chmod(0o600)
    return path
