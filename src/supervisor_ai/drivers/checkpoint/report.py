"""The report of a checkpoint: what is in it, how it is written, and how it is read back.

A report that is read back is the one that was written, or it is refused: whatever stands in it
twice (score, verdict, recommendations, risks) has to agree with its tables.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckResult
from supervisor_ai.drivers.checkpoint.checks.rounds import findings
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.drivers.checkpoint.protocol.replies import CheckpointSummary
from supervisor_ai.drivers.checkpoint.protocol.requests import PipelineProgress
from supervisor_ai.drivers.checkpoint.protocol.words import MOST_FINDINGS, is_checkpoint
from supervisor_ai.drivers.checkpoint.report_text import escape, parts, row, split, unescape
from supervisor_ai.drivers.checkpoint.score import (
    CheckpointVerdict,
    CheckVerdict,
    QualityTrend,
    Score,
    score,
    weigh,
)

LONGEST_REPORT: Final = 4 * 1024 * 1024
_HEAD: Final = ("Check", "Title", "Result", "Evidence", "Note")
_ADVICE: Final = {
    CheckVerdict.FAIL: "Revise",
    CheckVerdict.WARN: "Look at",
    CheckVerdict.UNDECIDED: "Decide yourself",
}
_LENIENT: Final = (CheckpointVerdict.BLOCK, CheckpointVerdict.WARN, CheckpointVerdict.PASS)
_BLOCKS: Final = ", blocks"
_RISK: Final = {CheckVerdict.FAIL: "Failed", CheckVerdict.WARN: "Warned"}
_NONE: Final = "- None"
_NOT_GIVEN: Final = "not given"
_ARTIFACT: Final = re.compile(r"- Artifact: (.*) \(([^\s,()]*), ([^\s,()]*)\)")
_CITATION: Final = re.compile(r'(.*):([0-9]{1,9})(?: "(.*)")?')
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_PROGRESS: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6}) tasks completed")


class ReadArtifact(Struct, frozen=True, kw_only=True):
    """An artifact that a checkpoint read."""

    path: str
    hash: str
    task: str = ""


def by_group(results: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Put results in the order of the tables of a report."""
    groups = list(CheckGroup)
    return tuple(sorted(results, key=lambda it: groups.index(it.group)))


class CheckpointReport(Struct, frozen=True, kw_only=True):
    """What came of one checkpoint."""

    task: str
    number: int
    """How many reports there are with it; they are put in order by it."""
    scope: tuple[str, ...]
    results: tuple[CheckResult, ...]
    trend: QualityTrend
    progress: PipelineProgress | None = None
    artifacts: tuple[ReadArtifact, ...] = ()
    counts_all: bool = False
    """Whether it is from a time when every check counted alike."""

    def __post_init__(self) -> None:
        if self.results != by_group(self.results):
            raise InternalError(f"The results of {self.task} are not in the order of the tables.")

    @property
    def score(self) -> Score:
        """Score the results."""
        if self.counts_all:
            return score(result.verdict for result in self.results)
        content, health = self._parts
        return weigh([it.verdict for it in content], [it.verdict for it in health])

    @property
    def _parts(self) -> tuple[tuple[CheckResult, ...], tuple[CheckResult, ...]]:
        """Part what is said about the work from what is said about the team."""
        health = tuple(it for it in self.results if it.group is CheckGroup.HEALTH)
        content = tuple(it for it in self.results if it.group is not CheckGroup.HEALTH)
        return (content, health) if content else (health, ())

    @property
    def checks(self) -> int:
        """Count the checks that are about the work."""
        return len(self._parts[0])

    @property
    def decided(self) -> int:
        """Count those of them that are decided."""
        return self.checks - len(self.undecided)

    @property
    def undecided(self) -> tuple[CheckResult, ...]:
        """Return those of them that are not."""
        return tuple(it for it in self._parts[0] if it.verdict is CheckVerdict.UNDECIDED)

    @property
    def verdict(self) -> CheckpointVerdict:
        """Say what the results mean: a pass needs most of the checks decided."""
        if any(it.blocks for it in self.results):
            return CheckpointVerdict.BLOCK
        usual = self.score.verdict
        is_known = 2 * self.decided > self.checks
        return usual if is_known else min(usual, CheckpointVerdict.WARN, key=_LENIENT.index)

    @property
    def findings(self) -> tuple[str, ...]:
        """Say in a few words what was found, and how much of it is decided."""
        if self.decided == self.checks:
            return findings(self.results)
        told = f"decided {self.decided} of {self.checks} checks"
        return (*findings(self.results)[: MOST_FINDINGS - 1], told)

    @property
    def troubled(self) -> tuple[CheckResult, ...]:
        """Return what did not pass, the worst first."""
        by = {
            verdict: [it for it in self.results if it.verdict is verdict]
            for verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
        }
        return (*by[CheckVerdict.FAIL], *by[CheckVerdict.WARN])

    @property
    def risks(self) -> tuple[CheckResult, ...]:
        """Return what goes into the wisdom: nothing where the checkpoint passes."""
        return () if self.verdict is CheckpointVerdict.PASS else self.troubled

    @property
    def blocks(self) -> int:
        """Count what blocks; nothing does unless the checkpoint blocks."""
        return len(self.reasons)

    @property
    def reasons(self) -> tuple[CheckResult, ...]:
        """Return what blocks; where no check does so alone, all that failed."""
        if self.verdict is not CheckpointVerdict.BLOCK:
            return ()
        blocking = tuple(it for it in self.results if it.blocks)
        return blocking or tuple(it for it in self.results if it.verdict is CheckVerdict.FAIL)

    def summary(self, session: str) -> CheckpointSummary:
        """Return what messages tell of it."""
        return CheckpointSummary(
            task=self.task,
            session=session,
            score=self.score,
            verdict=self.verdict,
            findings=self.findings,
            risks=len(self.risks),
            blocks=self.blocks,
            trend=self.trend,
            reason="; ".join(f"{it.title}: {it.note}" for it in self.reasons),
        )


