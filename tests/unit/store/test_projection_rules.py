"""The rules that change the tables know every fact and use only fields that facts have."""

import re
from typing import get_args, get_type_hints

import pytest
from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.store.codec import EVENT_KINDS
from supervisor_ai.store.tables.projection_rules import RULES, Guarded

GIVEN = {"run", "session", "seq", "at", "actor"}
# Rules for the three ends of a run share a statement; only one end can be degraded.
SHARED = {"degraded"}


def parameters(kind: type) -> set[str]:
    found = set()
    for name, hint in get_type_hints(kind).items():
        found.add(name)
        for member in (hint, *get_args(hint)):
            if isinstance(member, type) and issubclass(member, Struct):
                found |= {f"{name}_{inner}" for inner in member.__struct_fields__}
    return found


def test_every_type_of_fact_has_a_rule() -> None:
    assert set(RULES) == set(EVENT_KINDS)


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_rules_use_only_what_the_fact_has(kind: type[Event]) -> None:
    texts = [it.statement if isinstance(it, Guarded) else it for it in RULES[kind]]
    used = {name for text in texts for name in re.findall(r":(\w+)", text)}
    assert used <= parameters(kind) | GIVEN | SHARED
