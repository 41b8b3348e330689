"""Directives in loops: each is answered, carried forward in its place, or dropped on record."""

import json
import re

import pytest
from tests.support.loop_scene import (
    Act,
    Scene,
    answers_all,
    assess,
    design,
    directive,
    judge,
    loop_definition,
    plan,
    section,
    style,
)

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Backlog, DropReason
from supervisor_ai.drivers.quality.events import DirectiveAdded, DirectiveDropped, SupervisorRan
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

STYLE = replace(BUILTIN[0], every=1)


def finds(*wanted: dict[str, object]) -> Act:
    """Want the same each time, told apart by when it is said."""

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del request
        number = len(scene.kernel.fakes.worker.requests)
        told = [{**it, "description": f"{it['description']} {number}"} for it in wanted]
        return FakeReply(output=style(*told))

    return act


def once(*wanted: dict[str, object]) -> Act:
    """Want something when it looks first, and never again."""

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del request
        is_first = scene.asked.count("code_style_supervisor") == 1
        return FakeReply(output=style(*wanted) if is_first else style())

    return act


def replies(*said: dict[str, object], **more: object) -> Act:
    """Plan with these answers where directives are shown, and as usual where none are."""

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        if section(request, "ACTIVE DIRECTIVES"):
            told = plan(task="With answers", directives=list(said), **more)  # type: ignore[arg-type]
            return FakeReply(output=told)
        return scene.plans(request)

    return act


def looked_after(*, tasks: int = 2, rules: LoopRules | None = None, **acts: Act) -> Scene:
    definition = loop_definition(rules, supervisors=[STYLE])
    return Scene(definition, tasks=tasks, **acts)  # type: ignore[arg-type]


def drops(scene: Scene) -> list[tuple[int, DropReason]]:
    return [(it.number, it.reason) for it in scene.events(DirectiveDropped)]


def test_directives_are_shown_functional_first_after_what_is_planned() -> None:
    scene = looked_after(
        code_style_supervisor=once(
            directive("Rename it"),
            {**directive("Use a dict", "functional", "normal"), "rationale": "It is faster"},
        ),
        task_planner=lambda scene, request: FakeReply(
            output=scene.plans(request).output.replace(
                '"plan"', '"carry_forward": ["Then this"], "plan"'
            )
        ),
    )
    scene.drive()
    prompt = scene.requests("task_planner")[1].prompt
    shown = section(scene.requests("task_planner")[1], "ACTIVE DIRECTIVES")
    assert shown == (
        "[2] functional, normal, from code_style: Use a dict Why: It is faster\n"
        "[1] cleanup, low, from code_style: Rename it"
    )
    assert prompt.rindex("- Then this") < prompt.rindex("ACTIVE DIRECTIVES")


@pytest.mark.parametrize(
    ("wanted", "said", "problem"),
    [
        (directive(), [], "Directive 1 is not answered"),
        (
            directive("It", "functional", "normal"),
            [{"directive": 1, "response": "deferred"}],
            "Directive 1 is functional and cannot be deferred.",
        ),
        (
            directive("It", "functional", "critical"),
            [{"directive": 1, "response": "addressed"}],
            "Directive 1 is critical: the task itself has to do it",
        ),
        (
            directive(),
            [{"directive": 1, "response": "explained"}, {"directive": 9, "response": "explained"}],
            "There is no directive 9",
        ),
        (
            directive(),
            [{"directive": 1, "response": "explained"}, {"directive": 1, "response": "explained"}],
            "A directive is answered twice.",
        ),
    ],
)
def test_an_answer_that_leaves_a_directive_out_does_not_count(
    wanted: dict[str, object], said: list[dict[str, object]], problem: str
) -> None:
    scene = looked_after(code_style_supervisor=once(wanted), task_planner=replies(*said))
    scene.drive()
    failed = scene.events(e.AttemptFailed)
    assert {it.step for it in failed} == {"task_planner"}
    assert problem in failed[0].reason
    assert problem in scene.requests("task_planner")[2].prompt


