"""Glossaries: which term stands for a concept, and which words do not.

Below a heading "Glossary", "Terminology", "Terms" or "Definitions" each outermost entry of a list
defines a term (`**Customer**: who buys`, `Customer - who buys`), as does each row of a table by its
first cell. Other words follow after `also`, `aka`, `synonym(s)`, `also called`, `also known as`,
`formerly`; words not to use after `not`, `never`, `avoid`, `instead of`, `do not use`, with a colon
or in quotes; in a table they may have columns of such titles. A word in brackets right after the
term is its abbreviation, and may be used. Terms have at most two words to be recognised elsewhere.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from supervisor_ai.drivers.checkpoint.facts.markdown import EntryForm, MarkdownEntry
from supervisor_ai.drivers.checkpoint.facts.model import LONGEST_QUOTE, TermDefinition
from supervisor_ai.drivers.checkpoint.facts.topics import Topic

MOST_TERMS: Final = 500
_MOST_VARIANTS: Final = 20
_LONGEST_TERM: Final = 60
_MOST_PARTS: Final = 2
_SEPARATOR: Final = re.compile(r"[:;]| [-\u2013\u2014] | \| |=")
_BRACKET: Final = re.compile(r"\(([^()]{0,200})\)")
_SAME: Final = "also called|also known as|a\\.?k\\.?a\\.?|synonyms?|formerly|also"
_BANNED: Final = "do not use|instead of|never|avoid|not"
_QUOTED: Final = r"(?:[\"\u201c'][^\"\u201d']{1,60}[\"\u201d'][, /or]{0,6}){1,20}"
_LIST: Final = rf"{_QUOTED}|[^.;()|]{{1,200}}"
_SAID_SAME: Final = re.compile(
    rf"\b(?:(?:also called|also known as|a\.?k\.?a\.?):? |(?:{_SAME}): )({_LIST})", re.IGNORECASE
)
_SAID_BANNED: Final = re.compile(rf"\b(?:{_BANNED})(?:: ({_LIST})| ({_QUOTED}))", re.IGNORECASE)
_SPLIT: Final = re.compile(r",|/|;| or | and ")
_QUOTES: Final = " \t\"'\u201c\u201d\u2018\u2019`*_"


def definitions(entries: Iterable[MarkdownEntry]) -> tuple[TermDefinition, ...]:
    """Find the terms that a document defines."""
    found = (_definition(entry) for entry in entries if _is_definition(entry))
    return tuple(it for it in found if it is not None)[:MOST_TERMS]


def _is_definition(entry: MarkdownEntry) -> bool:
    is_entry = entry.form is not EntryForm.HEADING and entry.depth == 0
    return is_entry and entry.topic is Topic.GLOSSARY


def _definition(entry: MarkdownEntry) -> TermDefinition | None:
    asides = _BRACKET.findall(entry.text)
    named, *rest = _SEPARATOR.split(_BRACKET.sub("", entry.text), maxsplit=1)
    first = next(iter(entry.cells.values()), named)
    term = _BRACKET.sub("", first).strip(_QUOTES)
    if not term or len(term) > _LONGEST_TERM:
        return None
    told = ". ".join((*asides, *rest, *entry.below))
    return TermDefinition(
        term=term,
        line=entry.line,
        quote=entry.raw.strip()[:LONGEST_QUOTE].strip(),
        synonyms=_variants(term, (*_said(_SAID_SAME, told), *_columns(entry, _SAME))),
        banned=_variants(term, (*_said(_SAID_BANNED, told), *_columns(entry, _BANNED))),
    )


def _said(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield next(group for group in match.groups() if group is not None)


def _columns(entry: MarkdownEntry, words: str) -> Iterator[str]:
    for title, cell in entry.cells.items():
        if re.match(rf"(?:{words})\b", title):
            yield cell


def _variants(term: str, lists: Iterable[str]) -> tuple[str, ...]:
    parts = (part.strip(_QUOTES) for text in lists for part in _SPLIT.split(text))
    found = dict.fromkeys(it.lower() for it in parts if _is_term(it) and it.lower() != term.lower())
    return tuple(found)[:_MOST_VARIANTS]


def _is_term(text: str) -> bool:
    return 1 < len(text) <= _LONGEST_TERM and len(text.split()) <= _MOST_PARTS
