"""Ids of goals, requirements and the like, which people write in many ways."""

import re
from collections.abc import Iterator
from typing import Final

_FAMILIES: Final = {
    **dict.fromkeys(("G", "GOAL", "OBJ", "OBJECTIVE"), "G"),
    **dict.fromkeys(("R", "REQ", "REQUIREMENT"), "REQ"),
    **dict.fromkeys(("US", "STORY"), "US"),
    **dict.fromkeys(("D", "DEC", "DECISION"), "DEC"),
    **dict.fromkeys(("T", "TASK"), "TASK"),
    **dict.fromkeys(("C", "COMP", "COMPONENT"), "COMP"),
    **dict.fromkeys(("M", "MOD", "MODULE"), "MOD"),
}
GOALS: Final = frozenset({"G"})
REQUIREMENTS: Final = frozenset({"REQ", "FR", "NFR"})
STORIES: Final = frozenset({"US", "EPIC"})
COMPONENTS: Final = frozenset({"COMP"})
MODULES: Final = frozenset({"MOD"})
DECISIONS: Final = frozenset({"DEC", "ADR"})
TASKS: Final = frozenset({"TASK", "IMPL"})
KNOWN: Final = GOALS | REQUIREMENTS | STORIES | COMPONENTS | MODULES | DECISIONS | TASKS
_NUMBER: Final = r"[0-9]{1,6}(?:\.[0-9]{1,4}){0,3}"
_SPELLED: Final = "goal|objective|requirement|story|decision|task|component|module"
_ID: Final = re.compile(
    rf"(?<![A-Za-z0-9_-])(?:([A-Z]{{1,12}})-?|({_SPELLED}) )({_NUMBER})(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_SET_OFF: Final = re.compile(r"[:)]| [-\u2013\u2014] ")
_MOST: Final = 64


def family(id_: str) -> str:
    """Say what an id is the id of."""
    return id_.rpartition("-")[0]


def find_ids(text: str) -> Iterator[str]:
    """Find the ids that a line names, each in its one spelling: `Goal 1` and `G-001` are `G-1`.

    Letters and a number are an id where the letters are capitals, or spell out what it is.
    """
    for count, match in enumerate(_ID.finditer(text)):
        if count >= _MOST:
            return
        if found := _canonical(match):
            yield found


def leading_id(text: str) -> tuple[str, str]:
    """Take the id off that a text begins with; nothing where there is none."""
    match = _ID.match(text)
    found = _canonical(match) if match else None
    rest = text[match.end() :] if match else ""
    if found is None or (rest and rest[0] not in " :.)|]\u2013\u2014-"):
        return "", text
    return found, rest.lstrip(" :.)|]\u2013\u2014-")


def is_labelled(text: str) -> bool:
    """Tell whether a text begins with an id that is set off from what it says."""
    id_, _ = leading_id(text)
    match = _ID.match(text)
    return bool(id_) and match is not None and _SET_OFF.match(text, match.end()) is not None


def _canonical(match: re.Match[str]) -> str | None:
    word = match[1] or match[2]
    if match[1] is not None and not match[1].isupper():
        return None
    name = _FAMILIES.get(word.upper(), word.upper())
    return f"{name}-{'.'.join(str(int(part)) for part in match[3].split('.'))}"
