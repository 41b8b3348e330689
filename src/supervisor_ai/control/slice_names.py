"""Slices by name: what is known of a driver before anything of it is imported.

A place is `module:attribute`. Places may lie above the driver's own row: they are names, and only
the row that uses what is there imports it.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from supervisor_ai.domain.errors import InternalError, Unavailable

T = TypeVar("T")
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class SliceVerb(NamedTuple):
    """A group of commands that a slice adds to the command line."""

    place: str
    help: str
    """The first line of its help page."""


_NOTHING_MORE: Final[Mapping[str, SliceVerb]] = MappingProxyType({})


class SliceStep(NamedTuple):
    """A kind of step that a slice adds."""

    word: str
    """Its name in definitions."""
    phrases: str
    """Where what is said about it is."""
    decider: str | None = None
    """Where is decided what happens at it in a workflow; None: only its own driver has it."""
    keys: tuple[str, ...] = ()
    """What it may say in the file of a workflow, besides what every step may."""
    form: str | None = None
    """Where its `options` are read, into what its decider understands; None: it has none."""
    role: str | None = None
    """Who is asked at it, where an agent can be had for that."""
    switch: str | None = None
    """Which of a workflow's settings switches it off."""


class SliceGate(NamedTuple):
    """A kind of gate that looks at a change and runs nothing."""

    word: str
    """Its name in definitions."""
    look: str
    """Where the function is that looks; only the reader's process imports it."""
    description: str = ""
    """What holds where it passes; nothing: no step can name it."""


class SliceAnswer(NamedTuple):
    """A kind of answer that a slice adds."""

    form: str
    """Where its model is."""
    meanings: str
    """Where is said what its words mean."""
    noun: str
    """What it is called: `the tasks of a list`."""
    model: str | None = None
    """Which of the user's models gives it where nobody chose an agent; None: none does."""
    needs_tools: bool = False
    """Whether only an agent with tools gives it, which may work with that model."""
    is_optional: bool = False
    """Whether a run goes on without it where nobody can give it."""


class SliceRoles(NamedTuple):
    """The roles that only runs of one driver have: those whose answers are of its own kinds."""

    works_on: str
    """What they work on, as many."""
    answers: Mapping[str, SliceAnswer]
    must_write: bool = False
    """Whether they have to write files."""
    begin_afresh: bool = False
    """Whether every try is told the same, without their earlier answers."""
    list_files: bool = True
    """Whether they report which files they changed, which can be compared with the change."""


class SliceName(NamedTuple):
    """A slice by its driver's name and the module that has it as `SLICE`."""

    name: str
    module: str
    ports: Mapping[str, str] = _NOTHING
    """Where the makers of its adapters are, by the names of its ports."""
    section: str | None = None
    """Where its section of the config is."""
    further_sections: tuple[str, ...] = ()
    """Where others are, if one is not enough."""
    resolver: str | None = None
    """Where what its runs pin is made of definitions; None: it is a workflow."""
    verb: SliceVerb | None = None
    further_verbs: Mapping[str, SliceVerb] = _NOTHING_MORE
    """Others by their names, if one is not enough."""
    steps: tuple[SliceStep, ...] = ()
    """The kinds of steps that it adds."""
    gates: tuple[SliceGate, ...] = ()
    """The kinds of gates that it adds."""
    roles: SliceRoles | None = None
    reasons: Mapping[str, str] = _NOTHING
    """Where is said what a person is asked, for each reason that it adds."""
    adapters: Mapping[str, str] = _NOTHING
    """Its own workers, which nobody can choose as an agent, each with what to do instead."""
    oversight: str | None = None
    """Where what watches over workers is made, for streams that begin with its name."""
    calls: str | None = None
    """Where the calls are that it lets members of a session make."""
    demo: str | None = None
    """Where its demonstration is, which `demo NAME` shows."""
    definitions: str | None = None
    """The package whose folder `builtin` has roles and prompts."""
    company: str | None = None
    """Where it puts steps of its own beside those of other drivers, as the config says."""
    has_company: bool = False
    """Whether others may put theirs beside its own."""


_REGISTERED: Final[dict[str, SliceName]] = {}


def register(slices: Iterable[SliceName]) -> None:
    """Make slices known to this process."""
    _REGISTERED.update({it.name: it for it in slices})


@contextmanager
def registered(more: SliceName) -> Iterator[None]:
    """Make one more slice known for a while."""
    register((more,))
    try:
        yield
    finally:
        del _REGISTERED[more.name]


def registered_slices() -> Mapping[str, SliceName]:
    """Return all slices that are known, in their order."""
    return dict(_REGISTERED)


def registered_step(word: str) -> SliceStep | None:
    """Find a kind of step that a slice adds."""
    steps = (it for found in _REGISTERED.values() for it in found.steps)
    return next((it for it in steps if it.word == word), None)


def registered_decider(word: str) -> object:
    """Import who decides at a kind of step that a slice has registered for workflows."""
    found = registered_step(word)
    if found is None:
        raise unknown_word("kind of step", word)
    if found.decider is None:
        raise InternalError(f"A workflow has no steps of kind {word!r}.")
    decider = import_place(found.decider)
    if not callable(decider):
        raise InternalError(f"{found.decider} decides nothing.")
    return decider


def registered_answer(word: str) -> SliceAnswer | None:
    """Find a kind of answer that a slice adds."""
    roles = (it.roles for it in _REGISTERED.values() if it.roles is not None)
    return next((own.answers[word] for own in roles if word in own.answers), None)


def unknown_word(what: str, word: str) -> Unavailable:
    """Make the error for a word of the ledger that no slice has registered."""
    return Unavailable(
        f"The {what} {word!r} is unknown here.",
        hint="If a newer version of supervisor wrote it, upgrade.",
    )


def import_value(place: str, kind: type[T], noun: str) -> T:
    """Import a registered value, and insist on what it is."""
    found = import_place(place)
    if not isinstance(found, kind):
        raise InternalError(f"{place} is no {noun}.")
    return found


def import_place(place: str) -> object:
    """Import what is at a place."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
