"""Ticks and crosses below headings, as node, mocha, jest and vitest print them for people."""

import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.gates.runners.printed.printed import FAILED, PASSED, SKIPPED, Case, Printed

_CASE: Final = re.compile(
    r"(?P<indent> *)(?:(?P<ok>[✔✓√])|(?P<bad>[✖✗✕\u00d7✘]|\d{1,6}\))|(?P<left>[﹣○↓□✎-]))"
    r" +(?P<name>\S.*)$"
)
# What is printed in between begins at the margin, as a rule.
_HEADING: Final = re.compile(r"(?P<indent> *)(?:[▶\u276f] |(?<=  ))(?P<name>\S.*)$")
_FILE: Final = re.compile(r" ?(?:PASS|FAIL) +(?P<name>\S+\.\w+)")
_TIME: Final = re.compile(r"\s+\(?\d+(?:\.\d+)? ?m?s\)?(?: # .*| \(retry.*\))?$")
_OF_FILE: Final = re.compile(r"\s\(\d+ tests?\b.*\).*$")
_OVER: Final = re.compile(
    r"✖ failing tests:$| +\d{1,9} passing \(|Summary of all failing tests$|⎯+ Failed |Test Suites: "
)
_SKIPPED: Final = re.compile(r"\s# (?:SKIP|TODO)\b")


def read(lines: Sequence[str]) -> Printed:
    """Name each test by the headings that it stands below; failures told again are left out."""
    cases: list[Case] = []
    above: list[tuple[int, str]] = []
    for line in lines:
        if _OVER.match(line):
            break
        if file := _FILE.match(line):
            above = [(-1, file["name"])]
        elif case := _CASE.match(line):
            indent, name = len(case["indent"]), _name(case["name"])
            above = [it for it in above if it[0] < indent]
            outcome = FAILED if case["bad"] else SKIPPED if case["left"] else PASSED
            outcome = SKIPPED if _SKIPPED.search(case["name"]) else outcome
            if _OF_FILE.search(case["name"]):
                above = [*above, (indent, name)]
            else:
                cases.append((" > ".join((*(it[1] for it in above), name)), outcome, ""))
        elif heading := _HEADING.match(line):
            indent = len(heading["indent"])
            above = [it for it in above if it[0] < indent]
            above.append((indent, _name(heading["name"])))
    return Printed(tuple(cases))


def _name(text: str) -> str:
    return _TIME.sub("", _OF_FILE.sub("", text)).strip()
