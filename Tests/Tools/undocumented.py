"""Lists public declarations without a doc comment, from symbol graphs; the status is 1 if there are any.

usage: undocumented.py FILE.symbols.json...

Every public declaration needs a comment, its own or that of the requirement that it fulfils. Two kinds need none:
cases of enums, and initializers that only take the values of the type's public properties.
"""

import json
import sys


def properties(graph):
    """Returns the names of each type's properties."""
    found = {}
    for symbol in graph["symbols"]:
        if symbol["kind"]["identifier"] == "swift.property":
            *owner, name = symbol["pathComponents"]
            found.setdefault(tuple(owner), set()).add(name)
    return found


def parameters(symbol):
    """Returns the names of the declaration's parameters, as its body knows them."""
    fragments = symbol["declarationFragments"]
    names = []
    for index, fragment in enumerate(fragments):
        if fragment["kind"] == "externalParam":
            inner = fragments[index + 2] if index + 2 < len(fragments) else None
            is_named = inner is not None and inner["kind"] == "internalParam"
            names.append(inner["spelling"] if is_named else fragment["spelling"])
    return names


def needs_comment(symbol, known):
    # A declaration without a location was made by the compiler.
    if "docComment" in symbol or "location" not in symbol:
        return False
    kind = symbol["kind"]["identifier"]
    if kind in ("swift.enum.case", "swift.extension"):
        return False
    if kind == "swift.init":
        return not set(parameters(symbol)) <= known.get(tuple(symbol["pathComponents"][:-1]), set())
    return True


def main(files):
    count = 0
    for file in files:
        with open(file, encoding="utf-8") as stream:
            graph = json.load(stream)
        known = properties(graph)
        for symbol in graph["symbols"]:
            if needs_comment(symbol, known):
                count += 1
                place = symbol["location"]
                name = ".".join(symbol["pathComponents"])
                print(f"{place['uri'].removeprefix('file://')}:{place['position']['line'] + 1}: {name}")
    return 1 if count or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
