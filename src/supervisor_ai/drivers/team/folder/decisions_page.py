"""`DECISIONS.md`: the Tech Lead's, but for two sections that the supervisor may append to."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.team.text.notes import (
    BASE_SECTIONS,
    DecisionNote,
    DecisionsMarker,
    RefusedNote,
)
from supervisor_ai.drivers.team.text.report import AlertType

LONGEST_DECISIONS: Final = 4 << 20
_LONGEST_NOTE: Final = 8_000
_SECTIONS: Final = (*BASE_SECTIONS, *DecisionsMarker)
_OWNERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(BASE_SECTIONS, "Owned by the Tech Lead."),
    **dict.fromkeys(DecisionsMarker, "Appended to by the supervisor; nothing here is rewritten."),
}
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_DEEPEST: Final = 2


def new_decisions(team: str) -> str:
    """Write the file with its five sections."""
    parts = [f"# Decisions: {team}\n"]
    parts += [f"## {title}\n\n<!-- {_OWNERS[title]} -->\n" for title in _SECTIONS]
    return "\n".join(parts)


class _Section(Struct, frozen=True, kw_only=True):
    """A heading of the first or second level, and the lines up to the next one."""

    title: str
    first: int
    last: int


def append_note(content: bytes, note: DecisionNote) -> bytes | RefusedNote:
    """Append a note inside its marker, or say which of the three checks refuses it."""
    if note.marker not in set(DecisionsMarker):
        allowed = ", ".join(repr(it.value) for it in DecisionsMarker)
        return _violation(f"The section {note.marker[:80]!r} is none of {allowed}.")
    if len(content) > LONGEST_DECISIONS:
        return _violation(f"The file has {len(content)} bytes, at most {LONGEST_DECISIONS}.")
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        return _violation("The file is not UTF-8 text, and is left as it is.")
    sections = list(_sections(lines))
    problem = _marker_problem(sections)
    if problem is not None:
        return RefusedNote(event=AlertType.DECISIONS_MARKER_MISSING, reason=problem)
    section = next(it for it in sections if it.title == note.marker)
    block = _block(note)
    if _holds(lines[section.first + 1 : section.last], block):
        return content
    return checked_change(lines, _with_block(lines, section, block), note.marker)


def _violation(reason: str) -> RefusedNote:
    return RefusedNote(event=AlertType.DECISIONS_SCOPE_VIOLATION, reason=reason)


def _marker_problem(sections: list[_Section]) -> str | None:
    titles = [it.title for it in sections]
    for wanted in _SECTIONS:
        count = titles.count(wanted)
        if count != 1:
            found = "is not there" if count == 0 else f"is there {count} times"
            return f"The section '## {wanted}' {found}; it has to be made once, by hand."
    return None


def _sections(lines: list[str]) -> Iterator[_Section]:
    heads = list(_heads(lines))
    for (first, title), (last, _) in pairwise([*heads, (len(lines), "")]):
        yield _Section(title=title, first=first, last=last)


def _heads(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Find the headings that bound sections; in a fence or a comment nothing is one."""
    shown = _shown_as_they_are(lines)
    for number, raw in enumerate(lines):
        line = raw.rstrip("\r")
        match = _HEADING.fullmatch(line) if number not in shown else None
        if match is not None and len(match[1]) <= _DEEPEST:
            # Only the second level marks a section of ours.
            yield number, (match[2] or "") if len(match[1]) == _DEEPEST else ""
        elif number and number not in shown and _is_underlined(lines[number - 1], line):
            yield number - 1, ""


def _is_underlined(above: str, line: str) -> bool:
    text = above.rstrip("\r").strip()
    is_text = bool(text) and not text.startswith(("#", ">", "-", "*", "+", "|", "<!--"))
    return is_text and _UNDERLINE.fullmatch(line) is not None


def _shown_as_they_are(lines: list[str]) -> set[int]:
    """Find the lines in fences and comments; one that is never closed reaches to the end."""
    found: set[int] = set()
    fence, in_comment = "", False
    for number, raw in enumerate(lines):
        line = raw.rstrip("\r")
        match = _FENCE.fullmatch(line)
        if fence:
            found.add(number)
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif in_comment:
            found.add(number)
            in_comment = "-->" not in line
        elif match and ("`" not in match[2] or match[1][0] == "~"):
            found.add(number)
            fence = match[1]
        elif line.lstrip().startswith("<!--"):
            found.add(number)
            in_comment = "-->" not in line
    return found


def _block(note: DecisionNote) -> list[str]:
    """Write a note so that nothing in it means anything to markdown's structure."""
    about = f" task #{note.task}" if note.task else ""
    first, *others = plain(note.text)[:_LONGEST_NOTE].strip().split("\n")
    head = f"- {note.at} {note.event}{about}: {first.strip()}"
    return [_flat(head), *(f"  > {line.rstrip()}".rstrip() for line in others)]


def _flat(line: str) -> str:
    return " ".join(line.split()).replace("<!--", "&lt;!--")


def _holds(lines: list[str], block: list[str]) -> bool:
    bare = [line.rstrip("\r") for line in lines]
    return any(bare[at : at + len(block)] == block for at in range(len(bare) - len(block) + 1))


def _with_block(lines: list[str], section: _Section, block: list[str]) -> list[str]:
    end = "\r" if lines[section.first].endswith("\r") else ""
    last = section.last
    while last > section.first + 1 and not lines[last - 1].strip():
        last -= 1
    before, after = lines[:last], lines[last:]
    is_list = before[-1].startswith(("- ", "  > "))
    gap = [] if is_list else [end]
    if not after:
        # The last line had no end, and a line of a file has one.
        before, after = [*before[:-1], before[-1].rstrip("\r") + end], [""]
    return [*before, *gap, *(line + end for line in block), *after]


def checked_change(old: list[str], new: list[str], marker: str) -> bytes | RefusedNote:
    """Look at a change as a stranger would: only one section may have grown, at its end."""
    before, after = list(_parts(old)), list(_parts(new))
    is_same = [title for title, _ in before] == [title for title, _ in after]
    pairs = zip(before, after, strict=False)
    if is_same and all(
        _has_grown(was, now) if title == marker else was == now for (title, was), (_, now) in pairs
    ):
        return "\n".join(new).encode()
    return _violation("The change would touch more than the end of its section.")


def _parts(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Take a file apart: what stands before the first heading, and every section."""
    sections = list(_sections(lines))
    yield "", lines[: sections[0].first if sections else None]
    for it in sections:
        yield it.title, lines[it.first : it.last]


def _has_grown(old: list[str], new: list[str]) -> bool:
    """Tell whether every line is still there, in its order; empty ones at the end may move."""
    kept = [line.rstrip("\r") for line in old]
    while kept and not kept[-1].strip():
        kept.pop()
    return [line.rstrip("\r") for line in new[: len(kept)]] == kept and len(new) >= len(old)
