"""Config sections as registered values: the key, shape, merge rules and builder of each.

What a slice lets people configure is one section; `config.yaml` has a key for each of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import Field, create_model

from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath

if TYPE_CHECKING:
    from supervisor_ai.definitions.config.merged import MergedConfig
    from supervisor_ai.definitions.config.settings import EffectiveSettings
    from supervisor_ai.definitions.overlay.tree import MergeRule

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConfigSection(Generic[T_co]):
    """One key of `config.yaml`, and what is made of what stands there."""

    key: str
    shape: type[FileShape]
    build: "Callable[[MergedConfig], T_co]"
    """Makes the value that holds of the files' words together."""
    check: "Callable[[EffectiveSettings, FileMistakes], None] | None" = None
    """Notes names that lead nowhere; called where all other names are known."""
    rules: "Mapping[KeyPath, MergeRule]" = field(default_factory=dict)
    """How its values are merged, by their paths below the key, where that is not the usual way."""


Sections = tuple[ConfigSection[object], ...]


@cache
def config_model(sections: Sections) -> type[ConfigShape]:
    """Return the shape of `config.yaml` with the keys of these sections."""
    made: dict[str, Any] = {it.key: (it.shape, Field(default_factory=it.shape)) for it in sections}
    return create_model(
        ConfigShape.__name__, __base__=ConfigShape, __doc__=ConfigShape.__doc__, **made
    )
