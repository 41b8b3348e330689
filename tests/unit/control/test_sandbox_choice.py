"""Which sandbox a run gets."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.settings import AUTO, NO_SANDBOX, Policy
from supervisor_ai.domain.errors import Denied, Unavailable
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import LimitFinding, Probe, ProbeFinding
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.testing.fake_sandbox import ScriptedSandbox
from supervisor_ai.testing.world import fake_world, passes

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

HARD = LimitFinding(name="memory", hardness=Hardness.HARD, detail="cgroup v2")
SOFT = LimitFinding(name="processes", hardness=Hardness.SOFT, detail="watched")


class Claiming(ScriptedSandbox):
    """A sandbox that says of itself what a test wants."""

    def __init__(self, claim: Probe | Unavailable) -> None:
        super().__init__(passes)
        self._claim = claim

    async def probe(self) -> Probe:  # type: ignore[explicit-override] # Python 3.11 has no override
        if isinstance(self._claim, Unavailable):
            raise self._claim
        return self._claim


@dataclass
class Desk:
    """As much of a preflight as a choice needs."""

    policy: Policy


class Place:
    """As much of a project as a choice needs."""

    def __init__(self, claims: Mapping[str, Probe | Unavailable], policy: Policy) -> None:
        self._claims = claims
        self.preflight = Desk(policy)
        self.asked: list[str] = []

    def runtimes(self, name: str) -> Runtime:
        self.asked.append(name)
        world = replace(fake_world(), sandbox=Claiming(self._claims[name]))
        return Runtime(world=world, owner="ada")


def holds(backend: str, *limits: LimitFinding) -> Probe:
    finding = ProbeFinding(name="it holds", holds=True, detail="")
    return Probe(backend=backend, version="1", findings=(finding,), limits=limits)


def broken(backend: str, remedy: str | None = None) -> Probe:
    finding = ProbeFinding(name="it runs", holds=False, detail="no such file")
    return Probe(backend=backend, version="", findings=(finding,), remedy=remedy)


def choose(
    name: str,
    *,
    is_hard: bool = False,
    allows_none: bool = False,
    **claims: Probe | Unavailable,
) -> tuple[str, list[str]]:
    place = Place(claims, Policy(allows_unsandboxed=allows_none))
    chosen = choose_sandbox(cast("OpenProject", place), name, needs_hard_limits=is_hard)
    return asyncio.run(chosen), place.asked


def test_the_first_that_holds_is_taken_and_no_other_is_asked() -> None:
    assert choose(AUTO, bubblewrap=holds("bubblewrap")) == ("bubblewrap", ["bubblewrap"])
    chosen = choose(AUTO, bubblewrap=broken("bubblewrap"), podman=holds("podman"))
    assert chosen == ("podman", ["bubblewrap", "podman"])


def test_a_named_one_is_never_replaced() -> None:
    assert choose("docker", docker=holds("docker")) == ("docker", ["docker"])
    with pytest.raises(Unavailable, match=r"'docker' does not work here \(it runs: no such file\)"):
        choose("docker", docker=broken("docker"), bubblewrap=holds("bubblewrap"))


def test_where_none_holds_every_reason_is_said() -> None:
    with pytest.raises(Unavailable) as caught:
        choose(
            AUTO,
            bubblewrap=broken("bubblewrap", "Install bubblewrap."),
            podman=Unavailable("There is no podman."),
            docker=broken("docker"),
        )
    assert caught.value.message == (
        "No sandbox works here:\n"
        "  The sandbox 'bubblewrap' does not work here (it runs: no such file).\n"
        "  There is no podman.\n"
        "  The sandbox 'docker' does not work here (it runs: no such file)."
    )
    assert caught.value.hint == "Install bubblewrap."


def test_hard_limits_can_be_insisted_on() -> None:
    soft, hard = holds("bubblewrap", HARD, SOFT), holds("podman", HARD)
    assert choose(AUTO, bubblewrap=soft)[0] == "bubblewrap"
    assert choose(AUTO, is_hard=True, bubblewrap=soft, podman=hard)[0] == "podman"
    with pytest.raises(Unavailable, match="cannot keep these limits hard here: processes"):
        choose("bubblewrap", is_hard=True, bubblewrap=soft)


def test_none_at_all_has_to_be_allowed() -> None:
    assert choose(NO_SANDBOX, allows_none=True) == (NO_SANDBOX, [])
    with pytest.raises(Denied):
        choose(NO_SANDBOX)
