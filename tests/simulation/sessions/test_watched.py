"""A resident supervisor in random sessions: messages, duplicates, decisions, deaths, successors."""

import pytest
from hypothesis import given, settings
from tests.simulation.sessions.acts import Ask, Drive, Story, Write, stories
from tests.simulation.sessions.rules import broken_session_rules
from tests.simulation.sessions.watched import Watched
from tests.support.example_counts import examples
from tests.support.memory_session_files import MemorySessionFolders

from supervisor_ai.domain.ids import EffectKey
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint.performers.door import SessionDoors
from supervisor_ai.drivers.checkpoint.performers.verdicts import tell_coordinator
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.world import Operation, Performers

FEW = 15
MANY = 300


def check(story: Story) -> None:
    stormy = Watched(story).remains()
    assert broken_session_rules(stormy) == []
    calm = Watched(replace(story, deaths=())).remains()
    assert stormy == replace(calm, messages=stormy.messages)
    assert [it.record() | {"ts": ""} for it in stormy.messages] == [
        it.record() | {"ts": ""} for it in calm.messages
    ]


@settings(max_examples=examples(FEW))
@given(stories())
def test_no_rule_breaks_and_no_death_changes_what_is_left(story: Story) -> None:
    check(story)


@pytest.mark.long
@settings(max_examples=MANY)
@given(stories(most=40))
def test_no_rule_breaks_in_many_long_sessions(story: Story) -> None:
    check(story)


def forgetful() -> Performers:
    """Tell reports without the key by which a message is known that was sent before."""
    doors, count = SessionDoors(MemorySessionFolders()), iter(range(10**6))

    async def tell(effect: d.TellCoordinator, operation: Operation) -> e.RunEvent:
        forgotten = EffectKey(f"{operation.key}/{next(count)}")
        return await tell_coordinator(effect, replace(operation, key=forgotten), doors)

    return performer(d.TellCoordinator, tell)


def test_a_report_that_is_told_twice_is_found() -> None:
    """A simulation that finds nothing proves nothing."""
    acts = (Write(task="DRAFT-003", is_good=True), Ask(task="CHECKPOINT-002"), Drive())
    broken = (
        broken_session_rules(Watched(Story(acts=acts, deaths=((at, True),)), forgetful()).remains())
        for at in range(20, 32)
    )
    assert any(broken)
