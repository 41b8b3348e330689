"""Telling values that chance made from words, names, references and code."""

import math
import re
from collections import Counter
from typing import Final

LEAST_LENGTH: Final = 8
_LEAST_CLASSES: Final = 2
_SAMPLE: Final = 64
_MASK_LENGTH: Final = 8
_JUDGED: Final = 128
"""How much of a value is looked at, so that no long one costs much."""
_DULL: Final = 1.5

_CLASSES: Final = tuple(map(re.compile, ("[a-z]", "[A-Z]", "[0-9]", r"[\W_]")))
_SPACE: Final = re.compile(r"\s")
_DIGIT: Final = re.compile("[0-9]")
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WORDS: Final = re.compile(r"[A-Za-z_./:~-]*")
_NUMBERED_WORDS: Final = re.compile(r"(?=.*[_./:-])[A-Za-z0-9_./:-]*")
_WEAK: Final = re.compile(r"(?i:(?:my|test|new|old)?(?:password|passwd|secret|token|key))\d?")
_PASSPHRASE: Final = re.compile(r"[a-z]{3,}(?:-[a-z]{3,}){3,}")
_FILLING: Final = re.compile(
    r"(?i:your|here|goes|example|sample|placeholder|change|changeme|replace|insert|dummy|todo)"
)
_REFERENCE_START: Final = re.compile(
    r"\$[A-Za-z_]|[&*!@][A-Za-z_]|%[A-Za-z_]+%|<.*>$|\{.*\}$|\[.*\]$"
    r"|(?i:env|vault|ssm|arn|op|ref|secrets?|file|kms|sops|aws|gcp|azure|enc)[:(\[]"
)
_REFERENCE: Final = re.compile(
    r"[$#]\{|\$\(|\{\{|<%|%\(|\{[A-Za-z_][\w.]*\}|://|\b(?:process\.env|os\.environ|getenv)\b"
)
_FILE: Final = re.compile(
    r"[\w./~\\-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|toml|ini|cfg|conf|env|txt|md|html?"
    r"|css|py|jsx?|tsx?|go|rs|java|rb|php|sh|xml|sql|j2)"
)
_VERSION: Final = re.compile(r"[\^~<>=!v ]*+\d++(?:\.\d++)++[\w.,<>=*^~!| +-]*+")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_ATTRIBUTE: Final = re.compile(r"[A-Za-z_$][\w$]{0,24}(?:(?:\.|\?\.|->|::)[A-Za-z_$][\w$]{0,24})+")
_CALL: Final = re.compile(r"[(\[{]|[A-Za-z_.]{3,}+\(")
_OPENING: Final = re.compile(r"\w[(\[<{]")
_BRACKETS: Final = tuple("()[]{}<>")
_TYPE_WORD: Final = 3
_TYPE: Final = re.compile(r"(?:[A-Z][a-z]*\d*)+[A-Z][a-z]+")


def looks_secret(value: str, *, entropy: float = 3.0) -> bool:
    """Tell whether a value looks as if chance or a careful person had made it."""
    if len(value) > _JUDGED:
        value = value[: _JUDGED - _MASK_LENGTH] + value[-_MASK_LENGTH:]
    return (
        len(value) >= LEAST_LENGTH
        and not _SPACE.search(value)
        and sum(bool(kind.search(value)) for kind in _CLASSES) >= _LEAST_CLASSES
        and not is_mask(value)
        and not is_named(value)
        and not is_wording(value)
        and not _WEAK.fullmatch(value)
        and entropy_of(value) >= entropy
    )


def entropy_of(value: str) -> float:
    """Return the bits per character of the value's beginning."""
    sample = value[:_SAMPLE]
    counts = Counter(sample).values()
    repeats = sum([count * math.log2(count) for count in counts if count > 1])
    return math.log2(len(sample)) - repeats / len(sample)


def is_mask(value: str) -> bool:
    """Tell whether the value is blotted out, as in `xxxxxxxx` or `ghp_********`."""
    end = value[-_MASK_LENGTH:]
    return len(end) == _MASK_LENGTH and len(set(end)) == 1 and end[0] in "xX*.0_-"


def is_dull(value: str) -> bool:
    """Tell whether the value is too regular for chance, or calls itself an example."""
    return "EXAMPLE" in value or entropy_of(value) < _DULL


def is_filling(value: str) -> bool:
    """Tell whether the value says that something else belongs in its place."""
    words = value.replace("_", "-").split("-")
    return bool(_WORDS.fullmatch(value)) and any(map(_FILLING.fullmatch, words))


def is_wording(value: str, *, word_length: int = 3) -> bool:
    """Tell whether the value consists of words of some length, as names and placeholders do."""
    digits = len(_DIGIT.findall(value[:_SAMPLE]))
    form = _NUMBERED_WORDS if digits else _WORDS
    if digits > 1 or not form.fullmatch(value):
        return False
    if _PASSPHRASE.fullmatch(value) and not is_filling(value):
        return False
    words = _HUMP.findall(value)
    return bool(words) and sum(map(len, words)) >= word_length * len(words)


def is_code(value: str) -> bool:
    """Tell whether a value without quotes is an expression or a type."""
    bare = value.rstrip(",;")
    if is_name(bare.rstrip(")")) and not is_name(value):
        return True
    return bool(_ATTRIBUTE.fullmatch(bare)) or _is_type(bare) or _is_call(bare)


def _is_type(value: str) -> bool:
    """Tell whether a value is a type by its humps, which chance makes shorter."""
    words = _HUMP.findall(value)
    return _TYPE.fullmatch(value) is not None and sum(map(len, words)) >= _TYPE_WORD * len(words)


def _is_call(value: str) -> bool:
    is_bracketed = _OPENING.search(value) and value.endswith(_BRACKETS)
    return bool(is_bracketed or _CALL.match(value))


def is_name(value: str) -> bool:
    """Tell whether a value without quotes could be the name of a variable."""
    return bool(_NAME.fullmatch(value))


def is_named(value: str) -> bool:
    """Tell whether the value refers to something: a variable, a file, a version."""
    if _REFERENCE_START.match(value) or _REFERENCE.search(value):
        return True
    return bool(_FILE.fullmatch(value) or _VERSION.fullmatch(value))
