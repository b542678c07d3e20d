"""Runs random commands one after another, as a user could, while the link is bad."""

import collections
import os
import pathlib
import threading
import time

from model import Upload

ODD = ["plain.bin", "with space.txt", "ümläut-日本.dat", "quote'\".x", "100%25.bin", "a#b?c&d=e.txt", "semi;colon,+.x",
       "[brackets]*.bin", "tilde~.tar.gz", "x" * 200, "dots...", "-dash", "e\u0301.nfd"]
# These names are stored by some servers only.
ODDER = ["new\nline", "back\\slash", "tab\there", os.fsdecode(b"not-utf8-\xff\xfe")]
SIZES = [0, 1, 100, 4096, 65_536, 65_537, 300_000, 1 << 20, 3_000_000]
WEIGHTS = {
    "add": 10, "add many": 2, "add --recursive": 1, "edit": 2, "pause": 4, "pause --all": 1, "resume": 4,
    "resume --all": 2, "retry": 4, "retry --all": 2, "remove": 3, "remove --all": 0.5, "move": 4, "list": 4,
}


class Commands:
    def __init__(self, ferry, model, folder, destinations, random):
        self.ferry, self.model, self.findings, self.random = ferry, model, model.findings, random
        self.folder = folder / "files"
        self.folder.mkdir()
        self.destinations = destinations
        self.counts, self.unknown = collections.Counter(), 0
        self.listed = []
        self.ended = threading.Event()

    def loop(self):
        try:
            while not self.ended.is_set():
                self.one()
                self.ended.wait(self.random.choice([0, 0.05, 0.2, 0.5, 1]))
        except Exception as error:
            self.findings.wrong(f"the soak itself: {error!r}")
            raise

    def one(self):
        kind = self.random.choices(list(WEIGHTS), WEIGHTS.values())[0]
        if kind.startswith("add") and self.model.pending_bytes() > 40 << 20:
            kind = "list"
        if kind == "remove --all" and len(self.model.uploads) > 100:
            # With a broad selection too few uploads would be left to compare.
            kind = "list"
        self.counts[kind] += 1
        if self.random.random() < 0.08:
            self.ferry.kill_at = time.monotonic() + self.random.uniform(0, 0.08)
        word, _, all = kind.partition(" ")
        match word:
            case "add": self.add(kind)
            case "edit": self.edit()
            case "list": self.look()
            case _: self.steer(word, all)

    def add(self, kind):
        destination = self.random.choice(self.destinations)
        count = 1
        if kind != "add":
            count = self.random.randint(30, 200) if self.random.random() < 0.3 else self.random.randint(2, 20)
        first = len(self.model.uploads)
        folder = self.folder / f"{first:06}"
        folder.mkdir()
        uploads = []
        for number in range(first, first + count):
            size = self.random.choice(SIZES) if count == 1 else self.random.randint(0, 2000)
            if destination == "s3" and count == 1 and self.random.random() < 0.3:
                size = self.random.randint(5 << 20, 11 << 20)
            ending = self.random.choice(ODD + ODDER if destination == "put" else ODD)
            name = f"n{number:06}-{ending}"
            content = self.random.randbytes(size)
            (folder / name).write_bytes(content)
            # Servers receive names as text.
            text = os.fsencode(name).decode(errors="replace")
            if kind == "add --recursive":
                text = f"{folder.name}/{text}"
            uploads.append(Upload(number, str(folder / name), text, destination, content))
        for upload in uploads:
            self.model.take(upload)
        words = ["--recursive", folder] if kind == "add --recursive" else [each.path for each in uploads]
        status, output, errors, steady = self.ferry.run("add", "--to", destination, *words)
        if status == 0:
            expected = f"added {count} file"
            if not output.startswith(expected):
                self.findings.wrong(f"ferry add said {output!r} and not {expected!r}")
        self.judge("add", status, errors, steady)
        for upload in uploads:
            upload.is_added = True if status == 0 else None

    def judge(self, word, status, errors, steady):
        """Records a failure, unless a kill of the engine explains it."""
        if status == 0 or status is None:
            return
        if status == 75 and not steady:
            self.unknown += 1
            return
        self.findings.wrong(f"ferry {word} ended with {status}: {errors.strip()[:500]}")

    def steer(self, word, all):
        known = [each for each in self.model.uploads.values() if each.id is not None and each.is_removed is False]
        if word == "remove":
            wanted = known
        else:
            # A done upload may move to the history at any time, and then its number is unknown.
            wanted = [each for each in known if not each.was_done]
        if not all and not wanted:
            return
        chosen = [] if all else self.random.sample(wanted, min(len(wanted), self.random.randint(1, 5)))
        words = [all] if all else [str(each.id) for each in chosen]
        if word == "move":
            words.append(self.random.choice(["up", "down", "top", "bottom"]))
        status, _, errors, steady = self.ferry.run(word, *words)
        if status == 2 and "there is no upload" in errors:
            # The upload was done meanwhile and is in the history. The next comparison checks that.
            self.look()
            return
        self.judge(word, status, errors, steady)
        if word == "remove":
            for upload in self.model.uploads.values() if all else chosen:
                if upload.is_removed is False and (status == 0 or status == 75):
                    upload.is_removed = True if status == 0 else None

    def edit(self):
        """Changes a file. A done upload has the earlier version; others have either version, but no mixture."""
        wanted = [each for each in self.model.uploads.values() if each.id is not None and not each.was_done and each.size]
        if not wanted:
            return
        upload = self.random.choice(wanted)
        path = pathlib.Path(upload.path)
        added = self.random.randbytes(self.random.randint(1, 100))
        change = self.random.choice(["replaced", "written over", "appended to"])
        content = path.read_bytes() + added if change == "appended to" else added + path.read_bytes()
        upload.edit(content)
        match change:
            case "replaced":
                other = path.with_name("other")
                other.write_bytes(content)
                other.rename(path)
            case "written over":
                path.write_bytes(content)
            case "appended to":
                with path.open("ab") as file:
                    file.write(added)

    def look(self):
        """Reads the queue and compares it with the expected state."""
        with self.ferry.lock:
            said_done, self.ferry.said_done = self.ferry.said_done, set()
        for path in said_done:
            # A removed upload is not compared any more.
            self.model.by_path[path].was_done = True
        listed = self.ferry.records("list")
        if listed is not None:
            self.listed = listed
            self.model.compare(listed, lambda: self.ferry.records("history", "--limit", "1000000"))
        return listed
