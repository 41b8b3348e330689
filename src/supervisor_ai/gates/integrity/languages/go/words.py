"""How much the calls that Go tests check with pin down."""

from typing import Final

from supervisor_ai.gates.integrity.model import Strength

_EXACT_CALLS: Final = "DeepEqual Equal EqualFunc Is Diff"
_PARTIAL_CALLS: Final = (
    "Contains HasPrefix HasSuffix MatchString Match As ContainsAny ContainsFunc EqualFold"
)
CALLS: Final = {
    **dict.fromkeys(_EXACT_CALLS.split(), Strength.EXACT),
    **dict.fromkeys(_PARTIAL_CALLS.split(), Strength.PARTIAL),
}
"""Functions that compare two things, by their last name; other conditions are plain answers."""
_EXACT: Final = """
Equal EqualValues Exactly JSONEq YAMLEq Len Empty True False ErrorIs EqualError Zero
Same DeepEqual Nil PanicsWithValue PanicsWithError EqualExportedValues Equals Assert Check
FileExists NoFileExists DirExists BeTrue BeFalse BeEmpty BeZero HaveLen BeIdenticalTo
BeEquivalentTo MatchJSON MatchError BeNil HTTPStatusCode WithinDuration
"""
_PARTIAL: Final = """
Error ErrorContains ErrorAs Contains NotContains Greater GreaterOrEqual Less LessOrEqual InDelta
InEpsilon Regexp Subset Panics Positive Negative Eventually Never Condition HTTPSuccess HTTPError
ErrorType NotSubset IsIncreasing IsDecreasing HTTPBodyContains ElementsMatch ConsistOf
"""
_WEAK: Final = """
NotNil NotEmpty NoError NotEqual IsType NotZero NotPanics Implements NotSame NilError NotRegexp
HaveOccurred Succeed BeAssignableToTypeOf NotErrorIs NotEqualValues
"""
METHODS: Final = {
    **dict.fromkeys(_EXACT.split(), Strength.EXACT),
    **dict.fromkeys(_PARTIAL.split(), Strength.PARTIAL),
    **dict.fromkeys(_WEAK.split(), Strength.WEAK),
}
"""Assertions of testify and its kin."""
_BOTH_WAYS: Final = """
Equal EqualValues Exactly JSONEq YAMLEq Same DeepEqual ElementsMatch InDelta InEpsilon Equals
NotEqual EqualExportedValues NotSame NotEqualValues IsType WithinDuration PanicsWithValue
PanicsWithError Regexp Implements
"""
ABOUT_FIRST: Final = frozenset(METHODS) - frozenset(_BOTH_WAYS.split())
"""Assertions whose first argument is what is checked; of the others it is what is wanted."""
GOMEGA: Final = {
    **dict.fromkeys(("To", "Should"), True),
    **dict.fromkeys(("NotTo", "ToNot", "ShouldNot"), False),
}
"""The verbs of gomega, and whether they want the matcher to hold."""
FAILING: Final = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Failf"})
SKIPPING: Final = frozenset({"Skip", "Skipf", "SkipNow"})
LOUD: Final = FAILING | SKIPPING | METHODS.keys() | {"panic"}
"""Calls that pass on that something failed."""
WAITING: Final = frozenset({"Wait", "WaitTimeout", "Eventually", "Receive"})
"""Calls that wait for what a test has started."""
NEAR: Final = frozenset({"InDelta", "InEpsilon"})
"""Assertions with a tolerance."""
