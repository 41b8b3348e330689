"""The words of which an answer may say one, in the order in which they are written down."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

Words = tuple[object, ...]


@cache
def word_orders(model: type[Struct]) -> Mapping[Words, Words]:
    """Return the words of a model's fields by themselves in alphabetical order.

    What tells of a model's form has them so, and the first one is often the one to be preferred.
    """
    return {tuple(sorted(words, key=str)): words for words in _words(model, set())}


def _words(kind: object, seen: set[object]) -> Iterator[Words]:
    if get_origin(kind) is Literal:
        yield get_args(kind)
    elif isinstance(kind, type) and issubclass(kind, Struct):
        if kind not in seen:
            seen.add(kind)
            for hint in get_type_hints(kind).values():
                yield from _words(hint, seen)
    else:
        for inner in get_args(kind):
            yield from _words(inner, seen)
