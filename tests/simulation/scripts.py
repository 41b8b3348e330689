"""What workers, gates and people do, drawn from a seed and the place where they do it."""

from enum import StrEnum
from random import Random
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import TreeSha
from supervisor_ai.domain.run.answers import MEANINGS, AnswerWord
from supervisor_ai.domain.run.gates import Finding, GateKind, GateWord
from supervisor_ai.engine.ports.gates import Examination
from supervisor_ai.engine.ports.sandbox import SandboxEnd, SandboxResult

GOOD: Final = SandboxResult(end=SandboxEnd.EXITED, exit_code=0, reason="")
BAD: Final = SandboxResult(end=SandboxEnd.EXITED, exit_code=1, reason="")
_NOT_RUN: Final = tuple(
    SandboxResult(end=end, exit_code=None, reason=f"It was {end}.")
    for end in SandboxEnd
    if end is not SandboxEnd.EXITED
)


class Deed(Struct, frozen=True, kw_only=True):
    """What a command in a sandbox does: the files it writes, its words, its end."""

    seconds: float
    result: SandboxResult
    output: str = ""
    files: tuple[tuple[str, str], ...] = ()


class Word(StrEnum):
    """What a person says."""

    APPROVE = "approve"
    REJECT = "reject"


class Script:
    """The same place in the same world always has the same answer, however often it is asked."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def worker(self, kind: AnswerWord, *, step: str, visit: int, turn: int) -> Deed:
        """Say what the worker does in its n-th turn that is not lost."""
        chance = self._at("worker", step, visit, turn)
        name = f"{step}.txt"
        files = ((name, f"{visit}.{turn}"), ("shared.txt", f"{step}.{visit}.{turn}"))
        drawn = chance.random()
        result = GOOD if drawn < 0.9 else chance.choice((BAD, *_NOT_RUN))
        return Deed(
            seconds=duration(chance),
            result=result,
            output=self._answer(chance, kind),
            files=files[: chance.randrange(len(files) + 1)],
        )

    def gate(self, *, command: tuple[str, ...], files: str) -> Deed:
        """Say what the gate's command does; on the same files it always does the same."""
        chance = self._at("gate", command, files)
        drawn = chance.random()
        result = GOOD if drawn < 0.6 else BAD if drawn < 0.95 else chance.choice(_NOT_RUN)
        return Deed(seconds=duration(chance), result=result, output="A test ran.")

    def look(self, kind: GateWord, tree: TreeSha) -> Examination:
        """Say what a look at a change finds."""
        drawn = self._at("look", kind, tree).random()
        rule = "false_file_claim" if kind == GateKind.CLAIMS else "test_deleted"
        found = (Finding(rule=rule, message="Something."),) if drawn < 0.3 else ()
        return Examination(findings=found, summary="It was looked at.")

    def person(self, *, step: str, visit: int, times: int = 0) -> Word:
        """Say what a person answers; one who was asked the same before may have learnt."""
        place = (step, visit, times) if times else (step, visit)
        return Word.APPROVE if self._at("person", *place).random() < 0.8 else Word.REJECT

    def agent(self, *, step: str, visit: int, turn: int) -> Random:
        """Return the chance of an agent that works on a kanban."""
        return self._at("agent", step, visit, turn)

    def _answer(self, chance: Random, kind: AnswerWord) -> str:
        good, *others = MEANINGS[kind]
        drawn = chance.random()
        return good if drawn < 0.7 else chance.choice(("gibberish", *others))

    def _at(self, *place: object) -> Random:
        return Random(f"{self._seed}:{place}")  # noqa: S311 - a simulation, not a secret


def duration(chance: Random) -> float:
    """Draw how many seconds something takes."""
    return chance.choice((0.0, 0.2, 1.0, 5.0))
