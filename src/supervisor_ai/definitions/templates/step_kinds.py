"""What a step does, as far as its keys say so."""

from typing import Final

from supervisor_ai.definitions.schema.workflows import StepShape
from supervisor_ai.domain.run.definition import StepKind, StepWord

_COMMIT_COMMAND: Final = ["git", "commit"]
_COMMIT_STEP: Final = "commit"
_PR_COMMAND: Final = ["gh", "pr", "create"]
_PR_TITLE: Final = ("--title", "${PR_TITLE}")
_PR_BODY: Final = ("--body", "${PR_BODY}")


def kind_of(name: str, shape: StepShape) -> StepWord | None:
    """Tell what a step does."""
    kind = _declared(shape)
    if kind != StepKind.GATE or shape.gate is not None or shape.gates is not None:
        return kind
    if shape.command is None:
        return StepKind.COMMIT if name == _COMMIT_STEP else kind
    if shape.command[: len(_PR_COMMAND)] == _PR_COMMAND:
        return StepKind.PULL_REQUEST
    return StepKind.COMMIT if shape.command == _COMMIT_COMMAND else kind


def pull_request_problem(command: list[str]) -> str | None:
    """Say what of a command that opens a pull request could not be kept."""
    said = command[len(_PR_COMMAND) :]
    pairs = (_PR_TITLE, _PR_BODY)
    for pair in pairs:
        said = [word for word in _without(said, pair) if word != "--draft"]
    if said or command[: len(_PR_COMMAND)] != _PR_COMMAND:
        known = " ".join((*_PR_COMMAND, *_PR_TITLE, *_PR_BODY, "--draft"))
        return f"is not run: supervisor opens the pull request itself, as `{known}` would"
    return None if "--draft" in command else "lacks --draft: a pull request always begins as one"


def _without(words: list[str], pair: tuple[str, str]) -> list[str]:
    for at in range(len(words) - 1):
        if tuple(words[at : at + 2]) == pair:
            return [*words[:at], *words[at + 2 :]]
    return words


def _declared(shape: StepShape) -> StepWord | None:
    if shape.type is not None:
        return StepWord(shape.type)
    if shape.gate_type is not None:
        return StepWord(f"{shape.gate_type}_gate")
    if any(it is not None for it in (shape.role, shape.roles, shape.approvers)):
        return StepKind.ROLE
    return StepKind.GATE if shape.command or shape.gate or shape.gates else None
