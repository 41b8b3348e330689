"""What is loaded at a wake: what is new in the session, and what is remembered of the rest."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.model import BusMessage, CheckMaterial, RoleState
from supervisor_ai.drivers.checkpoint.report import ReadArtifact

MOST_MESSAGES: Final = 100
WISDOM: Final = "wisdom/"
_MOST_REFS: Final = 50
_STATE_UPDATE: Final = "state_update"
_SCORES: Final = ("self_score", "quality_score", "score")
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
    data: Mapping[str, object]
    tokens: int


def hear(memory: SessionMemory, said: HeardMessage, folder: str) -> SessionMemory:
    """Remember a message, and the artifact that it names."""
    task = _text(said.data, "task_id") or _text(said.data, "task")
    kept = BusMessage(
        number=said.number,
        at=said.at,
        sender=said.sender,
        kind=said.kind,
        summary=said.summary,
        task=task,
    )
    memory = replace(
        memory,
        messages=(*memory.messages, kept)[-MOST_MESSAGES:],
        tokens=memory.tokens + said.tokens,
    )
    path = inner_path(_text(said.data, "ref"), folder) if said.kind == _STATE_UPDATE else ""
    known = memory.refs.get(task, ())
    if not task or not path or path in known:
        return memory
    return replace(memory, refs={**memory.refs, task: (*known, path)[-_MOST_REFS:]})


def _text(data: Mapping[str, object], key: str) -> str:
    found = data.get(key)
    return found if isinstance(found, str) else ""


def inner_path(ref: str, folder: str) -> str:
    """Return a path inside the session; nothing where it leads elsewhere."""
    for start in (folder, "<session>", "{session}"):
        if start and ref.startswith(f"{start.rstrip('/')}/"):
            ref = ref.removeprefix(f"{start.rstrip('/')}/")
            break
    parts = [part for part in ref.split("/") if part != "."]
    is_inside = bool(ref) and all(part not in {"", ".."} for part in parts)
    return "/".join(parts) if is_inside else ""


def role_state(data: Mapping[str, object], folder: str) -> RoleState:
    """Read what a role has published of itself."""
    return RoleState(
        task=_text(data, "task_id"),
        status=_text(data, "status"),
        ref=inner_path(_text(data, "ref"), folder),
        score=next(
            (it for it in map(_thousandths, map(data.get, _SCORES)) if it is not None), None
        ),
    )


def _thousandths(value: object) -> int | None:
    """Read a score; one up to 1 is a share of the whole."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    scaled = value * 100 if value <= 1 else value
    return round(scaled * 1000) if 0 <= scaled <= 100 else None  # noqa: PLR2004 - percent


def artifacts_of(task: str, refs: Iterable[str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Name what a task has left: what its role says, else the files that bear its name."""
    named = tuple(path for path in refs if path in files)
    if named:
        return named
    return tuple(path for path in sorted(files) if _bears(path, task))


def _bears(path: str, task: str) -> bool:
    """Tell whether a file is called as a task is, and is nothing of ours."""
    name = path.rpartition("/")[2]
    is_ours = path.startswith((WISDOM, ".msg/")) or name.endswith("-report.md")
    is_named = name[: len(task)].lower() == task.lower()
    return is_named and not is_ours and not name[len(task) :][:1].isalnum()
