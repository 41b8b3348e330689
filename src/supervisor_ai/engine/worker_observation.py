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
            shown = _without_answer(text)
            return f"{shown}\n" if shown.strip() else ""
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


def _without_answer(text: str) -> str:
    """Leave out the answer, whose form and nonce are for the program."""
    before, fence, block = text.rpartition("```json")
    if fence and '"nonce"' in block:
        return f"{before}{block.partition('```')[2]}"
    bare = text.strip()
    is_answer = bare.startswith("{") and bare.endswith("}") and '"nonce"' in bare
    return "" if is_answer else text
