"""The loop detector: a step that comes to the same files again and again gets nowhere."""

from collections import Counter
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import TreeSha
from supervisor_ai.domain.run.failures.degradation import Level

_REMEMBERED: Final = 64
_LONGEST_CYCLE: Final = 4


class LoopPolicy(Struct, frozen=True, kw_only=True):
    """When a step is going round in circles."""

    repeats: int = 3
    """So often the same files after the same words."""
    patience: int = 5
    """So often the same files, whatever the words: agents rarely say a thing twice the same way."""
    rounds: int = 2
    """So often the same round of different files, one after the other: A, B, A, B."""
    review_rounds: int = 3
    """In so many rounds of a review the same finding."""
    churn_rounds: int = 4
    """So many rounds of a review after which there are not fewer findings."""


class Trace(Struct, frozen=True, kw_only=True):
    """What a completed attempt left behind: its files, and the words that it was given or gave."""

    tree: TreeSha
    words: str = ""
    level: Level = Level.PRIMARY
    """How much was asked for: for less of the task the same files are no repetition."""


class LoopKind(StrEnum):
    """How a step goes round in circles."""

    REPETITION = "repetition"
    OSCILLATION = "oscillation"


class Loop(Struct, frozen=True, kw_only=True):
    """What was seen again and again."""

    kind: LoopKind
    trees: tuple[TreeSha, ...]
    times: int

    @property
    def reason(self) -> str:
        """Say it in a sentence."""
        shown = ", ".join(repr(tree[:12]) for tree in self.trees)
        if self.kind is LoopKind.REPETITION:
            return f"Attempts led to the same files {self.times} times (tree {shown})."
        return f"Attempts go round between the same files (trees {shown}), {self.times} times."


class Trail(Struct, frozen=True, kw_only=True):
    """The traces of one step over all its visits; older ones are forgotten."""

    traces: tuple[Trace, ...] = ()

    def record(self, trace: Trace) -> "Trail":
        """Add what a completed attempt of a role that may change files left behind."""
        return Trail(traces=(*self.traces, trace)[-_REMEMBERED:])


def find_loop(trail: Trail, policy: LoopPolicy | None = None) -> Loop | None:
    """Tell whether the newest attempt closes a loop."""
    policy = policy or LoopPolicy()
    if not trail.traces:
        return None
    level = trail.traces[-1].level
    trail = Trail(traces=tuple(it for it in trail.traces if it.level is level))
    return _repetition(trail, policy) or _oscillation(trail, policy)


def _repetition(trail: Trail, policy: LoopPolicy) -> Loop | None:
    newest = trail.traces[-1]
    same = Counter(trail.traces)[newest]
    alike = Counter(trace.tree for trace in trail.traces)[newest.tree]
    if same < policy.repeats and alike < policy.patience:
        return None
    return Loop(kind=LoopKind.REPETITION, trees=(newest.tree,), times=alike)


def _oscillation(trail: Trail, policy: LoopPolicy) -> Loop | None:
    trees = tuple(trace.tree for trace in trail.traces)
    for length in range(2, _LONGEST_CYCLE + 1):
        cycle = trees[-length:]
        is_round = trees[-length * policy.rounds :] == cycle * policy.rounds
        if is_round and len(set(cycle)) > 1:
            return Loop(kind=LoopKind.OSCILLATION, trees=cycle, times=policy.rounds)
    return None
