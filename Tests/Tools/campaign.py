"""Runs the real `ferry` against `HostileServer`, batch after batch, and judges what came of each upload.

What is wrong: the process ends by a signal or with a status that is none of its own; it does not end when it is told to;
an upload is under way and nothing has happened for many times the timeouts; an upload is done whose file the server
does not hold, although no answer lied about that.
"""

import asyncio
import collections
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import tempfile
import time

import models
from hostile_server import HostileServer, Place


@dataclasses.dataclass(frozen=True)
class Variant:
    protocol: str
    model: type
    options: dict = dataclasses.field(default_factory=dict)
    #: Sizes of files, in bytes.
    sizes: tuple = (0, 1, 700, 5000, 60_000, 300_000)


LARGE = (5_300_000,)
S3_KEYS = {"auth": {"s3": {"accessKey": "key", "secretKey": {"env": "FERRY_TEST_SECRET"}}}}

VARIANTS = [
    Variant("put", models.Put),
    Variant("put", models.Put, {"checksum": "sha-256", "ifExists": "skip"}),
    Variant("put", models.Put, {"ifExists": "rename", "auth": {"bearer": {"env": "FERRY_TEST_SECRET"}}}),
    Variant("post", models.Post),
    Variant("post", models.Post, {"link": {"pointer": "/files/0/url"}, "idempotencyKey": True}),
    Variant("form", models.Form),
    Variant("tus", models.Tus),
    Variant("tus", models.Tus, {"chunkSize": 20_000}),
    Variant("tus", models.Tus, {"checksum": "sha-1", "chunkSize": 100_000}),
    Variant("tus", models.Tus, {"deferLength": True}),
    Variant("resumable", models.Resumable),
    Variant("resumable", models.Resumable, {"chunkSize": 20_000}),
    Variant("s3", models.S3, S3_KEYS),
    Variant("s3", models.S3, S3_KEYS | {"chunkSize": "5M", "parallel": 2}, LARGE),
    Variant("webdav", models.WebDAV),
    Variant("webdav", models.WebDAV, {"chunkSize": 20_000}),
    Variant("webdav", models.WebDAV, {"ifExists": "skip"}),
    Variant("nextcloud", models.Nextcloud),
    Variant("nextcloud", models.Nextcloud, {"chunkSize": "5M"}, LARGE),
    Variant("google", models.Google),
    Variant("google", models.Google, {"chunkSize": 262_144, "checksum": "md5"}),
    Variant("graph", models.Graph),
    Variant("graph", models.Graph, {"chunkSize": 327_680, "ifExists": "replace"}, (1, 5000, 700_000)),
    Variant("azure", models.Azure),
    Variant("azure", models.Azure, {"chunkSize": 20_000}),
    Variant("auto", models.Tus),
    Variant("auto", models.Put),
    Variant("auto", models.WebDAV),
]


@dataclasses.dataclass
class Finding:
    seed: str
    what: str
    detail: str

    def __str__(self):
        return f"wrong: {self.what} (seed {self.seed})\n{self.detail}"


@dataclasses.dataclass
class Result:
    answers: int = 0
    uploads: int = 0
    states: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    findings: list = dataclasses.field(default_factory=list)
    #: Uploads that are done on a server's false word.
    believed: int = 0
    seconds: float = 0

    def __str__(self):
        states = ", ".join(f"{count} {state}" for state, count in sorted(self.states.items()))
        return (
            f"{self.answers} answers in {self.seconds:.0f} s to {self.uploads} uploads ({states}; "
            f"{self.believed} done on a false word), {len(self.findings)} wrong")


