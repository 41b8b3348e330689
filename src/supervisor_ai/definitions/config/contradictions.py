"""Files of one origin that speak of the same thing must say the same."""

from collections.abc import Iterator, Mapping, Sequence

from supervisor_ai.definitions.overlay.layers import WrittenFile
from supervisor_ai.definitions.overlay.tables import SAME_MEANING
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath, Note


def particular_last(configs: Sequence[WrittenFile[ConfigShape]]) -> list[WrittenFile[ConfigShape]]:
    """Put files that say less particularly what another one says as well before it."""
    usual = set(SAME_MEANING.values())
    return sorted(configs, key=lambda it: any(at in usual for at, _ in _leaves(it.shape, ())))


def check_agreement(
    configs: Sequence[WrittenFile[ConfigShape]], mistakes: FileMistakes
) -> Iterator[Note]:
    """Note every key to which two files, or two keys of one file, give different values.

    Of two files with keys of one meaning the more particular one counts, and the other is named.
    """
    seen: dict[KeyPath, tuple[object, WrittenFile[ConfigShape], KeyPath]] = {}
    for config in particular_last(configs):
        for path, value in _leaves(config.shape, ()):
            meant = SAME_MEANING.get(path, path)
            other, first, where = seen.setdefault(meant, (value, config, path))
            at = first.place(*where)
            if other != value and where != path and first is not config:
                text = f"does not count: {config.place(*path).text} is more particular"
                yield Note(place=at, text=text)
            elif other != value:
                mistakes.add(
                    config.place(*path), f"says something else than {at.text}; keep one of them"
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
