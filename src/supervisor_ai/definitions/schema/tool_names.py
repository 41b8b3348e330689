"""The tools that a role may be allowed, by names that hold for every CLI."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator

from supervisor_ai.definitions.sources.mistakes import suggestion

TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "read_file": ("Read", "Glob", "Grep"),
    "edit_file": ("Edit",),
    "write_file": ("Write",),
    "run_command": ("Bash",),
    "web_fetch": ("WebFetch",),
    "web_search": ("WebSearch",),
}
"""Every tool, with the names that agents in markdown have for it."""
_ALSO: Final = {"LS": "read_file", "MultiEdit": "edit_file", "NotebookEdit": "edit_file"}
OURS: Final = {theirs: ours for ours, names in TOOLS.items() for theirs in names} | _ALSO


_CUSTOM: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|mcp__\w+")
"""How a tool of one's own is called: in words joined by underscores."""


def known_tool(value: str) -> str:
    """Accept a tool that agents have, or one of the project's own that is no slip of the pen."""
    is_custom = _CUSTOM.fullmatch(value) and suggestion(value, TOOLS) is None
    if value in TOOLS or is_custom:
        return value
    if value in OURS:
        raise ValueError(f"{value!r} is the name of one CLI; write {OURS[value]!r}")
    meant = suggestion(value, TOOLS)
    hint = f"; did you mean {meant!r}?" if meant else ""
    known = f"known: {', '.join(TOOLS)}; a tool of your own is called like `run_backtest`"
    raise ValueError(f"unknown tool {value!r}{hint} ({known})")


ToolName = Annotated[str, AfterValidator(known_tool)]
