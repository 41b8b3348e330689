"""How parts of a feature stand that are made and not built: other projects, interfaces, copies."""

from msgspec import Struct

from supervisor_ai.drivers.feature.plan.model import FAILED, ComponentStatus
from supervisor_ai.drivers.feature.state import FeatureState, is_made


class MadePartView(Struct, frozen=True, kw_only=True):
    """A part of a feature that is made and not built."""

    name: str
    """`projects`, `interfaces`, or `publish.` and the name of a project."""
    status: ComponentStatus
    why: str | None
    """Why it has failed."""


def made_parts(state: FeatureState | None) -> tuple[MadePartView, ...]:
    """Show those that have begun."""
    parts = {} if state is None else state.parts
    return tuple(
        MadePartView(
            name=name,
            status=part.status,
            why=part.reason if part.status in FAILED else None,
        )
        for name, part in parts.items()
        if is_made(name)
    )
