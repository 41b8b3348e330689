"""Progress while a run is driven, on stderr: a live board on a terminal, else plain lines."""

import sys
from typing import Final, Protocol

from supervisor_ai.cli.invocation import Watcher
from supervisor_ai.cli.output import say
from supervisor_ai.control.dashboard.board import Board, excerpt
from supervisor_ai.control.registered_kinds import change_gates
from supervisor_ai.control.sentences import describe, is_routine
from supervisor_ai.domain.envelope import Envelope, Event
from supervisor_ai.domain.live_output import LiveOutput
from supervisor_ai.domain.run import events as e

_PLACE_WIDTH: Final = 18
"""Gates that run nothing, and say what they found as soon as they begin."""


class Progress(Watcher, Protocol):
    """What a person looks at while a run is driven."""

    def begin(self, board: Board) -> None:
        """Start to show a run."""
        ...

    def end(self) -> None:
        """Leave the terminal as it should stay."""
        ...


def make_progress(*, verbose: bool) -> Progress:
    """Choose what suits the terminal."""
    if sys.stderr.isatty():
        from supervisor_ai.cli.foreground.live_board import LiveProgress

        return LiveProgress(verbose=verbose)
    return PlainProgress(verbose=verbose)


class PlainProgress:
    """One line per fact that moves the run on."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._board: Board | None = None

    def begin(self, board: Board) -> None:
        """Start to show a run."""
        self._board = board

    def recorded(self, envelope: Envelope) -> None:
        """Show a fact."""
        if self._board is None:
            return
        self._board.see(envelope)
        if _is_remarkable(envelope.event):
            seconds = (envelope.recorded_at - self._board.started).total_seconds()
            where = _place(envelope.event)
            say(f"{seconds:7.1f} s  {where:<{_PLACE_WIDTH}}  {describe(envelope.event)}")
        if not self._verbose:
            for line in excerpt(self._board, envelope.event):
                say(f"           {line}")

    def output(self, output: LiveOutput) -> None:
        """Show the lines that a piece of output completes, if every line is wanted."""
        if self._board is None:
            return
        for line in self._board.hear(output.text):
            if self._verbose:
                say(f"             {output.step} │ {line}")

    def end(self) -> None:
        """Nothing is left to do."""


def _is_remarkable(event: Event) -> bool:
    if isinstance(event, e.StepEntered):
        return bool(event.feedback)
    if isinstance(event, e.TimerSet | e.TimerFired) and event.timer.startswith("look/"):
        return False  # It looks again and again; what it sees is told.
    if isinstance(event, e.GateStarted):
        return event.gate not in change_gates()
    return not is_routine(event)


def _place(event: Event) -> str:
    if not isinstance(event, e.PlacedEvent):
        return "run"
    return event.step if event.visit == 1 else f"{event.step} #{event.visit}"
