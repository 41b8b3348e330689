"""Threads of graphs in a real ledger: saved, listed, forked, deleted, resumed after a death."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from operator import add
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict

import pytest

pytest.importorskip("langgraph", reason="supervisor-ai[langgraph] is not installed here")

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from tests.integration.langgraph.counters import BEGIN, CONFIG, counter

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.langgraph.saver import LedgerSaver, open_saver

SECRET: Final = "sk-ant-api03-" + "a1B2c3D4e5F6g7H8" * 6


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository, and a user whose state is elsewhere."""
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SUPERVISOR_STATE", str(tmp_path / "state"))
    subprocess.run(["git", "init", "--quiet", str(place)], check=True)
    return place


@pytest.fixture
def saver(project: Path) -> Iterator[LedgerSaver]:
    with open_saver(project) as opened:
        yield opened


def test_a_thread_is_found_again_by_another_process(project: Path, saver: LedgerSaver) -> None:
    ended = counter().compile(checkpointer=saver).invoke(BEGIN, CONFIG)
    assert ended == {"number": 4, "said": ["0", "1", "2", "3"]}
    with open_saver(project) as other:
        graph = counter().compile(checkpointer=other)
        assert graph.get_state(CONFIG).values == ended
        history = list(graph.get_state_history(CONFIG))
    assert [it.values.get("number") for it in history] == [4, 3, 2, 1, 0, None]
    assert [it.metadata["step"] for it in history if it.metadata] == [4, 3, 2, 1, 0, -1]


def test_messages_and_other_values_come_back_as_they_were(saver: LedgerSaver) -> None:
    said = [HumanMessage("Hello"), (1, 2.5, None), {"at": b"\xff\x00"}, float("inf"), 2**60]
    graph = counter(lambda number: said[number], most=len(said))
    ours, theirs = graph.compile(checkpointer=saver), graph.compile(checkpointer=InMemorySaver())
    for it in (ours, theirs):
        it.invoke(BEGIN, CONFIG)
    assert ours.get_state(CONFIG).values == theirs.get_state(CONFIG).values
    assert ours.get_state(CONFIG).values["said"][0] == HumanMessage("Hello")


