"""Both shells, our driver and the graph, decide the same in the same world, one by one."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

pytest.importorskip("langgraph", reason="supervisor-ai[langgraph] is not installed here")

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.integration.langgraph.worlds import (
    Act,
    Deed,
    Story,
    Told,
    by_driver,
    by_graph,
    specs,
)
from tests.support.example_counts import examples

from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Backlog

PHASES: Final = (Phase.explicit, Phase.generate)
RULES: Final = LoopRules(
    max_tasks=9,
    max_attempts=2,
    review_interval=3,
    polish_tasks=3,
    backlog=Backlog(cap=3, age=4),
    supervisors=specs(),
)


def says(answer: Mapping[str, object] | str | None) -> Act:
    return lambda told, number: Deed(answer=answer)


def scopes(told: Told, number: int) -> Deed:
    del told
    milestones = [{"outcome": f"Outcome {number} {at}", "areas": ["src"]} for at in (1, 2)]
    return Deed(answer={"remit": f"Build it {number}.", "milestones": milestones})


def replies(told: Told, response: str) -> list[dict[str, object]]:
    """Answer every directive that is shown: cleanup so, functional ones by explaining."""
    lines = [it for it in told.get("ACTIVE DIRECTIVES", "").splitlines() if it.startswith("[")]
    return [
        {
            "directive": int(line[1 : line.index("]")]),
            "response": response if "cleanup" in line.partition(":")[0] else "explained",
            "note": "So.",
        }
        for line in lines
    ]


def plans(told: Told, number: int) -> Deed:
    """Plan two tasks for each milestone, then say that it is done; then tidy up."""
    said = replies(told, "deferred")
    if "The remit is complete" in told["CURRENT MILESTONE"]:
        first, *others = said or [{"directive": 0}]
        does = [] if "TASK" in told else [first["directive"]]
        said = [{**first, "response": "addressed"}, *others] if does else said
        return Deed(answer=_plan("implement", f"Tidy {number}", said, does=does))
    done = len(re.findall(r"^task_", told.get("COMPLETED WORK", ""), re.MULTILINE))
    if "TASK" not in told and done and done % 2 == 0 and number % 3:
        return Deed(answer=_plan("milestone_done", f"There {number}", said))
    later = [f"Later {at}" for at in range(number % 5)]
    return Deed(answer=_plan("implement", f"Part {number}", said, carry_forward=later))


def _plan(
    action: str, task: str, said: list[dict[str, object]], **more: object
) -> dict[str, object]:
    return {"status": action, "task": task, "plan": "Like so.", "directives": said, **more}


def chooses(action: str) -> Act:
    def act(told: Told, number: int) -> Deed:
        later = [f"Thought {number} {at}" for at in range(4)]
        said = replies(told, "addressed")
        return Deed(answer=_plan(action, f"Other {number}", said, carry_forward=later))

    return act


def escalates(told: Told, number: int) -> Deed:
    said = [{**it, "response": "escalated"} for it in replies(told, "escalated")]
    return Deed(answer=_plan("implement", f"Asked {number}", said))


def works(told: Told, number: int) -> Deed:
    del told
    name = f"part_{number}.py"
    return Deed(answer=_work(created=[name]), files={name: f"x = {number}\n"})


def _work(status: str = "SUCCESS", created: Sequence[str] = ()) -> dict[str, object]:
    told = {"files_created": list(created), "files_modified": [], "tests_written": []}
    return {"status": status, "summary": "Did it.", **told}


def assesses(told: Told, number: int) -> Deed:
    del told
    return Deed(answer={"status": "milestone_complete", "summary": f"So {number}."})


def judges(verdict: str) -> Act:
    return says({"status": verdict, "hint": "Turn.", "summary": "I looked."})


def style(*kinds: tuple[str, str], doc: str = "", text: str = "# Convention") -> Act:
    def act(told: Told, number: int) -> Deed:
        del told
        wanted = [
            {"type": kind, "description": f"{kind} {number // 9}", "priority": urgency}
            for kind, urgency in kinds
        ]
        files = {doc.format(number): f"{text} {number}\n"} if doc else {}
        return Deed(answer={"conventions_updated": [*files], "directives": wanted}, files=files)

    return act


def design(*kinds: tuple[str, str]) -> Act:
    def act(told: Told, number: int) -> Deed:
        made = style(*kinds)(told, number).answer
        assert isinstance(made, Mapping)
        return Deed(answer={"design_updates": [], "directives": made["directives"]})

    return act


def learns(told: Told, number: int) -> Deed:
    del told
    item = {"category": "lesson", "content": f"Lesson {number // 20}"}
    return Deed(answer={"knowledge_items": [item]})


WAYS: Final[Mapping[str, Sequence[Act]]] = {
    "scope_agent": [scopes, scopes, says("I do not know.")],
    "task_planner": [
        plans,
        *(chooses(action) for action in ("implement", "skip", "abort", "milestone_done")),
        escalates,
        says({"status": "implement", "task": "Without a word about directives"}),
        says("I do not know."),
    ],
    "loop_implementor": [
        works,
        says(_work("FAILED")),
        says(_work("BLOCKED")),
        says(_work(created=["gone.py"])),
        says({"status": "SUCCESS"}),
    ],
    "loop_qa": [
        says({"status": "pass", "feedback": "It is so."}),
        says({"status": "fail", "feedback": "No."}),
    ],
    "assessor": [
        assesses,
        *map(judges, ("aligned", "minor_drift", "major_divergence")),
        says({"status": "perhaps"}),
    ],
    "code_style_supervisor": [
        style(("cleanup", "low"), ("cleanup", "low"), doc="docs/knowledge/conventions/c{}.md"),
        says("All well."),
        says(None),
        style(("functional", "normal"), ("cleanup", "normal")),
        style(doc="docs/knowledge/conventions/c{}.md", text="No heading"),
    ],
    "design_supervisor": [design(), says("?"), says(None), design(("functional", "critical"))],
    "internaliser": [learns, says("?"), says(None)],
}
"""How each role can act: first as it should, then otherwise."""

TABLE: Final[Mapping[str, Sequence[int]]] = {
    "as it should be": [],
    "skips and aborts": [0, 2, 0, 0, 3, 0, 0, 2],
    "the milestone is claimed at once": [0, 4, 0, 0, 0, 0, 4],
    "QA fails again and again": [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
    "work that is not there": [0, 0, 3, 0, 3, 0, 3, 0, 1, 0, 2],
    "no scope": [2, 2, 2],
    "a planner that says nothing": [0, 7, 7, 7],
    "an implementor that says nothing": [0, 0, 4, 4, 4, 0, 0, 0],
    "drift and divergence": [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 3, 3, 2, 2, 3],
    "supervisors that cannot be had": [*([0] * 8), *([2] * 40)],
}


def told(story: Story) -> list[str]:
    return [node for node, _ in story.places]


def check_same(rules: LoopRules, numbers: Sequence[int]) -> Story:
    ours, graph = by_driver(rules, WAYS, numbers), by_graph(rules, WAYS, numbers)
    assert told(graph) == told(ours)
    for (node, found), (_, expected) in zip(graph.places, ours.places, strict=True):
        assert found == expected, node
    assert graph.asks == ours.asks
    assert graph.is_complete == ours.is_complete
    return ours


@pytest.mark.parametrize("numbers", TABLE.values(), ids=TABLE)
def test_both_shells_decide_the_same(numbers: Sequence[int]) -> None:
    story = check_same(RULES, numbers)
    assert told(story)[0] == "scope_agent"


def test_a_whole_remit_comes_to_every_node_but_failure() -> None:
    story = check_same(RULES, [])
    assert story.is_complete
    assert {"run_supervisors", "assessor", "polish", "report"} <= set(told(story))


@settings(max_examples=examples(40), phases=PHASES)
@given(numbers=st.lists(st.integers(0, 7), max_size=60))
def test_both_shells_decide_the_same_whatever_is_answered(numbers: list[int]) -> None:
    check_same(RULES, numbers)
