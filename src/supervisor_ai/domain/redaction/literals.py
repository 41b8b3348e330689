"""Telling a short secret that a person wrote down from names, types and words of documentation."""

import re
from typing import Final

from supervisor_ai.domain.redaction.keys import KEY_WORDS, names_password, names_value
from supervisor_ai.domain.redaction.values import is_code, is_filling, is_mask, is_named

LEAST: Final = 4
_LEAST_TOKEN: Final = 6
_LEAST_WORD: Final = 5
_LONGEST: Final = 256

_SECRET_WORD: Final = re.compile("|".join((*KEY_WORDS, "auth", "login")), re.IGNORECASE)
_TYPE: Final = re.compile(
    r"[A-Z][A-Za-z0-9]*[!?*]?|(?:u?int|[iuf]|float|complex|u?char|bytes|varchar|utf)\d{1,3}(?:_t)?"
    r"|[\w.]+\[\]"
)
_SYMBOL: Final = re.compile(r"[!@#$%^&*+?~]")
_SHAPED: Final = re.compile(
    r"[<\[({~.].*|.*[>\])}]|[\w.-]*[:/].*|--?\w.*|.*\s.*|.*%[a-z(].*|#[0-9A-Fa-f]{3,8};?"
)
"""Brackets, paths, URLs, flags, formats and colours: never what somebody types into a field."""
_TOKEN: Final = re.compile(r"[\w.+/=-]*")
_NUMBERED_NAME: Final = re.compile(r"[A-Za-z_]*[A-Z_][A-Za-z_]*\d{0,2}|[a-z]{1,3}\d")
"""A constant, a name with humps or underscores, a short variable with a number."""
_PHRASE: Final = re.compile(r"[A-Z]?[a-z]{4,}|[a-z]{3,}(?:[ _-][a-z]{3,}){1,5}")
"""A word, or some in small letters."""
_GRAMMAR: Final = re.compile(
    r"the|and|for|with|from|your|this|that|not|must|should|can|cannot|will|has|have|are|was|use|used|"
    r"set|get|enter|please|none|null|true|auto|open|file|name|data|type|link|func|self|app|api|web"
)
_SPOKEN: Final = re.compile(
    r"string|bytes|integer|number|boolean|object|array|buffer|varchar|float|double|symbol|"
    r"undefined|value|values|input|field|param|argument|option|variable|literal|false|default|"
    r"empty|blank|missing|invalid|wrong|correct|strong|short|required|optional|hidden|visible|"
    r"masked|redacted|removed|private|public|protected|disabled|enabled|never|always|provided|"
    r"given|valid|expired|unknown|other|example|sample|test|tests|testing|dummy|changed|"
    r"change|changeme|replace|replaceme|random|generated|encrypted|hashed|plain|plaintext|"
    r"text|prompt|request|response|result|header|basic|bearer|digest|user|username|"
    r"write|inherit|include|access|refresh|oauth|github|gitlab|session|cookie|opaque|vault|"
    r"config|context|identifier|keyword|operator|punctuation|comment|constant|newline|indent|"
    r"dedent|marker|erforderlich|storage|support|markup|entity|paren|number|regexp|regex|word|words|space|whitespace"
)
"""What documentation, schemas and settings say in the place of a password."""


def is_literal(
    key: str, value: str, *, is_word_enough: bool = False, is_quoted: bool = False
) -> bool:
    """Tell whether a value below the name of a secret is one that somebody made up.

    A word alone is one only where nothing but a value can stand, several only between quotes.
    """
    if is_quoted and _PHRASE.fullmatch(value):
        is_one = names_password(key) or names_value(key)
        return is_one and not (_is_about_secrets(value) or _is_spoken(value))
    if not LEAST <= len(value) <= _LONGEST or _is_about(value):
        return False
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if not names_password(key) or key.lower() == "pass":
        if value.isalpha():
            return is_word_enough and names_value(key) and _is_lone_word(value)
        is_long = len(value) >= _LEAST_TOKEN and _TOKEN.fullmatch(value) is not None
        return is_long and has_digit and has_letter
    if value.isalpha() or not (has_digit or _SYMBOL.search(value)):
        return is_word_enough and _is_lone_word(value)
    return has_letter or len(value) >= _LEAST_TOKEN


def _is_about(value: str) -> bool:
    """Tell whether a value only stands for another, or is no value at all."""
    return bool(
        is_code(value)
        or _is_about_secrets(value)
        or _TYPE.fullmatch(value)
        or _SHAPED.fullmatch(value)
        or _NUMBERED_NAME.fullmatch(value)
        or is_named(value)
    )


def _is_about_secrets(value: str) -> bool:
    return bool(_SECRET_WORD.search(value) or is_mask(value) or is_filling(value))


def _is_spoken(value: str) -> bool:
    words = re.split("[ _-]", value.lower())
    return any(map(_SPOKEN.fullmatch, words)) or any(map(_GRAMMAR.fullmatch, words))


def _is_lone_word(value: str) -> bool:
    return (
        len(value) >= _LEAST_WORD
        and value.isascii()
        and value.isalpha()
        and value.islower()
        and not _SPOKEN.fullmatch(value)
    )
