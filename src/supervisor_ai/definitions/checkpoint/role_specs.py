"""The file of a supervisor: front matter, and sections with the checks of each checkpoint.

A section is called `## CHECKPOINT-NNN: title` or `## Every checkpoint`; its lists are the checks,
and whatever else it says is for people. Other sections are for people altogether.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.checkpoint.checks import read_check
from supervisor_ai.definitions.checkpoint.shapes import SupervisorShape
from supervisor_ai.definitions.overlay.layers import fit
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, key_text
from supervisor_ai.definitions.sources.yaml_document import Document
from supervisor_ai.drivers.checkpoint.checks.model import CheckSpec
from supervisor_ai.drivers.checkpoint.protocol.words import is_checkpoint
from supervisor_ai.drivers.checkpoint.spec import CheckpointSpec, RoleSpec
from supervisor_ai.tools.text import excerpt
from supervisor_ai.tools.yaml_tree import Value, YamlLimits, YamlTree, read_yaml_tree

BUILTIN_FILE: Final = Path(__file__).parent / "builtin" / "checkpoints" / "supervisor.md"
BUILTIN_NAME: Final = "builtin/checkpoints/supervisor.md"
MOST_CHARACTERS: Final = 256 * 1024
MOST_CHECKS: Final = 100
_EVERY: Final = "every checkpoint"
_LIMITS: Final = YamlLimits(characters=MOST_CHARACTERS, depth=8, values=5_000)
_HEADING: Final = re.compile(r"(#{1,6})[ \t]{1,8}(\S.*)")
_NEAR: Final = re.compile(r"checkpoint[-_ ]?[0-9]", re.IGNORECASE)
_SECTION_LEVEL: Final = 2
_FENCE: Final = ("```", "~~~")


class _Section(Struct, kw_only=True):
    title: str
    line: int
    lists: list[tuple[int, list[str]]]
    """The lists of the section, each with the number of its first line."""


def load_role_spec(file: str, text: str) -> RoleSpec:
    """Read the file of a supervisor, with the built-in one where it extends it.

    Raises InvalidInput with every mistake, each with its line.
    """
    mistakes = FileMistakes()
    spec = read_role_spec(file, text, mistakes)
    if spec is None or mistakes:
        raise mistakes.error()
    return spec


def builtin_role_spec() -> RoleSpec:
    """Return what the built-in file says."""
    return load_role_spec(BUILTIN_NAME, BUILTIN_FILE.read_text(encoding="utf-8"))


def read_role_spec(file: str, text: str, mistakes: FileMistakes) -> RoleSpec | None:
    """Read the file of a supervisor; None, with mistakes noted, where it says nothing usable."""
    if len(text) > MOST_CHARACTERS:
        problem = f"has {len(text)} characters, at most {MOST_CHARACTERS}"
        mistakes.add(FilePlace(file=file), problem)
        return None
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if lines[0].rstrip() != "---" or end is None:
        problem = "has no front matter; expected a line '---', its keys, and another line '---'"
        mistakes.add(FilePlace(file=file), problem)
        return None
    head = _head(file, "\n".join(lines[1:end]), mistakes)
    is_added = head is not None and head.extends is not None
    base = builtin_role_spec() if is_added else RoleSpec()
    own = _Body(file, base, mistakes).read(lines, end + 1)
    if not own.checkpoints and not is_added:
        mistakes.add(
            FilePlace(file=file, line=end + 1), "has no section `## CHECKPOINT-NNN: title`"
        )
    if head is None:
        return None
    return base.plus(
        RoleSpec(
            message_types=head.message_types.value, checkpoints=own.checkpoints, every=own.every
        )
    )


def _head(file: str, text: str, mistakes: FileMistakes) -> SupervisorShape | None:
    tree = read_yaml_tree(text, limits=_LIMITS, first_line=2)
    _note(file, tree, mistakes)
    document = Document(file=file, value=tree.value, lines=tree.lines)
    if not tree.is_read:
        return None
    fitted = fit(tree.value, SupervisorShape, document, mistakes)
    return None if fitted is None else fitted.shape


def _note(file: str, tree: YamlTree[Value], mistakes: FileMistakes) -> None:
    for at in tree.problems:
        place = FilePlace(file=file, line=at.line, column=at.column, key=key_text(at.path))
        mistakes.add(place, at.text)


class _Body:
    """Reads the sections of a file."""

    def __init__(self, file: str, base: RoleSpec, mistakes: FileMistakes) -> None:
        self._file = file
        self._base = base
        self._mistakes = mistakes

    def read(self, lines: list[str], start: int) -> RoleSpec:
        """Return the checks of all sections."""
        checkpoints: dict[str, CheckpointSpec] = {}
        every: list[CheckSpec] | None = None
        for section in _sections(lines, start):
            task, _, title = section.title.partition(":")
            if section.title.lower() == _EVERY:
                self._refuse_twice(section, is_there=every is not None)
                every = self._checks(section, self._base.every)
            elif is_checkpoint(task.strip()):
                name = task.strip()
                self._refuse_twice(section, is_there=name in checkpoints)
                old = self._base.checkpoints.get(name)
                checks = self._checks(section, old.checks if old else ())
                known = old.title if old else name
                checkpoints[name] = CheckpointSpec(
                    task=name, title=title.strip() or known, checks=tuple(checks)
                )
            elif _NEAR.match(section.title):
                found = f"found {excerpt(section.title)}"
                self._add(section.line, f"a checkpoint is called CHECKPOINT-001 to -999, {found}")
        self._refuse_shadows(checkpoints, every or [])
        return RoleSpec(checkpoints=checkpoints, every=tuple(every or ()))

    def _add(self, line: int, problem: str) -> None:
        self._mistakes.add(FilePlace(file=self._file, line=line), problem)

    def _refuse_twice(self, section: _Section, *, is_there: bool) -> None:
        if is_there:
            self._add(section.line, f"the section {excerpt(section.title)} is there twice")

    def _refuse_shadows(
        self, checkpoints: dict[str, CheckpointSpec], every: list[CheckSpec]
    ) -> None:
        """Refuse an id that a checkpoint and every checkpoint have."""
        general = {it.id for it in (*self._base.every, *every)}
        for name, spec in checkpoints.items():
            for check in spec.checks:
                if check.id in general:
                    self._add(1, f"{name} and every checkpoint both have a check {check.id!r}")

    def _checks(self, section: _Section, base: tuple[CheckSpec, ...]) -> list[CheckSpec]:
        taken = {it.id for it in base}
        found: list[CheckSpec] = []
        for line, entry in self._entries(section):
            check = read_check(entry, FilePlace(file=self._file, line=line), self._mistakes)
            if check is None:
                continue
            if check.id in taken:
                self._add(line, f"the check {check.id!r} is there twice; give one another `id`")
            taken.add(check.id)
            found.append(check)
        if not section.lists:
            self._add(section.line, f"the section {excerpt(section.title)} lists no checks")
        return found

    def _entries(self, section: _Section) -> Iterator[tuple[int, Value]]:
        count = 0
        for first, lines in section.lists:
            tree = read_yaml_tree("\n".join(lines), limits=_LIMITS, first_line=first)
            _note(self._file, tree, self._mistakes)
            entries = tree.value if isinstance(tree.value, list) else []
            for place, entry in enumerate(entries):
                count += 1
                if count > MOST_CHECKS:
                    self._add(tree.line(place), f"the section has more than {MOST_CHECKS} checks")
                    return
                yield tree.line(place), entry


def _sections(lines: list[str], start: int) -> Iterator[_Section]:
    """Find the sections of the second level, and the lists in each; fences hold neither."""
    current: _Section | None = None
    is_fenced = False
    is_list = False
    for number, line in enumerate(lines[start:], start + 1):
        if line.lstrip().startswith(_FENCE):
            is_fenced, is_list = not is_fenced, False
            continue
        heading = None if is_fenced else _HEADING.fullmatch(line.rstrip())
        if heading is not None and len(heading[1]) <= _SECTION_LEVEL:
            if current is not None:
                yield current
            current = _Section(title=heading[2], line=number, lists=[])
        is_list = not is_fenced and heading is None and _goes_on(line, is_list=is_list)
        if is_list and current is not None:
            _take(current, number, line)
    if current is not None:
        yield current


def _goes_on(line: str, *, is_list: bool) -> bool:
    return line.startswith("- ") or (is_list and (not line.strip() or line[0] in " \t"))


def _take(section: _Section, number: int, line: str) -> None:
    last = section.lists[-1] if section.lists else None
    if last is not None and last[0] + len(last[1]) == number:
        last[1].append(line)
    else:
        section.lists.append((number, [line]))
