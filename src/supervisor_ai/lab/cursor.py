"""Which turn of a script a request gets.

`sequence` plays the turns one after the other, whoever asks. `history` counts the answers that the
request already carries, so that no client moves another one's place; what goes wrong on the way to
an answer is counted for each conversation by itself. Only a limit that ends by the clock is one for
all, as it is for an account.
"""

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from supervisor_ai.lab.dialect import LabQuestion
from supervisor_ai.lab.shapes import DialectName, Scenario, Script, Turn

_MAX_COUNTED: Final = 10_000
_OK: Final = Turn(text="ok")
_NOBODY: Final = Turn(status=500, body={"error": {"message": "No scenario of the script matches."}})

Clock = Callable[[], float]


class Cue(Struct, frozen=True, kw_only=True):
    """A turn, where it stands in the script, and how long its limit still lasts."""

    turn: Turn
    place: str
    remaining: float | None = None


@dataclass(slots=True)
class _Use:
    """How often a turn was played, and since when."""

    since: float
    count: int = 0

    def has_spent(self, turn: Turn, now: float) -> bool:
        if turn.times == -1 or not self.count:
            return False
        if turn.ends_by_clock:
            return now >= self.since + (turn.reset or 0)
        return self.count >= (turn.times or 1)


class Cursor:
    """Keeps the place of every conversation; safe for many threads."""

    def __init__(self, script: Script, clock: Clock = time.monotonic) -> None:
        self._script = script
        self.key_header = script.key_header
        self._clock = clock
        self._lock = threading.Lock()
        self._uses: dict[tuple[str, int, int], _Use] = {}
        self._forms = [re.compile(it.match or "", re.DOTALL) for it in script.scenarios]

    def rewound(self) -> "Cursor":
        """Return a cursor at the beginning of the same script."""
        return Cursor(self._script, self._clock)

    def next(self, question: LabQuestion, dialect: DialectName, raw: str) -> Cue:
        """Return what comes next in the conversation that a request belongs to."""
        if self._script.side_calls and not question.has_tools:
            return Cue(turn=self._side(question), place="side")
        for number, scenario in enumerate(self._script.scenarios):
            if scenario.dialect in (None, dialect) and self._forms[number].search(raw):
                return self._turn(number, scenario, question)
        return Cue(turn=_NOBODY, place="none")

    def _side(self, question: LabQuestion) -> Turn:
        if self._script.side is not None:
            return self._script.side
        return Turn(text=json.dumps(_instance(question.schema))) if question.schema else _OK

    def _turn(self, number: int, scenario: Scenario, question: LabQuestion) -> Cue:
        if (scenario.cursor or self._script.cursor) == "sequence":
            return self._first_unspent(number, "", scenario.turns, range(len(scenario.turns)))
        groups = _groups(scenario.turns)
        group = groups[min(question.answered, len(groups) - 1)]
        return self._first_unspent(number, _digest(question.opening), scenario.turns, group)

    def _first_unspent(
        self, number: int, conversation: str, turns: Sequence[Turn], indices: Sequence[int]
    ) -> Cue:
        now = self._clock()
        with self._lock:
            for index in indices:
                turn = turns[index]
                key = ("" if turn.ends_by_clock else conversation, number, index)
                use = self._uses.setdefault(key, _Use(since=now))
                is_over = use.has_spent(turn, now)
                if is_over and index == indices[-1]:
                    use = self._uses[key] = _Use(since=now)
                    is_over = False
                if not is_over:
                    use.since = use.since if use.count else now
                    use.count += 1
                    self._forget()
                    return _cue(turn, f"scenarios[{number}].turns[{index}]", use, now)
        raise IndexError(f"scenarios[{number}] has no turns.")

    def _forget(self) -> None:
        """Drop the oldest conversations, so that a long rehearsal stays small."""
        while len(self._uses) > _MAX_COUNTED:
            del self._uses[next(iter(self._uses))]


def _cue(turn: Turn, place: str, use: _Use, now: float) -> Cue:
    left = None if turn.reset is None else max(0.0, use.since + turn.reset - now)
    return Cue(turn=turn, place=place, remaining=left)


def _groups(turns: Sequence[Turn]) -> list[list[int]]:
    """Put together an answer and what goes wrong before it."""
    groups: list[list[int]] = [[]]
    for index, turn in enumerate(turns):
        groups[-1].append(index)
        if not turn.is_trouble:
            groups.append([])
    return [group for group in groups if group]


def _digest(opening: object) -> str:
    return hashlib.sha256(json.dumps(opening, sort_keys=True).encode()).hexdigest()


def _instance(schema: object) -> object:
    """Make the smallest value that a JSON Schema describes, for titles and routing."""
    if not isinstance(schema, dict):
        return "ok"
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    inner = schema.get("properties")
    if str(kind).lower() == "object":
        return {key: _instance(it) for key, it in inner.items()} if isinstance(inner, dict) else {}
    plain = {"array": [], "integer": 1, "number": 1, "boolean": False}
    return plain.get(str(kind).lower(), "ok")
