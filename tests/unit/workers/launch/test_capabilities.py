"""The matrix says what the tables say, and the tables what recorded runs show."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.drivers.kanban.settings import MECHANICAL
from supervisor_ai.workers.agents import DIALECTS, PROFILES
from supervisor_ai.workers.capabilities import OTHERS, Capability, capabilities
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import Telling
from supervisor_ai.workers.output.evidence import AgentConclusion, ProcessEvidence
from supervisor_ai.workers.registry import InstalledAdapters

RUNS: Final = Path(__file__).parents[3] / "fixtures" / "clis"
PRICELESS: Final = {("opencode", Telling.COST)}
"""The model of the recorded runs has no price there."""


def conclusions(adapter: str) -> Iterator[AgentConclusion]:
    """Judge every recorded run of a CLI."""
    for place in sorted((RUNS / adapter).glob("*.exit")):
        yield DIALECTS[adapter].conclude(
            ProcessEvidence(
                exit_code=int(place.read_text()),
                stdout=place.with_suffix(".stdout").read_text(errors="replace"),
                stderr=place.with_suffix(".stderr").read_text(errors="replace"),
                now=datetime(2030, 1, 1, tzinfo=UTC),
            )
        )


def told(conclusion: AgentConclusion) -> set[Telling]:
    """Find out what a run told of itself."""
    facts = {
        Telling.SESSION: conclusion.diagnosis.session,
        Telling.MODEL: conclusion.diagnosis.model,
        Telling.USAGE: conclusion.usage.tokens_in,
        Telling.COST: conclusion.usage.cost,
    }
    return {telling for telling, fact in facts.items() if fact}


@pytest.mark.parametrize("adapter", PROFILES)
def test_a_cli_tells_what_its_table_says(adapter: str) -> None:
    shown = set().union(*map(told, conclusions(adapter)))
    assert shown | {it for name, it in PRICELESS if name == adapter} == PROFILES[adapter].tells


def test_every_adapter_has_every_row() -> None:
    matrix = capabilities()
    assert set(matrix) == set(PROFILES) | set(OTHERS)
    assert set(matrix) == set(InstalledAdapters()) - {MECHANICAL}, "which no agent is"
    for name, rows in matrix.items():
        assert set(rows) == set(Capability), name
        assert all(rows.values()), name


def test_no_cell_breaks_its_table() -> None:
    cells = [cell for rows in capabilities().values() for cell in rows.values()]
    assert not any("|" in cell or "\n" in cell for cell in cells)


@pytest.mark.parametrize(
    ("adapter", "row", "cell"),
    [
        ("claude", Capability.STREAM, "`--output-format stream-json --verbose`"),
        ("claude", Capability.SETTINGS, "`--setting-sources user --strict-mcp-config`"),
        ("claude", Capability.BROKER, "`ANTHROPIC_BASE_URL`"),
        ("codex", Capability.BROKER, "always the broker"),
        ("codex", Capability.MAX_TURNS, "no; time and tokens bound it"),
        ("codex", Capability.COST, "no"),
        ("gemini", Capability.SETTINGS, "covered: `.gemini`"),
        ("opencode", Capability.BROKER, "always the broker"),
        ("qwen", Capability.MAX_TURNS, "`--max-session-turns`"),
    ],
)
def test_a_cell_is_read_from_the_tables(adapter: str, row: Capability, cell: str) -> None:
    assert capabilities()[adapter][row] == cell


@pytest.mark.parametrize("adapter", PROFILES)
def test_what_the_matrix_calls_said_is_said(adapter: str) -> None:
    profile = PROFILES[adapter]
    words = " ".join(Launcher(profile).plan(LaunchOrder()).words)
    assert " ".join(profile.stream) in words
    assert " ".join(profile.shields) in words
    assert profile.shields or profile.covers
