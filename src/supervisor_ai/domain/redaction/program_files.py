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


def _is_option(match: re.Match[str], value: str) -> bool:
    """Judge the value of an option; two numbers are ports, and `password` stands for one."""
    return _is_kept(match, value) and not _NO_OPTION.fullmatch(value)


def _is_cookie(match: re.Match[str], value: str) -> bool:
    """Tell whether one of the cookies of a header is the key to a session."""
    pairs = (pair.partition("=") for pair in f"{match['name']}={value}".split(";"))
    return any(_is_session(name, word) for name, _, word in pairs)


def _is_session(name: str, value: str) -> bool:
    is_chosen = _SESSION.search(name) and is_literal("password", value, is_word_enough=True)
    return bool(is_chosen) or looks_secret(value)


def _is_identified(match: re.Match[str], value: str) -> bool:
    is_statement = match[0].startswith("IDENTIFIED") or _ACCOUNT.search(_line_before(match))
    return bool(is_statement) and _is_kept(match, value) and not _PARAMETER.match(value)


def _is_database_password(match: re.Match[str], value: str) -> bool:
    is_statement = _STATEMENT.search(_line_before(match)) is not None
    return is_statement and _is_kept(match, value) and not _PARAMETER.match(value)


_ACCOUNT: Final = re.compile(r"(?i:\b(?:create|alter|grant)\b)")
_STATEMENT: Final = re.compile(
    r"(?i:\b(?:with|encrypted|set|(?:user|role|login|group)\b[^\"'(=]{0,80}))[ \t]{1,4}$"
    r"|(?i:\bset password\b)"
)
_REGISTRIES: Final = "docker|podman|nerdctl|buildah|skopeo|oras|registry|az|oc"
_LOGINS: Final = tuple(f"{program} login" for program in _REGISTRIES.split("|"))
_NO_OPTION: Final = re.compile(
    r"(?i:password|passwd|pass|pwd|secret|token)|[\d.]+:[\d.:]+(?:/\w+)?"
)
_SESSION: Final = re.compile(r"(?i:sess|sid|auth|token|jwt|csrf|xsrf|login|remember)")
_PARAMETER: Final = re.compile(r"[:?%@{&]|\$\d")
_OPTION_VALUE: Final = r"""["']?(?P<secret>[^\s"'$`|;<>]{1,256}+)"""


def _option(program: str, option: str, *keywords: str) -> RedactionRule:
    """Make the rule for programs that take a password as an option of one letter."""
    return RedactionRule(
        id="login",
        keywords=keywords,
        pattern=rf"(?i:{program})[ \t](?:[^\n|;&]{{0,200}}?[ \t])?{option}{_OPTION_VALUE}",
        test=_is_option,
    )


_COOKIE_NAME: Final = r"[\w.!#$%&*+^|~-]{1,64}"
_COOKIE_VALUE: Final = r"""[^\s;"'`,\\]{1,1024}"""
_COOKIE_ATTRIBUTE: Final = r"(?i:path|domain|expires|max-age|samesite|priority)="
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
    _option(r"(?:mysql|mariadb)[\w-]{0,20}", "-p", "mysql", "mariadb"),
    _option(rf"(?:{_REGISTRIES}) login", r"-p[ \t=]", *_LOGINS),
    _option(r"redis-cli", r"-a[ \t]", "redis-cli"),
    _option(r"mongo\w{0,20}", r"-p[ \t=]", "mongo"),
    _option(r"ldap\w{1,20}", r"-w[ \t]", "ldap"),
    RedactionRule(
        id="cookie",
        keywords=("cookie",),
        pattern=(
            r"""(?i:cookie)(?:\\{0,3}["'])?\]?[ \t]{0,4}[:,=][ \t]{0,4}(?:[bf]?\\{0,3}["'])?"""
            rf"(?P<name>{_COOKIE_NAME})=(?P<secret>{_COOKIE_VALUE}"
            rf"(?:;[ \t]?(?!{_COOKIE_ATTRIBUTE}){_COOKIE_NAME}={_COOKIE_VALUE}){{0,10}})"
        ),
        test=_is_cookie,
        shape=r"""cookie[\\"'\] \t]*[:,=][ \t]*[bf]?[\\"']*[\w.!#$%&*+^|~-]+=""",
    ),
    RedactionRule(
        id="login",
        keywords=("identified",),
        pattern=(
            r"(?i:identified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,64}[ \t]{1,4})?(?:by|as)[ \t]{1,4}"
            r"(?:password[ \t]{1,4})?)(?P<quote>[\"'])(?P<secret>[^\n\"'\\]{1,256}+)(?P=quote)"
        ),
        test=_is_identified,
        shape=r"identified[ \t]+(?:with|by|as)[ \t]",
    ),
    RedactionRule(
        id="login",
        keywords=("password",),
        pattern=(
            r"(?i:password)(?:[ \t]{1,4}|[ \t]{0,4}[=(][ \t]{0,4})"
            r"[NE]?'(?P<secret>[^\n'\\]{1,256}+)'"
        ),
        test=_is_database_password,
        shape=r"password[ \t=(]+[ne]?'",
    ),
)
