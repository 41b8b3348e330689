"""Agents that approve everything need a sandbox."""

import pytest
from tests.support.kernel import flow, work

from supervisor_ai.control.settings import NO_SANDBOX, refuse_blank_cheques
from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.run.definition import Cli, Definition


def definition(*command: str) -> Definition:
    plain = flow(work("build"))
    agent = Cli(name="agent", adapter="command", command=command)
    return Definition(workflow=plain.workflow, roles=plain.roles, clis={"agent": agent}, gates={})


@pytest.mark.parametrize(
    "flags",
    [
        ("--dangerously-skip-permissions",),
        ("--yolo=true",),
        ("exec", "--full-auto"),
        ("--approval-mode", "yolo"),
        ("--approval-mode=yolo",),
        ("--sandbox=danger-full-access",),
        ("--permission-mode", "bypassPermissions"),
    ],
)
def test_a_blank_cheque_is_refused_without_a_sandbox(flags: tuple[str, ...]) -> None:
    with pytest.raises(Denied, match="approves whatever it wants to do"):
        refuse_blank_cheques(definition("agent", *flags), NO_SANDBOX)
    refuse_blank_cheques(definition("agent", *flags), "bubblewrap")


def test_an_agent_that_asks_may_go_without() -> None:
    refuse_blank_cheques(definition("agent", "--approval-mode", "default"), NO_SANDBOX)
