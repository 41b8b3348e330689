"""Flags of a CLI that a role names: passed on, in effect anyway, or refused with a reason."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.definitions.sources.slice_words import own_adapters

_NO_CLIS: Final = frozenset({"api", "command", "scripted"})
_RECORDS: Final = frozenset({"json", "stream-json"})
_IN_EFFECT: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("-p", "--print", "--verbose", "exec", "run", "--json"), frozenset()),
    **dict.fromkeys(("--output-format", "-o", "--format"), _RECORDS),
    **dict.fromkeys(
        ("--skip-git-repo-check", "--full-auto", "--auto", "-y", "--yolo"), frozenset()
    ),
    "--dangerously-skip-permissions": frozenset(),
    "--approval-mode": frozenset({"yolo"}),
}
"""What holds for every CLI that supervisor starts, with the values that may follow.

It works without a terminal, prints records, and asks nobody: what it may do, its sandbox and the
tools of its role say.
"""
_INSTEAD: Final = {
    "--model": "name the model after a colon: `cli: claude:opus`",
    "-m": "name the model after a colon: `cli: claude:opus`",
    "--max-turns": "write `max_turns`",
    "--max-session-turns": "write `max_turns`",
    "--allowedTools": "write `allowed_tools`",
    "--allowed-tools": "write `allowed_tools`",
    "--disallowedTools": "write `allowed_tools`",
    "--tools": "write `allowed_tools`",
    "--mcp-config": "write `mcp_servers`",
    "--append-system-prompt": "write `system_prompt_additions`",
    "--append-system-prompt-file": "write `system_prompt_additions`",
    "--system-prompt": "write `system_prompt_additions`",
    "--add-dir": "write `sandbox: {ro_paths: [...]}` into the config",
    "--include-directories": "write `sandbox: {ro_paths: [...]}` into the config",
    **dict.fromkeys(
        ("--continue", "--resume", "-r", "--session-id", "--session"),
        "every attempt begins afresh; write `continuity` into the config",
    ),
}
_OURS: Final = frozenset(
    {
        *("--permission-mode", "--permission-prompts", "--allow-dangerously-skip-permissions"),
        *("--dangerously-bypass-approvals-and-sandbox", "--sandbox", "-s", "-a"),
        *("--ask-for-approval", "--setting-sources", "--settings", "--strict-mcp-config"),
        *("--no-session-persistence", "--ephemeral", "--ignore-user-config", "--ignore-rules"),
        *("--input-format", "--output-schema", "--output-last-message", "--cd", "-C"),
        *(
            "--prompt",
            "-i",
            "--prompt-interactive",
            "--auth-type",
            "--profile",
            "--include-partial",
        ),
    }
)
"""By these supervisor keeps a CLI to its task and understands what it prints."""


def no_clis() -> frozenset[str]:
    """Name the adapters that start no CLI of a vendor's."""
    return _NO_CLIS | own_adapters().keys()


def role_flags(words: list[str]) -> list[str]:
    """Accept flags that are passed on, and those that hold anyway."""
    for flag, values in _grouped(words):
        _check(flag, values)
    return words


def passed_on(words: Sequence[str]) -> tuple[str, ...]:
    """Return the flags that a CLI has to be told, as nothing else says them."""
    return tuple(
        word
        for flag, values in _grouped(words)
        if flag.partition("=")[0] not in _IN_EFFECT
        for word in (flag, *values)
    )


def _grouped(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Take each flag together with the words that follow it."""
    group: list[str] = []
    for word in words:
        if word.startswith("-") and group:
            yield group[0], group[1:]
            group = []
        group.append(word)
    if group:
        yield group[0], group[1:]


def _check(flag: str, values: Sequence[str]) -> None:
    name, equals, value = flag.partition("=")
    if name in _IN_EFFECT:
        for said in (*([value] if equals else []), *values):
            if said not in _IN_EFFECT[name]:
                raise ValueError(f"{name} {said!r} contradicts how supervisor starts every CLI")
        return
    if name in _INSTEAD:
        raise ValueError(f"{flag!r} is not passed on; {_INSTEAD[name]}")
    if name in _OURS:
        raise ValueError(
            f"{flag!r} is not passed on: by it supervisor keeps the CLI to its task; "
            "configure an agent with `adapter: command` to start it your way"
        )
    if not name.startswith("-"):
        raise ValueError(f"{flag!r} is no flag; the task is the only thing that a CLI is told")
    if any("\0" in word for word in (flag, *values)):
        raise ValueError("contains a null character")
