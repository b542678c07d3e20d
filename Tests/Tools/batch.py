"""Runs one queue of uploads to hostile servers: a configuration, files, several lives of the process, and checks."""

import asyncio
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import signal
import time

from hostile_server import Place
from variants import Choice

ENDED = ("done", "failed", "held")


@dataclasses.dataclass
class Finding:
    seed: str
    what: str
    detail: str

    def __str__(self):
        return f"wrong: {self.what} (seed {self.seed})\n{self.detail}"


class Batch:
    def __init__(self, campaign, seed, first, work):
        """
        - first: The first of the `campaign.size` server addresses of this batch.
        """
        self.campaign = campaign
        self.server = campaign.server
        self.seed = seed
        self.first = first
        self.size = campaign.size
        self.work = work
        #: The newest record of each upload, by its index in the batch.
        self.states = {}
        self.ended = asyncio.Event()
        self.findings = []

    @property
    def addresses(self):
        return range(self.first, self.first + self.size)

    def place(self, index):
        return self.server.places[self.first + index]

    def found(self, what, detail):
        self.findings.append(Finding(self.seed, what, detail))

    async def run(self):
        chance = self.prepare()
        # Some queues are killed and continue in another process, which has to start whatever it finds.
        lives = 1 if self.campaign.is_honest else chance.choice((1, 1, 2, 3))
        end = time.monotonic() + self.campaign.batch_limit
        for life in range(lives):
            is_last = life == lives - 1
            limit = end if is_last else time.monotonic() + chance.uniform(0.5, 6)
            if not await self.live(limit, killed=not is_last):
                break
            # A kill may come between the record on disk and the line that reports it.
            for record in (await self.list()).values():
                self.note(record)
        self.judge()

    def prepare(self):
        chance = random.Random(self.seed)
        destinations, watches = {}, []
        for index in range(self.size):
            choice = Choice.by(chance)
            content = filling(chance, chance.choice(choice.variant.sizes))
            name = f"f{index}.bin"
            address = self.server.address(self.first + index)
            origin = f"{'https' if choice.link.is_secure else 'http'}://{address}"
            model = choice.variant.model(origin, name, content)
            gate = choice.gate and choice.gate(chance)
            wrong = 0 if self.campaign.is_honest else chance.choice((0.02, 0.1, 0.3, 0.6))
            self.server.places[self.first + index] = Place(model, f"{self.seed}/{index}", wrong, choice.link, gate)
            folder = self.work / f"in{index}"
            folder.mkdir()
            (folder / name).write_bytes(content)
            authority = self.campaign.authority
            destinations[f"d{index}"] = {
                "url": origin + model.address, "protocol": choice.variant.protocol, **choice.variant.options,
                **choice.link.options(address, authority), **(gate.options(origin, authority) if gate else {})}
            watches.append({"folder": str(folder), "to": f"d{index}", "settle": 0.1})
        timeout = self.campaign.timeout
        configuration = {
            "destinations": destinations, "watch": watches, "proxy": "none",
            "limits": {"concurrency": 64, "perHost": 4}, "connectivity": {"monitor": False},
            "retry": {"base": 0.01, "cap": 0.1, "serverTries": 4, "onUncertain": chance.choice(("hold", "fail"))},
            "timeouts": {"connect": 2, "stall": 2, "response": timeout, "read": 10},
        }
        (self.work / "config.json").write_text(json.dumps(configuration))
        (self.work / "config.json").chmod(0o600)
        return chance

    async def start(self):
        with open(self.work / "errors", "ab") as errors:
            process = await asyncio.create_subprocess_exec(
                # If the campaign is stopped, this program must not continue at addresses that a later campaign uses.
                "setpriv", "--pdeathsig", "KILL", self.campaign.ferry, "run", "--json", *self.folders(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=errors, limit=1 << 22,
                env={
                    "PATH": "/usr/bin:/bin", "HOME": str(self.work), "FERRY_TEST_SECRET": "secret",
                    "LC_ALL": "C.UTF-8",
                    # The one line that a crash prints is enough. A backtrace takes seconds.
                    "SWIFT_BACKTRACE": os.environ.get("SWIFT_BACKTRACE", "enable=no"),
                })
        # On a busy machine, a server without enough CPU time would respond too late to be wrong in any other way.
        # A program that ended at once has no priority. Its end is noticed later.
        with contextlib.suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + self.campaign.niceness)
        return process

    def folders(self):
        return "--config", str(self.work / "config.json"), "--state", str(self.work / "state")

    async def live(self, limit, killed):
        """Runs one process. Returns False if it did not end as expected."""
        process = await self.start()
        reading = asyncio.create_task(self.read(process))
        waits = [asyncio.create_task(process.wait()), asyncio.create_task(self.ended.wait())]
        await asyncio.wait(waits, timeout=limit - time.monotonic(), return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if process.returncode is None:
            await self.look_for_hang(process)
        if process.returncode is None:
            process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
        try:
            status = await asyncio.wait_for(process.wait(), 30)
        except asyncio.TimeoutError:
            self.found("the program does not end when it is told to", self.last_output())
            process.kill()
            await process.wait()
            return False
        await reading
        # A process that gets the signal before it handles signals is ended by the signal.
        expected = (-signal.SIGKILL,) if killed else (0, 1, 143, -signal.SIGTERM)
        if status not in expected:
            self.found(f"the program ended with {status}", self.last_output())
            return False
        return True

    async def read(self, process):
        async for line in process.stdout:
            if not line.endswith(b"\n"):
                break  # A killed process may leave an incomplete line.
            record = json.loads(line)
            if record.get("event") in ("state", "upload") and "path" in record:
                self.note(record)

    def note(self, record):
        self.states[self.index(record)] = record
        if record["state"] in ENDED and len(self.states) == self.size and all(
            state["state"] in ENDED for state in self.states.values()
        ):
            self.ended.set()

    def index(self, record):
        """Returns the index of the upload. Its name at the server may differ."""
        return int(pathlib.Path(record["path"]).parent.name.removeprefix("in"))

    async def look_for_hang(self, process):
        """Reports running uploads without any activity at the server or in their state. An upload whose process ends
        does not hang. A process that writes a backtrace may still exist for seconds."""
        timeout = self.campaign.timeout * 40
        hanging = {}
        for index, record in list(self.states.items()):
            place = self.place(index)
            if record["state"] != "running":
                continue
            while self.states[index] is record and time.monotonic() - place.last_seen < timeout:
                await asyncio.sleep(0.1)
            if self.states[index] is record:
                hanging[index] = record
        if not hanging:
            return
        listed = {self.index(record): record for record in (await self.list()).values()}
        try:
            await asyncio.wait_for(process.wait(), 20)
        except asyncio.TimeoutError:
            for index, record in hanging.items():
                if self.states[index] is record:
                    state = listed.get(index, {}).get("state")
                    self.found(
                        f"an upload hangs for {timeout:.0f} s; `ferry list` says that it is {state}",
                        self.history(index, record) + "\n" + self.log(record["id"]))

    def judge(self):
        result = self.campaign.result
        for index, record in self.states.items():
            place = self.place(index)
            result.uploads += 1
            result.states[record["state"]] += 1
            if self.campaign.is_honest and record["state"] != "done":
                self.found("not done, and no answer was wrong", self.history(index, record))
            if record["state"] == "done" and not place.model.holds_file:
                if place.is_lied_to:
                    result.believed += 1
                    if self.campaign.shows_believed:
                        print(f"done on a false word (seed {self.seed})\n{self.history(index, record)}")
                else:
                    self.found("done, and the server does not hold the file", self.history(index, record))

    def history(self, index, record):
        return json.dumps(record) + "\n  " + "\n  ".join(self.place(index).log[-40:])

    async def list(self):
        """Returns the queue as the running process reports it to another one, by index."""
        process = await asyncio.create_subprocess_exec(
            self.campaign.ferry, "list", "--json", *self.folders(),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env={"HOME": str(self.work)})
        output, _ = await process.communicate()
        records = [json.loads(line) for line in output.splitlines()]
        return {record["id"]: record for record in records if "id" in record}

    def log(self, number):
        """Returns the lines of the log about an upload."""
        log = self.work / "state" / "ferry.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return "\n".join([line for line in lines if f" #{number} " in line][-30:])

    def last_output(self):
        lines = (self.work / "errors").read_text(errors="replace").splitlines()
        running = [self.history(index, record) for index, record in self.states.items() if record["state"] == "running"]
        return "\n".join(lines[:60] + running[:8])


def filling(chance, size):
    """Random bytes. A large file repeats a random block whose size divides no part size."""
    block = chance.randbytes(min(size, 999_983))
    return (block * (size // max(1, len(block)) + 1))[:size]
