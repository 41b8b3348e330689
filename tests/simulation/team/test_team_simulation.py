"""Teams under random interleavings: crashes, jumps of the clock, duplicates, reordering, edits."""

from datetime import timedelta
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.simulation.team.worlds import TeamWorld

from supervisor_ai.drivers.team.commands.send import EventForm
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import SentWord, ToolDecision, WaitReason

MEMBERS: Final = 50
CODERS: Final = tuple(f"coder-{number}" for number in range(MEMBERS - 8))
REVIEWERS: Final = ("rev", "tech", "security", "logic", "quality", "lead-2")
ROLES: Final = {
    "rev": TeamRole.UNIFIED_REVIEWER,
    "tech": TeamRole.TECH_LEAD,
    "security": TeamRole.SECURITY_REVIEWER,
    "logic": TeamRole.LOGIC_REVIEWER,
    "quality": TeamRole.QUALITY_REVIEWER,
    "lead-2": TeamRole.LEAD,
}
FEW: Final = CODERS[:4]
SENDERS: Final = st.sampled_from(("lead", "supervisor", *REVIEWERS, *FEW, "stranger"))
TASKS: Final = st.sampled_from(("1", "2", "3", "4"))
FILES: Final = st.lists(st.sampled_from(("a.py", "b.py", "src/")), max_size=2).map(tuple)
HURRIED: Final = (
    *(SentWord.CLAIM, SentWord.IN_REVIEW, SentWord.DONE, SentWord.APPROVED),
    *(SentWord.CHANGES_REQUESTED, SentWord.STUCK, SentWord.HEARTBEAT),
)


class TeamMachine(RuleBasedStateMachine):
    """Everything that can happen to a team, in any order."""

    @initialize(is_owned=st.booleans())
    def begin(self, is_owned: bool) -> None:  # noqa: FBT001 - drawn
        self.at = TeamWorld(members=MEMBERS)
        if is_owned:
            self._own(1)
            for name in (*REVIEWERS, *FEW):
                self.at.join(name, ROLES.get(name, TeamRole.CODER))
            for task in ("1", "2", "3", "4"):
                self._send("lead", SentWord.TASK_ADDED, task_id=task, subject=task)

    def _own(self, epoch: int) -> None:
        self._send("lead", SentWord.STATE_OWNERSHIP_HANDOFF, epoch=epoch)
        self._send("supervisor", SentWord.STATE_OWNERSHIP_ACK, epoch=epoch)

    def _send(self, sender: str, event: SentWord, **fields: Any) -> None:
        state = self.at.state
        task = state.task(fields.get("task_id") or "")
        usual = {
            "actor": sender,
            "epoch": state.ownership.epoch,
            "rev": None if task is None else task.rev,
        }
        self.at.send(sender, EventForm(event=event, **{**usual, **fields}))

    @rule(
        sender=SENDERS,
        event=st.sampled_from(SentWord),
        task=TASKS,
        files=FILES,
        late=st.integers(-1, 1),
        stale=st.integers(-1, 1),
    )
    def send_anything(
        self,
        sender: str,
        event: SentWord,
        task: str,
        files: tuple[str, ...],
        late: int,
        stale: int,
    ) -> None:
        state = self.at.state
        known = state.task(task)
        rev = max(0, (1 if known is None else known.rev) + (min(0, late)))
        epoch = max(0, state.ownership.epoch + (min(0, stale)))
        self._send(
            sender,
            event,
            task_id=None if event is SentWord.ARBITRATION and late else task,
            files=files,
            rev=rev,
            epoch=epoch,
            owner="supervisor" if late else "coder-0",
            tool="WebSearch",
            issue="no test",
            subject=task,
            request="Hotfix it",
            decision=ToolDecision.RETRY,
            wait=WaitReason.CODING,
        )

    @rule(event=st.sampled_from(HURRIED), task=TASKS, files=FILES, who=st.sampled_from(FEW))
    def work(self, event: SentWord, task: str, files: tuple[str, ...], who: str) -> None:
        known = self.at.state.task(task)
        is_review = event in {SentWord.APPROVED, SentWord.CHANGES_REQUESTED}
        owner = who if known is None or not known.owner else known.owner
        self._send("rev" if is_review else owner, event, task_id=task, files=files, issue="x")

    @rule(epoch=st.integers(1, 6), sender=st.sampled_from(("lead", "lead-2")))
    def hand_off(self, epoch: int, sender: str) -> None:
        self._send(sender, SentWord.STATE_OWNERSHIP_HANDOFF, epoch=epoch)

    @rule()
    def acknowledge(self) -> None:
        offered = self.at.state.ownership.offered
        self._send("supervisor", SentWord.STATE_OWNERSHIP_ACK, epoch=offered)

    @rule(place=st.integers(0, 10**6))
    def repeat(self, place: int) -> None:
        """Deliver something again that was sent before, however long ago."""
        if self.at.sent:
            self.at.send(*self.at.sent[place % len(self.at.sent)])

    @rule(name=st.sampled_from((*REVIEWERS, *CODERS)))
    def join(self, name: str) -> None:
        self.at.join(name, ROLES.get(name, TeamRole.CODER))

    @rule(name=st.sampled_from((*REVIEWERS, *FEW)))
    def leave(self, name: str) -> None:
        self.at.leave(name)

    @rule(minutes=st.integers(0, 70))
    def look(self, minutes: int) -> None:
        self.at.wait(timedelta(minutes=minutes))
        self.at.tend()

    @rule(hours=st.integers(-48, 48))
    def jump(self, hours: int) -> None:
        self.at.jump(timedelta(hours=hours))

    @rule(line=st.sampled_from(("- #1: 1 — DONE (coder-0)", "- evil: ACTIVE", "")))
    def edit(self, line: str) -> None:
        self.at.edit(line)
        self.at.project()

    @rule(writes=st.integers(1, 4), is_late=st.booleans())
    def doom(self, writes: int, is_late: bool) -> None:  # noqa: FBT001 - drawn
        """Let the process die at one of its next writes, before or after it is done."""
        self.at.teams = self.at.process(writes, is_late=is_late)

    @precondition(lambda self: self.at.state.teardown.status is TeardownStatus.NONE)
    @rule()
    def tear_down(self) -> None:
        self.at.teardown()

    @rule()
    def delete(self) -> None:
        self.at.delete()

    @invariant()
    def no_rule_breaks(self) -> None:
        if hasattr(self, "at"):
            assert self.at.broken() == []

    def teardown(self) -> None:  # type: ignore[explicit-override]
        """Whatever happened, the lock can be ended, and nothing breaks over it."""
        if hasattr(self, "at") and not self.at.state.teardown.freezes:
            assert self.at.can_end_the_lock()
            assert self.at.broken() == []


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        TeamMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_no_rule_breaks_in_a_team() -> None:
    run(examples=25, steps=30)


@pytest.mark.long
def test_no_rule_breaks_in_a_team_over_and_over() -> None:
    run(examples=1500, steps=80)
