"""Which roles find their own earlier answers when they try a step again, and how often."""

from collections.abc import Mapping

from msgspec import Struct

from supervisor_ai.definitions.config.merged import MergedConfig
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.schema.roles import MOST_CONTINUATIONS
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown


class Continuity(Struct, frozen=True, kw_only=True):
    """Who may go on where it stopped; everybody else begins afresh."""

    is_allowed: bool = True
    turns: int = MOST_CONTINUATIONS
    roles: tuple[tuple[str, FilePlace], ...] = ()

    def turns_of(self, role: str) -> int:
        """Return how often a role may go on."""
        named = any(name == role for name, _ in self.roles)
        return self.turns if self.is_allowed and named else 0


def read_continuity(config: MergedConfig) -> Continuity:
    """Make the value of what the files say together."""
    shape = config.shape.continuity
    named = config.choices("continuity", "continuation_roles")
    return Continuity(
        is_allowed=shape.allow_continuation is not False,
        turns=shape.max_continuation_turns or MOST_CONTINUATIONS,
        roles=tuple((it.name, it.place) for it in named),
    )


def check_continuity(
    continuity: Continuity, roles: Mapping[str, RoleShape], mistakes: FileMistakes
) -> None:
    """Note roles that nobody knows, and those that are asked the same again and again."""
    for name, place in continuity.roles:
        own = roles[name].of_slice if name in roles else None
        if name not in roles:
            mistakes.add(place, unknown("role", name, sorted(roles)))
        elif own is not None and own.begin_afresh:
            problem = f"works on {own.works_on}, where every try begins afresh"
            mistakes.add(place, f"the role {name!r} {problem}")
