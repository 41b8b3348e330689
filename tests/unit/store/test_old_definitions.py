"""Definitions that version 0.1.0 pinned for workflows have a field that says nothing."""

import json

import pytest
from tests.support.kernel import flow, work

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.store.shapes import from_json, to_json


def test_a_field_that_says_nothing_is_left_out() -> None:
    definition = flow(work("implement"))
    old = {**json.loads(to_json(definition)), "kanban": None}
    assert from_json(json.dumps(old), Definition) == definition


def test_a_field_that_says_something_is_refused() -> None:
    old = {**json.loads(to_json(flow(work("implement")))), "kanban": {}}
    with pytest.raises(Unavailable, match="has no field 'kanban'"):
        from_json(json.dumps(old), Definition)
