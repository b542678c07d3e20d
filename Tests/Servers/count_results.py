"""Adds up the tests of a JUnit report.

usage: count_results.py FILE

Prints "TESTS FAILURES"; skipped tests are in neither. Status 1 if there is no such report.
"""

import sys
import xml.etree.ElementTree


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    tests = failures = 0
    for case in root.iter("testcase"):
        if case.find("skipped") is not None:
            continue
        tests += 1
        failures += case.find("failure") is not None or case.find("error") is not None
    print(tests, failures)


if __name__ == "__main__":
    main()
