"""Whether the same concept has the same term in all artifacts, by their glossaries."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import (
    RuleOutcome,
    Undecided,
    failed,
    passed,
    warned,
)
from supervisor_ai.drivers.checkpoint.checks.view import MaterialView, Params
from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts, Citation, TermDefinition
from supervisor_ai.drivers.checkpoint.facts.vocabulary import letters, spelling
from supervisor_ai.tools.text import counted

_Uses = dict[str, list[tuple[str, int]]]
"""How the spellings of each term are written in one artifact, and where first."""
_SHOWN: Final = 5
_Misuse = tuple[str, Citation]


def terminology(view: MaterialView, params: Params) -> RuleOutcome | Undecided:
    """Find words that a glossary maps to another one, and terms in two spellings."""
    del params
    glossary = [(path, term) for path, facts in view.facts.items() for term in facts.terms]
    if not glossary:
        return Undecided(why="No artifact has a glossary.")
    index = {path: _uses(facts) for path, facts in view.facts.items()}
    banned = list(_misused(view, glossary, index, is_banned=True))
    loose = list(_misused(view, glossary, index, is_banned=False))
    if banned:
        return failed(_note(banned + loose), *(citation for _, citation in banned + loose))
    if loose:
        return warned(_note(loose), *(citation for _, citation in loose))
    return passed(f"{counted(len(glossary), 'term')} of the glossary, each used for itself.")


def _note(found: list[_Misuse]) -> str:
    shown = "; ".join(dict.fromkeys(words for words, _ in found[:_SHOWN]))
    return f"{shown} and {len(found) - _SHOWN} more." if len(found) > _SHOWN else f"{shown}."


def _uses(facts: ArtifactFacts) -> _Uses:
    found: _Uses = {}
    for term, line in facts.uses.items():
        found.setdefault(letters(term), []).append((term, line))
    return found


def _misused(
    view: MaterialView,
    glossary: list[tuple[str, TermDefinition]],
    index: dict[str, _Uses],
    *,
    is_banned: bool,
) -> Iterator[_Misuse]:
    for home, term in glossary:
        own = {letters(it.term) for it in view.facts[home].terms}
        listed = term.banned if is_banned else term.synonyms
        variants = {letters(it) for it in listed} - own - {""}
        for path, used in index.items():
            found = [use for variant in sorted(variants) for use in used.get(variant, ())]
            if not is_banned:
                found += [it for it in used.get(letters(term.term), ()) if _differs(it[0], term)]
            for word, line in found:
                yield f"{word!r} for {term.term!r}", Citation(file=path, line=line)


def _differs(word: str, term: TermDefinition) -> bool:
    return spelling(word) != spelling(term.term)
