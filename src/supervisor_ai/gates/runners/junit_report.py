"""JUnit XML test reports, as nearly every test runner can write them; only in the reader's process.

The text is hostile: no document type, no entities, bounds on depth, on names and on what is told.
"""

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from supervisor_ai.engine.ports.gates import CaseOutcome, Reading, Unexaminable
from supervisor_ai.gates.runners.cases import Cases
from supervisor_ai.tools.text import one_line

TOOL: Final = "the test report"
_MAX_DEPTH: Final = 60
_NAMES: Final = 200
"""How many failing tests are named."""
_LONGEST_NAME: Final = 300
_TOLD: Final = 4_000
"""How much is told of why one test failed."""
_ALL_TOLD: Final = 24_000
_BAD: Final = frozenset({"failure", "error"})
_PASSED: Final = CaseOutcome.PASSED
_OUTCOMES: Final = {"skipped": CaseOutcome.SKIPPED, **dict.fromkeys(_BAD, CaseOutcome.FAILED)}


@dataclass(slots=True)
class _Tally:
    """What the report has said so far."""

    cases: Cases
    depth: int = 0
    ran: int = 0
    skipped: int = 0
    failing: dict[str, str] = field(default_factory=dict)
    failed: int = 0
    test: str | None = None
    file: str | None = None
    fate: str = ""
    words: list[str] = field(default_factory=list)
    left: int = 0
    """How much may still be told of the test."""
    is_told: bool = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in the beginning of an element."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise Unexaminable("it is nested too deeply")
        if self.depth == 1 and tag not in {"testsuites", "testsuite"}:
            raise Unexaminable("it is no JUnit XML: it has no test suites")
        if tag == "testcase":
            self.test, self.file = _name(attributes), attributes.get("file")
            self.fate, self.words, self.left = "", [], _TOLD
        elif self.test is not None and tag in {*_BAD, "skipped"}:
            self.fate = tag if tag in _BAD or not self.fate else self.fate
            self.is_told = tag in _BAD
            if self.is_told:
                self.text(attributes.get("message", "") + "\n")

    def text(self, words: str) -> None:
        """Take in what stands inside of an element."""
        if self.is_told and self.left > 0:
            self.words.append(words[: self.left])
            self.left -= len(words)

    def end(self, tag: str) -> None:
        """Take in the end of an element."""
        self.depth -= 1
        if tag in {*_BAD, "skipped"}:
            self.is_told = False
        if tag == "testcase" and self.test is not None:
            self.skipped += self.fate == "skipped"
            self.ran += self.fate != "skipped"
            told = "".join(self.words).strip()
            if self.fate in _BAD:
                self.failed += 1
                if len(self.failing) < _NAMES:
                    self.failing[one_line(self.test, _LONGEST_NAME)] = told
            self.cases.add(self.test, _OUTCOMES.get(self.fate, _PASSED), told, self.file)
            self.test = None


def _name(attributes: dict[str, str]) -> str:
    """Name a test as its runner does on the command line; pytest tells the file besides."""
    place, name, file = (attributes.get(key) or "" for key in ("classname", "name", "file"))
    module = file.removesuffix(".py").replace("/", ".")
    if file.endswith(".py") and not place and name == module:
        return file
    if file.endswith(".py") and f"{place}.".startswith(f"{module}."):
        classes = place[len(module) :].replace(".", "::")
        return f"{file}{classes}::{name}"
    return f"{place or file}::{name}" if place or file else name


def read_report(report: bytes, root: str = "") -> Reading:
    """Say what a report says; raise Unexaminable, whose message goes on after "because"."""
    tally, parser = _Tally(cases=Cases(root)), expat.ParserCreate()
    parser.StartElementHandler = tally.start
    parser.EndElementHandler = tally.end
    parser.CharacterDataHandler = tally.text
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.buffer_text = True
    try:
        parser.Parse(report, True)  # noqa: FBT003 - expat takes no name for it
    except expat.ExpatError as error:
        raise Unexaminable(f"it is not valid XML: {error}") from None
    told = "\n\n".join(f"{name}\n{why}".strip() for name, why in tally.failing.items())
    return Reading(
        tool=TOOL,
        tests=tally.ran,
        failed=tally.failed,
        failing=told[:_ALL_TOLD],
        failing_tests=tuple(tally.failing),
        skipped=tally.skipped,
        results=tally.cases.results(),
    )


def _refuse(*_declared: object) -> None:
    raise Unexaminable("it declares a document type or entities")
