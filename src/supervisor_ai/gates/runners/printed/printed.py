"""What one kind of output says about single tests."""

from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.gates import CaseOutcome

PASSED, FAILED, SKIPPED = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED
Case = tuple[str, CaseOutcome, str]
"""The name of a test, what became of it, and what it said when it failed."""


class Printed(Struct, frozen=True):
    """The tests, and whether some of them began and never came to their end."""

    cases: tuple[Case, ...] = ()
    is_unfinished: bool = False


NOTHING: Final = Printed()
