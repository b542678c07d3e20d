"""Runs the engine of a soak, and commands to it."""

import base64
import json
import os
import signal
import subprocess
import threading

from link_lab import IN_CLIENT


class Ferry:
    """Runs `ferry run`. It must end only when it is killed here."""

    def __init__(self, program, folder, destinations, findings):
        self.program, self.folder, self.findings = program, folder, findings
        configuration = {
            "destinations": destinations,
            "limits": {"concurrency": 6, "perHost": 6, "done": 100},
            "retry": {"base": 0.5, "cap": 5},
            "timeouts": {"connect": 3, "stall": 4, "response": 6},
        }
        (folder / "config/ferry").mkdir(parents=True)
        file = folder / "config/ferry/config.json"
        file.write_text(json.dumps(configuration, indent=1))
        file.chmod(0o600)
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        self.process = None
        # The paths of uploads that a killed run had reported as done.
        self.said_done = set()
        # The time at which a command wants the engine killed, so that it is killed during the command.
        self.kill_at = None
        self.starts = self.kills = self.crashes = 0
        # The number of starts and ends so far. A command uses it to detect that the engine did not run all the time.
        self.changes = 0
        self.lock = threading.Lock()

    def start(self):
        with self.lock:
            if self.process is not None:
                return
            self.starts += 1
            self.changes += 1
            self.log = self.folder / f"engine.{self.starts}.log"
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(
                    [*IN_CLIENT, self.program, "run", "--json"], env=self.environment, stdin=subprocess.DEVNULL,
                    stdout=log, stderr=subprocess.STDOUT, cwd=self.folder,
                )

    def kill(self):
        with self.lock:
            if self.process is None or self.process.poll() is not None:
                return False
            # This comes first, so that no command sees the end of the engine before it is counted.
            self.changes += 1
            self.process.kill()
            self.process.wait()
            self.process = None
            self.kills += 1
            self.said_done |= {each["path"] for each in self.said(self.log) if each.get("state") == "done"}
            return True

    @staticmethod
    def said(log):
        """Returns the lines of a run. The last one may be incomplete."""
        lines = log.read_text(errors="replace").split("\n")[:-1]
        return records(line for line in lines if line.startswith("{"))

    def check(self):
        """Checks that the engine runs. If it ended by itself, this is recorded and it is started again."""
        with self.lock:
            if self.process is None or self.process.poll() is None:
                return
            status, self.process = self.process.returncode, None
            self.crashes += 1
            self.changes += 1
        tail = self.log.read_text(errors="replace").splitlines()[-15:]
        self.findings.wrong(f"the engine ended by itself with {status} ({self.log.name}):\n" + "\n".join(tail))
        self.start()

    def end(self):
        """Ends the engine by a signal and checks its exit status."""
        with self.lock:
            process, self.process = self.process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = "nothing within 20 s"
        if status != 128 + signal.SIGTERM:
            self.findings.wrong(f"told to end, the engine ended with {status} ({self.log.name})")

    def run(self, *words, limit=100):
        """Runs a command. Returns its status, output and errors, and whether the engine ran all the time."""
        before = (self.changes, self.process is not None)
        try:
            result = subprocess.run(
                [*IN_CLIENT, self.program, *words], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=limit, cwd=self.folder,
            )
        except subprocess.TimeoutExpired:
            self.findings.wrong(f"no answer within {limit} s: ferry {' '.join(map(str, words))[:200]}")
            return None, "", "", False
        steady = before == (self.changes, True)
        return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace"), steady

    def records(self, *words):
        """Returns the JSON lines that a command prints; None if it failed for an allowed reason."""
        status, output, errors, steady = self.run(*words, "--json")
        if status != 0:
            if status is not None and (steady or status != 75):
                self.findings.wrong(f"ferry {words[0]} ended with {status}: {errors.strip()}")
            return None
        return records(output.split("\n")[:-1])


def records(lines):
    found = [json.loads(line) for line in lines]
    for record in found:
        if record.get("path", "").startswith("base64:"):
            record["path"] = os.fsdecode(base64.b64decode(record["path"].removeprefix("base64:")))
    return found
