"""Recorded outputs of the real CLIs."""

import json
from typing import Final

from hypothesis import strategies as st

JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)


KEYS: Final = st.sampled_from(
    [
        *("message", "item", "error", "usage", "modelUsage", "stats", "part", "content", "text"),
        *("result", "errors", "response", "session_id", "status", "tokens", "cost", "warnings"),
    ]
)


TYPES: Final = st.sampled_from(
    [
        *("system", "assistant", "result", "item.completed", "item.started", "turn.completed"),
        *("turn.failed", "error", "thread.started", "init", "message", "tool_use", "step_finish"),
    ]
)


RECORDS: Final = st.builds(
    lambda kind, fields: json.dumps({"type": kind, **fields}),
    TYPES,
    st.dictionaries(KEYS, JSON, max_size=5),
)