class ReportProblem(Struct, frozen=True, kw_only=True):
    """Why a text is no report."""

    problem: str


def render(report: CheckpointReport) -> str:
    """Write a report; the same report is always the same text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: CheckpointReport) -> Iterator[str]:
    yield from (f"# {report.task} Report", "", "## Scope", "")
    yield f"- Number: {report.number}"
    yield f"- Tasks: {', '.join(report.scope)}"
    yield f"- Progress: {report.progress.text if report.progress else _NOT_GIVEN}"
    for it in report.artifacts:
        yield f"- Artifact: {escape(it.path)} ({it.hash}, {it.task})"
    yield from ("", "## Results")
    for group in CheckGroup:
        yield from ("", f"### {group.value}", "")
        yield from (row(_HEAD), row("-" * 3 for _ in _HEAD))
        yield from (_row(it) for it in report.results if it.group is group)
    yield from ("", "## Verdict", "")
    yield f"**{report.verdict.value}** (score: {report.score.text})"
    yield ""
    if not report.counts_all:
        yield from (f"Decided: {report.decided} of {report.checks}", "")
    yield f"Quality trend: {report.trend.value}"
    yield from ("", "## Recommendations", "")
    yield from _listed((*report.troubled, *report.undecided), _ADVICE)
    yield from ("", "## Risks Logged", "")
    yield from _listed(report.risks, _RISK)


def _listed(results: tuple[CheckResult, ...], words: dict[CheckVerdict, str]) -> Iterator[str]:
    if not results:
        yield _NONE
    for it in results:
        yield f"- {words[it.verdict]}: {escape(it.title)}. {escape(it.note)}".rstrip()


def _row(result: CheckResult) -> str:
    evidence = "; ".join(map(_cited, result.citations))
    return row(
        (
            escape(result.check),
            escape(result.title),
            f"{result.verdict.value}{_BLOCKS if result.blocks else ''}",
            evidence,
            escape(result.note),
        )
    )


def _cited(citation: Citation) -> str:
    quote = f' "{escape(citation.quote)}"' if citation.quote else ""
    return f"{escape(citation.file)}:{citation.line}{quote}"


def read_report(text: str) -> CheckpointReport | ReportProblem:
    """Read a report back; one that is not exactly as it would be written is refused."""
    if len(text) > LONGEST_REPORT:
        return ReportProblem(problem=f"It has {len(text)} characters, at most {LONGEST_REPORT}.")
    lines = text.split("\n")
    found = _Reader(lines).report()
    if found is None:
        return ReportProblem(problem="It is not in the form of a checkpoint's report.")
    if render(found) != text:
        return ReportProblem(problem="What it says about its results is not what they are.")
    return found


class _Reader:
    """Takes a report apart line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def report(self) -> CheckpointReport | None:
        """Return what the lines say as far as they can be read; None: nothing."""
        task = self._lines[0].removeprefix("# ").removesuffix(" Report")
        number = _NUMBER.fullmatch(self._field("Number"))
        trend = self._field("Quality trend", mark="")
        results = self._results()
        if not is_checkpoint(task) or number is None or trend not in set(QualityTrend):
            return None
        if not results:
            return None
        return CheckpointReport(
            task=task,
            number=int(number[0]),
            scope=tuple(part for part in self._field("Tasks").split(", ") if part),
            results=results,
            trend=QualityTrend(trend),
            progress=self._progress(),
            artifacts=self._artifacts(),
            counts_all=not self._field("Decided", mark=""),
        )

    def _field(self, name: str, mark: str = "- ") -> str:
        start = f"{mark}{name}: "
        return next((it.removeprefix(start) for it in self._lines if it.startswith(start)), "")

    def _progress(self) -> PipelineProgress | None:
        match = _PROGRESS.fullmatch(self._field("Progress"))
        return PipelineProgress(done=int(match[1]), total=int(match[2])) if match else None

    def _artifacts(self) -> tuple[ReadArtifact, ...]:
        found = (_ARTIFACT.fullmatch(line) for line in self._lines)
        return tuple(
            ReadArtifact(path=unescape(it[1]), hash=it[2], task=it[3]) for it in found if it
        )

    def _results(self) -> tuple[CheckResult, ...]:
        group: CheckGroup | None = None
        found: list[CheckResult] = []
        for line in self._lines:
            if line.startswith("### "):
                group = next((it for it in CheckGroup if line == f"### {it.value}"), None)
            elif line.startswith("|") and group is not None:
                found += _results_of(group, split(line))
        return by_group(found)


def _results_of(group: CheckGroup, cells: list[str]) -> list[CheckResult]:
    if len(cells) != len(_HEAD) or cells[2].removesuffix(_BLOCKS) not in set(CheckVerdict):
        return []
    check, title, verdict, evidence, note = cells
    return [
        CheckResult(
            check=unescape(check),
            title=unescape(title),
            group=group,
            verdict=CheckVerdict(verdict.removesuffix(_BLOCKS)),
            blocks=verdict.endswith(_BLOCKS),
            note=unescape(note),
            citations=tuple(_citations(evidence)),
        )
    ]


def _citations(text: str) -> Iterator[Citation]:
    for part in parts(text):
        if match := _CITATION.fullmatch(part):
            quote = unescape(match[3] or "")
            yield Citation(file=unescape(match[1]), line=int(match[2]), quote=quote)