class Campaign:
    #: Of a server, in seconds. The other figures are many times as long.
    timeout = 0.5
    #: A program that is broken altogether need not be shown to be so in every batch.
    findings_limit = 20

    def __init__(self, ferry, seed, size=32, batch_limit=12, keep=None, shows_believed=False, say=print):
        self.ferry = str(ferry)
        self.seed = seed
        self.size = size
        self.batch_limit = batch_limit
        self.keep = keep
        self.shows_believed = shows_believed
        self.say = say
        self.result = Result()

    async def run(self, answers, seconds=None, first=0, batches=None):
        """Runs batches until there were so many answers, or the time is over."""
        begin = time.monotonic()
        self.server = HostileServer(self.size, self.timeout)
        await self.server.start()
        number = first
        while self.server.answers < answers and (batches is None or number < first + batches):
            if seconds is not None and time.monotonic() - begin > seconds:
                break
            await self.batch(f"{self.seed}.{number}")
            number += 1
            if len(self.result.findings) >= self.findings_limit:
                break
        self.result.answers = self.server.answers
        self.result.seconds = time.monotonic() - begin
        return self.result

    def found(self, seed, what, detail):
        finding = Finding(seed, what, detail)
        self.result.findings.append(finding)
        self.say(str(finding))

    async def batch(self, seed):
        work = pathlib.Path(tempfile.mkdtemp(prefix="ferry-answers-"))
        before = len(self.result.findings)
        try:
            await self.run_batch(seed, work)
        finally:
            await self.server.forget()
            if self.keep and len(self.result.findings) > before:
                shutil.copytree(work, pathlib.Path(self.keep) / seed, dirs_exist_ok=True)
            shutil.rmtree(work, ignore_errors=True)

    def prepare(self, seed, work):
        chance = random.Random(seed)
        destinations, watches = {}, []
        for index in range(self.size):
            variant = chance.choice(VARIANTS)
            content = chance.randbytes(chance.choice(variant.sizes))
            name = f"f{index}.bin"
            model = variant.model(self.server.origin(index), name, content)
            self.server.places[index] = Place(model, f"{seed}/{index}", chance.choice((0.02, 0.1, 0.3, 0.6)))
            folder = work / f"in{index}"
            folder.mkdir()
            (folder / name).write_bytes(content)
            destinations[f"d{index}"] = {
                "url": self.server.origin(index) + variant.model.address, "protocol": variant.protocol, **variant.options}
            watches.append({"folder": str(folder), "to": f"d{index}", "settle": 0.1})
        configuration = {
            "destinations": destinations, "watch": watches, "proxy": "none",
            "limits": {"concurrency": self.size, "perHost": 4}, "connectivity": {"monitor": False},
            "retry": {"base": 0.01, "cap": 0.1, "serverTries": 4, "onUncertain": chance.choice(("hold", "fail"))},
            "timeouts": {"connect": 2, "stall": 2, "response": self.timeout, "read": 10},
        }
        (work / "config.json").write_text(json.dumps(configuration))
        (work / "config.json").chmod(0o600)
        return chance

    async def start(self, work):
        return await asyncio.create_subprocess_exec(
            self.ferry, "run", "--json", "--config", str(work / "config.json"), "--state", str(work / "state"),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=open(work / "errors", "ab"),
            limit=1 << 22,
            env={
                "PATH": "/usr/bin:/bin", "HOME": str(work), "FERRY_TEST_SECRET": "secret", "LC_ALL": "C.UTF-8",
                # What a crash says in one line is enough, and a backtrace takes seconds.
                "SWIFT_BACKTRACE": os.environ.get("SWIFT_BACKTRACE", "enable=no"),
            })

    async def run_batch(self, seed, work):
        chance = self.prepare(seed, work)
        states = {}
        # Some queues are killed and go on in another process: it has to start whatever it finds.
        lives = chance.choice((1, 1, 2))
        end = time.monotonic() + self.batch_limit
        for life in range(lives):
            is_last = life == lives - 1
            limit = end if is_last else time.monotonic() + chance.uniform(0.5, 4)
            if not await self.live(seed, work, states, limit, killed=not is_last):
                break
            # A kill comes between what is saved and what is told.
            for record in (await self.list(work)).values():
                states[self.index(record)] = record
        self.judge(seed, states)

    async def live(self, seed, work, states, limit, killed):
        """One process. False if it did not end as it was told."""
        process = await self.start(work)
        reading = asyncio.create_task(self.read(process, states))
        while time.monotonic() < limit and process.returncode is None:
            if len(states) == self.size and all(
                state["state"] in ("done", "failed", "held") for state in states.values()
            ):
                break
            await asyncio.sleep(0.02)
        if process.returncode is None:
            await self.look_for_hang(seed, process, states, work)
        if process.returncode is None:
            process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
        try:
            status = await asyncio.wait_for(process.wait(), 30)
        except asyncio.TimeoutError:
            self.found(seed, "the program does not end when it is told to", self.told(work, states))
            process.kill()
            await process.wait()
            return False
        await reading
        # A process that is told before it listens for signals ends by the signal.
        expected = (-signal.SIGKILL,) if killed else (0, 1, 143, -signal.SIGTERM)
        if status not in expected:
            self.found(seed, f"the program ended with {status}", self.told(work, states))
            return False
        return True

    async def read(self, process, states):
        async for line in process.stdout:
            record = json.loads(line)
            if record.get("event") in ("state", "upload") and "path" in record:
                states[self.index(record)] = record

    def index(self, record):
        """The upload's place at the server; its name may be another there."""
        return int(pathlib.Path(record["path"]).parent.name.removeprefix("in"))

    async def look_for_hang(self, seed, process, states, work):
        """An upload that runs must be heard of: by its server, or by its next state. One that ends with its process
        does not hang; a process that writes a backtrace is still there for seconds."""
        hanging = {}
        for index, record in list(states.items()):
            place = self.server.places[index]
            if record["state"] != "running":
                continue
            patience = self.timeout * 40
            while states[index]["state"] == "running" and time.monotonic() - place.last_seen < patience:
                await asyncio.sleep(0.1)
            if states[index] == record:
                hanging[index] = record
        if not hanging:
            return
        listed = {self.index(record): record for record in (await self.list(work)).values()}
        try:
            await asyncio.wait_for(process.wait(), 20)
        except asyncio.TimeoutError:
            for index, record in hanging.items():
                if states[index] == record:
                    state = listed.get(index, {}).get("state")
                    self.found(
                        seed, f"an upload hangs for {patience:.0f} s; `ferry list` says that it is {state}",
                        self.history(index, record) + "\n" + self.log(work, record["id"]))

    def judge(self, seed, states):
        for index, record in states.items():
            place = self.server.places[index]
            self.result.uploads += 1
            self.result.states[record["state"]] += 1
            if record["state"] == "done" and not place.model.holds_file:
                if place.is_lied_to:
                    self.result.believed += 1
                    if self.shows_believed:
                        self.say(f"done on a false word (seed {seed})\n{self.history(index, record)}")
                else:
                    self.found(seed, "done, and the server does not hold the file", self.history(index, record))

    def history(self, index, record):
        place = self.server.places[index]
        return json.dumps(record) + "\n  " + "\n  ".join(place.log[-40:])

    async def list(self, work):
        """The queue as the running process tells another one, by number."""
        process = await asyncio.create_subprocess_exec(
            self.ferry, "list", "--json", "--config", str(work / "config.json"), "--state", str(work / "state"),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env={"HOME": str(work)})
        output, _ = await process.communicate()
        records = [json.loads(line) for line in output.splitlines()]
        return {record["id"]: record for record in records if "id" in record}

    def log(self, work, number):
        """What the process says it did with an upload."""
        log = work / "state" / "ferry.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return "\n".join([line for line in lines if f" #{number} " in line][-30:])

    def told(self, work, states):
        lines = (work / "errors").read_text(errors="replace").splitlines()
        running = [
            self.history(index, record) for index, record in states.items() if record["state"] == "running"]
        return "\n".join(lines[:60] + running[:8])
