"""A team in a hostile world: processes that die, messages that repeat, clocks that jump, edits."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Final, TypeVar

from tests.support.memory_session_files import MemorySessionFolders
from tests.support.mortal_log import MortalLog

from supervisor_ai.control.sessions.desk import desk_of
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import SessionId, session_stream
from supervisor_ai.domain.session.events import MessageLogged
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.create import WantedTeam, create_team
from supervisor_ai.drivers.team.commands.join import WantedMember, join_team, leave_team
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.send import EventForm, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.teardown import begin_teardown, delete_team
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.decisions.reconcile import canonical_order
from supervisor_ai.drivers.team.event_kinds import ownership as o
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.machines.reconcile import WHITELIST, LockStatus
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState, evolve
from supervisor_ai.drivers.team.stream import team_stream
from supervisor_ai.drivers.team.words import SentWord
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.world import fake_world

T = TypeVar("T")
USER: Final = Actor(kind=ActorKind.USER, id="user", via="test", verified=True)
TEAM: Final = "sim"
HOME: Final = "/home/.claude/teams/sim"
STATE: Final = "state.md"
NEVER: Final = 10**9
AUDIT: Final = WHITELIST | {
    *("EVENT_REFUSED", "MESSAGES_DELIVERED", "MESSAGES_READ", "SNAPSHOT", "DECISIONS_NOTED"),
    *("ROLLBACK_TRAIL", "OWNERSHIP_ARBITRATED", "SPLIT_BRAIN_DETECTED"),
}
"""What may be recorded while the lock holds: the whitelist, and the ledger's own book-keeping."""


class WatchedFolders(MemorySessionFolders):
    """Folders that notice when an edit of somebody else is written over and was not kept."""

    def __init__(self) -> None:
        super().__init__()
        self.ours: set[bytes] = set()
        self.overwritten: list[bytes] = []

    def replace(  # type: ignore[explicit-override]
        self, folder: str, path: str, content: bytes, *, expected: str | None
    ) -> None:
        before = self.files.get(folder, {}).get(path)
        super().replace(folder, path, content, expected=expected)
        self.ours.add(content)
        if path == STATE and before is not None and before not in self.ours:
            self.overwritten.append(before)


