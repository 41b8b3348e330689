"""Secrets in the files of certain programs, whose keys do not say that they are secrets."""

import binascii
import re
from base64 import b64decode
from typing import Final

from supervisor_ai.domain.redaction.literals import is_literal
from supervisor_ai.domain.redaction.rule import RedactionRule
from supervisor_ai.domain.redaction.values import is_filling, is_mask, is_named, looks_secret

_HOST: Final = re.compile(r"[ \t#+>-]{0,8}(?:[\w.-]{1,128}|\*|\\\[[\w:\\]{2,64}\])?")
_LOOK_BACK: Final = 96


def _line_before(match: re.Match[str]) -> str:
    start = match.start()
    return match.string[max(0, start - _LOOK_BACK) : start].rpartition("\n")[2]


def _is_login(_match: re.Match[str], value: str) -> bool:
    """Tell whether a value is a user and a password as base64 writes them."""
    padded = value + "=" * (-len(value) % 4)
    try:
        user, colon, word = b64decode(padded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return bool(colon and word) and f"{user}{word}".isprintable()


def _is_kept(_match: re.Match[str], value: str) -> bool:
    return bool(value) and not (is_mask(value) or is_filling(value) or is_named(value))


def _is_database_line(match: re.Match[str], value: str) -> bool:
    return _HOST.fullmatch(_line_before(match)) is not None and _is_kept(match, value)


def _is_spoken(match: re.Match[str], value: str) -> bool:
    """Judge a line `password …` of a file of logins, which could be one of prose too."""
    is_alone = not _line_before(match).strip()
    return is_alone and (is_literal("password", value) or looks_secret(value))


_END: Final = r"(?=[ \t\r]{0,16}$)"

PROGRAM_FILES: Final = (
    RedactionRule(
        id="login",
        keywords=("auth",),
        pattern=(
            r"""(?i:auth)(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,3}["'])?"""
            r"""(?P<secret>[A-Za-z0-9+/]{6,2048}+={0,2})(?![\w+/=.-])"""
        ),
        test=_is_login,
        shape=r"""auth[\\"' \t]*[:=]""",
    ),
    RedactionRule(
        id="login",
        keywords=(":_auth", ":_password"),
        pattern=(
            r"""(?i::_(?:auth(?:token)?|password))[ \t]{0,4}=[ \t]{0,4}["']?"""
            r"""(?P<secret>[^\s"']{4,2048}+)"""
        ),
        test=_is_kept,
    ),
    RedactionRule(
        id="login",
        keywords=(":5432:", ":5433:", ":6432:", ":*:"),
        pattern=(
            r":(?:\d{1,5}|\*):[^:\s]{1,64}+:[^:\s]{1,64}+:"
            rf"(?P<secret>(?:[^:\s\\]|\\.){{1,256}}+){_END}"
        ),
        test=_is_database_line,
    ),
    RedactionRule(
        id="login",
        keywords=("password ",),
        pattern=rf"(?i:password)[ \t]{{1,8}}(?P<secret>[^\s\"'`\\]{{4,256}}+){_END}",
        test=_is_spoken,
        shape=r"password[ \t]+\S+[ \t\r]*$",
    ),
    RedactionRule(
        id="login",
        keywords=("sshpass ",),
        pattern=r"""sshpass[ \t]{1,4}-p[ \t=]{0,4}["']?(?P<secret>[^\s"'$]{1,256}+)""",
        test=_is_kept,
    ),
)
