"""How the form of a provider's secret becomes a rule."""

from typing import Final

from supervisor_ai.domain.redaction.rule import RedactionRule

END: Final = r"(?![A-Za-z0-9])"
"""The end of a word."""

UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"


def form(
    rule_id: str, keywords: str, pattern: str, *, lead: int = 0, shape: str = ""
) -> RedactionRule:
    """Make a rule for one word that is known wherever it stands."""
    return RedactionRule(
        id=rule_id,
        keywords=tuple(keywords.split()),
        pattern=pattern,
        lead=lead,
        is_one_word=True,
        shape=shape,
    )
