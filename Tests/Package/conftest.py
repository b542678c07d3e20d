import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import debian_root

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests" / "Terminal"))


@pytest.fixture(scope="session")
def package():
    path = os.environ.get("FERRY_PACKAGE")
    if not path or not os.access(path, os.R_OK):
        pytest.fail("FERRY_PACKAGE must name the package, which .packaging/deb makes")
    return pathlib.Path(path).resolve()


@pytest.fixture(scope="session")
def tree(package, tmp_path_factory):
    """The files of the package, and in DEBIAN its control files."""
    folder = tmp_path_factory.mktemp("tree")
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder], check=True)
    return folder


@pytest.fixture(scope="session")
def make_root():
    """Returns a function that makes a fresh Debian without the package."""
    cache = REPOSITORY / ".build" / "debian"
    made = []

    def make():
        try:
            base = debian_root.base(cache)
        except debian_root.Unavailable as reason:
            pytest.skip(str(reason))
        target = cache / f"copy-{os.getpid()}-{len(made)}"
        made.append(debian_root.copy(base, target))
        return made[-1]

    yield make
    for root in made:
        root.remove()


def install(root, package):
    shutil.copy(package, root.path / "var" / "tmp" / package.name)
    root.install(f"/var/tmp/{package.name}")


@pytest.fixture(scope="session")
def installed(make_root, package):
    """A fresh Debian with only the package and its dependencies."""
    root = make_root()
    install(root, package)
    return root


@pytest.fixture(scope="session")
def equipped(installed):
    """The installed Debian with man and the shells."""
    installed.install(*debian_root.EXTRAS)
    return installed


def pytest_terminal_summary(terminalreporter):
    reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])}
    for reason in sorted(reasons):
        terminalreporter.write_line(f"➜ Package tests skipped: {reason}")
