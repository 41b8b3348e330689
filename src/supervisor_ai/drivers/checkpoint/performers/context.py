"""What is loaded at a wake: what is new in the session, and what is remembered of the rest."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, cast

from msgspec import Struct, field

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.model import BusMessage, CheckMaterial, RoleState
from supervisor_ai.drivers.checkpoint.checks.records import bus_message, role_state
from supervisor_ai.drivers.checkpoint.report import ReadArtifact
from supervisor_ai.tools.json_value import Json, JsonObject

MOST_MESSAGES: Final = 100
WISDOM: Final = "wisdom/"
_MOST_REFS: Final = 50
_STATE_UPDATE: Final = "state_update"
_PER_TOKEN: Final = 4
"""How many characters a token has, roughly; what is compared is counted in the same way."""


class SessionMemory(Struct, frozen=True, kw_only=True):
    """What is remembered of a session's stream, so that it is read only once."""

    version: int = 0
    """How far the stream was read."""
    messages: tuple[BusMessage, ...] = ()
    """The newest ones."""
    refs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The artifacts that members have named, by task."""
    moved: dict[str, datetime] = field(default_factory=dict)
    """When each task was moved last."""
    tokens: int = 0
    """What all messages so far have taken."""
    wisdom: dict[str, int] = field(default_factory=dict)
    """How much of each file of wisdom was read, in characters."""
    sizes: dict[str, int] = field(default_factory=dict)
    """What each artifact takes that was read, in tokens."""


class LoadedContext(Struct, frozen=True, kw_only=True):
    """Everything that a checkpoint looks at, and what later ones need not read again."""

    material: CheckMaterial
    memory: SessionMemory = SessionMemory()
    hashes: dict[str, str] = field(default_factory=dict)
    """Which version of each artifact is known."""
    read: tuple[ReadArtifact, ...] = ()
    """Those that were read now."""


def count_tokens(text: str) -> int:
    """Estimate how many tokens a text takes."""
    return -(-len(text) // _PER_TOKEN)


class HeardMessage(Struct, frozen=True, kw_only=True):
    """A message with all that it says."""

    number: int
    at: datetime
    sender: str
    kind: str
    summary: str
    data: JsonObject
    tokens: int

    def record(self) -> JsonObject:
        """Return it as every door shows it."""
        return {
            "id": f"MSG-{self.number:03}",
            "ts": self.at.isoformat(),
            "from": self.sender,
            "type": self.kind,
            "summary": self.summary,
            "data": self.data,
        }


def hear(memory: SessionMemory, said: HeardMessage, folder: str) -> SessionMemory:
    """Remember a message, and the artifact that it names."""
    kept = bus_message(said.record())
    memory = replace(memory, tokens=memory.tokens + said.tokens)
    if kept is None:
        return memory
    memory = replace(memory, messages=(*memory.messages, kept)[-MOST_MESSAGES:])
    state = role_state(said.data)
    path = inner_path(state.ref, folder) if said.kind == _STATE_UPDATE else ""
    known = memory.refs.get(state.task, ())
    if not state.task or not path or path in known:
        return memory
    return replace(memory, refs={**memory.refs, state.task: (*known, path)[-_MOST_REFS:]})


def inner_path(ref: str, folder: str) -> str:
    """Return a path inside the session; nothing where it leads elsewhere."""
    for start in (folder, "<session>", "{session}"):
        if start and ref.startswith(f"{start.rstrip('/')}/"):
            ref = ref.removeprefix(f"{start.rstrip('/')}/")
            break
    parts = [part for part in ref.split("/") if part != "."]
    is_inside = bool(ref) and all(part not in {"", ".."} for part in parts)
    return "/".join(parts) if is_inside else ""


def published(state: object, folder: str) -> RoleState:
    """Read what a role has published of itself, with its artifact as a path of the session."""
    found = role_state(cast("Json", state))
    return replace(found, ref=inner_path(found.ref, folder))


def artifacts_of(task: str, refs: Iterable[str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Name what a task has left: what its role says, and all files that bear its name."""
    bearing = (path for path in sorted(files) if _bears(path, task))
    return tuple(dict.fromkeys((*(path for path in refs if path in files), *bearing)))


def _bears(path: str, task: str) -> bool:
    """Tell whether a file is called as a task is, and is nothing of ours."""
    name = path.rpartition("/")[2]
    is_ours = path.startswith((WISDOM, ".msg/")) or name.endswith("-report.md")
    is_named = name[: len(task)].lower() == task.lower()
    return is_named and not is_ours and not name[len(task) :][:1].isalnum()
