"""Writes documents and the index of a store, always in the same form."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from supervisor_ai.domain.knowledge.documents import (
    SECTION,
    ChangeNote,
    KnowledgeArea,
    KnowledgeDocument,
    KnowledgeStatus,
)

_REMARK: Final = re.compile(r"[\s>*_-]*(last updated by|status|review)[\s*_]*:.*", re.IGNORECASE)
_TITLE: Final = re.compile(r"#[ \t]+\S.*")
_AREA_WORDS: Final[Mapping[str, str]] = {
    KnowledgeArea.CONVENTIONS: "Conventions: how code is written here",
    KnowledgeArea.DESIGN: "Design: how the solution is built",
    KnowledgeArea.LESSONS: "Lessons: what works and what does not",
    KnowledgeArea.DOMAIN: "Domain: what the problem is about",
    KnowledgeArea.DIRECTIVES: "Directives: what people ask of whoever plans",
}
_INDEX_WORDS: Final = """\
# What this project knows

Written by supervisor from the documents beside it; whatever you change here is overwritten.
"""


def document_text(document: KnowledgeDocument) -> str:
    """Write a whole document."""
    parts = [_head(document), f"## Rules\n\n{document.rules}"]
    parts += [f"## Examples\n\n{document.examples}"] if document.examples else []
    parts += [f"## Rationale\n\n{document.rationale}"] if document.rationale else []
    parts += [_changelog(document.changes)] if document.changes else []
    return "\n\n".join(parts) + "\n"


def restated_text(before: str, document: KnowledgeDocument) -> str:
    """Renew what a text says about its status and its changes; all else stays as somebody wrote it.

    A person's document may say more than the form has room for.
    """
    head, body = _divided(before.replace("\r\n", "\n").split("\n"))
    titles = (at for at, line in enumerate(head) if _TITLE.fullmatch(line.rstrip()))
    title = next(titles, len(head))
    kept = [*head[:title], *head[title + 1 :], *_without_changelog(body)]
    rest = "\n".join(kept).strip("\n")
    parts = [_head(document), rest, _changelog(document.changes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def index_text(documents: Iterable[KnowledgeDocument]) -> str:
    """Write the index: what the store has, directory by directory."""
    known = sorted(documents, key=lambda it: it.path)
    parts = [_INDEX_WORDS.rstrip("\n")]
    for area in dict.fromkeys((*_AREA_WORDS, *(it.area for it in known))):
        lines = [_entry(it) for it in known if it.area == area]
        if lines:
            heading = _AREA_WORDS.get(area, area.capitalize())
            parts.append("\n".join((f"## {heading}", "", *lines)))
    return "\n\n".join(parts) + "\n"


def _entry(document: KnowledgeDocument) -> str:
    title = document.title.replace("[", "(").replace("]", ")")
    place = document.path.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    is_firm = document.status is KnowledgeStatus.ESTABLISHED
    return f"- [{title}]({place})" + ("" if is_firm else f" ({document.status.value})")


def _head(document: KnowledgeDocument) -> str:
    lines = [f"# {document.title}", ""]
    source = ", ".join(filter(None, (document.by, document.task)))
    lines += [f"_Last updated by: {source}_"] if source else []
    lines += [f"_Status: {document.status.value}_"]
    lines += ["_Review: wanted_"] if document.needs_review else []
    return "\n".join(lines)


def _changelog(changes: Iterable[ChangeNote]) -> str:
    lines = (f"- {it.by}{f', {it.task}' if it.task else ''}: {it.what}" for it in changes)
    return "\n".join(("## Changelog", "", *lines))


def _divided(lines: list[str]) -> tuple[list[str], list[str]]:
    """Part what stands before the first section, without its remarks, from the rest."""
    first = next(
        (at for at, line in enumerate(lines) if SECTION.fullmatch(line.rstrip())), len(lines)
    )
    head = [line for line in lines[:first] if not _REMARK.fullmatch(line)]
    return head, lines[first:]


def _without_changelog(lines: list[str]) -> list[str]:
    kept: list[str] = []
    is_changelog = False
    for line in lines:
        section = SECTION.fullmatch(line.rstrip())
        if section is not None:
            is_changelog = section[1].lower() == "changelog"
        if not is_changelog:
            kept.append(line)
    return kept
