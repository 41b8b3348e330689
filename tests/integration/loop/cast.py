"""Roles of a loop that act by what they are told and find, so that asking again changes nothing."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tests.support.loop_scene import (
    Act,
    Scene,
    answers_all,
    assess,
    design,
    directive,
    judge,
    learnt,
    plan,
    polishes,
    researched,
    scope,
    section,
    style,
    summed,
    work,
)

from supervisor_ai.drivers.loop.kinds import RESEARCHER, SUMMARIZER
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

COUNTS: Final = (3, 2)
"""How many files each milestone has."""
FAILING: Final = "m1_2.py"
"""What QA rejects the first time."""
CONVENTION: Final = "docs/knowledge/conventions/files.md"
_FILES: Final = "# Files\n\n## Rules\n\n1. Files come one by one.\n"
_TASK: Final = re.compile(r"^task_\d+: Write (\S+)", re.MULTILINE)


def _here(scene: Scene, request: WorkerRequest, path: str) -> bool:
    return scene.kernel.fakes.workspaces.read(request.workspace, path) is not None


def _parts(milestone: int) -> list[str]:
    count = COUNTS[(milestone - 1) % len(COUNTS)]  # a new scope adds milestones
    return [f"m{milestone}_{number}.py" for number in range(1, count + 1)]


def _milestone(request: WorkerRequest) -> int | None:
    found = re.search(r"Milestone (\d+) of \d+ \(current\)", section(request, "CURRENT MILESTONE"))
    return int(found[1]) if found else None


def scopes(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Make a milestone of each number."""
    del scene, request
    return FakeReply(output=scope(*(f"Part {number}" for number in range(1, len(COUNTS) + 1))))


def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Plan what is missing."""
    milestone = _milestone(request)
    if milestone is None:
        return FakeReply(output=polishes(request).replace("Tidy up", "Write tidy.py"))
    failed = _TASK.findall(section(request, "TASK"))
    missing = [it for it in _parts(milestone) if not _here(scene, request, it)]
    wanted = failed or missing
    said = answers_all(request)
    if not wanted:
        return FakeReply(output=plan("milestone_done", "All is there", directives=said))
    later = [f"Write {it}" for it in missing[1:]]
    told = plan(task=f"Write {wanted[0]}", carry_forward=later, directives=said)
    return FakeReply(output=told)


def works(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Write what the task says; the second time better than the first."""
    del scene
    task = section(request, "TASK")
    name = _TASK.findall(task)[-1]
    text = "better\n" if "failed" in task else "good\n"
    return FakeReply(output=work(created=[name]), files={name: text})


def judges(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Reject one task the first time."""
    del scene
    task = section(request, "TASK")
    is_bad = FAILING in task and "failed" not in task
    return FakeReply(output=judge("fail", "Write it better.") if is_bad else judge())


def assesses(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Look whether everything is there."""
    milestone = _milestone(request)
    is_there = milestone is not None and all(_here(scene, request, it) for it in _parts(milestone))
    return FakeReply(output=assess("milestone_complete" if is_there else "aligned"))


def styles(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Establish a convention, then want something tidied up."""
    if not _here(scene, request, CONVENTION):
        return FakeReply(output=style(updated=[CONVENTION]), files={CONVENTION: _FILES})
    return FakeReply(output=style(directive("Sort them")))


def agrees(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Find nothing wrong with the design."""
    del scene, request
    return FakeReply(output=design())


def learns(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Learn one thing."""
    del scene, request
    return FakeReply(output=learnt("Files come one by one"))


ACTS: Final[Mapping[str, Act]] = {
    "scope_agent": scopes,
    "task_planner": plans,
    "loop_implementor": works,
    "loop_qa": judges,
    "assessor": assesses,
    "code_style_supervisor": styles,
    "internaliser": learns,
}
AIDES: Final[Mapping[str, Act]] = {
    RESEARCHER: lambda scene, request: FakeReply(output=researched(why="So.")),
    SUMMARIZER: lambda scene, request: FakeReply(output=summed("Files were written.")),
}

Chance = Callable[[], int]


def wild(outputs: Mapping[str, Sequence[Act]], chance: Chance) -> dict[str, Act]:
    """Let roles act as chance has it: as they should, or in one of the other ways."""

    def of(role: str, usual: Act) -> Act:
        ways = (usual, *outputs.get(role, ()))

        def act(scene: Scene, request: WorkerRequest) -> FakeReply:
            return ways[chance() % len(ways)](scene, request)

        return act

    usual = {"design_supervisor": agrees, **ACTS, **AIDES}
    return {role: of(role, act) for role, act in usual.items()}
