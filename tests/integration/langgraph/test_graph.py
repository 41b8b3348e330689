"""The loop as a graph: awaited, streamed, resumed after a death, told something by a person."""

import asyncio
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import pytest

pytest.importorskip("langgraph", reason="supervisor-ai[langgraph] is not installed here")

from langgraph.checkpoint.memory import InMemorySaver

from supervisor_ai.bootstrap.graphs import open_folder_knowledge, open_graph_parts
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.supervisors import LookMoment
from supervisor_ai.drivers.quality.urgency import UrgencySignal
from supervisor_ai.langgraph.graph import build_graph, steps_of
from supervisor_ai.langgraph.ports import (
    GraphPorts,
    LookRequest,
    RoleRequest,
    SupervisorReply,
)
from supervisor_ai.langgraph.saver import open_saver
from supervisor_ai.langgraph.supervisor_node import GraphSupervisors

CONFIG: Final[Any] = {"configurable": {"thread_id": "1"}, "recursion_limit": steps_of()}
REQUEST: Final[Any] = {"request": "Build it."}
CONVENTION: Final = "docs/knowledge/conventions/errors.md"
ELSEWHERE: Final = "docs/knowledge/design/errors.md"
DOCUMENT: Final = "# Errors\n\n_Status: provisional_\n\n## Rules\n\n1. Raise ToolError\n"
RULES: Final = LoopRules(
    max_tasks=6,
    supervisors=tuple(replace(it, every=2) for it in open_graph_parts().supervisors[:1]),
)


class Death(BaseException):
    """The process is gone."""


class Models:
    """Models that act by what they are told, so that asking again changes nothing."""

    def __init__(self, dies_at: int = 0) -> None:
        self.dies_at = dies_at
        self.asks: list[str] = []

    def work(self, request: RoleRequest) -> object:
        self._ask(request.role)
        told = dict(request.sections)
        match request.role:
            case "scope_agent":
                return {"remit": told["REQUEST"], "milestones": [{"outcome": "It is there"}]}
            case "task_planner":
                return _plan(told)
            case "implementor":
                files: list[str] = []
                changed = {"files_created": files, "files_modified": files, "tests_written": files}
                return {"status": "SUCCESS", "summary": "Did it.", **changed}
            case "qa":
                return {"status": "pass", "feedback": "It is so."}
            case _:
                return {"status": "milestone_complete", "summary": "I looked."}

    def supervise(self, request: LookRequest) -> object:
        self._ask(request.role)
        wanted = {"type": "cleanup", "description": "Tidy up", "priority": "low"}
        answer = {"conventions_updated": [CONVENTION], "directives": [wanted]}
        return SupervisorReply(answer=answer, files={CONVENTION: DOCUMENT, ELSEWHERE: DOCUMENT})

    def _ask(self, role: str) -> None:
        self.asks.append(role)
        if len(self.asks) == self.dies_at:
            raise Death


def _plan(told: Mapping[str, str]) -> dict[str, object]:
    shown = told.get("ACTIVE DIRECTIVES", "").splitlines()
    numbers = [int(it[1 : it.index("]")]) for it in shown if it.startswith("[")]
    done = told.get("COMPLETED WORK", "").count("task_")
    if "The remit is complete" in told["CURRENT MILESTONE"]:
        first, *others = numbers
        said = [{"directive": first, "response": "addressed"}]
        said += [{"directive": it, "response": "deferred"} for it in others]
        return {"status": "implement", "task": "Tidy up", "directives": said, "does": [first]}
    later = [{"directive": it, "response": "deferred"} for it in numbers]
    action = "milestone_done" if done >= 3 else "implement"
    return {"status": action, "task": f"Part {done + 1}", "directives": later}


def ports(models: Models, **more: Any) -> GraphPorts:
    return GraphPorts(work=models.work, supervise=models.supervise, **more)


def test_it_has_the_nodes_of_the_seed_and_a_picture_of_its_ways() -> None:
    graph = build_graph(ports(Models())).compile()
    assert set(LoopNode) < set(graph.get_graph().nodes)
    edges = {(it.source, it.target) for it in graph.get_graph().edges}
    assert ("mark_complete", "run_supervisors") in edges
    assert ("run_supervisors", "assessor") in edges
    assert ("assessor", "polish") in edges
    assert ("implementor", "report") not in edges


def test_a_remit_is_worked_off_and_documents_are_kept(tmp_path: Path) -> None:
    checked: list[str] = []
    given = ports(
        Models(),
        check=lambda request: checked.append(request.task),
        commit=lambda request: f"c{request.number}",
        knowledge=open_folder_knowledge(tmp_path),
    )
    graph = build_graph(given, RULES).compile()
    streamed = graph.stream(REQUEST, CONFIG, stream_mode=["custom", "values"])
    seen = cast("list[tuple[str, dict[str, Any]]]", list(streamed))
    said = [it for mode, it in seen if mode == "custom"]
    assert [it["supervisor"] for it in said] == ["code_style", "code_style"]
    assert "updated 1 document" in said[0]["says"]
    assert "was refused 1 document" in said[0]["says"]
    _, ended = seen[-1]
    assert (ended["status"], ended["error"]) == ("completed", None)
    assert [it["commit"] for it in ended["done_list"]] == ["c1", "c2", "c3", "c4"]
    assert checked == ["Part 1", "Part 2", "Part 3", "Tidy up"]
    assert ended["directive_log"] == [{"number": 1, "became": "addressed", "note": ""}]
    assert "# Work report" in ended["work_report"]
    assert "Raise ToolError" in (tmp_path / CONVENTION).read_text()
    assert not (tmp_path / ELSEWHERE).exists()


