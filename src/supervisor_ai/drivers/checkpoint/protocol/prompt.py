"""The prompt with which a coordinator starts a supervisor: its fields, one on a line.

`name: value` gives a field. Lines without the name of a field are headings and words between them,
except after `requirement`, which goes on up to the next field or heading.
"""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.checkpoint.protocol.words import SUPERVISOR
from supervisor_ai.tools.text import excerpt

LONGEST_PROMPT: Final = 256 * 1024
_REQUIRED: Final = ("role", "role_spec", "session", "session_id", "team_name", "requirement")
_RECOVERY: Final = {"true": True, "false": False}
_FIELD: Final = re.compile(rf"({'|'.join((*_REQUIRED, 'recovery'))}):[ \t]*(.*)")


class SupervisorPrompt(Struct, frozen=True, kw_only=True):
    """What a supervisor is started with."""

    role_spec: str
    session: str
    session_id: str
    team_name: str
    requirement: str
    recovery: bool = False


class PromptProblems(Struct, frozen=True, kw_only=True):
    """Everything that is wrong with a prompt."""

    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Say all of it on one line."""
        named = ", ".join(map(repr, self.missing))
        lacking = (f"The prompt has no {named}.",) if self.missing else ()
        return " ".join((*lacking, *self.wrong))


def read_prompt(text: str) -> SupervisorPrompt | PromptProblems:
    """Read the fields of a prompt; one that is missing or contradicts itself is an error."""
    if len(text) > LONGEST_PROMPT:
        found = f"found {len(text)} characters"
        asked = f"Asked for a prompt of at most {LONGEST_PROMPT} characters"
        return PromptProblems(wrong=(f"{asked}; {found}.",))
    wrong: list[str] = []
    values = _values(text, wrong)
    missing = tuple(name for name in _REQUIRED if not values.get(name))
    recovery = _RECOVERY.get(values.get("recovery", "false"))
    if recovery is None:
        wrong.append(_mismatch("true or false as 'recovery'", values["recovery"]))
    if values.get("role", SUPERVISOR) not in {SUPERVISOR, ""}:
        wrong.append(_mismatch(f"{SUPERVISOR!r} as 'role'", values["role"]))
    if missing or wrong:
        return PromptProblems(missing=missing, wrong=tuple(wrong))
    return SupervisorPrompt(
        role_spec=values["role_spec"],
        session=values["session"],
        session_id=values["session_id"],
        team_name=values["team_name"],
        requirement=values["requirement"],
        recovery=bool(recovery),
    )


def _mismatch(asked: str, found: str) -> str:
    return f"Asked for {asked}; found {excerpt(found)}."


def _values(text: str, wrong: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        match = _FIELD.fullmatch(line.rstrip())
        if match is not None:
            if match[1] in found:
                wrong.append(f"The prompt gives {match[1]!r} twice.")
            current = found.setdefault(match[1], [match[2].strip()])
        elif line.startswith("#"):
            current = []
        elif current is found.get("requirement"):
            current.append(line.rstrip())
    return {name: "\n".join(lines).strip() for name, lines in found.items()}
