"""Tests the content of the package and its control files."""

import gzip
import json
import os
import pathlib
import re
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DEB = REPOSITORY / ".packaging" / "deb"


def field(tree, name):
    text = (tree / "DEBIAN" / "control").read_text()
    return re.search(rf"^{name}: (.*)$", text, re.MULTILINE).group(1)


def ferry(tree, *arguments):
    result = subprocess.run([tree / "usr/bin/ferry", *arguments], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_version_is_the_programs_and_the_newest_of_the_changelog(tree):
    version = ferry(tree, "--version").strip()
    assert field(tree, "Version") == version
    log = gzip.decompress((tree / "usr/share/doc/ferry/changelog.gz").read_bytes()).decode()
    assert log.startswith(f"ferry ({version}) ")


def test_a_program_of_another_version_than_the_changelog_has_is_refused(tmp_path):
    other = tmp_path / "ferry"
    other.write_text("#!/bin/sh\necho 999.0\n")
    other.chmod(0o755)
    result = subprocess.run([DEB, "--binary", other, "--output", tmp_path], capture_output=True, text=True)
    assert result.returncode == 2
    assert "ferry is 999.0, and the newest entry" in result.stderr
    assert not list(tmp_path.glob("*.deb"))


def test_it_depends_on_the_c_library_that_it_is_built_for_and_on_ncurses(tree):
    depends = field(tree, "Depends")
    major, minor = map(int, re.search(r"libc6 \(>= (\d+)\.(\d+)", depends).groups())
    assert (major, minor) >= (2, 34), "closing descriptors in a child came with 2.34"
    assert "libncursesw6" in depends and "libtinfo6" in depends


def test_the_program_needs_no_library_of_swift_and_none_for_the_network(tree):
    needed = subprocess.check_output(["readelf", "--dynamic", tree / "usr/bin/ferry"], text=True)
    names = re.findall(r"NEEDED.*\[(.*)\]", needed)
    assert names
    assert not [name for name in names if re.match("lib(swift|Foundation|dispatch|curl|xml2)", name)]
    assert "RUNPATH" not in needed and "RPATH" not in needed


def test_a_second_build_with_another_environment_has_the_same_bytes(tree, package, tmp_path):
    environment = {**os.environ, "TZ": "Pacific/Auckland", "LANG": "C", "HOME": str(tmp_path)}
    command = ["sh", "-c", 'umask 077; exec "$0" "$@"', DEB, "--binary", tree / "usr/bin/ferry"]
    subprocess.run([*command, "--output", tmp_path / "again"], env=environment, check=True, capture_output=True)
    assert (tmp_path / "again" / package.name).read_bytes() == package.read_bytes()


def test_each_file_has_its_checksum(tree):
    subprocess.run(["md5sum", "--check", "--quiet", "DEBIAN/md5sums"], cwd=tree, check=True)
    named = {line.split("  ", 1)[1] for line in (tree / "DEBIAN/md5sums").read_text().splitlines()}
    assert named == {str(path.relative_to(tree)) for path in (tree / "usr").rglob("*") if path.is_file()}


def test_the_manual_page_has_each_command_and_each_option_of_the_help(tree):
    page = gzip.decompress((tree / "usr/share/man/man1/ferry.1.gz").read_bytes()).decode().replace("\\-", "-")
    commands = re.findall(r"^  (\w+)(?: \(default\))?  +\S", ferry(tree, "--help").split("SUBCOMMANDS:")[1], re.MULTILINE)
    assert {"add", "state", "config"} <= set(commands)
    for command in commands:
        assert re.search(rf"^\.SS {command}\b", page, re.MULTILINE), command
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", ferry(tree, "help", command), re.MULTILINE):
            assert f"\\fB{option}\\fR" in page, f"{command} {option}"


def test_the_manual_page_has_a_section_with_the_keys_of_the_screen(tree, tmp_path):
    page = gzip.decompress((tree / "usr/share/man/man1/ferry.1.gz").read_bytes()).decode().replace("\\-", "-")
    section = re.search(r"^\.SH KEYS\n(.*?)^\.SH", page, re.MULTILINE | re.DOTALL).group(1)
    empty = tmp_path / "config.json"
    empty.write_text("{}")
    for line in ferry(tree, "config", "--keys", "--config", empty).splitlines():
        assert f"({line.split()[0]})" in section, line


def test_the_manual_page_has_each_example_of_the_help_on_a_line_of_its_own(tree):
    page = gzip.decompress((tree / "usr/share/man/man1/ferry.1.gz").read_bytes()).decode().replace("\\-", "-")
    description = page.split(".SH DESCRIPTION\n")[1].split(".SH ")[0]
    examples = re.findall(r"^  (ferry\b.*)$", ferry(tree, "--help").split("\nUSAGE:")[0], re.MULTILINE)
    assert len(examples) == 2
    for example in examples:
        assert f"\n\\fB{example}\\fR\n" in description, example


def test_the_page_about_the_configuration_has_each_member_of_the_schema(tree):
    page = gzip.decompress((tree / "usr/share/man/man5/ferry-config.5.gz").read_bytes()).decode().replace("\\-", "-")
    schema = json.loads(ferry(tree, "config", "--schema"))
    for name in schema["properties"]:
        assert name == "$schema" or f"\\fB{name}\\fR" in page, name
    assert "destinations.NAME.url" in page and ".SH HOOKS" in page


@pytest.mark.parametrize("name", ["bash-completion/completions/ferry", "zsh/vendor-completions/_ferry"])
def test_completion_scripts_are_not_executable(tree, name):
    path = tree / "usr/share" / name
    assert path.stat().st_mode & 0o777 == 0o644
    assert not path.read_text().startswith("#!")


def test_the_bill_of_materials_names_every_package_of_the_build_with_its_version(tree):
    text = gzip.decompress((tree / "usr/share/doc/ferry/sbom.spdx.json.gz").read_bytes())
    document = json.loads(text)
    pins = json.loads((REPOSITORY / "Package.resolved").read_text())["pins"]
    listed = {package["name"]: package["versionInfo"] for package in document["packages"]}
    assert listed.pop("ferry") == field(tree, "Version")
    assert listed == {pin["identity"]: pin["state"]["version"] for pin in pins}
