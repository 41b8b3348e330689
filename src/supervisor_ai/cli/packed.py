"""The record of a packed context, for people."""

from collections.abc import Iterator

from supervisor_ai.cli.tables import columns, fitted
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.run.context_plan import PackedContext, PackedItem


def shown_record(packed: PackedContext) -> Iterator[str]:
    """List what is in a context, what is not, and why."""
    yield (
        f"{packed.tokens:,} of {packed.budget:,} tokens, counted by {packed.counter}; "
        f"{len(packed.items)} items"
    )
    rows = [("SOURCE", "SHOWN", "TOKENS", "NAME", "WHY"), *map(_row, packed.items)]
    yield from fitted(columns(rows))


def _row(item: PackedItem) -> tuple[str, ...]:
    redacted = f" ({item.redactions} redacted)" if item.redactions else ""
    name = f"{one_line(item.name)}{redacted}"
    return item.source.value, item.detail.value, f"{item.tokens:,}", name, one_line(item.reason)
