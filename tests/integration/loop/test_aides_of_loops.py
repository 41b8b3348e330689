"""Who helps a loop on the side: questions are answered, and what is long over is summed up."""

from typing import Final

import pytest
from tests.support.loop_scene import (
    Act,
    Scene,
    asks,
    assess,
    loop_definition,
    plan,
    researched,
    scope,
    section,
    summed,
    wonders,
)

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.kinds import RESEARCHER, SUMMARIZER
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

OFFERED: Final = "Questions are answered: you may ask first."
GONE: Final = Diagnosis(message="Not now.", category=FailureCategory.AUTH, action=Action.ESCALATE)
LIMITED: Final = Diagnosis(message="Later.", category=FailureCategory.LIMIT, action=Action.PARK)


def says(output: str) -> Act:
    return lambda scene, request: FakeReply(output=output)


def fails(diagnosis: Diagnosis) -> Act:
    return lambda scene, request: FakeReply(diagnosis=diagnosis, exit_code=1)


def curious(*questions: str) -> Act:
    """Plan as usual, once what is asked first is answered; ask whenever that is offered."""

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        if section(request, "RESEARCH") == OFFERED:
            return FakeReply(output=asks(*questions))
        return scene.plans(request)

    return act


def test_a_planner_asks_before_each_plan_and_is_told_the_answers() -> None:
    scene = Scene(
        loop_definition(aides=[RESEARCHER]),
        task_planner=curious("Which client?", "  "),
        loop_researcher=says(researched(client="The new one, in client.py.")),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.asked[:6] == [
        *("scope_agent", "task_planner", RESEARCHER, "task_planner"),
        *("loop_implementor", "loop_qa"),
    ]
    asked = scene.requests(RESEARCHER)[0]
    assert section(asked, "QUESTIONS") == "1. Which client?"
    assert section(asked, "PROJECT CONTEXT") == "Build it."
    first, second = scene.requests("task_planner")[:2]
    assert section(first, "RESEARCH") == OFFERED
    assert section(second, "RESEARCH") == "client\nThe new one, in client.py."
    # What was asked is asked again before the next plan, and no plan is made of a question.
    assert len(scene.events(k.QuestionsAsked)) == len(scene.requests(RESEARCHER)) == 2
    assert len(scene.events(k.TaskPlanned)) == 2
    assert scene.nodes[1:3] == ["task_planner", "task_planner"]


def test_a_scope_agent_may_ask_too() -> None:
    outputs = iter((wonders("Any"), scope("Milestone 1")))
    scene = Scene(
        loop_definition(aides=[RESEARCHER]),
        scope_agent=lambda scene, request: FakeReply(output=next(outputs)),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.asked[:4] == ["scope_agent", RESEARCHER, "scope_agent", "task_planner"]
    assert section(scene.requests("scope_agent")[1], "RESEARCH") == "it\nSo."


def test_nobody_answers_twice_before_a_plan() -> None:
    def insists(scene: Scene, request: WorkerRequest) -> FakeReply:
        more = plan("milestone_done", "All is there", questions=["And then?"])
        return FakeReply(output=more)

    scene = Scene(
        loop_definition(LoopRules(max_tasks=3), aides=[RESEARCHER]),
        task_planner=insists,
        assessor=says(assess("milestone_complete")),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.asked.count(RESEARCHER) == 1
    assert scene.asked.count("task_planner") == 2


@pytest.mark.parametrize("trouble", [fails(GONE), fails(LIMITED), says("I do not know.")])
def test_a_planner_whose_questions_nobody_answers_goes_on(trouble: Act) -> None:
    scene = Scene(
        loop_definition(aides=[RESEARCHER]), task_planner=curious("Why?"), loop_researcher=trouble
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert len(scene.events(k.ResearchMissed)) == 2
    told = section(scene.requests("task_planner")[1], "RESEARCH")
    assert told == "Nobody could answer your questions. Go on with what you know."


def test_questions_that_nobody_offers_to_answer_are_no_questions() -> None:
    scene = Scene(task_planner=lambda scene, request: scene.plans(request))
    assert scene.drive() is RunStatus.COMPLETED
    assert all(not section(it, "RESEARCH") for it in scene.requests("task_planner"))
    asking = Scene(
        loop_definition(LoopRules(max_tasks=1)),
        task_planner=says(asks("Why?")),
    )
    asking.drive()
    assert asking.events(k.QuestionsAsked) == []
    assert len(asking.events(k.TaskPlanned)) == 1


def test_what_is_long_over_is_summed_up_before_supervisors_read_it() -> None:
    scene = Scene(
        loop_definition(aides=[SUMMARIZER]),
        tasks=16,
        loop_summarizer=says(summed("Ten parts  are there.")),
    )
    assert scene.drive() is RunStatus.COMPLETED
    first, second = scene.requests(SUMMARIZER)[:2]
    assert [it.tasks for it in scene.events(k.SummaryTaken)][:2] == [4, 10]
    earlier = section(first, "EARLIER WORK").splitlines()
    assert [it.split(" ")[0] for it in earlier] == [f"task_{it}" for it in range(1, 5)]
    again = section(second, "EARLIER WORK").splitlines()
    assert again[0] == "So far: Ten parts are there."
    assert [it.split(" ")[0] for it in again[1:]] == [f"task_{it}" for it in range(5, 11)]
    where = scene.asked.index(SUMMARIZER)
    assert scene.asked[where + 1] == "code_style_supervisor"
    read = section(scene.kernel.fakes.worker.requests[where + 1], "COMPLETED WORK")
    assert read.splitlines()[0] == "Earlier, in short: Ten parts are there."
    assert len(read.splitlines()) == 7
    # Tasks that left the window since are named, until they are summed up as well.
    last = section(scene.requests("task_planner")[-1], "COMPLETED WORK").splitlines()
    assert last[0].startswith("Earlier, in short: ")


@pytest.mark.parametrize("trouble", [fails(GONE), fails(LIMITED), says("Well.")])
def test_without_a_summary_the_titles_stand_for_what_is_over(trouble: Act) -> None:
    scene = Scene(loop_definition(aides=[SUMMARIZER]), tasks=12, loop_summarizer=trouble)
    assert scene.drive() is RunStatus.COMPLETED
    missed = scene.events(k.SummaryMissed)
    assert [it.tasks for it in missed] == [4]
    assert all(it.reason for it in missed)
    last = section(scene.requests("task_planner")[-1], "COMPLETED WORK")
    assert last.startswith("Earlier, task_1 to task_6 (6 done): Part 1; Part 2")
    assert not scene.events(e.RunFailed)
