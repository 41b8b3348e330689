"""What a worker that judges is told: the questions, and every line that it may cite."""

from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import CheckMaterial, Kept, WorkerQuestion
from supervisor_ai.drivers.checkpoint.checks.rounds import kept_lines, needed
from supervisor_ai.drivers.checkpoint.protocol.words import plain
from supervisor_ai.drivers.checkpoint.wisdom import new_entries

MOST_CHARACTERS: Final = 400_000
_LONGEST_LINE: Final = 2_000
_CUT: Final = "[what follows was left out: there is too much of it]"


def write_brief(
    material: CheckMaterial, questions: Sequence[WorkerQuestion], most: int = MOST_CHARACTERS
) -> str:
    """Write the questions and the material; each line of a file begins with its place.

    So nothing in a file can pass for a heading, a question or an instruction of ours.
    """
    lines: list[str] = []
    size = 0
    for line in _lines(material, questions):
        size += len(line) + 1
        if size > most:
            lines.append(_CUT)
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(material: CheckMaterial, questions: Sequence[WorkerQuestion]) -> Iterator[str]:
    yield f"Checkpoint {material.checkpoint}, about {', '.join(material.scope)}."
    yield from ("", "Checks to judge:")
    for it in questions:
        why = f" ({it.why})" if it.why else ""
        yield f"- {it.check}: {it.question or it.title}{why}"
    yield from ("", "New artifacts, each line with its file and number:")
    for path, artifact in sorted(material.artifacts.items()):
        yield from _numbered(path, artifact.text)
    kinds = needed(questions)
    older = kept_lines(material.older, kinds)
    if older:
        yield from ("", "What earlier artifacts say, as far as it was kept and is asked about:")
        yield from older
    learnt = list(_wisdom(material, is_whole=Kept.WISDOM in kinds))
    if learnt:
        yield from ("", "What the team has learnt:")
        yield from learnt


def _wisdom(material: CheckMaterial, *, is_whole: bool) -> Iterator[str]:
    """Tell what was learnt since the last wake; all of it where a question is about it."""
    for path, text in sorted(material.wisdom.items()):
        known = 0 if is_whole else material.known_wisdom.get(path, 0)
        before = text[: len(text) - len(new_entries(text, known))]
        yield from _numbered(path, text, after=before.count("\n"))


def _numbered(path: str, text: str, after: int = 0) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and number > after:
            yield f"{plain(path)}:{number}: {plain(line, _LONGEST_LINE)}"
