"""A team in a test: what members send, the passing of time, and what follows."""

from datetime import UTC, datetime, timedelta

from supervisor_ai.domain.ids import ArtifactHash, SessionId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.decide import decide
from supervisor_ai.drivers.team.decisions import roster, teardown
from supervisor_ai.drivers.team.decisions.look import look
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.roster import TeamCreated
from supervisor_ai.drivers.team.machines.liveness import TeamMember
from supervisor_ai.drivers.team.machines.task import TeamTask
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState, evolve
from supervisor_ai.drivers.team.words import SentWord, WaitReason

START = datetime(2030, 1, 1, tzinfo=UTC)
SUBJECT = ArtifactHash("subject")
W = SentWord


class TeamScene:
    """A team, folded, with a clock that only the test moves."""

    def __init__(
        self, *, complexity: TeamComplexity = TeamComplexity.SIMPLE, coders: int = 3
    ) -> None:
        self.now = START
        self.state = TeamState()
        self.facts: list[TeamFact] = []
        created = TeamCreated(
            **TeamTurn(self.state, self.now).by("lead"),
            team="red",
            session=SessionId("red"),
            complexity=complexity,
            folder=".claude/teams/red",
            most_coders=coders,
        )
        self.record(created)

    def record(self, *facts: TeamFact) -> tuple[TeamFact, ...]:
        """Fold facts, as the ledger would hand them back."""
        for fact in facts:
            self.state = evolve(self.state, fact)
            self.facts.append(fact)
        return facts

    def wait(self, minutes: float = 0, *, seconds: float = 0) -> None:
        """Let time pass."""
        self.now += timedelta(minutes=minutes, seconds=seconds)

    def tick(self) -> None:
        """Let the clock be no earlier than what is recorded."""
        if self.state.latest is not None:
            self.now = max(self.now, self.state.latest + timedelta(microseconds=1))

    def send(self, event: SentWord, sender: str, **fields: object) -> Ruling:
        """Send an event with all that it needs, unless the test says otherwise."""
        self.tick()
        usual: dict[str, object] = {"actor": sender, "epoch": self.state.ownership.epoch}
        task = fields.get("task_id")
        if isinstance(task, str):
            known = self.state.task(task)
            usual["rev"] = 1 if known is None else known.rev
        sent = SentEvent(event=event, sender=sender, **{**usual, **fields})  # type: ignore[arg-type]
        ruling = decide(self.state, sent, self.now)
        self.record(*ruling.facts)
        return ruling

    def look(self) -> tuple[TeamFact, ...]:
        """Look as the resident does each minute."""
        return self.record(*look(self.state, self.now))

    def words(self, *facts: TeamFact) -> list[str]:
        """Name facts as the log does."""
        return [fact.word for fact in facts]

    def activate(self, epoch: int = 1) -> "TeamScene":
        """Hand the state over, and acknowledge."""
        self.send(W.STATE_OWNERSHIP_HANDOFF, "lead", epoch=epoch)
        self.send(W.STATE_OWNERSHIP_ACK, "supervisor", epoch=epoch)
        return self

    def join(self, name: str, role: TeamRole, *capabilities: str) -> Ruling:
        """Let somebody take part."""
        self.tick()
        ruling = roster.join(TeamTurn(self.state, self.now), name, role, capabilities)
        self.record(*ruling.facts)
        return ruling

    def leave(self, name: str) -> Ruling:
        """Let somebody go."""
        ruling = roster.leave(TeamTurn(self.state, self.now), name)
        self.record(*ruling.facts)
        return ruling

    def staff(self) -> "TeamScene":
        """Let the usual people join: a reviewer, a Tech Lead, two coders."""
        self.join("rev", TeamRole.UNIFIED_REVIEWER)
        self.join("tech", TeamRole.TECH_LEAD)
        self.join("ada", TeamRole.CODER)
        self.join("bob", TeamRole.CODER)
        return self

    def add(self, task: str, *files: str, **more: object) -> Ruling:
        """Let the Lead add a task."""
        return self.send(W.TASK_ADDED, "lead", task_id=task, subject=SUBJECT, files=files, **more)

    def claim(self, task: str, who: str = "ada", *files: str) -> Ruling:
        """Add a task and let a coder claim it."""
        if self.state.task(task) is None:
            self.add(task)
        return self.send(W.CLAIM, who, task_id=task, files=files)

    def review(self, task: str, who: str = "ada") -> Ruling:
        """Claim a task and submit it."""
        self.claim(task, who)
        return self.send(W.IN_REVIEW, who, task_id=task)

    def member(self, name: str) -> TeamMember:
        """Return a member that has to be there."""
        found = self.state.member(name)
        assert found is not None
        return found

    def task(self, name: str) -> TeamTask:
        """Return a task that has to be there."""
        found = self.state.task(name)
        assert found is not None
        return found

    def teardown(self) -> Ruling:
        """Let the Lead begin the end."""
        ruling = teardown.begin(TeamTurn(self.state, self.now), "lead")
        self.record(*ruling.facts)
        return ruling

    def finish(self) -> tuple[TeamFact, ...]:
        """Write the report where it is time for it."""
        turn = TeamTurn(self.state, self.now)
        teardown.finish(turn, ArtifactHash("report"))
        return self.record(*turn.facts)

    def delete(self) -> Ruling:
        """Let the Lead delete the team."""
        ruling = teardown.delete(TeamTurn(self.state, self.now), "lead")
        self.record(*ruling.facts)
        return ruling


def working(complexity: TeamComplexity = TeamComplexity.SIMPLE) -> TeamScene:
    """Return a team that is staffed and owned by the supervisor."""
    return TeamScene(complexity=complexity).activate().staff()


def beat(scene: TeamScene, who: str, wait: WaitReason | None = None) -> Ruling:
    """Let a member be heard of."""
    return scene.send(W.HEARTBEAT, who, wait=wait)


def changed(fact: TeamFact, **fields: object) -> TeamFact:
    """Return a fact with other values in some fields."""
    return replace(fact, **fields)  # type: ignore[arg-type]
