"""Reports of every kind, with hostile words in them."""

from hypothesis import strategies as st

from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, CheckResult
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.drivers.checkpoint.protocol.requests import PipelineProgress
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, ReadArtifact, by_group
from supervisor_ai.drivers.checkpoint.score import CheckVerdict, QualityTrend

WORDS = st.text(max_size=40) | st.sampled_from(
    ["| x |", "\n## Verdict\n", "**pass** (score: 1.00)", "\\", '"; a:1', "- None", "\x1b[31m"]
)
CITATIONS = st.builds(Citation, file=WORDS, line=st.integers(0, 10**6), quote=WORDS)
RESULTS = st.builds(
    CheckResult,
    check=st.sampled_from(["terminology", "goals_mapped", "own"]),
    title=WORDS,
    group=st.sampled_from(CheckGroup),
    verdict=st.sampled_from(CheckVerdict),
    note=WORDS,
    citations=st.lists(CITATIONS, max_size=2).map(tuple),
    blocks=st.booleans(),
)
HASHES = st.sampled_from(["a1", "b2", "c3", "d4"])
TASKS = st.sampled_from(["", "DRAFT-001", "DRAFT-002"])
ARTIFACTS = st.builds(ReadArtifact, path=WORDS, hash=HASHES, task=TASKS)
PROGRESS = st.none() | st.builds(PipelineProgress, done=st.integers(0, 9), total=st.integers(1, 9))


@st.composite
def reports(draw: st.DrawFn) -> CheckpointReport:
    """Draw a report."""
    return CheckpointReport(
        task=f"CHECKPOINT-{draw(st.integers(1, 5)):03}",
        number=draw(st.integers(1, 10**6)),
        scope=tuple(draw(st.lists(st.sampled_from(["A-1", "B-2"]), min_size=1, max_size=3))),
        results=by_group(draw(st.lists(RESULTS, min_size=1, max_size=3))),
        trend=draw(st.sampled_from(QualityTrend)),
        progress=draw(PROGRESS),
        artifacts=tuple(draw(st.lists(ARTIFACTS, max_size=3, unique_by=lambda it: it.path))),
        counts_all=draw(st.booleans()),
    )
