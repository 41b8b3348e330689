"""Reads the corpus: projects, and what cases do to them.

A line that begins with `@@` opens a section; the lines below it are its text. In a file of
projects `@@ file PATH` gives a file. In a file of cases `@@ on PROJECT` says where it begins,
`@@ file` adds a file that is there from the beginning, `@@ new` writes a file, `@@ remove` and
`@@ move FROM TO` do what they say, and `@@ edit` replaces what stands between `<<<` and `===`,
which must be there exactly once, by what stands between `===` and `>>>`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.gates_corpus.case import LANGUAGES, Case

CORPUS: Final = Path(__file__).parent


class BadCorpus(ValueError):
    """A file of the corpus does not say what to do."""


@dataclass(frozen=True, slots=True)
class Section:
    """A keyword, what follows it on its line, and the lines below."""

    word: str
    rest: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the lines as the text of a file."""
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(slots=True)
class Draft:
    """A case while it is read."""

    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)


def all_cases() -> tuple[Case, ...]:
    """Read the whole corpus."""
    return tuple(case for language in LANGUAGES for case in _of_language(language))


def _of_language(language: str) -> Iterator[Case]:
    place = CORPUS / language
    projects = dict(_projects(place / "projects.corpus"))
    for name in ("cheats", "honest"):
        for group in _groups(place / f"{name}.corpus", "case"):
            yield _case(language, group, projects)


def _projects(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    for first, *files in _groups(path, "project"):
        yield first.rest, {section.rest: section.text for section in files}


def _case(language: str, group: list[Section], projects: dict[str, dict[str, str]]) -> Case:
    draft = Draft()
    for section in group:
        match section.word:
            case "case" | "does" | "called":
                draft.words[section.word] = section.rest
            case "on":
                draft.before = dict(projects[section.rest])
                draft.after = dict(projects[section.rest])
            case _:
                _change(draft, section)
    return Case(
        name=draft.words["case"],
        language=language,
        does=draft.words["does"],
        called=draft.words.get("called", ""),
        before=draft.before,
        after=draft.after,
    )


def _change(draft: Draft, section: Section) -> None:
    match section.word, section.rest.split():
        case "file", [path]:
            draft.before[path] = draft.after[path] = section.text
        case "new", [path]:
            draft.after[path] = section.text
        case "remove", [path]:
            del draft.after[path]
        case "move", [source, target]:
            draft.after[target] = draft.after.pop(source)
        case "edit", [path]:
            draft.after[path] = _edited(draft.after[path], section.lines)
        case _:
            raise BadCorpus(f"What is {section.word!r} {section.rest!r}?")


def _edited(text: str, lines: tuple[str, ...]) -> str:
    remaining = list(lines)
    while remaining:
        middle, end = remaining.index("==="), remaining.index(">>>")
        text = _replaced(text, remaining[1:middle], remaining[middle + 1 : end])
        remaining = remaining[end + 1 :]
    return text


def _replaced(text: str, old: list[str], new: list[str]) -> str:
    """Replace whole lines, or a part of one line."""
    whole = "".join(f"{line}\n" for line in old)
    if text.count(whole) == 1:
        return text.replace(whole, "".join(f"{line}\n" for line in new))
    part = "\n".join(old)
    if text.count(part) != 1:
        raise BadCorpus(f"Found {text.count(part)} times, not once:\n{part}")
    return text.replace(part, "\n".join(new))


def _groups(path: Path, first: str) -> Iterator[list[Section]]:
    group: list[Section] = []
    for section in _sections(path.read_text()):
        if section.word == first and group:
            yield group
            group = []
        group.append(section)
    yield group


def _sections(text: str) -> Iterator[Section]:
    head, lines = "", list[str]()
    for line in [*text.splitlines(), "@@ "]:
        if not line.startswith("@@ "):
            lines.append(line)
            continue
        if head:
            word, _, rest = head.partition(" ")
            yield Section(word, rest, tuple(lines))
        head, lines = line.removeprefix("@@ "), []
