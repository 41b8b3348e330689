"""Facts of any kind with any fields, made from nothing but their types."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import Struct

from supervisor_ai.domain.envelope import Event

_PLAIN: Final[dict[object, st.SearchStrategy[Any]]] = {
    bool: st.booleans(),
    str: st.sampled_from(["plan", "test", "ship"]),
    int: st.integers(1, 3),
    float: st.sampled_from([0.5, 2.0]),
    Decimal: st.sampled_from([Decimal("0.07"), Decimal("1.5")]),
    datetime: st.just(datetime(2030, 1, 1, tzinfo=UTC)),
    timedelta: st.just(timedelta(minutes=1)),
    NoneType: st.none(),
}


def any_fact(kind: type[Event]) -> st.SearchStrategy[Event]:
    """Make facts of a kind; few words, so that facts often speak of the same thing."""
    return _build(kind)


def _build(kind: type[Struct]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: _any(hints[name]) for name in kind.__struct_fields__})


def _any(hint: Any) -> st.SearchStrategy[Any]:
    while hasattr(hint, "__supertype__"):
        hint = hint.__supertype__
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, map(_any, get_args(hint)))
    if get_origin(hint) is tuple:
        return st.lists(_any(get_args(hint)[0]), max_size=2).map(tuple)
    if get_origin(hint) is dict:
        return st.dictionaries(*map(_any, get_args(hint)), max_size=2)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    assert isinstance(hint, type), f"no values are known for {hint!r}"
    assert issubclass(hint, Struct), f"no values are known for {hint!r}"
    return st.deferred(lambda: _build(hint))
