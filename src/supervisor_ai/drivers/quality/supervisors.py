"""When each supervisor looks: its own counter, its own moments, and rest where little is new."""

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.quality.urgency import is_pulled_forward

STORE: Final = "docs/knowledge"
"""The folder of the knowledge store, in the project."""
ESTIMATE: Final = (Decimal("0.02"), Decimal("0.04"))
"""What a look is expected to cost: about 5,000 tokens in and 1,000 out, of a strong model."""
MOST_DOUBLINGS: Final = 4
_FEW: Final = 4
"""A look that brings less than one new thing among so many converges."""


class LookMoment(StrEnum):
    """What may call a supervisor besides its counter."""

    MILESTONE = "milestone"
    RESCOPE = "rescope"
    ABORT = "abort"


class SupervisorSpec(Struct, frozen=True, kw_only=True):
    """A quality supervisor, as definitions describe it."""

    name: str
    title: str
    """How people are told of it: `Code Style Supervisor`."""
    role: str
    every: int | None = None
    """After how many completed tasks it looks; None: only at its moments."""
    moments: tuple[LookMoment, ...] = ()
    owns: tuple[str, ...] = ()
    """The folders of the knowledge store that it alone writes."""
    lacks: str = ""
    """Why nobody can look for it in this run; nothing: somebody can."""


class WantedLook(Struct, frozen=True, kw_only=True):
    """A run of supervisors alone, beside a run whose commits they look at."""

    cli: str | None = None
    moments: tuple[LookMoment, ...] = ()
    """What has come to pass."""


class SupervisorRecord(Struct, frozen=True, kw_only=True):
    """Where one supervisor stands."""

    since: int = 0
    """How many tasks were completed since it looked last."""
    moments: frozenset[LookMoment] = frozenset()
    """Those of its moments that came since."""
    doublings: int = 0
    """How often its interval was doubled because little was new."""
    runs: int = 0


class RunOutcome(StrEnum):
    """What became of a supervisor's look."""

    REVIEWED = "reviewed"
    BOOTSTRAPPED = "bootstrapped"
    """There was nothing to compare with, and it laid the ground."""
    DISCARDED = "discarded"
    """Its answer had not the required form."""
    UNAVAILABLE = "unavailable"


LOOKED: Final = frozenset({RunOutcome.REVIEWED, RunOutcome.BOOTSTRAPPED})


_Change = Callable[[SupervisorSpec, SupervisorRecord], SupervisorRecord]


class Roster(Struct, frozen=True, kw_only=True):
    """All supervisors of a run, and where each stands."""

    specs: tuple[SupervisorSpec, ...] = ()
    records: dict[str, SupervisorRecord] = field(default_factory=dict)

    def record(self, name: str) -> SupervisorRecord:
        """Return where a supervisor stands."""
        return self.records.get(name, SupervisorRecord())

    def counted(self) -> "Roster":
        """Count one more completed task for everybody."""
        return self._each(lambda _, it: replace(it, since=it.since + 1))

    def called(self, moment: LookMoment, *, after: int = 0) -> "Roster":
        """Let a moment call those who want to hear of it, and missed so many tasks at least."""

        def change(spec: SupervisorSpec, it: SupervisorRecord) -> SupervisorRecord:
            is_called = moment in spec.moments and it.since >= after
            return replace(it, moments=it.moments | {moment}) if is_called else it

        return self._each(change)

    def looked(self, name: str, outcome: RunOutcome, *, novel: int, total: int) -> "Roster":
        """Begin to count anew for one supervisor; one that finds little new looks less often."""
        before = self.record(name)
        after = replace(before, since=0, moments=frozenset())
        if outcome in LOOKED:
            doublings = _doublings(before, novel=novel, total=total)
            after = replace(after, doublings=doublings, runs=before.runs + 1)
        return replace(self, records={**self.records, name: after})

    def due(self, urgency: int) -> tuple[SupervisorSpec, ...]:
        """Name those whose turn it is, in their order."""
        pulled = is_pulled_forward(urgency)
        able = (it for it in self.specs if not it.lacks)
        return tuple(it for it in able if pulled or is_due(it, self.record(it.name)))

    def _each(self, change: _Change) -> "Roster":
        changed = {it.name: change(it, self.record(it.name)) for it in self.specs}
        return replace(self, records=changed)


def interval(spec: SupervisorSpec, record: SupervisorRecord) -> int | None:
    """Say after how many tasks a supervisor looks, now that some looks brought little."""
    return None if spec.every is None else spec.every * 2**record.doublings


def is_due(spec: SupervisorSpec, record: SupervisorRecord) -> bool:
    """Tell whether a supervisor looks now, by its counter or because of a moment."""
    every = interval(spec, record)
    return bool(record.moments) or (every is not None and record.since >= every)


def _doublings(before: SupervisorRecord, *, novel: int, total: int) -> int:
    if not is_converging(before.runs, novel=novel, total=total):
        return 0
    return min(before.doublings + 1, MOST_DOUBLINGS)


def is_converging(runs: int, *, novel: int, total: int) -> bool:
    """Tell whether a look brought hardly anything that the one before it had not."""
    return runs > 0 and novel * _FEW <= total
