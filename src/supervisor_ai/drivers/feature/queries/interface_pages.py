"""The interfaces of a feature with their texts, and who depends on them."""

from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice, find_plan
from supervisor_ai.drivers.feature.plan.interfaces import interface_text, users_of
from supervisor_ai.drivers.feature.plan.model import Feature, Interface
from supervisor_ai.drivers.feature.queries.interface_views import (
    InterfacePage,
    interface_view,
    with_form,
)
from supervisor_ai.drivers.feature.runs import newest_of, state_of
from supervisor_ai.drivers.feature.state import FeatureState


def interface_pages(office: FeatureOffice, name: str) -> tuple[InterfacePage, ...]:
    """Show all interfaces of a feature as its newest run has them; before, as they are planned."""
    newest = newest_of(office.records, name)
    if newest is None or office.records is None:
        return _pages(office, find_plan(office, name).feature, None)
    return _pages(office, newest.definition.feature, state_of(office.records, newest))


def _pages(
    office: FeatureOffice, feature: Feature, state: FeatureState | None
) -> tuple[InterfacePage, ...]:
    interfaces = tuple(_current(office.records, it, state) for it in feature.interfaces)
    names = feature.short_names()
    forms = office.reader.forms(interfaces)
    return tuple(
        InterfacePage(
            interface=with_form(interface_view(it, state), form),
            definition=interface_text(it),
            used_by=tuple(names[user] for user in users_of(feature, it.name)),
            reason=_reason(office.records, it, state),
        )
        for it, form in zip(interfaces, forms, strict=True)
    )


def _current(
    records: Records | None, interface: Interface, state: FeatureState | None
) -> Interface:
    changed = None if state is None else state.book.redefined.get(interface.name)
    text = _text(records, changed)
    return interface if text is None else replace(interface, definition=text)


def _reason(
    records: Records | None, interface: Interface, state: FeatureState | None
) -> str | None:
    unlock = None if state is None else state.book.unlocks.get(interface.name)
    text = _text(records, None if unlock is None else unlock.why)
    found = (line for line in (text or "").splitlines() if line.startswith("Reason: "))
    return next(found, None)


def _text(records: Records | None, kept: ArtifactHash | None) -> str | None:
    """Return a text that was kept; None where there is none, or it was erased."""
    if records is None or kept is None:
        return None
    try:
        return records.artifacts.get(kept)
    except NotFound:
        return None
