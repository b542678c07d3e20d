"""Models the uploads of a soak, and records violations."""

import collections
import hashlib
import re
import threading
import time


class Findings:
    """The violations so far. Each is printed at once."""

    SHOWN = 30

    def __init__(self):
        self.begin = time.monotonic()
        self.all = []
        self._lock = threading.Lock()

    def wrong(self, text):
        with self._lock:
            if text in self.all:
                return
            self.all.append(text)
            if len(self.all) <= self.SHOWN:
                print(f"{time.monotonic() - self.begin:6.1f} s  WRONG: {text}", flush=True)


class Upload:
    """A file that was passed to `ferry add`."""

    def __init__(self, number, path, name, destination, content):
        self.number, self.path, self.name, self.destination = number, path, name, destination
        self.size = len(content)
        # The digests of all versions of the file. The server may have any of them, completely.
        self.digests = {hashlib.sha256(content).hexdigest()}
        # True if the file was added, False if not, None if it is unknown.
        self.is_added = None
        self.is_removed = False
        self.was_done = False
        # True if Ferry said that the server may have the file twice.
        self.may_be_twice = False
        self.id = None

    def edit(self, content):
        """Records a new version. It must be called before the file changes."""
        self.size = len(content)
        self.digests.add(hashlib.sha256(content).hexdigest())


class Model:
    def __init__(self, findings):
        self.findings = findings
        self.uploads = {}
        self.by_path = {}
        self.causes = collections.Counter()
        self._reported = set()

    def take(self, upload):
        self.uploads[upload.number] = upload
        self.by_path[upload.path] = upload

    def pending_bytes(self):
        return sum(each.size for each in self.uploads.values() if not each.was_done and each.is_removed is False)

    def compare(self, listed, read_history):
        """Compares a list of the queue with the model. No command may run at the same time."""
        seen = set()
        for record in listed:
            upload = self.by_path.get(record["path"])
            if upload is None:
                self.findings.wrong(f"upload {record['id']} is in the queue and was never added: {record['path']!r}")
                continue
            if upload.number in seen:
                self.findings.wrong(f"{record['path']!r} was added once and is in the queue twice")
            seen.add(upload.number)
            upload.id = record["id"]
            upload.may_be_twice |= record.get("possibleDuplicate", False)
            if upload.is_added is False:
                self.findings.wrong(f"upload {record['id']} was refused and is in the queue: {record['path']!r}")
            upload.is_added = True
            if upload.is_removed is True:
                self.findings.wrong(f"upload {record['id']} was removed and is in the queue: {record}")
            if upload.is_removed is None:
                upload.is_removed = False
            state = record["state"]
            if upload.was_done and state != "done":
                self.findings.wrong(f"upload {record['id']} was done and is {state} now: {record}")
            upload.was_done = state == "done"
            if state in ("held", "failed") and (record["id"], record.get("error")) not in self._reported:
                self._reported.add((record["id"], record.get("error")))
                self.causes[f"{upload.destination}, {state}: {self.anonymous(upload, record.get('error', ''))}"] += 1
        missing = [each for each in self.uploads.values() if each.number not in seen and each.is_added is True]
        missing = [each for each in missing if each.is_removed is False]
        history = read_history() if missing else []
        if history is None:
            return
        finished = {record["path"] for record in history}
        for upload in missing:
            if upload.path not in finished:
                self.findings.wrong(f"an acknowledged upload is neither in the queue nor in the history: {upload.path!r}")
            upload.was_done = True
        for upload in self.uploads.values():
            if upload.number not in seen:
                # If this was unknown, it is known now.
                upload.is_added = bool(upload.is_added)
                upload.is_removed = True if upload.is_removed is None else upload.is_removed

    @staticmethod
    def anonymous(upload, text):
        text = re.sub(r"\d[\dTZ:.-]*", "N", text.replace(upload.path, "PATH").replace(upload.name, "NAME"))
        return text if len(text) < 160 else text[:157] + "..."
