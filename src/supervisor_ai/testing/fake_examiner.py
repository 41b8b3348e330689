"""An examiner that says what a test wants it to say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import GateWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import (
    NOTHING_READ,
    ChangeCase,
    ChangeFacts,
    Examination,
    FactsCase,
    Lack,
    Missing,
    Mutant,
    NewTests,
    Reading,
    ReportQuestion,
    ReportRequest,
    Unexaminable,
)


def finds_nothing(kind: GateWord, case: ChangeCase) -> Examination:
    """See nothing wrong with any change."""
    del kind, case
    return Examination(summary="Nothing was looked at.")


@dataclass(kw_only=True)
class FakeExaminer:
    """Answers from its fields, and remembers in `seen` what it was asked about."""

    opinion: Callable[[GateWord, ChangeCase], Examination] = finds_nothing
    readings: dict[str, Reading] = field(default_factory=dict)
    """What an output says, by a part of it."""
    report: Reading | Unexaminable = NOTHING_READ
    """What a report says."""
    request: ReportRequest = field(default_factory=lambda: ReportRequest(argv=()))
    """How a command is asked for reports."""
    needs: tuple[Lack, ...] = ()
    """What the project has or declares."""
    tests: NewTests = field(default_factory=NewTests)
    faults: tuple[Mutant, ...] | Unexaminable = ()
    known: ChangeFacts = field(default_factory=lambda: ChangeFacts(facts=()))
    """What is known of every change."""
    asked_facts: list[FactsCase] = field(default_factory=list)
    asked_tests: list[ChangeCase] = field(default_factory=list)
    seen: list[tuple[GateWord, ChangeCase]] = field(default_factory=list)

    def get_ready(self) -> None:
        """Be ready."""

    async def examine(self, kind: GateWord, case: ChangeCase) -> Examination:
        """Look at a change in one of the ways that need no command."""
        self.seen.append((kind, case))
        return self.opinion(kind, case)

    async def report_request(self, question: ReportQuestion) -> ReportRequest:
        """Ask for nothing, or for what a test wants."""
        return replace(self.request, argv=self.request.argv or question.command)

    async def read(
        self,
        output: str,
        request: ReportRequest | None = None,
        reports: Mapping[str, bytes] | None = None,
    ) -> Reading:
        """Find out what a runner said; a report says what its text is registered for."""
        del request
        for report in (reports or {}).values():
            if report.decode() in self.readings:
                return self.readings[report.decode()]
        found = (reading for part, reading in self.readings.items() if part in output)
        return next(found, NOTHING_READ)

    async def read_report(self, report: bytes) -> Reading:
        """Find out what a JUnit XML report says."""
        if isinstance(self.report, Unexaminable):
            raise self.report
        return self.readings.get(report.decode(), self.report)

    async def lacks(self, commit: CommitSha, missing: tuple[Missing, ...]) -> tuple[Lack, ...]:
        """Find out what of the missing parts belongs to the surroundings of a project."""
        del commit
        return tuple(lack for part in missing for lack in self.needs if lack.name == part.name)

    async def new_tests(self, case: ChangeCase) -> NewTests:
        """Find the tests that a change adds or alters."""
        self.asked_tests.append(case)
        return self.tests

    async def mutants(self, case: ChangeCase, *, limit: int) -> tuple[Mutant, ...]:
        """Put small faults into the lines that a change touches."""
        del case
        if isinstance(self.faults, Unexaminable):
            raise self.faults
        return self.faults[:limit]

    async def facts(self, case: FactsCase) -> ChangeFacts:
        """Say what is known of a change."""
        self.asked_facts.append(case)
        return self.known