def test_does_names_only_what_is_addressed() -> None:
    scene = looked_after(
        code_style_supervisor=once(directive()),
        task_planner=replies({"directive": 1, "response": "explained"}, does=[1]),
    )
    scene.drive()
    assert "`does` names directive 1" in scene.events(e.AttemptFailed)[0].reason


def test_a_milestone_is_not_done_while_functional_work_is_open() -> None:
    def claims(scene: Scene, request: WorkerRequest) -> FakeReply:
        if section(request, "ACTIVE DIRECTIVES"):
            said = [{"directive": 1, "response": "addressed"}]
            return FakeReply(output=plan("milestone_done", "All done", directives=said))
        return scene.plans(request)

    scene = looked_after(
        code_style_supervisor=once(directive("It", "functional", "normal")), task_planner=claims
    )
    scene.drive()
    assert "is still to be addressed" in scene.events(e.AttemptFailed)[0].reason


def test_functional_goes_before_what_is_planned_and_cleanup_after_it() -> None:
    scene = looked_after(
        code_style_supervisor=once(
            directive("Rename it"), directive("Use a dict", "functional", "normal")
        ),
        task_planner=replies(
            {"directive": 1, "response": "addressed"},
            {"directive": 2, "response": "addressed"},
            carry_forward=["Then this"],
        ),
    )
    scene.drive()
    told = section(scene.requests("task_planner")[2], "CURRENT MILESTONE")
    assert told.endswith("- [2] Use a dict\n- Then this\n- [1] Rename it")
    assert section(scene.requests("task_planner")[2], "ACTIVE DIRECTIVES") == ""


def test_a_planned_directive_whose_line_is_left_out_is_pending_again() -> None:
    said = [{"directive": 1, "response": "addressed"}, {"directive": 2, "response": "addressed"}]

    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        shown = section(request, "ACTIVE DIRECTIVES")
        if shown.startswith("[1]"):
            later = ["[2] Second"]
            return FakeReply(
                output=plan(task="First", directives=said, does=[1], carry_forward=later)
            )
        if shown:
            return FakeReply(output=plan(task="Second", directives=said[1:], does=[2]))
        # The line is kept once, and left out the next time.
        kept = ["[2] Second"] if scene.asked.count("task_planner") == 3 else []
        told = scene.plans(request).output.replace(
            '"plan"', f'"carry_forward": {json.dumps(kept)}, "plan"'
        )
        return FakeReply(output=told)

    scene = looked_after(
        tasks=3,
        code_style_supervisor=once(directive("First"), directive("Second")),
        task_planner=plans,
    )
    assert scene.drive() is RunStatus.COMPLETED
    shown = [section(it, "ACTIVE DIRECTIVES") for it in scene.requests("task_planner")]
    asked = [it.count("\n") + bool(it) for it in shown]
    assert asked == [0, 2, 0, 0, 1, 0]
    assert "- [2] Second" in section(scene.requests("task_planner")[2], "CURRENT MILESTONE")
    assert "Second" in [scene.text(it.text) for it in scene.state.book.done_list]
    assert (scene.state.book.pending_directives, drops(scene)) == ((), [])


