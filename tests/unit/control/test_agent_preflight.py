"""A run needs one agent for each role; who could be started is asked once."""

import asyncio

import pytest
from tests.support.fake_logins import FakeLogins

from supervisor_ai.control.preflight import require_agents
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Cli, Definition, Role, Workflow
from supervisor_ai.domain.structs import replace

ROLE = Role(
    name="implementer",
    description="",
    answer=AnswerKind.IMPLEMENTATION,
    writes=True,
    cli="one",
    template="",
)


def definition(*roles: Role) -> Definition:
    return Definition(
        workflow=Workflow(name="w", description="", initial_step=StepName("s"), steps={}),
        roles={role.name: role for role in roles},
        clis={name: Cli(name=name, adapter="command") for name in ("one", "two")},
        gates={},
    )


def require(logins: FakeLogins, *roles: Role, sandbox: str = "bubblewrap") -> None:
    asyncio.run(require_agents(logins, definition(*roles), sandbox=sandbox))


def test_a_role_without_an_agent_is_named_with_what_is_lacking() -> None:
    with pytest.raises(Unavailable) as refused:
        require(FakeLogins(lacking={"one": "it has no key"}), ROLE)
    assert refused.value.message == (
        "The role 'implementer' needs an agent, and 'one' cannot be started: it has no key."
    )
    assert refused.value.hint == "Get it."


def test_one_of_those_who_stand_in_is_enough() -> None:
    lacking = {"one": "it has no key"}
    covered = replace(ROLE, fallback=("two",))
    require(FakeLogins(lacking=lacking), covered)
    with pytest.raises(Unavailable, match="; and 'two' cannot be started: it is gone"):
        require(FakeLogins(lacking={**lacking, "two": "it is gone"}), covered)


def test_a_role_that_can_be_done_without_needs_nobody() -> None:
    require(FakeLogins(lacking={"one": "it has no key"}), replace(ROLE, is_optional=True))


def test_each_agent_is_looked_at_once_and_programs_only_where_they_are_the_hosts() -> None:
    logins = FakeLogins()
    require(logins, ROLE, replace(ROLE, name="reviewer"))
    assert logins.asked == [("one", True)]
    require(logins, ROLE, sandbox="podman")
    assert logins.asked[-1] == ("one", False)
