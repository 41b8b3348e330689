"""Loading what a run has recorded of itself, as the artifacts that its checkpoint looks at."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.checks.model import (
    BusMessage,
    CheckedTask,
    CheckMaterial,
    LoadedArtifact,
)
from supervisor_ai.drivers.checkpoint.performers.answer_text import answer_text
from supervisor_ai.drivers.checkpoint.performers.context import (
    MOST_MESSAGES,
    LoadedContext,
    count_tokens,
)
from supervisor_ai.drivers.checkpoint.protocol.words import plain
from supervisor_ai.drivers.checkpoint.report import ReadArtifact
from supervisor_ai.engine.world import Operation

_DIFF: Final = 120_000
_FENCE: Final = "`" * 3


async def load_record(effect: d.LoadRecord, operation: Operation) -> k.ContextLoaded:
    """Write what the run has recorded as markdown, and keep it for the checks."""
    texts = {
        "record/task.md": LoadedArtifact(text=f"# Task\n\n{operation.text_of(effect.words)}\n"),
        "record/steps.md": LoadedArtifact(text=_steps(effect)),
        "record/changes.md": LoadedArtifact(text=await _changes(effect, operation)),
        **dict(_answers(effect, operation)),
    }
    kept = {path: operation.keep(it.text)[0] for path, it in texts.items()}
    context = LoadedContext(
        material=CheckMaterial(
            checkpoint=effect.task,
            scope=effect.scope,
            now=operation.intended_at,
            artifacts=texts,
            messages=tuple(_messages(effect, operation))[-MOST_MESSAGES:],
            tasks=tuple(CheckedTask(id=it, status="completed") for it in effect.scope),
        ),
        hashes={path: str(it) for path, it in kept.items()},
        read=tuple(
            ReadArtifact(path=path, hash=it, task=texts[path].task) for path, it in kept.items()
        ),
    )
    tokens = sum(count_tokens(it.text) for it in texts.values())
    return k.ContextLoaded(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        context=operation.world.documents.save(context),
        cursor=0,
        files=tuple(
            k.LoadedFile(path=path, artifact=it, task=texts[path].task) for path, it in kept.items()
        ),
        tokens=tokens,
        all_tokens=tokens,
    )


def _answers(effect: d.LoadRecord, operation: Operation) -> Iterator[tuple[str, LoadedArtifact]]:
    for item in effect.answers:
        step = item.title.partition("/")[0]
        text = answer_text(item.title, operation.text_of(item.artifact))
        yield f"record/{item.title}.md", LoadedArtifact(text=text, task=step)


def _steps(effect: d.LoadRecord) -> str:
    lines = (f"- {name}: {plain(it)}" for name, it in effect.verdicts.items())
    return "\n".join(("# Steps", "", *lines, ""))


async def _changes(effect: d.LoadRecord, operation: Operation) -> str:
    """Show the change as a block of code, which is quoted and never read as statements."""
    workspaces = operation.world.workspaces
    paths = await workspaces.changed_paths(effect.base, effect.head)
    diff = await workspaces.diff(effect.base, effect.head) if paths else ""
    shown = diff if len(diff) <= _DIFF else f"{diff[:_DIFF]}\n[cut]"
    fence = _FENCE
    while fence in shown:
        fence += "`"
    named = [f"- {plain(path)}" for path in paths]
    return "\n".join(("# Changes", "", *named, "", f"{fence}diff", shown, fence, ""))


def _messages(effect: d.LoadRecord, operation: Operation) -> Iterator[BusMessage]:
    """Tell what the run's workers did as a team would: who failed, who got something done."""
    roles: dict[tuple[str, int, int, int], str] = {}
    number = 0
    for envelope in operation.world.log.read(run_stream(operation.run)):
        event = envelope.event
        if not isinstance(event, e.PlacedEvent) or event.step == effect.step:
            continue
        if isinstance(event, e.AttemptStarted):
            roles[(*event.place, event.attempt)] = event.role
        elif isinstance(event, e.AttemptSucceeded | e.AttemptFailed):
            number += 1
            role = roles.get((*event.place, event.attempt), "worker")
            yield _message(number, envelope, event, role)


def _message(
    number: int, envelope: Envelope, event: e.AttemptSucceeded | e.AttemptFailed, role: str
) -> BusMessage:
    is_failed = isinstance(event, e.AttemptFailed)
    return BusMessage(
        number=number,
        at=envelope.recorded_at,
        sender=role,
        kind="error" if is_failed else "progress",
        summary=plain(event.reason) if isinstance(event, e.AttemptFailed) else event.said,
        task=event.step,
    )