def test_polish_does_what_was_only_promised() -> None:
    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        if "The remit is complete" not in section(request, "CURRENT MILESTONE"):
            return scene.plans(request)
        told = section(request, "CURRENT MILESTONE") + section(request, "ACTIVE DIRECTIVES")
        numbers = [int(it) for it in re.findall(r"^(?:- )?\[(\d)\]", told, re.MULTILINE)]
        said = answers_all(request, "addressed")
        later = [f"[{it}] later" for it in numbers[1:]]
        return FakeReply(
            output=plan(task="Tidy", directives=said, does=numbers[:1], carry_forward=later)
        )

    scene = looked_after(
        tasks=1,
        rules=LoopRules(polish_tasks=3),
        code_style_supervisor=once(*(directive(f"Tidy {number}") for number in range(5))),
        task_planner=plans,
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert len(scene.events(k.TaskMarked)) == 4
    assert drops(scene) == [(number, DropReason.POLISHED) for number in (4, 5)]


@pytest.mark.parametrize("kind", ["functional", "cleanup"])
def test_a_critical_directive_cannot_wait(kind: str) -> None:
    scene = looked_after(
        code_style_supervisor=once(directive("Stop it", kind, "critical")),
        task_planner=replies({"directive": 1, "response": "deferred"}),
    )
    scene.drive()
    assert "cannot be deferred" in scene.events(e.AttemptFailed)[0].reason


def test_a_critical_directive_is_done_by_the_very_task() -> None:
    scene = looked_after(
        code_style_supervisor=once(directive("Stop it", "functional", "critical")),
        task_planner=replies({"directive": 1, "response": "addressed"}, does=[1]),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.state.book.pending_directives == ()
    (planned,) = [it for it in scene.events(k.TaskPlanned) if it.does]
    assert planned.does == (1,)


def test_an_escalated_directive_is_a_request_for_direction_and_nobody_waits() -> None:
    scene = looked_after(
        code_style_supervisor=once(directive("Which of the two?", "functional", "normal")),
        task_planner=replies({"directive": 1, "response": "escalated", "note": "Ask the owner."}),
    )
    assert scene.drive() is RunStatus.COMPLETED
    (asked,) = scene.state.book.escalation_context
    assert (asked.source, scene.text(asked.text)) == ("directive 1", "Ask the owner.")


def test_the_eleventh_cleanup_directive_pushes_out_the_oldest() -> None:
    scene = looked_after(
        tasks=6,
        rules=LoopRules(polish_tasks=0, review_interval=50),
        code_style_supervisor=finds(directive("A"), directive("B")),
    )
    assert scene.drive() is RunStatus.COMPLETED
    capped = [number for number, reason in drops(scene) if reason is DropReason.CAPPED]
    assert capped == [1, 2, 3, 4]


def test_cleanup_that_nobody_picks_up_grows_old() -> None:
    scene = looked_after(
        tasks=4,
        rules=LoopRules(backlog=Backlog(age=2), polish_tasks=0),
        code_style_supervisor=once(directive()),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert drops(scene) == [(1, DropReason.AGED)]


def test_polish_works_off_cleanup_and_no_supervisor_looks() -> None:
    scene = looked_after(
        tasks=1,
        code_style_supervisor=once(*(directive(f"Tidy {number}") for number in range(3))),
    )
    assert scene.drive() is RunStatus.COMPLETED
    begin = scene.nodes.index("polish")
    round_ = ["polish", "task_planner", "implementor", "qa", "mark_complete"]
    assert scene.nodes[begin:] == [*round_, *round_, *round_, "polish", "report"]
    assert drops(scene) == []
    assert len(scene.events(k.TaskMarked)) == 4


def test_polish_is_bounded_and_what_is_left_is_dropped_on_record() -> None:
    scene = looked_after(
        tasks=1,
        rules=LoopRules(polish_tasks=2),
        code_style_supervisor=once(*(directive(f"Tidy {number}") for number in range(5))),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert drops(scene) == [(number, DropReason.POLISHED) for number in (3, 4, 5)]


def test_polish_ends_where_the_planner_wants_no_more() -> None:
    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        if "The remit is complete" in section(request, "CURRENT MILESTONE"):
            said = answers_all(request)
            return FakeReply(output=plan("milestone_done", "Good enough", directives=said))
        return scene.plans(request)

    scene = looked_after(
        tasks=1, code_style_supervisor=once(directive("A"), directive("B")), task_planner=plans
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.nodes[-3:] == ["polish", "task_planner", "report"]
    assert drops(scene) == [(1, DropReason.ENDED), (2, DropReason.ENDED)]


def test_a_task_of_polish_has_to_do_a_directive_and_no_remit_is_lost_over_it() -> None:
    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        if "The remit is complete" in section(request, "CURRENT MILESTONE"):
            return FakeReply(output=plan(task="More", directives=answers_all(request)))
        return scene.plans(request)

    scene = looked_after(tasks=1, code_style_supervisor=once(directive("A")), task_planner=plans)
    assert scene.drive() is RunStatus.COMPLETED
    assert "has to do one of the directives" in scene.events(e.AttemptFailed)[0].reason
    assert scene.nodes[-2:] == ["task_planner", "report"]


def test_a_failed_task_of_polish_goes_on_with_the_next() -> None:
    def judges(scene: Scene, request: WorkerRequest) -> FakeReply:
        is_polish = "The remit is complete" in section(request, "CURRENT MILESTONE")
        return FakeReply(output=judge("fail", "No.") if is_polish else judge())

    scene = looked_after(
        tasks=1,
        rules=LoopRules(max_attempts=1, polish_tasks=2),
        code_style_supervisor=once(directive("A"), directive("B")),
        loop_qa=judges,
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert [it.outcome.value for it in scene.events(k.TaskMarked)] == ["done", "failed", "failed"]
    # Nobody has done them, so that they are not settled.
    assert drops(scene) == [(1, DropReason.POLISHED), (2, DropReason.POLISHED)]


def test_a_person_adds_a_directive_and_drops_another() -> None:
    scene = looked_after(tasks=2, code_style_supervisor=once(directive("A")))
    text = json.dumps({"description": "Mind the docs"})
    scene.signal(f"directive-add functional normal {scene.keep(text)}")
    scene.signal("directive-drop 7")
    scene.signal("directive-drop nonsense")
    assert scene.drive() is RunStatus.COMPLETED
    (added,) = scene.events(DirectiveAdded)
    assert (added.directive.number, added.directive.source) == (1, "person")
    assert "from person: Mind the docs" in section(
        scene.requests("task_planner")[0], "ACTIVE DIRECTIVES"
    )


def test_a_person_drops_a_pending_directive_while_the_loop_rests() -> None:
    def pauses(scene: Scene, request: WorkerRequest) -> FakeReply:
        if scene.asked.count("task_planner") == 2:
            scene.signal("pause")
        return scene.plans(request)

    scene = looked_after(tasks=2, code_style_supervisor=once(directive("A")), task_planner=pauses)
    assert scene.drive() is RunStatus.WAITING
    scene.signal("directive-drop 1")
    assert scene.drive() is RunStatus.WAITING
    assert drops(scene) == [(1, DropReason.PERSON)]
    scene.signal("resume")
    assert scene.drive() is RunStatus.COMPLETED
    assert "polish" in scene.nodes
    assert len(scene.events(k.TaskMarked)) == 2


def test_a_loop_rests_where_nothing_is_under_way_and_goes_on() -> None:
    scene = Scene(tasks=2)
    scene.signal("pause")
    assert scene.drive() is RunStatus.WAITING
    assert scene.asked == []
    assert scene.drive() is RunStatus.WAITING
    scene.signal("resume")
    assert scene.drive() is RunStatus.COMPLETED


def test_the_assessor_sees_the_run_log_and_the_directives() -> None:
    scene = Scene(
        loop_definition(supervisors=[BUILTIN[1]]),
        design_supervisor=lambda scene, request: FakeReply(
            output=design(directive("Split it", "functional", "normal"))
        ),
        assessor=lambda scene, request: FakeReply(output=assess("milestone_complete")),
    )
    scene.drive()
    (request,) = scene.requests("assessor")
    assert "functional, normal, from design: Split it" in section(request, "ACTIVE DIRECTIVES")
    log = section(request, "SUPERVISOR RUN LOG")
    assert log == "Design Supervisor, after 1 tasks: reviewed, 1 directives"
    # What nobody answers before the end is dropped on record.
    assert drops(scene) == [(1, DropReason.ENDED)]
    assert len(scene.events(SupervisorRan)) == 1
