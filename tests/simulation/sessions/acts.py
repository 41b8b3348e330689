"""What can happen in a session that is watched over, in any order."""

from typing import Final

from hypothesis import strategies as st
from msgspec import Struct

TASKS: Final = ("DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "PLAN-001")
CHECKPOINTS: Final = ("CHECKPOINT-001", "CHECKPOINT-002", "CHECKPOINT-003")


class Act(Struct, frozen=True, kw_only=True):
    """Something that somebody does."""


class Write(Act, frozen=True, kw_only=True):
    """A member writes an artifact and says so."""

    task: str
    is_good: bool


class Ask(Act, frozen=True, kw_only=True):
    """The coordinator asks for a checkpoint, once or more than once."""

    task: str
    times: int = 1


class Mumble(Act, frozen=True, kw_only=True):
    """Somebody says something to the supervisor that it cannot follow."""

    sender: str


class Retry(Act, frozen=True, kw_only=True):
    """A message is delivered again that was delivered before: it has the same key."""


class Decide(Act, frozen=True, kw_only=True):
    """A person decides about what is asked, if anything is."""

    is_approval: bool


class Wake(Act, frozen=True, kw_only=True):
    """A signal comes for which there is no message, or late, after its message was read."""


class Drive(Act, frozen=True, kw_only=True):
    """Who serves the supervisor lets it do what there is to do."""


class Leave(Act, frozen=True, kw_only=True):
    """The coordinator asks for the end of the supervisor."""


class Replace(Act, frozen=True, kw_only=True):
    """A person stops the supervisor, and another one is started in its place."""


class Story(Struct, frozen=True, kw_only=True):
    """What happens, and after how many writes each process of the supervisor dies."""

    acts: tuple[Act, ...]
    deaths: tuple[tuple[int, bool], ...] = ()
    """How many writes a process survives, and whether it dies after the last or before it."""


_ACTS: Final = st.one_of(
    st.builds(Write, task=st.sampled_from(TASKS), is_good=st.booleans()),
    st.builds(Ask, task=st.sampled_from(CHECKPOINTS), times=st.integers(1, 2)),
    st.builds(Mumble, sender=st.sampled_from(("coordinator", "writer"))),
    st.builds(Retry),
    st.builds(Decide, is_approval=st.booleans()),
    st.builds(Wake),
    st.builds(Drive),
    st.builds(Drive),
    st.builds(Leave),
    st.builds(Replace),
)
_DEATH: Final = st.tuples(st.integers(1, 40), st.booleans())


def stories(most: int = 14) -> st.SearchStrategy[Story]:
    """Draw what happens and who dies."""
    return st.builds(
        Story,
        acts=st.lists(_ACTS, min_size=3, max_size=most).map(tuple),
        deaths=st.lists(_DEATH, max_size=4).map(tuple),
    )
