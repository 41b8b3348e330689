"""Files that stand where definitions stand and count for nothing."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.definitions.overlay.layers import (
    CONFIG_FILE,
    WORKFLOW_FILE,
    Layer,
)
from supervisor_ai.definitions.roles.files import ROLES, ROLES_FILE
from supervisor_ai.definitions.schema.section_files import SECTION_FILES
from supervisor_ai.definitions.sources.aliased_files import OTHER_NAMES
from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, Note, suggestion
from supervisor_ai.definitions.sources.yaml_document import Value

_FILES: Final = (CONFIG_FILE, *SECTION_FILES, ROLES_FILE, WORKFLOW_FILE)
_OTHERS: Final = frozenset({"packs.lock", "packs.yaml", "state.db"})
"""What is read, but not as a definition, or refused elsewhere."""
_SUFFIXES: Final[Mapping[str, str]] = {
    ROLES: ".yaml",
    **{name: ".yaml" for key in ("workflows", "strategies") for name in (key, OTHER_NAMES[key])},
    **dict.fromkeys(("prompts", OTHER_NAMES["prompts"]), ".j2"),
}
_POLICY: Final = "approval_policy.yaml"
_POLICIES: Final = frozenset({"approval_policy", "approval_policies"})
_YAML: Final = frozenset({"", ".yaml", ".yml", ".json", ".toml"})
_PACKS: Final = "packs"
"""What lies there is compared with `packs.lock`."""
_FOR_PEOPLE: Final = ("readme", "license", "changelog", ".git")


def check_links(shelf: DefinitionSource, mistakes: FileMistakes) -> None:
    """Refuse links where files of definitions are looked for: who put them there wants them read.

    The files at the top need no word here: a link is read as what it says, which is no YAML.
    """
    for path in shelf.links():
        if not path or path.partition("/")[0] in _SUFFIXES:
            text = "is a link, and no link is followed here; put what it leads to in its place"
            mistakes.add(FilePlace(file=shelf.label(path)), text)


def check_policy_name(shelf: DefinitionSource, mistakes: FileMistakes) -> None:
    """Refuse what looks like an approval policy and is none: nobody would ask for anything."""
    for path in shelf.paths():
        top = PurePosixPath(path.partition("/")[0])
        stem = top.stem.casefold().replace("-", "_")
        if stem in _POLICIES and path != _POLICY and top.suffix.casefold() in _YAML:
            text = f"is read by nobody; an approval policy stands in the file {_POLICY}"
            mistakes.add(FilePlace(file=shelf.label(path)), text)


def file_notes(shelf: DefinitionSource, layer: Layer, folders: Collection[str]) -> Iterator[Note]:
    """Name the files that nobody reads; those in `folders` are read by whoever has them."""
    paths = shelf.paths()
    for config in layer.configs:
        chosen = config.shape.workflow
        if layer.own is not None and chosen is not None and chosen.template != layer.own:
            place = layer.workflows[layer.own].place()
            text = f"does not run by default: {config.place('workflow').text} names another one"
            yield Note(place=place, text=text)
    for path in shelf.links():
        if path.partition("/")[0] not in {*_SUFFIXES, *_FILES}:
            yield Note(place=FilePlace(file=shelf.label(path)), text="is a link; nobody follows it")
    named = " ".join(word for config in layer.configs for word in _words(config.document.value))
    for path in paths:
        is_known = path.partition("/")[0] in folders or _is_read(path, shelf.origin)
        if not is_known and PurePosixPath(path).name not in named:
            yield Note(place=FilePlace(file=shelf.label(path)), text=_unread(path))


def _is_read(path: str, origin: Origin) -> bool:
    top, _, inner = path.partition("/")
    name = PurePosixPath(path).name
    if name.lower().startswith(_FOR_PEOPLE):
        return True
    if not inner:
        # A user's directory belongs to other programs as well.
        return top in {*_FILES, *_OTHERS} or (origin is Origin.USER and _meant(top) is None)
    return top == _PACKS or ("/" not in inner and inner.endswith(_SUFFIXES.get(top, "\0")))


def _unread(path: str) -> str:
    top, _, inner = path.partition("/")
    if inner and top in _SUFFIXES:
        return f"is read by nobody; {top}/ holds files that end with {_SUFFIXES[top]}, no folders"
    near = suggestion(top, _SUFFIXES) if inner else _meant(top)
    if near is not None:
        return f"is read by nobody; did you mean {near}{'/' if inner else ''}?"
    listed = ", ".join((*_FILES, *(f"{name}/" for name in _SUFFIXES)))
    return f"is read by nobody; what is read: {listed}"


def _meant(name: str) -> str | None:
    """Return the file that was probably meant; what all names end with says nothing."""
    stems = {PurePosixPath(file).stem: file for file in _FILES}
    near = suggestion(PurePosixPath(name).stem, stems)
    return None if near is None else stems[near]


def _words(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
