"""The live board of a run: its picture in words, and the last lines of output."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from supervisor_ai.control.sentences import mark_of
from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, stream_run
from supervisor_ai.domain.picture import GatePicture, Picture, StepPicture
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import StepLabel
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.terminal import plain

_TAIL: Final = 15
_LAST: Final = 8
_LINE: Final = 500
_TOLD: Final = 20_000


def _nothing(artifact: ArtifactHash) -> str:
    del artifact
    return ""


@dataclass(slots=True, kw_only=True)
class Board:
    """The picture of one run with a word for each step, and the last lines that were printed."""

    run: RunId
    title: str
    started: datetime
    picture: Picture = field(default_factory=Picture)
    words: dict[StepName, str] = field(default_factory=dict)
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL))
    is_mixed: bool = False
    """Whether the last lines may come from several gates that ran side by side."""
    read: Callable[[ArtifactHash], str] = _nothing
    """Returns a text that was kept, or nothing."""
    labels: Mapping[StepName, StepLabel] = field(default_factory=dict)
    """How steps are shown that are not called by their names."""
    _expected: tuple[StepName, ...] = ()
    _open_line: str = ""
    _voices: dict[StepName, dict[str, str]] = field(default_factory=dict)
    """How the roles of the present visit stand."""

    @property
    def steps(self) -> tuple[StepPicture, ...]:
        """Return the steps that are expected or were entered, with those to come as pending."""
        names = dict.fromkeys((*self._expected, *self.picture.steps))
        return tuple(self.picture.steps.get(it) or StepPicture(step=it) for it in names)

    def expect(self, *steps: StepName) -> None:
        """Show steps before the run comes to them."""
        self._expected = steps

    def see(self, envelope: Envelope) -> None:
        """Take in an event of the run."""
        if stream_run(envelope.stream) != self.run:
            return
        event = envelope.event
        if isinstance(event, e.AttemptStarted | e.GateStarted):
            self.tail.clear()
            self._open_line = ""
        if isinstance(event, e.GateStarted):
            self.is_mixed = bool(self.picture.gates_under_way)
        self.picture.see(event, envelope.recorded_at)
        if isinstance(event, e.PlacedEvent):
            word = self._word(event)
            self.words[event.step] = self.words.get(event.step, "") if word is None else word

    def hear(self, text: str) -> list[str]:
        """Take in output; return the lines that it completes."""
        *lines, self._open_line = (self._open_line + text).split("\n")
        self._open_line = self._open_line[-_LINE:]
        self.tail.extend(line[:_LINE] for line in lines if line.strip())
        return lines

    def _word(self, event: e.PlacedEvent) -> str | None:
        match event:
            case e.StepEntered(step=step):
                self._voices[step] = {}
                return ""
            case e.AttemptStarted(role=role):
                return self._voice(event, role, "works")
            case e.AttemptSucceeded(role=role, said=said):
                return self._voice(event, role, said)
            case e.AttemptFailed(role=role, category=category):
                return self._voice(event, role, category.value)
            case e.GateEnded(step=step, visit=visit):
                return _verdicts(self.picture.gates(step, visit))
            case _:
                return mark_of(event)

    def _voice(self, event: e.PlacedEvent, role: str, word: str) -> str:
        """Show how a role stands; where there are several side by side, each is named."""
        voices = self._voices.setdefault(event.step, {})
        if role:
            voices[role] = word
        named = ", ".join(f"{name} {said}" for name, said in voices.items())
        return named if role and len(voices) > 1 else word


def _verdicts(gates: Sequence[GatePicture]) -> str:
    """Name the gates that did not pass; where there is one alone, its verdict is enough."""
    said = {it.gate: it.verdict for it in gates if it.verdict is not None}
    if len(said) == 1:
        return next(iter(said.values())).value
    others = [f"{gate} {it.value}" for gate, it in said.items() if it is not Verdict.PASSED]
    return ", ".join(others) or f"{len(said)} gates passed"


def excerpt(board: Board, event: Event) -> list[str]:
    """Return what a gate or a worker that failed printed at last: the real failure is wanted.

    Where a gate's lines may be another gate's, it is what a worker is told; where there is more to
    read, it is said where.
    """
    if isinstance(event, e.AttemptFailed):
        return [f"  {event.step} │ {line}" for line in list(board.tail)[-_LAST:]]
    if not isinstance(event, e.GateEnded) or event.verdict is Verdict.PASSED:
        return []
    is_failed = event.verdict is Verdict.FAILED
    is_known = event.is_reused or board.is_mixed
    own = [] if is_known else list(board.tail)
    said = (own or _told(board, event)) if is_failed else []
    lines = [f"  {event.gate} │ {line}" for line in said]
    if event.findings or (is_known and is_failed):
        lines.append(f"  {event.gate} │ supervisor logs {board.run} --gate {event.gate}")
    return lines


def _told(board: Board, event: e.GateEnded) -> list[str]:
    """Return what a worker is told about a failure, without the reason that is shown anyway."""
    if event.feedback is None:
        return []
    text = plain(board.read(event.feedback).removeprefix(event.reason)[:_TOLD])
    lines = [line[:_LINE].rstrip() for line in text.splitlines() if line.strip()]
    if len(lines) <= _TAIL:
        is_heading = len(lines) == 1 and lines[0].endswith(":")
        return [] if is_heading else lines
    end = _TAIL // 2
    return [*lines[: _TAIL - end], "…", *lines[-end:]]
