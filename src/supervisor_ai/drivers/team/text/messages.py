"""What the supervisor says to members: six messages, whose words a team can change."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.redaction.redacted import MARK, Redacted
from supervisor_ai.domain.terminal import plain

LONGEST_TEMPLATE: Final = 500
MESSAGES_FILE: Final = "messages.txt"
"""In the folder of a team: its own words for messages, read each time that one is sent."""
_MOST_PROBLEMS: Final = 20
_LONGEST_VALUE: Final = 80
SECRET_MARK: Final = "[REDACTED_SECRET]"  # noqa: S105 - what stands in the place of one
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")


class MessageKind(StrEnum):
    """The messages that there are."""

    GENTLE_PING = "gentle_ping"
    PROGRESS_NUDGE = "progress_nudge"
    BLOCKER_ASSIST = "blocker_assist"
    REVIEW_REMINDER = "review_reminder"
    REVIEW_NUDGE = "review_nudge"
    RECOVERY_CONFIRMATION = "recovery_confirmation"


DEFAULTS: Final[Mapping[MessageKind, str]] = {
    MessageKind.GENTLE_PING: (
        "Quick ping on task #{id}: if still in progress, send 1-line status + ETA."
    ),
    MessageKind.PROGRESS_NUDGE: (
        "I see a pause on task #{id}. What's the smallest next step you can close in 15-20 minutes?"
    ),
    MessageKind.BLOCKER_ASSIST: (
        "For task #{id}, what unblocks you fastest: missing context, Tech Lead decision, "
        "or task split?"
    ),
    MessageKind.REVIEW_REMINDER: (
        "Reminder: review pending for task #{id}. If delayed, share ETA; otherwise I'll propose "
        "backup reviewer routing."
    ),
    MessageKind.REVIEW_NUDGE: (
        "The review of task #{id} is still open. Say what you have found so far, or who could "
        "review it instead; the Lead hears of it next."
    ),
    MessageKind.RECOVERY_CONFIRMATION: (
        "Thanks, task #{id} is moving again. I updated state and cleared idle alert."
    ),
}
"""The words of seed 002, and other words for the second time that a review is asked for."""


class MessageValues(Struct, frozen=True, kw_only=True):
    """What placeholders stand for; there are no others."""

    id: str
    member: str = ""
    elapsed: str = ""
    team: str = ""


PLACEHOLDERS: Final = MessageValues.__struct_fields__


class MessageTemplates(Struct, frozen=True, kw_only=True):
    """The messages of one team: its own words where it has some."""

    own: Mapping[MessageKind, str] = field(default_factory=dict)

    def render(self, kind: MessageKind, values: MessageValues) -> str:
        """Fill the placeholders of a message; a value stays on its line."""
        text = self.own.get(kind, DEFAULTS[kind])
        return _PLACEHOLDER.sub(lambda match: _shown(getattr(values, match[1])), text)


def templates_of(own: Mapping[str, str]) -> MessageTemplates:
    """Take a team's own words; every mistake is told at once."""
    problems = [it for name, text in own.items() for it in _problems(name, text)]
    if problems:
        raise InvalidInput(
            " ".join(problems),
            hint=f"Messages: {', '.join(MessageKind)}. Placeholders: {_named(PLACEHOLDERS)}.",
        )
    return MessageTemplates(own={MessageKind(name): text for name, text in own.items()})


class ReadMessages(Struct, frozen=True, kw_only=True):
    """What a file of messages says: words that count, and every mistake with its line."""

    own: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def read_messages(text: str) -> ReadMessages:
    """Read `NAME = TEXT` on each line; a line with a mistake changes nothing, and is told."""
    own: dict[str, str] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, mark, words = (it.strip() for it in line.partition("="))
        found = _problems(name, words) if mark else [f"{line[:80]!r} is no NAME = TEXT."]
        if not found and name in own:
            found = [f"The message {name!r} stands there twice."]
        problems += [f"{MESSAGES_FILE}:{number}: {it}" for it in found]
        if not found:
            own[name] = words
    return ReadMessages(own=own, problems=tuple(problems[:_MOST_PROBLEMS]))


def _problems(name: str, text: str) -> list[str]:
    found = [] if name in set(MessageKind) else [f"There is no message {name[:80]!r}."]
    if not text.strip() or len(text) > LONGEST_TEMPLATE or not text.isprintable():
        found.append(
            f"The message {name[:80]!r} is not one line of 1 to {LONGEST_TEMPLATE} characters."
        )
    unknown = [it for it in _PLACEHOLDER.findall(text) if it not in PLACEHOLDERS]
    if unknown:
        found.append(f"The message {name[:80]!r} has unknown placeholders: {_named(unknown)}.")
    if any(brace in _PLACEHOLDER.sub("", text) for brace in "{}"):
        found.append(f"The message {name[:80]!r} has a brace that belongs to no placeholder.")
    return found


def _named(names: "tuple[str, ...] | list[str]") -> str:
    return ", ".join(f"{{{it[:40]}}}" for it in names)


def _shown(value: str) -> str:
    return " ".join(plain(value).split())[:_LONGEST_VALUE]


def without_secrets(redact: Callable[[str], Redacted], text: str) -> str:
    """Take the secrets out of a text, in the words of teams."""
    return MARK.sub(SECRET_MARK, redact(text).text)
