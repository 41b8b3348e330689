"""What holds in a session that was watched over, whatever happened."""

from collections.abc import Iterator

from tests.simulation.sessions.watched import Remains

from supervisor_ai.control.sessions.bus import Message
from supervisor_ai.domain.run.status import ENDED

_DECISIONS = ("overridden", "not overridden")
_ALERT_FROM = 3


def broken_session_rules(remains: Remains) -> list[str]:
    """Name the rules that do not hold."""
    return [
        *_answered_once(remains),
        *_reported_once(remains),
        *_remembered(remains),
        *_stayed(remains),
        *_alerted(remains),
    ]


def _first_line(message: Message) -> str:
    return str((message.data or {}).get("content", "")).partition("\n")[0]


def _is_decision(message: Message) -> bool:
    words = _first_line(message).split(maxsplit=2)[2:]
    return any(word.startswith(_DECISIONS) for word in words)


def _spoken(remains: Remains) -> list[Message]:
    return [it for it in remains.messages if it.sender == "supervisor"]


def _answered_once(remains: Remains) -> Iterator[str]:
    """Each message to the supervisor has one answer; what a person decides is told besides."""
    answers = [it for it in _spoken(remains) if not _is_decision(it)]
    for asked in remains.messages:
        if asked.to == "supervisor":
            found = [it.id for it in answers if (it.data or {}).get("in_reply_to") == asked.id]
            if len(found) != 1:
                yield f"{asked.id} has the answers {found}"


def _reported_once(remains: Remains) -> Iterator[str]:
    """Each report is told once, and nothing else is told as one."""
    told = [it for it in _spoken(remains) if _first_line(it).endswith(" complete.")]
    states = [it for it in _spoken(remains) if it.type == "state_update"]
    if not len(told) == len(states) == remains.reports:
        yield f"{remains.reports} reports, {len(told)} told, {len(states)} published"


def _remembered(remains: Remains) -> Iterator[str]:
    """What is put together again from reports and ledger is what was known."""
    if remains.rebuilt != remains.remembered:
        yield f"{remains.rebuilt} is known again instead of {remains.remembered}"


def _stayed(remains: Remains) -> Iterator[str]:
    """No supervisor ends unless it is asked to, or stopped by a person."""
    ended = sum(it in ENDED for it in remains.statuses)
    if ended != remains.farewells:
        yield f"{ended} supervisors ended, {remains.farewells} were to"


def _alerted(remains: Remains) -> Iterator[str]:
    """The first two errors of a supervisor are errors, each one after them is one alert."""
    number = 0
    for message in _spoken(remains):
        line = _first_line(message)
        if " ready." in line or " Recovered. " in line:
            number = 0
        if line.startswith(("[supervisor] Error: ", "[supervisor] Alert: ")):
            number += 1
            is_alert = line.startswith("[supervisor] Alert: ")
            if is_alert != (number >= _ALERT_FROM) or is_alert != (
                message.type == "consistency_alert"
            ):
                yield f"{message.id} is error {number}: {line}"
