"""The config files of all origins merged into one, and the sections that slices contribute."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import Field, create_model

from supervisor_ai.definitions.config.contradictions import particular_last
from supervisor_ai.definitions.config.gates import ConfiguredGate
from supervisor_ai.definitions.overlay.layers import Layer
from supervisor_ai.definitions.overlay.project_limits import admitted
from supervisor_ai.definitions.overlay.tables import CONFIG
from supervisor_ai.definitions.overlay.tree import (
    Location,
    MergeRule,
    MergeTable,
    ValueNode,
    lay,
    plain,
)
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY, DirectorySource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, KeyPath
from supervisor_ai.definitions.sources.yaml_document import Document

D = TypeVar("D", bound=Struct)
S = TypeVar("S", bound=FileShape)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_NO_FILE: Final = Document(file="built-in", value=None)
_PACKAGE: Final = DirectorySource(Origin.BUILT_IN, BUILTIN_DIRECTORY)


class Choice(Struct, frozen=True, kw_only=True):
    """A name, and where it was chosen."""

    name: str
    place: FilePlace
    is_built_in: bool = False


class MergedConfig(Struct, frozen=True, kw_only=True):
    """Everything that the config files say together."""

    shape: ConfigShape
    root: ValueNode
    table: MergeTable = CONFIG

    def place(self, *path: str | int) -> FilePlace:
        """Find where a value was said, or where it is missing."""
        return self.root.place(*path)

    def section(self, key: str, shape: type[S]) -> S:
        """Return what is said at the key of a section."""
        del shape
        return cast("S", getattr(self.shape, key))

    def choice(self, *path: str | int) -> Choice | None:
        """Return a name with its place."""
        node = self.root.find(*path)
        if node is None or not isinstance(node.value, str):
            return None
        is_built_in = node.at.origin is Origin.BUILT_IN
        return Choice(name=node.value, place=node.at.place(), is_built_in=is_built_in)

    def choices(self, *path: str | int) -> tuple[Choice, ...]:
        """Return the names of a list with their places."""
        node = self.root.find(*path)
        items = node.items if node is not None else ()
        return tuple(Choice(name=str(it.value), place=it.at.place()) for it in items)


class SectionSettings(Protocol):
    """What the check of a section may ask for."""

    @property
    def gates(self) -> Mapping[str, ConfiguredGate]:
        """Return the gates that are configured."""
        ...

    def section(self, section: "ConfigSection[T]") -> T:
        """Return what holds in a section."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConfigSection(Generic[T_co]):
    """One key of `config.yaml`, and what is made of what stands there."""

    key: str
    shape: type[FileShape]
    build: Callable[[MergedConfig], T_co]
    """Makes the value that holds of the files' words together."""
    check: "Callable[[SectionSettings, FileMistakes], None] | None" = None
    """Notes names that lead nowhere; called where all other names are known."""
    form: Any = None
    """What stands at the key, where it is not one mapping of this shape: a list, or names."""
    folder: str | None = None
    """Where files stand beside the config that the slice itself reads, if it has some."""
    absent: Callable[[], object] | None = None
    """Makes what counts where nothing stands there; None: the shape."""
    rules: Mapping[KeyPath, MergeRule] = field(default_factory=dict)
    """How its values are merged, by their paths below the key, where that is not the usual way."""


Sections = tuple[ConfigSection[object], ...]


@cache
def config_model(sections: Sections) -> type[ConfigShape]:
    """Return the shape of `config.yaml` with the keys of these sections."""
    made: dict[str, Any] = {
        it.key: (it.form or it.shape, Field(default_factory=it.absent or it.shape))
        for it in sections
    }
    return create_model(
        ConfigShape.__name__, __base__=ConfigShape, __doc__=ConfigShape.__doc__, **made
    )


def merge_configs(
    layers: Iterable[Layer], sections: Sections, mistakes: FileMistakes
) -> MergedConfig:
    """Merge the config files, the last one on top, and validate what they say together."""
    table = _table(sections)
    root = ValueNode(value={}, at=Location(document=_NO_FILE, shelf=_PACKAGE))
    for layer in layers:
        for config in particular_last(layer.configs):
            said = config.planted(table)
            if config.origin is Origin.PROJECT:
                said = admitted(root, said, mistakes)
            root = lay(root, said, table) or root
        root = _with_own_workflow(root, layer)
    shape = config_model(sections).model_validate(plain(root))
    return MergedConfig(shape=shape, root=root, table=table)


def _table(sections: Sections) -> MergeTable:
    rules = {(it.key, *path): rule for it in sections for path, rule in it.rules.items()}
    return replace(CONFIG, rules={**CONFIG.rules, **rules})


def _with_own_workflow(root: ValueNode, layer: Layer) -> ValueNode:
    """Choose the workflow of `workflow.yaml` where no config beside it names another one."""
    if layer.own is None or any(config.shape.workflow for config in layer.configs):
        return root
    chosen = ValueNode(value=layer.own, at=layer.workflows[layer.own].location)
    return replace(root, value={**root.entries, "workflow": chosen})


def over(below: D, shape: FileShape, **called: str) -> D:
    """Return a value with what a shape says of it; `called` are keys with another name there."""
    known = frozenset(below.__struct_fields__)
    said = {called.get(key, key): getattr(shape, key) for key in shape.model_fields_set}
    mine = {key: value for key, value in said.items() if key in known and value is not None}
    return replace(
        below, **{key: tuple(it) if isinstance(it, list) else it for key, it in mine.items()}
    )
