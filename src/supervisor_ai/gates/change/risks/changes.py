"""What the statements that a change adds and takes away do."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from supervisor_ai.gates.change.risks.sources import RiskSource
from supervisor_ai.gates.change.risks.table import RiskRule, risk_rules
from supervisor_ai.gates.change.risks.units import Unit, units_of

_MOST_UNITS: Final = 20_000
"""So many changed statements are looked at; a change with more is complex anyway."""
_CONDITION: Final = re.compile(
    r"\W{0,8}(?:if|elif|unless|guard|assert|while|return|else if|match|case)\b|@|#\["
)


class CodeChange(Struct, frozen=True, kw_only=True):
    """The statements of some files of one kind that come and go; what only moved does neither."""

    family: str
    added: Counter[Unit] = field(default_factory=Counter)
    removed: Counter[Unit] = field(default_factory=Counter)

    @property
    def size(self) -> int:
        """Count what comes and goes."""
        return self.added.total() + self.removed.total()

    @property
    def lines(self) -> Iterator[str]:
        """Return what was added or taken away."""
        return (unit.text for unit in (*self.added, *self.removed))


def compare_sources(
    family: str, before: Iterable[RiskSource], after: Iterable[RiskSource]
) -> CodeChange:
    """Find the statements that only one side has."""
    old: Counter[Unit] = Counter()
    new: Counter[Unit] = Counter()
    for sources, units in ((before, old), (after, new)):
        for source in sources:
            units.update(units_of(source))
    return CodeChange(family=family, added=new - old, removed=old - new)


def find_risks(changes: Sequence[CodeChange]) -> Iterator[RiskRule]:
    """Return the rules that tell of something risky, those that weigh most first."""
    for rule in sorted(risk_rules(), key=lambda rule: not rule.is_strong):
        if any(_is_met(rule, change) for change in changes if rule.speaks_of(change.family)):
            yield rule


def _is_met(rule: RiskRule, change: CodeChange) -> bool:
    came, went = _deeds(rule, change.added), _deeds(rule, change.removed)
    return bool(went - came if rule.when_gone else came - went)


def _deeds(rule: RiskRule, units: Counter[Unit]) -> Counter[str]:
    found: Counter[str] = Counter()
    for unit in list(units)[:_MOST_UNITS]:
        looked = unit.text if rule.in_strings else unit.code
        for match in rule.pattern.finditer(looked):
            # A check is another one where any word of its condition is.
            is_whole = rule.when_gone and _CONDITION.match(looked)
            deed = looked if is_whole else match.group()
            found["".join(deed.split())] += units[unit]
    return found
