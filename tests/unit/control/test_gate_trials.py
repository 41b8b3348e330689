"""Where `init` tries gates: in the sandbox that a run would choose."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest
from tests.unit.control.gate_place import Place

from supervisor_ai.control.commands.gates.gate_trials import try_gates
from supervisor_ai.control.ports.project_survey import (
    DetectedGate,
    ManifestEvidence,
    ProjectSurvey,
    WorkspaceWay,
)
from supervisor_ai.domain.errors import Untrusted
from supervisor_ai.domain.run.definition import SandboxPolicy

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

LINT = DetectedGate(
    name="lint", command=("lint",), evidence=(ManifestEvidence(file="Makefile", line=1),)
)
SURVEY = ProjectSurvey(
    languages=(),
    frameworks=(),
    services=(),
    installers=(),
    gates=(LINT,),
    ways=(WorkspaceWay(gates=(LINT,)),),
    packs=(),
    agents=(),
    cautions=(),
    unread=(),
)


def tried(place: Place) -> tuple[str, str]:
    heard: list[str] = []
    asked = try_gates(
        cast("OpenProject", place), SURVEY, has_program=lambda _: True, tell=heard.append
    )
    return asyncio.run(asked).sandbox, heard[0]


def test_the_users_choice_is_the_sandbox_of_the_trials() -> None:
    place = Place()
    place.shelf.sandbox = SandboxPolicy(backend="podman", ro_paths=("/opt/tool",))
    assert tried(place) == ("podman", "sandbox: podman, as your settings say")
    assert set(place.chosen) == {"podman"}
    [spec] = place.fakes.sandbox.specs
    assert spec.ro_paths == ("/opt/tool",)


def test_without_a_choice_it_is_the_first_that_works_as_for_a_run() -> None:
    place = Place()
    place.shelf.sandbox = SandboxPolicy()
    name, words = tried(place)
    assert (name, words.startswith("sandbox: bubblewrap, the first that")) == ("bubblewrap", True)


def test_what_head_says_of_a_sandbox_needs_trust() -> None:
    with pytest.raises(Untrusted):
        tried(Place(is_trusted=False))
