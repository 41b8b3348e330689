"""One scripted world for two shells: our own driver, and the graph."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import msgspec
from langgraph.checkpoint.memory import InMemorySaver
from msgspec import Struct
from tests.support.loop_scene import Scene, loop_definition, sections
from tests.support.memory_knowledge import PlainBooks

from supervisor_ai.bootstrap.graphs import open_graph_parts
from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.domain.ids import run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import briefs
from supervisor_ai.drivers.loop.book import LoopBook
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.langgraph.graph import build_graph, steps_of
from supervisor_ai.langgraph.ports import (
    GraphPorts,
    LookRequest,
    RoleRequest,
    SupervisorReply,
)
from supervisor_ai.langgraph.state import book_of
from supervisor_ai.testing.fake_worker import FakeReply, answering

Told = Mapping[str, str]
COMPARED: Final = (
    *(briefs.CONTEXT, briefs.MILESTONE, briefs.DIRECTIVES, briefs.DONE, briefs.LOG, briefs.TASK),
)
"""What both shells tell their roles in the same words."""
GONE: Final = Diagnosis(
    message="No key.", category=FailureCategory.CLI_ERROR, action=Action.ESCALATE
)
_PAUSES: Final = 20
"""Whoever fails too often waits before the next attempt, which decides nothing."""
_ROLES: Final = {"implementor": "loop_implementor", "qa": "loop_qa"}
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class Deed(Struct, frozen=True, kw_only=True):
    """What a role does when it is asked."""

    answer: Mapping[str, object] | str | None
    """None: its model cannot be had."""
    files: Mapping[str, str] = {}


Act = Callable[[Told, int], Deed]
"""By what the role is told, and how many were asked before it."""


class Ask(Struct, frozen=True, kw_only=True):
    """What a role was asked."""

    role: str
    told: tuple[tuple[str, str], ...]


class Cast:
    """Roles that act by what they are told and by numbers that were drawn."""

    def __init__(self, ways: Mapping[str, Sequence[Act]], numbers: Sequence[int]) -> None:
        self._ways = ways
        self._numbers = list(numbers)
        self.asks: list[Ask] = []

    def act(self, role: str, told: Told) -> Deed:
        shown = tuple((title, told[title].strip()) for title in COMPARED if told.get(title))
        self.asks.append(Ask(role=role, told=shown))
        ways = self._ways[role]
        number = self._numbers.pop(0) if self._numbers else 0
        return ways[number % len(ways)](told, len(self.asks))


class Story(Struct, frozen=True, kw_only=True):
    """What a shell did: whom it asked what, where it went with which book, and how it ended."""

    asks: list[Ask]
    places: list[tuple[str, Any]]
    is_complete: bool


def by_driver(rules: LoopRules, ways: Mapping[str, Sequence[Act]], numbers: Sequence[int]) -> Story:
    """Let our own driver live through a world."""
    cast = Cast(ways, numbers)

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del scene
        deed = cast.act(request.role, sections(request))
        if deed.answer is None:
            return FakeReply(diagnosis=GONE, exit_code=1)
        output = deed.answer if isinstance(deed.answer, str) else answering(dict(deed.answer))
        return FakeReply(output=output, files=dict(deed.files))

    definition = loop_definition(rules, supervisors=rules.supervisors)
    scene = Scene(definition, **dict.fromkeys(ways, act))  # type: ignore[arg-type]
    scene.drive()
    for _ in range(_PAUSES):
        if scene.kernel.status(scene.run) is not RunStatus.WAITING:
            break
        scene.kernel.fakes.clock.advance(timedelta(hours=1))
        scene.drive()
    log = list(scene.kernel.world.log.read(run_stream(scene.run)))
    driver = LoopDriver()
    birth = next(it.event for it in log if isinstance(it.event, e.RunSubmitted))
    state, places = driver.begin(birth, definition), []
    for envelope in log:
        event = envelope.event
        if isinstance(event, e.StepEntered) and str(event.step) in set(LoopNode):
            places.append((str(event.step), comparable(state.book, scene.text)))
        state = driver.evolve(state, event)
    is_complete = any(isinstance(it.event, e.RunCompleted) for it in log)
    return Story(asks=cast.asks, places=places, is_complete=is_complete)


def by_graph(rules: LoopRules, ways: Mapping[str, Sequence[Act]], numbers: Sequence[int]) -> Story:
    """Let the graph live through the same world."""
    cast = Cast(ways, numbers)
    there: dict[str, int] = {}

    def work(request: RoleRequest) -> object:
        deed = cast.act(_ROLES.get(request.role, request.role), dict(request.sections))
        there.update({path: len(text) for path, text in deed.files.items()})
        return deed.answer

    def supervise(request: LookRequest) -> object:
        deed = cast.act(request.role, dict(request.sections))
        if deed.answer is None:
            raise ConnectionError("No key.")
        return SupervisorReply(answer=deed.answer, files=deed.files)

    ports = GraphPorts(
        work=work,
        supervise=supervise,
        commit=lambda request: f"commit {request.number}",
        sizes=lambda paths: {path: there[path] for path in paths if path in there},
    )
    parts = replace(open_graph_parts(), books=PlainBooks())
    graph = build_graph(ports, rules, parts).compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": steps_of(rules)}
    ended = graph.invoke({"request": "Build it."}, config)
    places = [
        (it.next[0], comparable(book_of(it.values, rules), str))
        for it in reversed(list(graph.get_state_history(config)))
        if it.next and it.next[0] in set(LoopNode)
    ]
    return Story(asks=cast.asks, places=places, is_complete=ended["status"] == "completed")


def comparable(book: LoopBook, text: Callable[[Any], str]) -> Any:
    """Write a book with words instead of their names, and without what only git knows."""

    def walk(value: Any) -> Any:
        match value:
            case dict():
                return {
                    key: walk(it) for key, it in value.items() if key not in {"commit", "reason"}
                }
            case list() | tuple():
                return [walk(it) for it in value]
            case str() if _HASH.fullmatch(value):
                return walk(text(value))
            case str() if value.startswith("{"):
                return json.loads(value)
            case _:
                return value

    roster = book.roster
    records = {it.name: roster.record(it.name) for it in roster.specs}
    whole = replace(book, roster=replace(roster, records=records))
    return walk(msgspec.to_builtins(whole, order="sorted"))


def specs(every: int = 2) -> tuple[Any, ...]:
    """Let the built-in supervisors look more often."""
    return tuple(replace(it, every=every) if it.every else it for it in BUILTIN)
