"""What a crowd costs: a thousand members of one team, each heard of once a second, on one ledger.

The clock is the bench's own, so that a minute of heartbeats takes no longer than deciding them.

Run: .venv/bin/python -m bench.teams [MEMBERS] [SECONDS] [DIRECTORY]
"""

import resource
import statistics
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import supervisor_ai.bootstrap.projects  # noqa: F401 - registers the drivers
from supervisor_ai.control.sessions.desk import NewSession, desk_of, open_session
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.send import EventForm, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import ownership, roster
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import SentWord
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.world import Fakes, fake_world

MEMBERS: Final = 1_000
SECONDS: Final = 60
GOAL: Final = 50
MESSAGES: Final = 10
"""Of so many members, one says each second that it got on, which is always written."""
TEAM: Final = "crowd"
USER: Final = Actor(kind=ActorKind.USER, id="bench", via="bench", verified=True)
_BATCH: Final = 200


class Costs(NamedTuple):
    """What was measured; times of single events in milliseconds of the processor."""

    events: int
    written: int
    median: float
    p99: float
    worst: float
    wall_p99: float
    seconds: float
    first_memory: int
    memory: int
    """The peak of the process in MiB, after the first tenth and at the end."""


class SteadyClock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.at = datetime(2030, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def boottime(self) -> float:
        return self.at.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def teams() -> Iterator[str]:
    """Time a crowd."""
    with tempfile.TemporaryDirectory() as name:
        costs = measure(Path(name), MEMBERS, SECONDS)
    yield from table(costs, MEMBERS, SECONDS)


def table(costs: Costs, members: int, seconds: int) -> Iterator[str]:
    """Show what was measured."""
    yield (
        f"{members:,} members, {seconds} seconds: {costs.events:,} accepted events, "
        f"{costs.written:,} of them written, decided in {costs.seconds:.0f} s.\n"
    )
    yield "| what | value | goal |\n|---|---:|---:|"
    yield f"| an accepted event, median, ms of CPU | {costs.median:.2f} |  |"
    yield f"| an accepted event, p99, ms of CPU | {costs.p99:.2f} | {GOAL} |"
    yield f"| an accepted event, p99, ms by the wall | {costs.wall_p99:.2f} | {GOAL} |"
    yield f"| the worst, ms of CPU | {costs.worst:.2f} |  |"
    yield f"| memory after a tenth, MiB | {costs.first_memory} |  |"
    yield f"| memory at the end, MiB | {costs.memory} |  |"


def measure(directory: Path, members: int, seconds: int) -> Costs:
    """Let everybody be heard of each second, and the supervisor look each minute."""
    clock = SteadyClock()
    ledger, desk = _open(directory, clock)
    names = [f"m{number}" for number in range(members)]
    _staff(desk, names, clock)
    # Bare numbers: what is measured must not be the memory of the measure.
    spent, waited, first = array("d"), array("d"), 0
    before = desk.state(TEAM).index
    started = time.perf_counter()
    for second in range(seconds):
        clock.at += timedelta(seconds=1)
        for number, name in enumerate(names):
            is_news = (number + second) % (MESSAGES * 60) == 0
            word = SentWord.PROGRESS if is_news else SentWord.HEARTBEAT
            form = EventForm(event=word, actor=name, epoch=1)
            cpu, wall = time.thread_time(), time.perf_counter()
            answer = send_event(desk, TEAM, name, form, USER)
            spent.append((time.thread_time() - cpu) * 1e3)
            waited.append((time.perf_counter() - wall) * 1e3)
            if not answer.accepted:
                sys.exit(answer.reason)
        if second % 60 == 59:
            tend(desk, TEAM, USER)
        if second == seconds // 10:
            first = _memory()
    memory = _memory()
    costs = Costs(
        events=len(spent),
        written=desk.state(TEAM).index - before,
        median=statistics.median(spent),
        p99=statistics.quantiles(spent, n=100)[-1],
        worst=max(spent),
        wall_p99=statistics.quantiles(waited, n=100)[-1],
        seconds=time.perf_counter() - started,
        first_memory=first,
        memory=memory,
    )
    ledger.close()
    return costs


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _open(directory: Path, clock: SteadyClock) -> tuple[SqliteLedger, TeamDesk]:
    fakes = Fakes()
    world = fake_world(fakes)
    ledger = open_ledger(
        directory / "ledger", clock=clock, processes=world.processes, anchor=world.anchor
    )
    desk = desk_of(
        replace(
            world,
            log=ledger.events,
            cache=ledger.cache,
            documents=ArtifactDocuments(fakes.artifacts),
        ),
        ledger.sessions,
    )
    return ledger, TeamDesk(desk=replace(desk, now=clock.now))


def _staff(desk: TeamDesk, names: list[str], clock: SteadyClock) -> None:
    """Make the team, and let its members join over a minute."""
    new = NewSession(name=TEAM, team=TEAM, pipeline="team", requirement="crowd", reaches_all=True)
    open_session(desk.desk, new, USER)
    view = desk.view(TEAM)
    view.add(lambda state: _begun(state, clock.now()), USER)
    for place in range(0, len(names), _BATCH):
        some = names[place : place + _BATCH]
        clock.at += timedelta(seconds=60 * _BATCH / len(names))
        view.add(lambda state: _joined(state, some, clock.now()), USER)  # noqa: B023 - called at once


def _begun(state: TeamState, now: datetime) -> list[TeamFact]:
    turn = TeamTurn(state, now)
    turn.add(
        roster.TeamCreated(
            **turn.by("lead"),
            team=TEAM,
            session=SessionId(TEAM),
            complexity=TeamComplexity.SIMPLE,
            folder="/crowd",
            most_coders=MEMBERS,
        )
    )
    turn.add(ownership.OwnershipHandedOff(**turn.by("lead"), offered=1))
    turn.add(ownership.OwnershipAcknowledged(**turn.by(), offered=1))
    return turn.facts


def _joined(state: TeamState, names: list[str], now: datetime) -> list[TeamFact]:
    turn = TeamTurn(state, now)
    for name in names:
        turn.add(roster.MemberJoined(**turn.by(), member=name, role=TeamRole.CODER))
    return turn.facts


def main() -> None:
    """Measure as many members for as long as the caller says."""
    members = int(sys.argv[1]) if len(sys.argv) > 1 else MEMBERS
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    where = sys.argv[3] if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        costs = measure(Path(name), members, seconds)
    print("\n".join(table(costs, members, seconds)))


if __name__ == "__main__":
    main()
