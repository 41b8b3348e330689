"""What is loaded at a wake: what is new in the session, and what is remembered of the rest."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.session.members import COORDINATOR
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.model import BusMessage, CheckMaterial, RoleState
from supervisor_ai.drivers.checkpoint.checks.records import bus_message, role_state
from supervisor_ai.drivers.checkpoint.report import ReadArtifact
from supervisor_ai.tools.json_value import JsonObject

MOST_MESSAGES: Final = 100
WISDOM: Final = "wisdom/"
_MOST_REFS: Final = 50
_MOST_TASKS: Final = 1000
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
    """The artifacts that a task's owner or the coordinator has named, by task."""
    strange: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """What others have named, by task and by who it was; it is told, and not looked at."""
    owners: dict[str, str] | None = None
    """Whose each task is; None: what is remembered was read without asking."""
    roles: dict[str, RoleState] = field(default_factory=dict)
    """What members have published of themselves, as far as they are proven."""
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
    speaker: str = ""
    """Who is proven to say it: a member, or the coordinator for anybody; nothing: nobody."""
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
    if said.kind != _STATE_UPDATE:
        return memory
    state = role_state(said.data)
    state = replace(state, ref=inner_path(state.ref, folder))
    return _with_ref(_with_role(memory, said, state), said, state)


def _may_say(memory: SessionMemory, said: HeardMessage, task: str) -> bool:
    """Tell whether it is the speaker's to say what a task has left."""
    whose = {COORDINATOR, (memory.owners or {}).get(task, "")} - {""}
    return said.speaker in whose


def _with_ref(memory: SessionMemory, said: HeardMessage, state: RoleState) -> SessionMemory:
    task, path = state.task, state.ref
    if not task or not path:
        return memory
    if _may_say(memory, said, task):
        named = tuple(it for it in memory.refs.get(task, ()) if it != path)
        return replace(memory, refs={**memory.refs, task: (*named, path)[-_MOST_REFS:]})
    by, told = said.speaker or "a file", memory.strange.get(task, {})
    paths = tuple(dict.fromkeys((*told.get(by, ()), path)))[:_MOST_REFS]
    if len(memory.strange) >= _MOST_TASKS and task not in (memory.owners or {}):
        return memory
    return replace(memory, strange={**memory.strange, task: {**told, by: paths}})


def _with_role(memory: SessionMemory, said: HeardMessage, new: RoleState) -> SessionMemory:
    """Add what a member says of itself; what it says of a task counts where that is its own."""
    if not said.speaker:
        return memory
    known = memory.roles.get(said.sender, RoleState())
    before = known if new.task in {"", known.task} else RoleState()
    task = new.task or before.task
    state = replace(before, task=task, status=new.status or known.status)
    if _may_say(memory, said, task):
        score = before.score if new.score is None else new.score
        state = replace(state, ref=new.ref or before.ref, score=score)
    return replace(memory, roles={**memory.roles, said.sender: state})


def inner_path(ref: str, folder: str) -> str:
    """Return a path inside the session; nothing where it leads elsewhere."""
    for start in (folder, "<session>", "{session}"):
        if start and ref.startswith(f"{start.rstrip('/')}/"):
            ref = ref.removeprefix(f"{start.rstrip('/')}/")
            break
    parts = [part for part in ref.split("/") if part != "."]
    is_inside = bool(ref) and all(part not in {"", ".."} for part in parts)
    return "/".join(parts) if is_inside else ""


def artifacts_of(task: str, refs: Iterable[str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Name what a task has left: what its owner says, and all files that bear its name."""
    bearing = (path for path in sorted(files) if _bears(path, task))
    return tuple(dict.fromkeys((*(path for path in refs if path in files), *bearing)))


def _bears(path: str, task: str) -> bool:
    """Tell whether a file is called as a task is, and is nothing of ours."""
    name = path.rpartition("/")[2]
    is_ours = path.startswith((WISDOM, ".msg/")) or name.endswith("-report.md")
    is_named = name[: len(task)].lower() == task.lower()
    return is_named and not is_ours and not name[len(task) :][:1].isalnum()
