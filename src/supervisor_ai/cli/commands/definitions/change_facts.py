"""What `supervisor gate check facts` shows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.cli.tables import columns, folded
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.tools.text import counted

if TYPE_CHECKING:
    from supervisor_ai.control.commands.gates.change_facts import FactsView

_REASONS: Final = 5
"""So many files are shown for one fact; `--json` has more."""


def shown_facts(found: "FactsView") -> Iterator[str]:
    """Show every fact with what speaks for it, then what of the public API is gone."""
    span = f"{short(found.base)}..{short(found.head)}"
    yield from folded([f"Facts of the change {span}:"])
    yield from ("", *columns([("FACT", "VALUE", "FILE", "WHY"), *_rows(found)]))
    if found.breaks:
        yield from ("", f"{counted(len(found.breaks), 'break')} of the public API:", "")
        yield from columns([("SYMBOL", "CHANGE", "FILE", "WHAT"), *_breaks(found)])


def _rows(found: "FactsView") -> Iterator[tuple[str, ...]]:
    for fact in found.facts:
        reasons = [it for it in found.evidence if it.fact == fact.name]
        first = reasons[0] if reasons else None
        file, why = (first.file, first.detail) if first else ("", "")
        yield tuple(map(one_line, (fact.name, _value(fact), file, why)))
        for more in reasons[1:_REASONS]:
            yield ("", "", one_line(more.file), one_line(more.detail))
        if len(reasons) > _REASONS:
            yield ("", "", f"and {len(reasons) - _REASONS} more", "")


def _value(fact: Fact) -> str:
    if fact.value is None:
        return "unknown"
    if isinstance(fact.value, bool):
        return "yes" if fact.value else "no"
    return str(fact.value)


def _breaks(found: "FactsView") -> Iterator[tuple[str, ...]]:
    for it in found.breaks:
        yield tuple(map(one_line, (it.symbol, it.change.value, it.file, it.detail)))