class TeamWorld:
    """A team, the processes that act on it, and what must never happen."""

    def __init__(self, *, members: int) -> None:
        self.world = fake_world()
        self.folders = WatchedFolders()
        self.sent: list[tuple[str, EventForm]] = []
        self.held: list[tuple[str, EventForm]] = []
        self.accepted = 0
        self.seen: list[TeamFact] = []
        self.teams = self.process()
        wanted = WantedTeam(name=TEAM, directory=HOME, most_coders=members)
        create_team(self.teams, wanted, USER)

    def process(self, dies_at: int = NEVER, *, is_late: bool = False) -> TeamDesk:
        """Start a process that dies at one of its writes."""
        log = MortalLog(self.world.log, dies_at, is_late=is_late)
        return TeamDesk(desk=desk_of(replace(self.world, log=log)), folders=self.folders)

    @property
    def state(self) -> TeamState:
        return self.process().state(TEAM)

    def send(self, sender: str, form: EventForm) -> TeamAnswer | None:
        """Send an event; None where the process died over it, or would not have it."""
        self.sent.append((sender, form))
        return self._alive(lambda teams: send_event(teams, TEAM, sender, form, USER))

    def join(self, name: str, role: TeamRole) -> None:
        wanted = WantedMember(name=name, role=role)
        self._alive(lambda teams: join_team(teams, TEAM, wanted, USER))

    def leave(self, name: str) -> None:
        self._alive(lambda teams: leave_team(teams, TEAM, name, USER))

    def tend(self) -> None:
        self._alive(lambda teams: tend(teams, TEAM, USER))

    def teardown(self) -> None:
        self._alive(lambda teams: begin_teardown(teams, TEAM, USER))

    def delete(self) -> None:
        self._alive(lambda teams: delete_team(teams, TEAM, USER))

    def project(self) -> None:
        self._alive(lambda teams: project_state(teams, TEAM, USER))

    def jump(self, by: timedelta) -> None:
        clock = self.world.clock
        assert isinstance(clock, FakeClock)
        clock.jump(by)

    def wait(self, by: timedelta) -> None:
        clock = self.world.clock
        assert isinstance(clock, FakeClock)
        clock.advance(by)

    def edit(self, line: str) -> None:
        """Let somebody add a line to state.md, or remove the file."""
        files = self.folders.files[HOME]
        if not line:
            files.pop(STATE, None)
        elif STATE in files:
            files[STATE] += f"{line}\n".encode()

    def _alive(self, act: Callable[[TeamDesk], T]) -> T | None:
        try:
            return act(self.teams)
        except KeyboardInterrupt:
            self.teams = self.process()
            return None
        except SupervisorError:
            return None

    def facts(self) -> list[TeamFact]:
        found = self.world.log.read(team_stream(TEAM))
        return [it.event for it in found if isinstance(it.event, TeamFact)]

    def broken(self) -> list[str]:
        """Name the rules that do not hold."""
        facts = self.facts()
        found = [*self._append_only(facts), *_one_writer(facts), *_order(facts)]
        return [*found, *self._replay(facts), *_lock(facts), *self._said_once(), *self._kept()]

    def _append_only(self, facts: list[TeamFact]) -> list[str]:
        is_kept = facts[: len(self.seen)] == self.seen
        self.seen = facts
        return [] if is_kept else ["a fact was lost"]

    def _replay(self, facts: list[TeamFact]) -> list[str]:
        state = TeamState()
        for fact in facts:
            state = evolve(state, fact)
        views = (self.teams.view(TEAM).refresh(), self.process().view(TEAM).refresh())
        return [] if all(view == state for view in views) else ["replay is not the state"]

    def _said_once(self) -> list[str]:
        stream = session_stream(SessionId(TEAM))
        events = (it.event for it in self.world.log.read(stream))
        keys = [it.key for it in events if isinstance(it, MessageLogged) and it.key]
        return [] if len(keys) == len(set(keys)) else ["something was said twice"]

    def _kept(self) -> list[str]:
        kept = {
            self.teams.desk.text(fact.edit)
            for fact in self.facts()
            if isinstance(fact, r.StateDiverged) and fact.edit
        }
        lost = [it for it in self.folders.overwritten if it.decode() not in kept]
        return [f"an edit was lost: {it[-40:]!r}" for it in lost]

    def can_end_the_lock(self) -> bool:
        """Tell whether the Lead can always end the lock; try it."""
        self.teams = self.process()
        for _ in range(3):
            self.project()
            state = self.state
            if state.reconcile.is_open:
                return True
            epoch = state.ownership.epoch
            words = (SentWord.RECONCILE_ACK, SentWord.ARBITRATION)
            for word in words:
                form = EventForm(event=word, actor="lead", epoch=epoch, owner="supervisor")
                self.send("lead", form)
        return self.state.lock is LockStatus.OPEN


def _one_writer(facts: list[TeamFact]) -> list[str]:
    owners: dict[int, str] = {}
    newest, broken = 0, []
    for fact in facts:
        if isinstance(fact, o.OwnershipHandedOff):
            if fact.offered <= newest:
                broken.append(f"epoch {fact.offered} came after {newest}")
            newest = fact.offered
        if isinstance(fact, o.OwnershipAcknowledged):
            if owners.setdefault(fact.offered, fact.actor) != fact.actor:
                broken.append(f"two writers in epoch {fact.offered}")
            if fact.offered != newest:
                broken.append("an epoch was acknowledged that was not handed over last")
    return broken


def _order(facts: list[TeamFact]) -> list[str]:
    is_strict = all(one.at < two.at for one, two in pairwise(facts))
    is_canonical = canonical_order(facts) == facts
    return [] if is_strict and is_canonical else ["the canonical order is not the ledger's"]


def _lock(facts: list[TeamFact]) -> list[str]:
    """Look for operational facts that were written without an owner, or under the lock."""
    state, broken = TeamState(), []
    for fact in facts:
        is_locked = not state.reconcile.is_open
        # A snapshot writes down what was there before: members read state.md under the lock too.
        is_operational = fact.word not in AUDIT and not isinstance(fact, r.SnapshotTaken)
        if is_locked and is_operational:
            broken.append(f"{fact.word} was written under {state.lock.value}")
        is_task = hasattr(fact, "rev")
        if is_task and state.ownership.status is not OwnershipStatus.ACTIVE:
            broken.append(f"{fact.word} was written without an owner")
        if is_task and fact.epoch != state.ownership.epoch:
            broken.append(f"{fact.word} is of a stale epoch")
        state = evolve(state, fact)
    return broken
