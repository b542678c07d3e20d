#!/usr/bin/env python3
"""Prints figures of the code's structure that grow when a change makes the code harder to work with.

usage: Tests/Tools/house.py [FOLDER]      default: Sources of this repository

Types are found by their braces, not by a compiler: stored properties are `let` and `var` without a getter in the
braces of a type, and a type's files are those that declare or extend it.
"""

import pathlib
import re
import statistics
import sys

MODIFIERS = r"(?:@\w+(?:\([^)]*\))? |public |package |internal |private |fileprivate |final |indirect |static |nonisolated |override |mutating |private\(set\) |package\(set\) |internal\(set\) |fileprivate\(set\) |lazy |weak |unowned )*"
TYPE = re.compile(rf"^\s*({MODIFIERS})(actor|class|struct|enum|extension|protocol) ([\w.]+)")
STORED = re.compile(rf"^\s*({MODIFIERS})(let|var) (\w+|\([^)]*\))")
FUNCTION = re.compile(rf"^\s*({MODIFIERS})(func \S+|init[?(<]|subscript)")
TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//.*')
#: The number of equal lines in a row that counts as a repetition.
RUN = 6
LIBC = re.compile(r"^\s*(?:\w+ )?import (?:Glibc|Darwin|Musl)\b", re.M)
FOUNDATION = re.compile(r"^\s*(?:\w+ )?import (?:\w+ )?Foundation\b", re.M)


class File:
    """The declarations in one Swift file."""

    def __init__(self, path):
        self.text = path.read_text()
        self.lines = self.text.splitlines()
        self.properties = {}
        self.types = set()
        self.functions = []
        self.scan()

    def scan(self):
        depth, scopes, in_text = 0, [], False
        for number, line in enumerate(self.lines):
            if line.count('"""') % 2:
                in_text = not in_text
                if in_text:
                    line = line.split('"""')[0]
                else:
                    continue
            elif in_text:
                continue
            bare = TEXT.sub('""', line)
            kind = TYPE.match(bare)
            function = FUNCTION.match(bare)
            before = depth
            if kind and not bare.strip().startswith("}"):
                scopes.append((before, self.name(kind, scopes), kind[2]))
            elif function:
                scopes.append((before, number, "func"))
            elif scopes and scopes[-1][2] not in ("func", "protocol") and before == scopes[-1][0] + 1:
                self.property(bare, scopes[-1][1])
            depth += bare.count("{") - bare.count("}")
            while scopes and depth <= scopes[-1][0] and (depth < before or "{" in bare or "}" in bare):
                start, name, what = scopes.pop()
                if what == "func":
                    self.functions.append(number - name + 1)
            # A requirement of a protocol has no braces.
            if scopes and scopes[-1][2] == "func" and depth == scopes[-1][0] and "(" in bare and ")" in bare:
                scopes.pop()

    def name(self, match, scopes):
        outer = [scope[1] for scope in scopes if scope[2] != "func"]
        name = ".".join([*outer[-1:], match[3]]) if outer and match[2] != "extension" else match[3]
        self.types.add(name)
        return name

    def property(self, line, owner):
        found = STORED.match(line)
        if not found or "static " in found[1]:
            return
        # A computed property has a brace and no default value. One that only observes changes is stored.
        if re.search(r"\{", line) and "=" not in line.split("{")[0]:
            return
        self.properties[owner] = self.properties.get(owner, 0) + 1


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "Sources"
    files = {path: File(path) for path in sorted(root.rglob("*.swift"))}
    lengths = sorted(len(file.lines) for file in files.values())
    functions = sorted(length for file in files.values() for length in file.functions)
    properties, places = {}, {}
    for path, file in files.items():
        module = path.relative_to(root).parts[0]
        for name, count in file.properties.items():
            properties[module, name] = properties.get((module, name), 0) + count
        for name in file.types:
            places.setdefault((module, name), set()).add(path)
    print(f"files                  {len(lengths)}")
    print(f"lines                  {sum(lengths)}")
    print(f"lines a file           {spread(lengths)} (median, 90 %, largest)")
    print(f"lines a function       {spread(functions)}, {sum(1 for f in functions if f > 40)} over 40")
    print(f"files importing libc   {sum(1 for f in files.values() if LIBC.search(f.text))}")
    print(f"... Foundation         {sum(1 for f in files.values() if FOUNDATION.search(f.text))}")
    print(f"lines that stand twice {repeated(files)} (runs of {RUN} lines and more)")
    print("types with most stored properties:")
    for (module, name), count in sorted(properties.items(), key=lambda item: -item[1])[:15]:
        print(f"  {count:3}  {module}/{name}")
    print("types of the project in most files:")
    own = {key: found for key, found in places.items() if key in properties}
    for (module, name), found in sorted(own.items(), key=lambda item: -len(item[1]))[:15]:
        print(f"  {len(found):3}  {module}/{name}")


def repeated(files):
    """Returns the repeated lines of code, in runs of at least RUN equal lines. Comments, blank lines, imports and lines
    without a word do not count."""
    seen, again = {}, set()
    for path, file in files.items():
        code = [
            (number, line.strip()) for number, line in enumerate(file.lines)
            if re.search(r"\w\w", line) and not re.match(r"\s*(//|(\w+ )?import )", line)]
        for first in range(len(code) - RUN + 1):
            run = code[first:first + RUN]
            key = "\n".join(line for _, line in run)
            places = {(path, number) for number, _ in run}
            if key in seen:
                again |= places | seen[key]
            else:
                seen[key] = places
    return len(again)


def spread(values):
    return f"{statistics.median(values):.0f} / {values[int(len(values) * 0.9)]} / {values[-1]}"


if __name__ == "__main__":
    main()