def test_nothing_secret_is_kept(project: Path, saver: LedgerSaver) -> None:
    said = [f"Use {SECRET} now", HumanMessage(f"key={SECRET}"), {"deep": [f"{SECRET}"]}]
    graph = counter(lambda number: said[number], most=len(said)).compile(checkpointer=saver)
    graph.invoke(BEGIN, CONFIG)
    kept = graph.get_state(CONFIG).values["said"]
    assert SECRET not in str(kept)
    assert isinstance(kept[1], HumanMessage)
    state = project / ".supervisor"
    files = [path for path in state.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not any(SECRET.encode() in path.read_bytes() for path in files)


def test_threads_do_not_know_each_other(saver: LedgerSaver) -> None:
    graph = counter().compile(checkpointer=saver)
    other: Any = {"configurable": {"thread_id": "second"}}
    graph.invoke(BEGIN, CONFIG)
    graph.invoke({"number": 2, "said": []}, other)
    assert graph.get_state(CONFIG).values["said"] == ["0", "1", "2", "3"]
    assert graph.get_state(other).values["said"] == ["2", "3"]
    named = {it.config["configurable"]["thread_id"] for it in saver.list(None)}
    assert named == {"first", "second"}


def test_a_fork_changes_nothing_of_what_it_began_from(saver: LedgerSaver) -> None:
    graph = counter().compile(checkpointer=saver)
    graph.invoke(BEGIN, CONFIG)
    second = next(it for it in graph.get_state_history(CONFIG) if it.values.get("number") == 2)
    newest = graph.get_state(CONFIG)
    forked = graph.update_state(second.config, {"said": ["otherwise"]})
    assert graph.invoke(None, forked)["said"] == ["0", "1", "otherwise", "2", "3"]
    assert graph.get_state(newest.config).values["said"] == ["0", "1", "2", "3"]


def test_lists_can_be_narrowed(saver: LedgerSaver) -> None:
    graph = counter().compile(checkpointer=saver)
    graph.invoke(BEGIN, CONFIG)
    every = list(saver.list(CONFIG))
    assert [it.config for it in saver.list(CONFIG, limit=2)] == [it.config for it in every[:2]]
    before = [it.config for it in saver.list(CONFIG, before=every[2].config)]
    assert before == [it.config for it in every[3:]]
    (begun,) = saver.list(CONFIG, filter={"source": "input"})
    assert begun.parent_config is None
    (named,) = saver.list(every[1].config)
    assert named.config == every[1].config
    inner: Any = {"configurable": {"thread_id": "first", "checkpoint_ns": "inner"}}
    assert list(saver.list(inner)) == []


def test_a_deleted_thread_begins_anew(project: Path, saver: LedgerSaver) -> None:
    graph = counter().compile(checkpointer=saver)
    graph.invoke(BEGIN, CONFIG)
    saver.delete_thread("first")
    saver.delete_thread("never")
    assert saver.get_tuple(CONFIG) is None
    with open_saver(project) as other:
        assert list(other.list(CONFIG)) == []
    assert graph.invoke({"number": 3, "said": []}, CONFIG)["said"] == ["3"]


def test_a_person_is_waited_for_over_restarts(project: Path, saver: LedgerSaver) -> None:
    graph = counter(lambda number: interrupt("Go on?") if number == 2 else number)
    asked = graph.compile(checkpointer=saver).invoke(BEGIN, CONFIG)
    assert asked["__interrupt__"][0].value == "Go on?"
    with open_saver(project) as other:
        ended = graph.compile(checkpointer=other).invoke(Command(resume="yes"), CONFIG)
    assert ended["said"] == [0, 1, "yes", 3]


def test_it_can_be_awaited(saver: LedgerSaver) -> None:
    async def live() -> list[Any]:
        graph = counter().compile(checkpointer=saver)
        streamed = [it async for it in graph.astream(BEGIN, CONFIG, stream_mode="updates")]
        assert len(streamed) == 4
        assert (await graph.aget_state(CONFIG)).values["number"] == 4
        listed = [it async for it in saver.alist(CONFIG)]
        await saver.adelete_thread("first")
        assert await saver.aget_tuple(CONFIG) is None
        return listed

    assert len(asyncio.run(live())) == 6


def test_what_tasks_of_a_step_finished_is_not_done_again(project: Path) -> None:
    """One of two parallel tasks dies; the other one's work is kept."""
    done: list[str] = []

    class Both(TypedDict):
        said: Annotated[list[str], add]

    def lives(state: Both) -> Both:
        del state
        done.append("lives")
        return {"said": ["lives"]}

    def dies(state: Both) -> Both:
        del state
        done.append("dies")
        if done.count("dies") == 1:
            raise OSError("gone")
        return {"said": ["dies"]}

    graph: StateGraph[Both] = StateGraph(Both)
    for name, node in (("lives", lives), ("dies", dies)):
        graph.add_node(name, node)
        graph.add_edge(START, name)
    config: Any = {**CONFIG, "max_concurrency": 1}
    with open_saver(project) as saver, pytest.raises(OSError, match="gone"):
        graph.compile(checkpointer=saver).invoke({"said": []}, config)
    with open_saver(project) as saver:
        ended = graph.compile(checkpointer=saver).invoke(None, CONFIG)
    assert sorted(ended["said"]) == ["dies", "lives"]
    assert done.count("lives") == 1


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 201])
def test_a_thread_needs_a_name_that_can_be_told(saver: LedgerSaver, name: str) -> None:
    config: Any = {"configurable": {"thread_id": name}}
    with pytest.raises(InvalidInput, match="cannot be the name of a thread"):
        saver.get_tuple(config)


def test_a_thread_needs_a_name(saver: LedgerSaver) -> None:
    with pytest.raises(InvalidInput, match="thread has no name"):
        saver.get_tuple({"configurable": {}})


DYING: Final = """
import os, signal, sys
from tests.integration.langgraph.counters import BEGIN, CONFIG, counter
from supervisor_ai.langgraph.saver import open_saver

def say(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return str(number)

with open_saver(sys.argv[1]) as saver:
    counter(say).compile(checkpointer=saver).invoke(BEGIN, CONFIG, durability="sync")
"""


def test_a_killed_process_loses_nothing_that_was_saved(project: Path) -> None:
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    died = subprocess.run(
        [sys.executable, "-c", DYING, str(project)], env=environment, cwd=root, check=False
    )
    assert died.returncode == -signal.SIGKILL
    with open_saver(project) as saver:
        graph = counter(lambda number: f"again {number}").compile(checkpointer=saver)
        assert graph.get_state(CONFIG).values["said"] == ["0", "1"]
        assert graph.invoke(None, CONFIG)["said"] == ["0", "1", "again 2", "again 3"]
