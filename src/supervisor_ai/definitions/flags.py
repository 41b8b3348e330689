"""Flags of CLIs that role files name; the adapters set their own, so none is passed on."""

from typing import Final

_SET_BY_ADAPTERS: Final = frozenset(
    {
        *("-p", "--print", "--output-format", "--verbose", "--dangerously-skip-permissions"),
        *("exec", "run", "--json", "--full-auto", "--skip-git-repo-check"),
        *("-o", "-y", "--yolo", "--approval-mode", "--format", "--auto"),
        *("json", "stream-json", "text"),
    }
)
_INSTEAD: Final = {
    "--model": "name the model after a colon: `cli: claude:opus`",
    "-m": "name the model after a colon: `cli: claude:opus`",
    "--max-turns": "write `max_turns`",
    "--allowedTools": "write `allowed_tools`",
    "--allowed-tools": "write `allowed_tools`",
    "--mcp-config": "write `mcp_servers`",
    "--append-system-prompt": "write `system_prompt_additions`",
}


def known_flag(value: str) -> str:
    """Accept a flag that changes nothing, because supervisor starts the CLI with it anyway."""
    flag = value.partition("=")[0]
    if flag in _SET_BY_ADAPTERS:
        return value
    instead = _INSTEAD.get(flag)
    if instead is not None:
        raise ValueError(f"{value!r} is not passed on; {instead}")
    raise ValueError(
        f"{value!r} is not passed on: supervisor starts every CLI with flags of its own; "
        "configure an agent with `adapter: command` to start it your way"
    )
