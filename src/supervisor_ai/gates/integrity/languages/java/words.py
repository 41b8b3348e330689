"""Words of Java's test libraries, and how much they pin down: JUnit, AssertJ, Hamcrest."""

from typing import Final

from supervisor_ai.gates.integrity.model import Strength

TESTS: Final = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"}
)
"""Annotations that make a method a test."""
LEFT_OUT: Final = ("Disabled", "Ignore", "EnabledIf", "EnabledOn", "Quarantine")
"""How the annotations begin that leave a test out, or let it run on request only."""
TABLES: Final = frozenset({"ValueSource", "CsvSource", "Parameters"})
UNKNOWN_TABLES: Final = frozenset(
    {"MethodSource", "CsvFileSource", "EnumSource", "ArgumentsSource", "FieldSource"}
)
COMPARING: Final = {
    **dict.fromkeys(("assertEquals", "assertSame", "assertArrayEquals"), Strength.EXACT),
    **dict.fromkeys(("assertIterableEquals", "assertLinesMatch"), Strength.EXACT),
    **dict.fromkeys(("assertNotEquals", "assertNotSame"), Strength.WEAK),
}
"""Assertions of two values, the wanted one first."""
SINGLE: Final = {
    "assertNull": Strength.EXACT,
    "assertNotNull": Strength.WEAK,
    "assertDoesNotThrow": Strength.WEAK,
    "assertTimeout": Strength.PARTIAL,
    "assertTimeoutPreemptively": Strength.PARTIAL,
}
TRUTH: Final = {"assertTrue": True, "assertFalse": False}
KINDS: Final = frozenset({"assertInstanceOf"})
THROWING: Final = frozenset({"assertThrows", "assertThrowsExactly"})
WIDE_ERRORS: Final = frozenset({"Exception", "Throwable", "RuntimeException", "Error"})
CATCHING: Final = frozenset({"Throwable", "Error", "AssertionError", "AssertionFailedError"})
"""Errors that a failing assertion is one of."""
ROOTS: Final = frozenset(
    {"assertThat", "assertThatThrownBy", "assertThatCode", "assertThatExceptionOfType", "expect"}
)
_EXACT: Final = """
isEqualTo isSameAs isNull isTrue isFalse isEmpty isZero isOne hasSize hasSameElementsAs
containsExactly containsExactlyInAnyOrder containsOnly hasMessage isExactlyInstanceOf hasValue
isEqualToIgnoringCase isNullOrEmpty equalTo is nullValue empty sameInstance hasItems isBlank
containsExactlyElementsIn containsExactlyEntriesOf doesNotExist hasToString isEqualByComparingTo
"""
_WEAK: Final = """
isNotNull isNotEmpty isNotEqualTo isInstanceOf isNotBlank isNotSameAs notNullValue not instanceOf
isPresent isNotZero doesNotThrowAnyException isIn anything isNotIn exists any
"""
MATCHERS: Final = {
    **dict.fromkeys(_EXACT.split(), Strength.EXACT),
    **dict.fromkeys(_WEAK.split(), Strength.WEAK),
}
"""What a value is asked for; other matchers hold for many values."""
NO_MATCHERS: Final = frozenset(
    {
        "as",
        "describedAs",
        "withFailMessage",
        "overridingErrorMessage",
        "extracting",
        "usingRecursiveComparison",
    }
)
PARTIAL_ANSWERS: Final = frozenset(
    {"contains", "startsWith", "endsWith", "matches", "anyMatch", "allMatch", "noneMatch"}
    | {"containsKey", "containsValue", "containsAll", "equalsIgnoreCase"}
)
WEAK_ANSWERS: Final = frozenset({"isPresent", "nonNull", "isInstance"})
LISTS: Final = frozenset({"of", "asList"})
