"""What a supervisor remembers from checkpoint to checkpoint.

An entry holds what its report says, and the facts of the artifacts that it was the first to read.
A checkpoint that is made again takes the place of what it was.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts
from supervisor_ai.drivers.checkpoint.facts.reader import read_artifact
from supervisor_ai.drivers.checkpoint.protocol.words import report_path
from supervisor_ai.drivers.checkpoint.report import (
    CheckpointReport,
    ReadArtifact,
    ReportProblem,
    read_report,
)
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict, QualityTrend, Score, trend


class AccumulatedEntry(Struct, frozen=True, kw_only=True):
    """What is remembered of one checkpoint."""

    task: str
    artifact: str
    """The path of its report."""
    number: int
    verdict: CheckpointVerdict
    score: Score
    key_findings: tuple[str, ...]
    artifacts_read: tuple[ReadArtifact, ...]
    quality_trend: QualityTrend
    facts: dict[str, ArtifactFacts] = field(default_factory=dict)
    """What was read of these artifacts, by path."""


class Accumulator(Struct, frozen=True, kw_only=True):
    """All that is remembered, in the order of the checkpoints."""

    entries: tuple[AccumulatedEntry, ...] = ()

    @property
    def next_number(self) -> int:
        """Number the report that comes next."""
        return max((it.number for it in self.entries), default=0) + 1

    def before(self, task: str) -> "Accumulator":
        """Return what is known when a checkpoint begins: all but what it said itself before."""
        return Accumulator(entries=tuple(it for it in self.entries if it.task != task))

    @property
    def facts(self) -> dict[str, ArtifactFacts]:
        """Return what is known of artifacts; of one that was read twice, the newer."""
        return {path: facts for it in self.entries for path, facts in it.facts.items()}

    @property
    def hashes(self) -> dict[str, str]:
        """Return which version of each artifact is known."""
        return {read.path: read.hash for it in self.entries for read in it.artifacts_read}

    def trend_of(self, task: str, score: Score) -> QualityTrend:
        """Compare a new score with the checkpoint's own last one, or with the newest there is."""
        known = [it for it in self.entries if it.task == task] or self.entries
        return trend(known[-1].score if known else None, score)


def accumulate(
    known: Accumulator,
    report: CheckpointReport,
    facts: Mapping[str, ArtifactFacts],
    *,
    session: str,
) -> Accumulator:
    """Remember a checkpoint; `facts` are those of the artifacts that its report lists."""
    entry = AccumulatedEntry(
        task=report.task,
        artifact=report_path(session, report.task),
        number=report.number,
        verdict=report.verdict,
        score=report.score,
        key_findings=report.findings,
        artifacts_read=report.artifacts,
        quality_trend=report.trend,
        facts={it.path: facts[it.path] for it in report.artifacts if it.path in facts},
    )
    return Accumulator(entries=(*known.before(report.task).entries, entry))


def rebuild(
    reports: Iterable[str], texts: Mapping[str, str], *, session: str
) -> Accumulator | ReportProblem:
    """Remember again what reports tell; `texts` has the artifacts as they were read, by hash."""
    found: list[CheckpointReport] = []
    for text in reports:
        report = read_report(text)
        if isinstance(report, ReportProblem):
            return report
        found.append(report)
    known = Accumulator()
    for report in sorted(found, key=lambda it: it.number):
        known = accumulate(known, report, _facts(report, texts), session=session)
    return known


def _facts(report: CheckpointReport, texts: Mapping[str, str]) -> dict[str, ArtifactFacts]:
    return {
        it.path: read_artifact(it.path, texts[it.hash], task=it.task)
        for it in report.artifacts
        if it.hash in texts
    }
