"""Telling the names of secrets from names that only speak about secrets."""

import re
from itertools import pairwise
from typing import Final

KEY_WORDS: Final = ("pass", "pwd", "secret", "token", "key", "cred", "kennwort")
"""One of these stands in every name of a secret."""

_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PASSWORDS: Final = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "passwort",
    "kennwort",
)
_ENDINGS: Final = (*_PASSWORDS, "secret", "token", "apikey", "secretkey", "accesskey", "privatekey")
_ONE_VALUE: Final = re.compile(
    r"(?i:(?<!put.)(?<!put)(?<!next.)(?<!next)token|secret|"
    r"api[._-]?key|secret[._-]?key)$"
)
_NOUNS: Final = frozenset({"pass", "credential", "credentials", "creds", "passwords", "secrets"})
_NOT_NOUNS: Final = frozenset({"tiktoken", "detoken", "subtoken"})
_KINDS_OF_KEY: Final = re.compile(
    r"access|account|admin|aes|api|app|application|auth|client|cookie|crypto|"
    r"deploy|encrypt|encryption|hmac|jwt|license|master|private|secret|server|"
    r"service|session|shared|sign|signing|ssh|storage|webhook|"
    r"airtable|algolia|alibaba|anthropic|asana|aws|azure|cloudflare|datadog|discord|dropbox|"
    r"fastly|gcp|github|gitlab|google|grafana|heroku|hubspot|linear|mailchimp|mailgun|notion|npm|"
    r"okta|openai|pagerduty|pypi|relic|sendgrid|sentry|shopify|slack|snyk|sonar|square|stripe|"
    r"sumologic|supabase|telegram|terraform|trello|twilio|twitter|vault|vercel|zendesk"
)
_ABOUT: Final = re.compile(
    r"action|age|alg|algorithm|at|audience|budget|class|color|colour|column|"
    r"comment|count|counts|created|date|desc|description|dir|directory|disabled|"
    r"doc|docs|docstring|enabled|encoder|end|endpoint|env|error|errors|event|"
    r"example|expiration|expire|expired|expires|expiry|factory|field|fields|file|"
    r"files|form|format|generator|handler|hasher|hashers|header|headers|help|"
    r"hint|host|id|ids|index|input|issuer|kind|label|len|length|lifetime|"
    r"limit|limits|list|location|manager|map|max|message|messages|min|mode|"
    r"name|names|page|param|parameter|params|path|paths|pattern|placeholder|"
    r"policy|prefix|prompt|provider|re|ref|reference|refs|regex|regexp|required|"
    r"route|rule|rules|scope|scopes|selector|set|size|source|start|state|"
    r"status|store|strategy|style|suffix|template|templates|text|theme|time|"
    r"timeout|title|ttl|type|types|updated|uri|url|urls|usage|validation|"
    r"validator|validators|var|variable|version|view"
)


_NOUN: Final = (
    rf"(?:(?:{'|'.join(sorted((*_ENDINGS, *_NOUNS)))})|(?:{_KINDS_OF_KEY.pattern})[0-9_.-]*key)"
    r"(?:(?-i:[A-Z0-9_.-])[\w.-]*)?"
)
"""What stands in every name of a secret, in any case, to the end of the name."""

_VALUED: Final = (
    r"""(?:[\\"'\]]*|\[\d*\])(?:[ \t]+[\w.*&?]+(?:\[[\w., |]*\])?(?: ?\| ?[\w.]+)?)?"""
    r"""[ \t]*[?.+|]{0,2}[:=>]"""
)
_LISTED: Final = r"""[\\"']+[ \t]*(?:,|[\\"']*value)"""
_FLAG: Final = r"(?:-[\w.-]*|(?-i:ENV)[^\w\n.-]+[\w.-]*)"

NAME_SHAPE: Final = rf"""{_NOUN}(?:{_VALUED}|{_LISTED})|{_FLAG}{_NOUN}["']? """
"""What stands wherever the name of a secret is given a value: the name, and what leads to it."""


def names_secret(key: str) -> bool:
    """Tell whether something of this name holds a secret itself."""
    words = [word.lower() for word in _HUMP.findall(key)]
    if not words or _ABOUT.fullmatch(words[-1]):
        return False
    return any(map(_is_noun, words)) or any(
        word == "key" and _KINDS_OF_KEY.fullmatch(kind) for kind, word in pairwise(words)
    )


def names_password(key: str) -> bool:
    """Tell whether people choose what something of this name holds."""
    words = [word.lower() for word in _HUMP.findall(key)]
    return bool(words) and (words[-1] == "pass" or words[-1].endswith(_PASSWORDS))


def names_value(key: str) -> bool:
    """Tell whether something of this name is one secret: not a list, not a kind."""
    return _ONE_VALUE.search(key) is not None


def _is_noun(word: str) -> bool:
    return word in _NOUNS or (word.endswith(_ENDINGS) and word not in _NOT_NOUNS)
