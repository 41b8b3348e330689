"""What can be seen of a worker while it runs, in words for whoever watches."""

from typing import assert_never

from supervisor_ai.engine.ports.workers import (
    Observation,
    ToolCalled,
    UsageSeen,
    WorkerFinished,
    WorkerRetried,
    WorkerSaid,
    WorkerStarted,
)


def describe(observation: Observation) -> str:
    """Say in a line or a few what was seen; nothing where nobody needs to know."""
    match observation:
        case WorkerStarted(model=model):
            return f"[started{f' with {model}' if model else ''}]\n"
        case WorkerSaid(text=text):
            return f"{text}\n" if text.strip() else ""
        case ToolCalled(name=name, detail=detail):
            return f"[{name}{f': {detail}' if detail else ''}]\n"
        case WorkerRetried(attempt=attempt, reason=reason):
            return f"[tries to reach its model again, {attempt}: {reason}]\n"
        case UsageSeen():
            return ""
        case WorkerFinished(message=message):
            return f"[{message}]\n" if message else ""
        case _:
            assert_never(observation)
