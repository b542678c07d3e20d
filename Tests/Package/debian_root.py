"""Makes a fresh Debian in a folder, from the mirror that this machine uses."""

import contextlib
import os
import pathlib
import platform
import shutil
import subprocess

# Only the tests of the manual page and the completions need these. They are fetched once, with the rest.
EXTRAS = ["man-db", "bash-completion", "zsh", "fish"]
MOUNTED = 'mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; exec chroot "$0" "$@"'


class Unavailable(Exception):
    """The reason why this machine cannot make such a folder."""


class Root:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def command(self, *arguments):
        """Returns the command that runs a program in the folder as root. Its mounts end with the program."""
        unshare = shutil.which("unshare")
        options = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
        return [unshare, *options, "sh", "-ec", MOUNTED, str(self.path), *arguments]

    def environment(self, **changes):
        return {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            **changes,
        }

    def run(self, *arguments, timeout=60):
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def install(self, *packages):
        # The folder is thrown away, so nothing has to be synced.
        options = ["-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-unsafe-io"]
        result = self.run("apt-get", "install", *options, *packages, timeout=300)
        assert result.returncode == 0, result.stdout + result.stderr

    def remove(self):
        subprocess.run(["rm", "-rf", "--one-file-system", str(self.path)], check=True)


def base(cache):
    """Returns the root that others are copied from. It stays between runs.

    Raises Unavailable.
    """
    if os.geteuid() != 0:
        raise Unavailable("a fresh Debian needs root")
    for program in ("debootstrap", "unshare", "apt-get"):
        if not shutil.which(program):
            raise Unavailable(f"a fresh Debian needs {program}")
    release = platform.freedesktop_os_release().get("VERSION_CODENAME")
    mirror = find_mirror(release)
    done = pathlib.Path(cache) / f"{release}.done"
    root = Root(pathlib.Path(cache) / release)
    if not done.exists() or done.read_text() != mirror:
        make(root, release, mirror)
        done.write_text(mirror)
    return root


def find_mirror(release):
    def ask():
        filters = ["Created-By: Packages", "Origin: Debian", f"Codename: {release}", "Component: main"]
        command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", *filters]
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        return lines[0] if lines else None

    mirror = ask()
    if not mirror:
        subprocess.run(["apt-get", "update"], capture_output=True, timeout=300)
        mirror = ask()
    if not mirror:
        raise Unavailable(f"apt knows no mirror of Debian {release}")
    return mirror


def make(root, release, mirror):
    root.remove()
    root.path.mkdir(parents=True)
    command = ["debootstrap", "--variant=minbase", release, str(root.path), mirror]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if result.returncode:
        raise Unavailable(f"debootstrap failed: {(result.stdout.splitlines() or ['no word'])[-1]}")
    with contextlib.suppress(OSError):
        shutil.copy("/etc/resolv.conf", root.path / "etc" / "resolv.conf")
    for step in (["update"], ["install", "-y", "--download-only", "--no-install-recommends", *EXTRAS]):
        result = root.run("apt-get", *step, timeout=300)
        if result.returncode:
            raise Unavailable(f"apt-get {step[0]} failed: {result.stderr.strip()}")


def copy(source, target):
    subprocess.run(["cp", "-a", "--reflink=auto", str(source.path), str(target)], check=True, timeout=300)
    root = Root(target)
    # The packages in the cache may have newer versions by now. Without a network the old ones are used.
    root.run("apt-get", "update", timeout=120)
    return root