def test_a_check_that_fails_goes_back_to_the_planner() -> None:
    failures = ["It does not compile."]
    given = ports(Models(), check=lambda request: failures.pop() if failures else None)
    ended = build_graph(given, RULES).compile().invoke(REQUEST, CONFIG)
    assert ended["done_list"][0]["qa_failures"] == 1
    assert ended["status"] == "completed"


def test_ports_may_be_awaited() -> None:
    models = Models()

    async def work(request: RoleRequest) -> object:
        await asyncio.sleep(0)
        return models.work(request)

    async def live() -> list[Any]:
        graph = build_graph(replace(ports(models), work=work), RULES).compile()
        return [it async for it in graph.astream(REQUEST, CONFIG, stream_mode="updates")]

    updates = asyncio.run(live())
    assert list(updates[0]) == ["scope_agent"]
    assert updates[-1]["report"]["status"] == "completed"


def test_a_port_that_waits_where_nobody_awaits_is_told_so() -> None:
    async def late(request: RoleRequest) -> object:
        await asyncio.sleep(0)
        return Models().work(request)

    given = replace(ports(Models()), work=lambda request: late(request))  # noqa: PLW0108 - in disguise
    with pytest.raises(InvalidInput, match="the graph was not awaited"):
        build_graph(given).compile().invoke(REQUEST, CONFIG)


def test_it_needs_a_request() -> None:
    with pytest.raises(InvalidInput, match="nothing to work on"):
        build_graph(ports(Models())).compile().invoke({"request": " "}, CONFIG)


def test_a_role_that_never_answers_ends_it_with_the_reason() -> None:
    given = replace(ports(Models()), work=lambda request: "I do not know.")
    ended = build_graph(given).compile().invoke(REQUEST, CONFIG)
    assert ended["status"] == "failed"
    assert "'scope_agent' failed 3 times" in ended["error"]


def test_a_person_adds_a_directive_while_it_rests() -> None:
    models = Models()
    graph = build_graph(ports(models), RULES).compile(
        checkpointer=InMemorySaver(), interrupt_before=["qa"]
    )
    graph.invoke(REQUEST, CONFIG)
    wish = {"type": "cleanup", "description": "Mind the gap"}
    graph.update_state(CONFIG, {"pending_directives": [wish]})
    graph.invoke(None, CONFIG)
    (pending,) = graph.get_state(CONFIG).values["pending_directives"]
    assert (pending["number"], pending["source"]) == (1, "person")
    graph.update_state(CONFIG, {"pending_directives": [{"type": "cleanup"}]})
    with pytest.raises(InvalidInput, match="where it cannot be"):
        graph.invoke(None, CONFIG)


def test_a_death_at_any_call_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SUPERVISOR_STATE", str(tmp_path / "state"))
    project = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    untroubled = Models()

    def remembering(models: Models, place: str) -> GraphPorts:
        return ports(models, knowledge=open_folder_knowledge(tmp_path / place))

    first = build_graph(remembering(untroubled, "first"), RULES).compile()
    expected = first.invoke(REQUEST, CONFIG)
    for dies_at in range(1, len(untroubled.asks) + 1, 5):
        config: Any = {**CONFIG, "configurable": {"thread_id": f"death {dies_at}"}}
        dying, living = Models(dies_at), Models()
        with open_saver(project) as saver, pytest.raises(Death):
            build_graph(remembering(dying, str(dies_at)), RULES).compile(checkpointer=saver).invoke(
                REQUEST, config, durability="sync"
            )
        with open_saver(project) as saver:
            given = remembering(living, str(dies_at))
            graph = build_graph(given, RULES).compile(checkpointer=saver)
            ended = graph.invoke(None, config)
        assert ended == expected, dies_at
        # Only what was being done is done again.
        assert [*dying.asks[:-1], *living.asks] == untroubled.asks, dies_at


def test_supervisors_of_another_graph_hear_of_moments_and_signals() -> None:
    office = GraphSupervisors(Models().supervise, supervisors=RULES.supervisors)
    assert not office.is_due({})
    one = office.count_task({}, UrgencySignal.QA_FAILURE)
    assert (one["supervisor_urgency"], one["tasks_since_last_supervisor"]) == (0.3, 1)
    assert office.is_due(office.count_task(one))
    assert office.is_due(office.call(one, LookMoment.MILESTONE))
    assert not office.is_due(office.call(one, LookMoment.ABORT))
    assert office.is_due(office.count_task({}, UrgencySignal.TASK_ABORT))
    pending: Any = {"pending_directives": [{"number": 1}, {"number": 2}]}
    settled = office.settle(pending, 1, "explained")
    assert settled["pending_directives"] == [{"number": 2}]
    assert settled["directive_log"] == [{"number": 1, "became": "explained"}]
