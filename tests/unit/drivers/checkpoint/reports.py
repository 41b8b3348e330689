"""Reports that several tests begin with."""

from pathlib import Path
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckResult
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.drivers.checkpoint.protocol.requests import PipelineProgress
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, ReadArtifact
from supervisor_ai.drivers.checkpoint.score import CheckVerdict, QualityTrend

GOLDEN: Final = Path(__file__).parents[3] / "fixtures/checkpoint"
RESULT: Final = CheckResult(
    check="terminology",
    title="The same concept has the same term",
    group=CheckGroup.CONSISTENCY,
    verdict=CheckVerdict.PASS,
    note="3 terms of the glossary, each used for itself.",
)
_MAPPED: Final = CheckResult(
    check="goals_mapped",
    title="Every goal of the vision has a requirement",
    group=CheckGroup.CONSISTENCY,
    verdict=CheckVerdict.FAIL,
    note="No requirement for the goal G-3.",
    citations=(
        Citation(
            file="spec/product-brief.md", line=14, quote="- **G3**: The owner sees every sale"
        ),
    ),
)
_THERE: Final = CheckResult(
    check="artifacts_exist",
    title="The artifacts of the scope are there",
    group=CheckGroup.PROCESS,
    verdict=CheckVerdict.PASS,
    note="2 artifacts there.",
)
_ACTIVE: Final = CheckResult(
    check="recent_activity",
    title="Every task in progress has recent activity",
    group=CheckGroup.HEALTH,
    verdict=CheckVerdict.WARN,
    note="no messages to analyze",
)
REPORT: Final = CheckpointReport(
    task="CHECKPOINT-001",
    number=1,
    scope=("DRAFT-001", "DRAFT-002"),
    results=(RESULT, _MAPPED, _THERE, _ACTIVE),
    trend=QualityTrend.STABLE,
    progress=PipelineProgress(done=3, total=10),
    artifacts=(
        ReadArtifact(path="spec/product-brief.md", hash="a1", task="DRAFT-001"),
        ReadArtifact(path="spec/requirements.md", hash="b2", task="DRAFT-002"),
    ),
)


def a_report(*verdicts: CheckVerdict) -> CheckpointReport:
    """Make a report of checks that came out so."""
    results = tuple(replace(RESULT, verdict=verdict, note="a note") for verdict in verdicts)
    return replace(REPORT, results=results, progress=None)
