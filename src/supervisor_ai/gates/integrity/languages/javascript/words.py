"""How much the matchers of the JavaScript test libraries pin down."""

from typing import Final

from supervisor_ai.gates.integrity.model import Strength

_EXACT: Final = """
toBe toEqual toStrictEqual toBeNull toBeUndefined toBeNaN toHaveLength toHaveBeenCalledWith
toHaveBeenLastCalledWith toHaveBeenNthCalledWith toHaveBeenCalledTimes toBeCalledTimes
toBeCalledWith lastCalledWith nthCalledWith toHaveReturnedWith toHaveLastReturnedWith
toHaveNthReturnedWith toHaveReturnedTimes toHaveBeenCalledOnce toHaveBeenCalledExactlyOnceWith
toHaveText toHaveValue toHaveURL toHaveCount toHaveTitle toHaveDisplayValue toBeEmpty toResolve
equal equals eq eql eqls deepEqual deepEquals lengthOf length null undefined true false
NaN empty calledWith calledWithExactly calledOnce calledOnceWith calledOnceWithExactly callCount
calledTwice strictEqual strictEquals deepStrictEqual looseEqual looseEquals is same strictSame
sameOrderedMembers sameDeepOrderedMembers isTrue isFalse isNull
isUndefined isNaN isEmpty assertEquals assertStrictEquals notCalled neverCalledWith propertyVal
deepPropertyVal fileContent
"""
_WEAK: Final = """
toBeTruthy toBeFalsy toBeDefined toBeInstanceOf toBeTypeOf toHaveReturned ok exist exists a an
instanceof instanceOf isOk isDefined isNotNull isNotUndefined isObject isString isArray
isFunction isNumber isBoolean typeOf isInstance truthy falsy notOk isNotOk doesNotThrow
doesNotReject notThrows notThrowsAsync ifError notEqual notStrictEqual notDeepEqual
notDeepStrictEqual not notSame notStrictSame notEqualWithin isNotTrue isNotFalse isNotEmpty
toBeObject toBeString toBeNumber toBeArray toBeFunction toBeBoolean assert assertExists
assertNotEquals assertInstanceOf error notEmpty
"""
_CALLED: Final = frozenset(
    {"toHaveBeenCalled", "toBeCalled", "called", "toHaveBeenCalledWith", "calledWith"}
)
_THROWING: Final = """
toThrow toThrowError toThrowErrorMatchingInlineSnapshot throw throws Throw throwsAsync rejects
rejectedWith toReject assertThrows assertRejects
"""
_EQUALITY: Final = """
toBe toEqual toStrictEqual equal equals eq eql strictEqual deepEqual deepStrictEqual is same
strictSame assertEquals looseEqual strictEquals deepEquals
"""
_FILLERS: Final = """
to be been is that which and has have with at of same but does still also not deep own nested
ordered any all itself should resolves rejects eventually strict soft poll
"""
MATCHERS: Final = {
    **dict.fromkeys(_EXACT.split(), Strength.EXACT),
    **dict.fromkeys(_WEAK.split(), Strength.WEAK),
    "pass": Strength.NONE,
}
THROWING: Final = frozenset(_THROWING.split())
"""Exact with the error that they want, partial without."""
ABSENT: Final = {"toBeDefined": Strength.EXACT, **dict.fromkeys(_CALLED, Strength.EXACT)}
"""What the opposite of a matcher pins down, where that is much."""
TRUTH: Final = {
    **dict.fromkeys(("toBeTruthy", "ok", "isOk", "truthy", "assert", "true", "isTrue"), True),
    **dict.fromkeys(("toBeFalsy", "notOk", "isNotOk", "falsy", "false", "isFalse"), False),
}
"""Matchers that check whether a condition holds."""
STRICT_TRUTH: Final = frozenset({"true", "isTrue", "false", "isFalse"})
COUNTING: Final = frozenset(
    {"toHaveBeenCalled", "toBeCalled", "called", "toHaveBeenCalledTimes", "toBeCalledTimes"}
    | {"toHaveBeenCalledOnce", "calledOnce", "calledTwice", "callCount", "notCalled"}
)
"""Matchers that check how often something was called, not with what."""
EQUALITY: Final = frozenset(_EQUALITY.split())
"""Matchers that compare what is checked with what is wanted."""
ALL_NAMES: Final = (
    frozenset(MATCHERS) | THROWING | {"match", "include", "includes", "regex", "like"}
)
"""What the first parameter of a test, or `assert`, can be asked."""
NO_CHECKS: Final = frozenset(
    {"assertions", "hasAssertions", "extend", "addSnapshotSerializer", "fail"}
)
# Words that a chain is made of and that check nothing.
FILLERS: Final = frozenset(_FILLERS.split())
ANYTHING: Final = (
    "expect.anything",
    "expect.any(",
    "sinon.match.any",
    "match.any",
    "td.matchers.anything",
)
SOMETHING: Final = (
    "expect.objectContaining",
    "expect.arrayContaining",
    "expect.stringContaining",
    "expect.stringMatching",
    "expect.closeTo",
    "sinon.match",
    *ANYTHING,
)
GENERIC_ERRORS: Final = frozenset({"", "Error", "undefined", "/./", "/.*/", '""', "''", "Object"})
