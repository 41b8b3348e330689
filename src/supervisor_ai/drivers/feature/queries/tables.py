"""The tables of features, phases, components and dependencies, for whoever reads the ledger."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.drivers.feature.events import FeaturePlanned

TABLES: Final[Mapping[str, str]] = {
    "features": (
        "CREATE TABLE IF NOT EXISTS features"
        " (run TEXT, id TEXT, created_at TEXT, PRIMARY KEY (run, id))"
    ),
    "phases": (
        "CREATE TABLE IF NOT EXISTS phases (run TEXT, id TEXT, feature_id TEXT,"
        " sequence INTEGER, created_at TEXT, PRIMARY KEY (run, id))"
    ),
    "components": (
        "CREATE TABLE IF NOT EXISTS components (run TEXT, id TEXT, phase_id TEXT,"
        " assigned_role TEXT, depends_on TEXT, created_at TEXT, PRIMARY KEY (run, id))"
    ),
    "dependencies": (
        "CREATE TABLE IF NOT EXISTS dependencies (run TEXT, component_id TEXT,"
        " depends_on_id TEXT, PRIMARY KEY (run, component_id, depends_on_id))"
    ),
}
_PLANNED: Final = (
    "INSERT OR REPLACE INTO features (run, id, created_at) VALUES (:run, :feature, :at)",
    "INSERT OR REPLACE INTO phases (run, id, feature_id, sequence, created_at)"
    " SELECT :run, json_extract(value, '$.id'), :feature, json_extract(value, '$.sequence'), :at"
    " FROM json_each(:phases)",
    "INSERT OR REPLACE INTO components"
    " (run, id, phase_id, assigned_role, depends_on, created_at)"
    " SELECT :run, json_extract(value, '$.id'), json_extract(value, '$.phase'),"
    " json_extract(value, '$.role'), coalesce(json_extract(value, '$.depends_on'), '[]'), :at"
    " FROM json_each(:components)",
    "INSERT OR REPLACE INTO dependencies (run, component_id, depends_on_id)"
    " SELECT :run, json_extract(part.value, '$.id'), need.value"
    " FROM json_each(:components) part, json_each(part.value, '$.depends_on') need",
)
RULES: Final[Mapping[type[Event], tuple[str, ...]]] = {FeaturePlanned: _PLANNED}
"""Where each stands is in `steps`: a component is a step of its run, by the same id."""
