"""What is remembered is what reports tell again, whatever happened in between."""

from typing import Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.drivers.checkpoint.reports import REPORT, a_report
from tests.unit.drivers.checkpoint.session import TEXTS
from tests.unit.drivers.checkpoint.strategies import reports

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator, accumulate, rebuild
from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts
from supervisor_ai.drivers.checkpoint.facts.reader import read_artifact
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, ReportProblem, render
from supervisor_ai.drivers.checkpoint.score import CheckVerdict, QualityTrend

BY_HASH: Final = {
    "a1": TEXTS["spec/product-brief.md"],
    "b2": TEXTS["spec/requirements.md"],
    "c3": "## Goals\n- G7: other\n",
}
"""One of the hashes is of a text that nobody has any more."""
SESSION: Final = ".workflow/TLV4"


def facts_of(report: CheckpointReport) -> dict[str, ArtifactFacts]:
    return {
        it.path: read_artifact(it.path, BY_HASH[it.hash], task=it.task)
        for it in report.artifacts
        if it.hash in BY_HASH
    }


def remembered(*told: CheckpointReport) -> Accumulator:
    known = Accumulator()
    for report in told:
        known = accumulate(known, report, facts_of(report), session=SESSION)
    return known


def test_an_entry_has_the_fields_of_the_seed() -> None:
    known = remembered(REPORT)
    entry = known.entries[0]
    assert (entry.task, entry.artifact) == (
        "CHECKPOINT-001",
        ".workflow/TLV4/artifacts/CHECKPOINT-001-report.md",
    )
    assert (entry.verdict.value, entry.score.text) == ("warn", "0.63")
    assert entry.key_findings[0] == (
        "Every goal of the vision has a requirement: No requirement for the goal G-3."
    )
    assert entry.artifacts_read == REPORT.artifacts
    assert entry.quality_trend is QualityTrend.STABLE
    assert [it.id for it in known.facts["spec/product-brief.md"].goals] == ["G-1", "G-2", "G-3"]
    assert known.hashes == {"spec/product-brief.md": "a1", "spec/requirements.md": "b2"}
    assert known.next_number == 2


def test_the_trend_follows_the_newest_score() -> None:
    good, bad = a_report(CheckVerdict.PASS), a_report(CheckVerdict.FAIL)
    other = "CHECKPOINT-002"
    assert Accumulator().trend_of(other, bad.score) is QualityTrend.STABLE
    assert remembered(good).trend_of(other, bad.score) is QualityTrend.DEGRADING
    assert remembered(bad).trend_of(other, good.score) is QualityTrend.IMPROVING
    assert remembered(bad).trend_of(other, bad.score) is QualityTrend.STABLE


def test_a_checkpoint_that_is_made_again_is_compared_with_its_own_last_round() -> None:
    good, bad = a_report(CheckVerdict.PASS), a_report(CheckVerdict.FAIL)
    known = remembered(bad, replace(good, task="CHECKPOINT-002", number=2))
    assert known.trend_of(bad.task, good.score) is QualityTrend.IMPROVING


def test_a_checkpoint_that_is_made_again_takes_the_place_of_what_it_was() -> None:
    again = replace(REPORT, number=3, artifacts=REPORT.artifacts[1:])
    other = replace(REPORT, task="CHECKPOINT-002", number=2, artifacts=())
    known = remembered(REPORT, other, again)
    assert [(it.task, it.number) for it in known.entries] == [
        ("CHECKPOINT-002", 2),
        ("CHECKPOINT-001", 3),
    ]
    assert set(known.facts) == {"spec/requirements.md"}
    assert known.before("CHECKPOINT-001").hashes == {}


@st.composite
def histories(draw: st.DrawFn) -> list[CheckpointReport]:
    """Draw reports as they follow each other, numbered as they are made."""
    told = draw(st.lists(reports(), max_size=4))
    known = Accumulator()
    made: list[CheckpointReport] = []
    for report in told:
        numbered = replace(
            report,
            number=known.next_number,
            trend=known.trend_of(report.task, report.score),
        )
        made.append(numbered)
        known = accumulate(known, numbered, {}, session=SESSION)
    return made


@given(histories(), st.randoms(use_true_random=False))
def test_rebuilt_from_the_reports_that_are_left_it_is_the_same(
    told: list[CheckpointReport], chance: object
) -> None:
    known = remembered(*told)
    files = list({report.task: render(report) for report in told}.values())
    shuffle = getattr(chance, "shuffle")  # noqa: B009 - Hypothesis gives any source of chance
    shuffle(files)
    assert rebuild(files, BY_HASH, session=SESSION) == known


def test_what_is_remembered_can_be_kept_as_json() -> None:
    known = remembered(REPORT, replace(REPORT, task="CHECKPOINT-002", number=2))
    assert msgspec.json.decode(msgspec.json.encode(known), type=Accumulator) == known


def test_a_report_that_cannot_be_read_is_a_problem() -> None:
    found = rebuild([render(REPORT), "nonsense"], BY_HASH, session=SESSION)
    assert isinstance(found, ReportProblem)
    assert rebuild([], {}, session=SESSION) == Accumulator()
