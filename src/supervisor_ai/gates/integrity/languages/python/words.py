"""How much the assertions of Python's test libraries pin down."""

from typing import Final

from supervisor_ai.gates.integrity.model import Strength

COMPARED: Final = {
    "assertEqual": "==",
    "assertEquals": "==",
    "assertListEqual": "==",
    "assertTupleEqual": "==",
    "assertDictEqual": "==",
    "assertSetEqual": "==",
    "assertSequenceEqual": "==",
    "assertMultiLineEqual": "==",
    "assertNotEqual": "!=",
    "assertIs": "is",
    "assertIsNot": "is not",
    "assertIn": "in",
    "assertNotIn": "not in",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assertLess": "<",
    "assertLessEqual": "<=",
}
"""Methods of unittest that say what an operator says."""

TRUTH: Final = {"assertTrue": True, "assert_": True, "assertFalse": False}
NOTHING: Final = {"assertIsNone": "is", "assertIsNotNone": "is not"}
ASKED: Final = {
    "assertIsInstance": ("truthy", "isinstance"),
    "assertNotIsInstance": ("falsy", "isinstance"),
    "assertRegex": ("truthy", "re.search"),
    "assertNotRegex": ("falsy", "re.search"),
}
"""Methods of unittest that say what another question says."""

ALMOST: Final = frozenset(
    {"assertAlmostEqual", "assertAlmostEquals", "assert_allclose", "assert_almost_equal"}
    | {"assert_array_almost_equal", "assert_approx_equal", "assert_array_almost_equal_nulp"}
)

LIBRARY: Final = {
    "assertCountEqual": Strength.PARTIAL,
    "assertItemsEqual": Strength.PARTIAL,
    "assert_equal": Strength.EXACT,
    "assert_array_equal": Strength.EXACT,
    "assert_frame_equal": Strength.EXACT,
    "assert_series_equal": Strength.EXACT,
    "assert_index_equal": Strength.EXACT,
    "assert_array_less": Strength.PARTIAL,
    "assert_string_equal": Strength.EXACT,
}

MOCKS: Final = {
    "assert_called_once_with": Strength.EXACT,
    "assert_called_with": Strength.EXACT,
    "assert_awaited_once_with": Strength.EXACT,
    "assert_awaited_with": Strength.EXACT,
    "assert_has_calls": Strength.EXACT,
    "assert_has_awaits": Strength.EXACT,
    "assert_not_called": Strength.EXACT,
    "assert_not_awaited": Strength.EXACT,
    "assert_called_once": Strength.PARTIAL,
    "assert_awaited_once": Strength.PARTIAL,
    "assert_any_call": Strength.PARTIAL,
    "assert_any_await": Strength.PARTIAL,
    "assert_called": Strength.WEAK,
    "assert_awaited": Strength.WEAK,
}

MOCK_VALUES: Final = {
    "called": Strength.WEAK,
    "call_count": Strength.PARTIAL,
    "await_count": Strength.PARTIAL,
    "call_args": Strength.EXACT,
    "call_args_list": Strength.EXACT,
    "mock_calls": Strength.EXACT,
    "method_calls": Strength.EXACT,
}
"""What a mock tells of its calls: at best this much."""

MISSPELT: Final = (
    "called_once_with",
    "called_with",
    "called_once",
    "has_calls",
    "not_called",
    "any_call",
)
"""What a mock answers with another mock, which is always true."""

RAISES: Final = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp"})
WARNS: Final = frozenset({"warns", "assertWarns", "assertWarnsRegex", "assertLogs", "assertNoLogs"})
ANY_ERROR: Final = frozenset({"Exception", "BaseException"})
WIDE_ERRORS: Final = frozenset({"LookupError", "ArithmeticError", "Warning", "StandardError"})

MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
NEGATED: Final = {
    "==": "!=",
    "!=": "==",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}

PREDICATES: Final = ("is", "has", "can", "should", "contains", "exists", "equal", "valid", "match")
"""How the names of functions begin that answer yes or no."""
PARTIAL_METHODS: Final = frozenset({"startswith", "endswith", "issubset", "issuperset"})
WEAK_CALLS: Final = frozenset({"isinstance", "callable", "hasattr", "issubclass", "bool"})
WEAK_VALUES: Final = frozenset({"__name__", "__class__", "__doc__", "__module__", "__qualname__"})
