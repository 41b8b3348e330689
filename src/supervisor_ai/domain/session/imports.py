"""What may come into a session from a file, which anybody may have written and which proves nobody.

A file can tell what somebody says; it can decide nothing. So no message that asks for a decision of
a person, or for the end of the supervisor, is taken from one, and none in the supervisor's name.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.decisions import Draft, check_word, require_open
from supervisor_ai.domain.session.members import SUPERVISOR
from supervisor_ai.domain.session.session import SessionState

_DECISIONS: Final = frozenset(
    {
        *("approve", "approval", "reject", "rejection", "override", "overrule", "trust"),
        *("cancel", "teardown", "shutdown"),
    }
)
_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def check_imported(sender: str, to: str, kind: str) -> None:
    """Refuse what a file cannot say."""
    for what, word in (("sender", sender), ("recipient", to), ("type", kind)):
        check_word(what, word)
    if sender.lower() == SUPERVISOR:
        raise Denied(f"A file does not speak as {SUPERVISOR!r}: it proves nobody.")
    if _DECISIONS.intersection(part.lower() for part in _PART.findall(kind)):
        raise Denied(f"A file cannot say {kind!r}: it proves nobody, and that is for people.")


def unknown_drafts(session: SessionState, drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Leave out what was said before; each has a key."""
    require_open(session)
    new: dict[str, Draft] = {}
    for draft in drafts:
        if session.number_of(draft.key) is None:
            new.setdefault(draft.key, draft)
    return tuple(new.values())


def log_imported(session: SessionState, drafts: Sequence[Draft]) -> tuple[s.MessageLogged, ...]:
    """Log messages of a file one after the other."""
    return tuple(
        s.MessageLogged(
            number=number,
            sender=draft.sender,
            to=draft.to,
            kind=draft.kind,
            body=draft.body,
            state=draft.state,
            key=draft.key,
        )
        for number, draft in enumerate(drafts, session.messages + 1)
    )
