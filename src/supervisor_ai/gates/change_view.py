"""The view of a change that a gate gets which looks at it and runs nothing."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.engine.ports.gates import ChangeCase


class ChangeView(Struct, frozen=True, kw_only=True):
    """What a gate is shown of a change; all of it is hostile."""

    case: ChangeCase
    commits: Commits
    has_commit: Callable[[str], bool]
    run_files: Mapping[str, str] = {}
    """Paths that something of the user's runs besides those of our table, and what runs them."""
