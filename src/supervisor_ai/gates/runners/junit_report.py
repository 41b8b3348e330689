"""JUnit XML test reports, as nearly every test runner can write them; only in the reader's process.

The text is hostile: no document type, no entities, bounds on depth, on names and on what is told.
"""

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from supervisor_ai.engine.ports.gates import Reading, Unexaminable
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


@dataclass(slots=True)
class _Tally:
    """What the report has said so far."""

    depth: int = 0
    ran: int = 0
    skipped: int = 0
    failing: dict[str, str] = field(default_factory=dict)
    failed: int = 0
    test: str | None = None
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
            place = attributes.get("classname") or attributes.get("file") or ""
            name = attributes.get("name", "")
            self.test = one_line(f"{place}::{name}" if place else name, _LONGEST_NAME)
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
            if self.fate in _BAD:
                self.failed += 1
                if len(self.failing) < _NAMES:
                    self.failing[self.test] = "".join(self.words).strip()
            self.test = None


def read_report(report: bytes) -> Reading:
    """Say what a report says; raise Unexaminable, whose message goes on after "because"."""
    tally, parser = _Tally(), expat.ParserCreate()
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
    )


def _refuse(*_declared: object) -> None:
    raise Unexaminable("it declares a document type or entities")
