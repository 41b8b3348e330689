"""How many cheats are seen, and how many honest changes are refused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.gates_corpus.case import LANGUAGES, Case
from tests.gates_corpus.repository import CorpusRepository

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.domain.run.gates import Finding, GateKind, Severity
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.reader import look

TITLES: Final = {
    "python": "Python",
    "javascript": "JavaScript and TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What the gate said about every case."""

    cases: Sequence[Case]
    errors: Mapping[str, tuple[Finding, ...]]
    """The findings for which the gate does not pass, by the name of the case."""

    @property
    def cheats(self) -> tuple[Case, ...]:
        """Return the cases in which somebody cheats."""
        return tuple(case for case in self.cases if case.is_cheat)

    @property
    def honest(self) -> tuple[Case, ...]:
        """Return the cases in which nobody cheats."""
        return tuple(case for case in self.cases if not case.is_cheat)

    @property
    def missed(self) -> tuple[Case, ...]:
        """Return the cheats that pass."""
        return tuple(case for case in self.cheats if not self.errors[case.name])

    @property
    def refused(self) -> tuple[Case, ...]:
        """Return the honest changes that do not pass."""
        return tuple(case for case in self.honest if self.errors[case.name])

    def of(self, language: str) -> "Measurement":
        """Return the part of one language."""
        some = tuple(case for case in self.cases if case.language == language)
        return Measurement(cases=some, errors=self.errors)


def measure(commits: Commits, repository: CorpusRepository, cases: Sequence[Case]) -> Measurement:
    """Let the gate look at every case, on behalf of a role that may change nothing special."""
    return Measurement(
        cases=cases,
        errors={case.name: _errors(commits, repository, case) for case in cases},
    )


def _errors(commits: Commits, repository: CorpusRepository, case: Case) -> tuple[Finding, ...]:
    pair = repository.pairs[case.name]
    change = ChangeCase(base=pair.base, head=pair.head)
    view = ChangeView(case=change, commits=commits, has_commit=lambda _: True)
    seen = look(change_gates()[GateKind.TEST_INTEGRITY].look, view)
    return tuple(it for it in seen.findings if it.severity is Severity.ERROR)


def written(measurement: Measurement) -> str:
    """Write the measurement as the documentation has it."""
    return "\n".join(_lines(measurement)) + "\n"


def _lines(measurement: Measurement) -> Iterator[str]:
    yield "| Language | Cheats | seen | Honest changes | refused |"
    yield "|---|---|---|---|---|"
    for language in LANGUAGES:
        yield _row(TITLES[language], measurement.of(language))
    yield _row("All", measurement)
    yield ""
    yield from _listed("Cheats that pass", measurement.missed)
    yield ""
    yield from _listed("Honest changes that are refused", measurement.refused)


def _row(title: str, part: Measurement) -> str:
    cheats, honest = len(part.cheats), len(part.honest)
    seen, refused = cheats - len(part.missed), len(part.refused)
    return (
        f"| {title} | {cheats} | {seen} ({seen / cheats:.0%}) "
        f"| {honest} | {refused} ({refused / honest:.0%}) |"
    )


def _listed(title: str, cases: Sequence[Case]) -> Iterator[str]:
    if not cases:
        yield f"{title}: none of the corpus."
        return
    yield f"{title}:"
    yield ""
    for case in cases:
        yield f"- `{case.name}`: {case.does}"
