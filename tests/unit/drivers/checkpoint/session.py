"""A session that all tests of checks begin with: five artifacts of a small shop."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.catalogue import CATALOGUE, EVERY, spec_of
from supervisor_ai.drivers.checkpoint.checks.model import (
    BusMessage,
    CheckedTask,
    CheckMaterial,
    CheckResult,
    CheckSpec,
    LoadedArtifact,
    WorkerQuestion,
)
from supervisor_ai.drivers.checkpoint.checks.rounds import run_checks

FOLDER: Final = Path(__file__).parents[3] / "fixtures/checkpoint/session"
TASKS: Final = {
    "product-brief.md": "DRAFT-001",
    "requirements.md": "DRAFT-002",
    "architecture.md": "DRAFT-003",
    "stories.md": "DRAFT-004",
    "plan.md": "PLAN-001",
}
TEXTS: Final = {f"spec/{name}": (FOLDER / name).read_text(encoding="utf-8") for name in TASKS}
NOW: Final = datetime(2030, 1, 1, 12, tzinfo=UTC)
SCOPES: Final = {
    "CHECKPOINT-001": ("DRAFT-001", "DRAFT-002"),
    "CHECKPOINT-002": ("DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"),
    "CHECKPOINT-003": ("PLAN-001",),
}


def message(
    number: int = 1, sender: str = "writer", kind: str = "progress", **more: str
) -> BusMessage:
    return BusMessage(
        number=number, at=NOW - timedelta(minutes=5), sender=sender, kind=kind, **more
    )


def loaded(texts: Mapping[str, str]) -> dict[str, LoadedArtifact]:
    by_name = {f"spec/{name}": task for name, task in TASKS.items()}
    return {
        path: LoadedArtifact(text=text, task=by_name.get(path, "")) for path, text in texts.items()
    }


def material(texts: Mapping[str, str] = TEXTS, checkpoint: str = "CHECKPOINT-001") -> CheckMaterial:
    return CheckMaterial(
        checkpoint=checkpoint,
        scope=SCOPES[checkpoint],
        now=NOW,
        artifacts=loaded(texts),
        messages=(message(),),
        tasks=tuple(CheckedTask(id=task, status="completed") for task in TASKS.values()),
    )


def checks_of(checkpoint: str) -> tuple[CheckSpec, ...]:
    """Return what belongs to a built-in checkpoint."""
    mine = {checkpoint, EVERY}
    return tuple(spec_of(it.rule) for it in CATALOGUE.values() if mine & set(it.checkpoints))


def check(rule: str, on: CheckMaterial, **params: str | int) -> CheckResult | WorkerQuestion:
    """Make one check."""
    found = CATALOGUE[rule]
    spec = CheckSpec(
        id=rule,
        rule=rule,
        title=found.title,
        group=found.group,
        question=found.question,
        params=params,
    )
    made = run_checks(on, [spec])
    return made.results[0] if made.results else made.questions[0]


def result(rule: str, on: CheckMaterial, **params: str | int) -> CheckResult:
    """Make one check that the text decides."""
    found = check(rule, on, **params)
    assert isinstance(found, CheckResult)
    return found
