"""What new tests want to hear, seen line by line: a value, or nothing but a yes."""

import re
from collections.abc import Sequence
from typing import Final

_ASSERTING: Final = re.compile(
    r"[Aa]ssert\w*|expect\w*|[Ee]quals?|strict[A-Z]\w*|deep[A-Z]\w*|ok|to[A-Z]\w*|should\w*"
    r"|(?i:require|check|want)\w*"
)
_LINE: Final = re.compile(
    r"\bassert|\bexpect\s*\(|\bt\.(?:Error|Fatal|is\b|true\b)|\bshould\b|\brequire\.\w+\(t\b|\bcheck\."
    r"|\braises\b|\bthrows\b|should_panic|\bunwrap_err\b|\bfail\("
)
_YES: Final = re.compile(
    r"\s*assert\s+(?!not\b|\()[^=<>!#]+(?:#.*)?"
    r"|\s*(?:self\.)?assertTrue\([^=<>!]+\);?"
    r"|\s*assert(?:\.ok|\.true|\.isTrue)?!?\((?!\s*!)[^=<>!]+\);?"
    r"|\s*(?:\w+\.)?(?:assert(?:_eq!|\.\w*[eE]qual|Equal|\.equal|\.is)|check\.Equal|t\.is)\(.+,\s*(?:true|True)\s*\);?"
    r"|\s*(?:await\s+)?expect\((?!\s*!).+\)\.(?:toBe|toEqual|toStrictEqual)\(true\);?"
    r"|\s*(?:await\s+)?expect\((?!\s*!).+\)\.toBeTruthy\(\);?"
)


def is_asserting(call: str) -> bool:
    """Tell whether a name is one of what asserts: it is given what is expected."""
    return _ASSERTING.fullmatch(call) is not None


def wants_only_a_yes(added: Sequence[str]) -> bool:
    """Tell whether every line of new tests that asserts something wants a yes, and one does."""
    lines = [line for text in added for line in text.splitlines() if _LINE.search(line)]
    return bool(lines) and all(map(_YES.fullmatch, lines))
