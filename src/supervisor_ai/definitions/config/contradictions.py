"""Files of one origin that speak of the same thing must say the same."""

from collections.abc import Iterator, Mapping, Sequence

from supervisor_ai.definitions.overlay.layers import WrittenFile
from supervisor_ai.definitions.overlay.tables import SAME_MEANING
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath


def check_agreement(configs: Sequence[WrittenFile[ConfigShape]], mistakes: FileMistakes) -> None:
    """Note every key to which two files, or two keys of one file, give different values."""
    seen: dict[KeyPath, tuple[object, WrittenFile[ConfigShape], KeyPath]] = {}
    for config in configs:
        for path, value in _leaves(config.shape, ()):
            meant = SAME_MEANING.get(path, path)
            other, first, where = seen.setdefault(meant, (value, config, path))
            if other != value:
                at = first.place(*where).text
                mistakes.add(
                    config.place(*path), f"says something else than {at}; keep one of them"
                )


def _leaves(value: object, path: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    if isinstance(value, FileShape):
        for key in sorted(value.model_fields_set):
            yield from _leaves(getattr(value, key), (*path, key))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    else:
        yield path, value
