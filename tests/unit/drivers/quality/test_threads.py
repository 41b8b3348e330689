"""Threads of graphs: what counts of what was saved."""

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.quality.threads import (
    ThreadDeleted,
    ThreadFact,
    ThreadState,
    ThreadStateSaved,
    ThreadValue,
    ThreadWrite,
    ThreadWritesSaved,
    evolve,
)


def folded(*facts: ThreadFact) -> ThreadState:
    state = ThreadState()
    for fact in facts:
        state = evolve(state, fact)
    return state


def text(name: str) -> ArtifactHash:
    return ArtifactHash(name)


def saved(state: str, *values: ThreadValue, namespace: str = "") -> ThreadStateSaved:
    return ThreadStateSaved(
        namespace=namespace,
        state=state,
        parent=None,
        head=text("head"),
        about=text("about"),
        values=values,
    )


def wrote(*writes: tuple[int, str], task: str = "t") -> ThreadWritesSaved:
    made = tuple(ThreadWrite(index=at, channel="c", text=text(name)) for at, name in writes)
    return ThreadWritesSaved(namespace="", state="1", task=task, path="", writes=made)


def test_a_channel_keeps_what_it_held_in_each_version() -> None:
    first = ThreadValue(channel="number", version="1", text=text("one"))
    second = ThreadValue(channel="number", version="2", text=None)
    at = folded(saved("1", first), saved("2", second)).namespace("")
    assert at.text_of("number", "1") == "one"
    assert at.text_of("number", "2") is None
    assert at.text_of("other", "1") is None
    assert list(at.states) == ["1", "2"]


def test_graphs_inside_others_are_kept_apart() -> None:
    thread = folded(saved("1"), saved("2", namespace="inner"))
    assert list(thread.namespace("").states) == ["1"]
    assert list(thread.namespace("inner").states) == ["2"]
    assert thread.namespace("unknown").states == {}


def test_what_a_task_wrote_is_written_but_for_places_below_zero() -> None:
    thread = folded(
        wrote((0, "a"), (-1, "b")), wrote((0, "c"), (-1, "d")), wrote((0, "e"), task="u")
    )
    assert [it.write.text for it in thread.namespace("").written("1")] == ["a", "d", "e"]
    assert thread.namespace("").written("2") == ()


def test_a_deleted_thread_has_nothing() -> None:
    assert folded(saved("1"), ThreadDeleted()).namespaces == {}


def test_other_facts_change_nothing() -> None:
    assert folded(ThreadFact()).namespaces == {}
