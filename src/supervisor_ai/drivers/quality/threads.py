"""Threads: what a graph of somebody else's engine saved on its way, as facts of our ledger."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash


class ThreadFact(Event, frozen=True, kw_only=True):
    """A fact of a thread."""


class ThreadValue(Struct, frozen=True, kw_only=True):
    """What a channel of a graph holds from one version on."""

    channel: str
    version: str
    text: ArtifactHash | None
    """None: it is empty."""


class ThreadWrite(Struct, frozen=True, kw_only=True):
    """What a task of a graph wrote, before the step that it belongs to was over."""

    index: int
    """A place below zero can be written again."""
    channel: str
    text: ArtifactHash


class ThreadStateSaved(ThreadFact, frozen=True, kw_only=True):
    """A graph came to a state from which it can go on."""

    namespace: str
    state: str
    """Its name; later ones sort behind earlier ones."""
    parent: str | None
    head: ArtifactHash
    """Everything but the values of channels."""
    about: ArtifactHash
    """What the engine says about it."""
    values: tuple[ThreadValue, ...] = ()
    """The channels that are new since its parent."""


class ThreadWritesSaved(ThreadFact, frozen=True, kw_only=True):
    """A task of a graph is done, and its step is not."""

    namespace: str
    state: str
    task: str
    path: str
    writes: tuple[ThreadWrite, ...]


class ThreadDeleted(ThreadFact, frozen=True, kw_only=True):
    """Nobody can go on with what was saved before."""


THREAD_EVENTS: Final[tuple[type[ThreadFact], ...]] = (
    ThreadStateSaved,
    ThreadWritesSaved,
    ThreadDeleted,
)


class TaskWrite(Struct, frozen=True, kw_only=True):
    """A write, and whose it is."""

    task: str
    path: str
    write: ThreadWrite


class ThreadNamespace(Struct, kw_only=True):
    """What one graph of a thread saved; a graph inside another has a namespace of its own."""

    states: dict[str, ThreadStateSaved] = field(default_factory=dict)
    texts: dict[str, ArtifactHash | None] = field(default_factory=dict)
    """By channel and version."""
    writes: dict[str, dict[str, TaskWrite]] = field(default_factory=dict)
    """By state, then by task and place."""

    def text_of(self, channel: str, version: str) -> ArtifactHash | None:
        """Return what a channel held; None: nothing."""
        return self.texts.get(_key(channel, version))

    def written(self, state: str) -> tuple[TaskWrite, ...]:
        """List what tasks wrote behind a state."""
        return tuple(self.writes.get(state, {}).values())


class ThreadState(Struct, kw_only=True):
    """Everything that a thread saved.

    It grows in place: a thread can have many thousands of states, and copying them for each fact
    would take longer than all of them together.
    """

    namespaces: dict[str, ThreadNamespace] = field(default_factory=dict)

    def namespace(self, name: str) -> ThreadNamespace:
        """Return what one graph of it saved."""
        return self.namespaces.get(name) or ThreadNamespace()


def evolve(thread: ThreadState, event: Event) -> ThreadState:
    """Fold one recorded fact into the thread."""
    match event:
        case ThreadStateSaved():
            at = thread.namespaces.setdefault(event.namespace, ThreadNamespace())
            at.states[event.state] = event
            at.texts.update({_key(it.channel, it.version): it.text for it in event.values})
        case ThreadWritesSaved():
            at = thread.namespaces.setdefault(event.namespace, ThreadNamespace())
            known = at.writes.setdefault(event.state, {})
            known.update({_key(event.task, it.write.index): it for it in new_writes(event, known)})
        case ThreadDeleted():
            thread.namespaces.clear()
        case _:
            pass
    return thread


def new_writes(fact: ThreadWritesSaved, known: Mapping[str, TaskWrite]) -> tuple[TaskWrite, ...]:
    """Say which writes count: what is written is written, but for places below zero."""
    return tuple(
        TaskWrite(task=fact.task, path=fact.path, write=it)
        for it in fact.writes
        if it.index < 0 or _key(fact.task, it.index) not in known
    )


def _key(name: str, number: str | int) -> str:
    return f"{name}\n{number}"
