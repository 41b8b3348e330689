"""Secrets that are known by the place where they stand."""

import re
from typing import Final

from supervisor_ai.domain.redaction.keys import (
    KEY_WORDS,
    NAME_SHAPE,
    names_password,
    names_secret,
)
from supervisor_ai.domain.redaction.literals import is_literal
from supervisor_ai.domain.redaction.rule import RedactionRule
from supervisor_ai.domain.redaction.values import (
    is_code,
    is_filling,
    is_mask,
    is_name,
    is_wording,
    looks_secret,
)

LOOK_BACK: Final = 96
"""How far before a match a test may look."""

MOST_BELOW: Final = 8
"""How many lines below its name a value may take."""

LONGEST_BELOW: Final = 1024
"""No line of such a value is longer."""

_KEY_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_PASSWORD_ENTROPY: Final = 2.5
_TOKEN_ENTROPY: Final = 3.0

_FOREIGN: Final = r"wachtwoord|contrase..?a|mot de passe|senha"
_SPOKEN_NAME: Final = (
    rf"(?:pass(?:word|wort|phrase|code|wd)|kennwort|{_FOREIGN}|"
    r"(?:api|access|secret|private|signing|deploy) key|(?:access |auth |api |bearer )?token|secret)"
)
_SPOKEN_KEYWORDS: Final = (
    *("pass", "kennwort", "wachtwoord", "contrase", "mot de passe", "senha", "secret", "token"),
    *("api ", "access ", "private ", "signing ", "deploy ", "auth ", "bearer "),
)
_VERB: Final = r"is|was|be|to|now|set|lautet|ist|est|es"
_SAID: Final = (
    rf"(?:{_SPOKEN_NAME}[\"'`*_]{{0,3}}(?:[ \t]{{1,3}}(?:{_VERB})){{1,3}}"
    rf"|(?:{_FOREIGN})[ \t]{{0,2}}):?[ \t]{{1,3}}"
)
_MARGIN: Final = r"[+> |-]?[ \t]{1,64}"
_MADE: Final = re.compile(r"(?i:key|token|secret)")
_CELL: Final = r"[\"'`*_]{0,3}[ \t]{0,32}(?:\||</t[dh]>[ \t]{0,8}<td[^<>\n]{0,64}>)"
_PUBLIC_WORD: Final = re.compile(
    r"(?i:base(?:32|58|64)|sha|md5|utf|pbkdf|argon|hs256|rs256|x509|oauth)"
)
_KEY: Final = rf"(?P<key>(?i:{'|'.join(KEY_WORDS)})[\w-]{{0,40}}+)"
_TYPED: Final = (
    r"(?:\[\d{0,6}\])?"
    r"(?:(?:[ \t]{0,8}:[ \t]{0,8}|[ \t]{1,8})[\w.*&?]{1,40}+"
    r"(?:\[[\w., |]{0,40}\])?(?: ?\| ?[\w.]{1,40}+)?)?"
)
_SIGN: Final = r"[ \t]{0,16}+(?:=>|:{1,3}=|[?.+|]{1,2}=|[:=])[ \t]{0,16}+"
_LINE_LEAD: Final = re.compile(
    r"(?P<margin>(?:[^\s:]{0,60}:)?\d{1,7}[:|\t]|[+>#*/|-]{1,3})?(?P<indent>[ \t]*)"
    r"(?:- |export |set |ENV |ARG |\$env:)?[\"']?"
)
_LINE_END: Final = re.compile(r"[ \t\r]{0,16}(?:$|[ \t][#;])|\\+[nr\"']", re.MULTILINE)
_ENDS: Final = frozenset(("", *" \t\n\r\\\"'`"))
_NAME_OF: Final = r"""(?:name|key)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?"""
_CALLED: Final = re.compile(rf"(?i:\b{_NAME_OF})$")
_SETTING: Final = re.compile(
    r"\b(?i:define|setenv|putenv|setdefault|setproperty|setenvironmentvariable)\([ \t]{0,4}[\"']$"
)
"""A call that gives a name its value."""
_AUTHORIZED: Final = r"""authorization[\\"'\] \t]*[:=,]"""
_CONNECTION_KEYS: Final = ("server=", "host=", "user=", "uid=", "user id=", "database=", "dbname=")


def _before(match: re.Match[str]) -> tuple[str, str]:
    """Return the text before the key on its line, and the key."""
    start = match.start()
    line = match.string[max(0, start - LOOK_BACK) : start].rpartition("\n")[2]
    lead = line.rstrip(_KEY_CHARACTERS)
    stem = line[len(lead) :]
    if lead.endswith("\\") and stem[:1] in {"n", "r", "t"}:
        lead, stem = "", stem[1:]
    return lead, stem + match["key"]


def _is_assigned(match: re.Match[str], value: str) -> bool:
    lead, key = _before(match)
    if lead.endswith("/") or not names_secret(key):
        return False
    is_quoted = not match["quote"].endswith("`")
    is_made_up = is_literal(key, value, is_word_enough=True, is_quoted=is_quoted)
    return _looks_secret_as(key, value) or is_made_up


def _is_argument(match: re.Match[str], value: str) -> bool:
    """Judge what stands beside a name; a list of names has no digits."""
    lead, key = _before(match)
    is_setting = _SETTING.search(lead) is not None
    is_value = is_setting or match["called"] is not None
    if not is_value and not any(map(str.isdigit, value)):
        return False
    if lead.endswith("/") or not names_secret(key):
        return False
    is_short = is_value and is_literal(key, value, is_word_enough=True)
    return is_short or _looks_secret_as(key, value)


def _is_line(match: re.Match[str], value: str) -> bool:
    """Judge what fills the rest of a line of data, whatever signs it holds."""
    lead, key = _before(match)
    if not _is_alone(match, lead, value) or not names_secret(key):
        return False
    if value.endswith((",", ";")) and not (key.isupper() and match["sign"] == "="):
        return False
    is_setting = match["sign"] in {"=", ": ", " = "} and not match["closing"]
    # No name and no type has a hyphen.
    is_phrase = is_setting and "-" in value and ("=" in match["sign"] or names_password(key))
    is_made_up = is_phrase and is_literal(key, value, is_quoted=True)
    return is_made_up or _is_value(key, value, is_tight=is_setting)


def _is_value(key: str, value: str, *, is_tight: bool) -> bool:
    """Judge a value without quotes; a word counts only where its sign clings to the key."""
    is_long = not is_code(value) and _looks_secret_as(key, value)
    return is_long or is_literal(key, value, is_word_enough=is_tight)


def _is_unquoted(match: re.Match[str], value: str) -> bool:
    lead, key = _before(match)
    if _is_inline(match, lead, key):
        is_tight = match["sign"] in {"=", ">"} or lead.strip() == "ENV"
        return names_secret(key) and _is_value(key, value, is_tight=is_tight)
    return _is_said(match, lead, key) and is_literal(key, value)


def _is_said(match: re.Match[str], lead: str, key: str) -> bool:
    """Tell whether this is a password in the midst of a line of a log or of prose."""
    if match["sign"] not in {"=", ": "} or match.string[match.end() : match.end() + 1] not in _ENDS:
        return False
    return names_secret(key) and names_password(key) and not _is_connection(lead)


def _is_inline(match: re.Match[str], lead: str, key: str) -> bool:
    """Tell whether this is a flag, an element, a variable of a shell or image, or in a URL."""
    sign = match["sign"]
    if sign == ">":
        return lead.endswith("<") and match.string.startswith("</", match.end())
    if sign in {" ", "="} and (key.startswith("-") or lead.strip() == "ENV"):
        return True
    return sign == "=" and (key.isupper() or lead.endswith(("?", "&")))


def _is_alone(match: re.Match[str], lead: str, value: str) -> bool:
    """Tell whether this is all on its line or between its quotes, as in `.env`, YAML and INI."""
    place = _LINE_LEAD.fullmatch(lead)
    if place and _LINE_END.match(match.string, match.end()):
        return ":" in match["sign"] or not is_name(value) or not place["indent"]
    is_quoted = lead.endswith(("'", '"')) and not match["closing"]
    return is_quoted and match.string.startswith(lead[-1:], match.end())


def _looks_secret_as(key: str, value: str) -> bool:
    floor = _PASSWORD_ENTROPY if names_password(key) else _TOKEN_ENTROPY
    return looks_secret(value, entropy=floor)


def _is_below(match: re.Match[str], value: str) -> bool:
    """Judge what stands on the line below a name and further to the right."""
    lead, key = _before(match)
    is_line = _LINE_LEAD.fullmatch(lead) and len(lead) + len(key) < LOOK_BACK
    is_alone = is_line or (match["escaped"] and lead.endswith(('"', "'")))
    if not is_alone or not names_secret(key):
        return False
    if match["block"] or match["quote"]:
        return any(_is_value(key, line.strip(), is_tight=True) for line in value.splitlines())
    return _looks_secret_as(key, value) and not is_code(value)


def _is_named_value(match: re.Match[str], value: str) -> bool:
    """Judge what a list of variables has for a name: the name on one line, the value below."""
    lead, key = _before(match)
    is_name = _CALLED.search(lead) is not None
    return is_name and names_secret(key) and _is_value(key, value, is_tight=True)


def _is_in_cell(match: re.Match[str], value: str) -> bool:
    _, key = _before(match)
    return names_secret(key) and _is_value(key, value, is_tight=False)


def _is_in_sentence(match: re.Match[str], value: str) -> bool:
    """Judge what a sentence says about a secret; what it is made of is said in the same way."""
    is_chosen = not _MADE.search(match["name"]) and is_literal("password", value)
    is_named = _PUBLIC_WORD.match(value) or is_code(value)
    return not is_named and (is_chosen or looks_secret(value))


def _is_url_password(_match: re.Match[str], value: str) -> bool:
    is_reference = value.startswith(("$", "{", "<", "%", "*", "[")) and not value[1:2].isdigit()
    words = {"password", "passwd", "pass", "pwd", "secret", "token", "port", "..."}
    return bool(value) and not is_reference and value.lower() not in words and not is_mask(value)


def _is_connection_password(match: re.Match[str], value: str) -> bool:
    lead, _ = _before(match)
    if not lead.endswith((";", " ")) or lead.rstrip("; ").endswith(('"', "'", ",", ")")):
        return False
    return _is_connection(lead) and _is_url_password(match, value) and not is_code(value)


def _is_connection(lead: str) -> bool:
    return any(key in lead.lower() for key in _CONNECTION_KEYS)


def _is_login(_match: re.Match[str], value: str) -> bool:
    return looks_secret(value) or is_literal("password", value)


def _is_token(_match: re.Match[str], value: str) -> bool:
    return looks_secret(value)


def _is_credential(_match: re.Match[str], value: str) -> bool:
    return bool(value) and not is_mask(value) and not is_filling(value) and not is_wording(value)


PLACES: Final = (
    RedactionRule(
        id="url-password",
        keywords=("://",),
        pattern=(
            r"""://[^\s/?#@:"'`<>\[\\]{0,128}:(?!\d{1,5}(?:[/?#"']|$))"""
            r"""(?P<secret>(?:[^\s/"'`<>\\]|/(?!/)){1,256})@(?=[\w\[$\{%.-])"""
        ),
        test=_is_url_password,
        shape=r"""://[^\s/#@:"'`<>\[\\]*:[^\s"'`<>\\]*@""",
    ),
    RedactionRule(
        id="connection-password",
        keywords=("password", "pwd"),
        pattern=(
            r"""(?P<key>(?i:password|pwd))=(?P<secret>[^\s;"'`\\=]{1,128}+={0,2})(?!["'`(])"""
        ),
        test=_is_connection_password,
        shape=r"(?:password|pwd)=",
    ),
    RedactionRule(
        id="bearer-token",
        keywords=("bearer",),
        pattern=(
            r"""(?i:bearer)[\\"']{0,2}[ \t:=]{1,4}[\\"']{0,2}"""
            r"""(?P<secret>[\w.~+/-]{16,4096}+={0,4})"""
        ),
        test=_is_token,
        shape=r"""bearer[\\"' \t:=]+[\w.~+/-]{16}""",
    ),
    RedactionRule(
        id="authorization",
        keywords=("authorization",),
        pattern=(
            r"""(?i:authorization)[\\"']{0,2}\]?[ \t]{0,4}[:=,][ \t]{0,4}(?:[bf]?[\\"']{1,3})?"""
            r"""(?i:basic|token|apikey|api-key|key|negotiate|digest)[ \t]{1,4}"""
            r"""(?P<secret>[\w.~+/=:-]{8,4096})"""
        ),
        test=_is_credential,
        shape=_AUTHORIZED,
    ),
    RedactionRule(
        id="authorization",
        keywords=("authorization",),
        pattern=(
            r"""(?i:authorization)[\\"']{0,2}\]?[ \t]{0,4}[:=,][ \t]{0,4}[\\"']{0,2}"""
            r"""(?!(?i:bearer))(?:[bf]?[\\"']{1,3})?(?:[A-Za-z][\w-]{1,24}[ \t]{1,4})?"""
            r"""(?P<secret>[\w.~+/=:@-]{16,4096})"""
        ),
        test=_is_token,
        shape=_AUTHORIZED,
    ),
    RedactionRule(
        id="login",
        keywords=("-u", "--user"),
        pattern=(
            r"""(?:-u|--user)(?:[ =]{1,2}["']?|["'])[\w.@+{}-]{0,64}["']?:["']?"""
            r"""(?P<secret>[^\s"'`\\]{4,256})"""
        ),
        test=_is_login,
        shape=r"""(?:-u|--user)[ ="'][^:\n]*:""",
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"{_KEY}{_CELL}[ \t]{{0,32}}[\"'`*_]{{0,3}}"
            r"(?P<secret>[^\s\"'`\\|<>]{4,512}+)(?=[\"'`*_]{0,3}(?:[ \t]{1,32}\||</))"
        ),
        test=_is_in_cell,
        shape=rf"(?:{'|'.join(KEY_WORDS)})[\w-]*{_CELL}",
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"""{_KEY}["']?[ \t]{{0,16}}+[:=]{{1,2}}[ \t]{{0,16}}+(?P<block>[|>][+-]?\d?|\\|\()?"""
            rf"""[ \t]{{0,16}}(?:\r?\n|(?P<escaped>\\{{1,3}}n)){_MARGIN}(?P<quote>["']?)"""
            r"""(?P<secret>[^\s"'`\\]{4,512}+"""
            rf"""(?(block)(?:[ \t\r]{{0,16}}\n{_MARGIN}[^\s"'`\\]{{4,512}}+(?=[ \t\r]{{0,16}}$))"""
            rf"""{{0,{MOST_BELOW - 1}}}))(?(escaped)|(?=["']?[ \t\r,;)]{{0,16}}$))"""
        ),
        test=_is_below,
        shape=NAME_SHAPE,
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"""{_KEY}["']?[ \t]{{0,4}},?[ \t\r]{{0,16}}\n{_MARGIN}"""
            r"""["']?value["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?P<secret>[^\s"'`\\]{4,512}+)"""
        ),
        test=_is_named_value,
        shape=rf"{_NAME_OF}[\w.-]*(?:{'|'.join(KEY_WORDS)})",
    ),
    RedactionRule(
        id="sentence",
        keywords=_SPOKEN_KEYWORDS,
        pattern=(
            rf"(?i:(?P<name>{_SAID}))[\"'`]?"
            r"(?P<secret>[^\s\"'`\\<>]{4,256}(?<![.,;:!?)]))"
        ),
        test=_is_in_sentence,
        shape=_SAID,
    ),
    RedactionRule(
        id="login",
        keywords=("machine ",),
        pattern=(
            r"machine[ \t]{1,4}\S{1,128}[ \t]{1,4}login[ \t]{1,4}\S{1,128}[ \t]{1,4}"
            r"password[ \t]{1,4}(?P<secret>\S{1,256})"
        ),
        test=_is_credential,
        shape=r"machine[ \t]+\S+[ \t]+login",
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"""{_KEY}(?:(?:\\{{1,3}})?["']\]?|{_TYPED}){_SIGN}[bBrRuUfF@$]{{0,2}}"""
            r"""(?P<quote>(?:\\{1,3})?["'`])"""
            r"(?P<secret>(?:(?!(?P=quote))(?:[^\\\n]|\\.)){4,1024}+)(?P=quote)"
        ),
        test=_is_assigned,
        shape=NAME_SHAPE,
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"""{_KEY}(?:\\{{1,3}})?["'](?:(?:[ \t]{{0,4}},[ \t]{{0,4}}|[ \t]{{1,4}})"""
            r"""(?:\\{1,3})?["']?(?P<called>value)(?:\\{1,3})?["']?[ \t]{0,4}[:=]|[ \t]{0,4},)"""
            r"""[ \t]{0,4}(?P<quote>(?:\\{1,3})?["'`])(?P<secret>[^\s"'`\\]{4,512})(?P=quote)"""
        ),
        test=_is_argument,
        shape=NAME_SHAPE,
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"""{_KEY}(?P<closing>["']?)"""
            r"""(?P<sign>[ \t]{0,16}+(?::{1,3}=|[?+]=|[:=])[ \t]{0,16}+|[> ])"""
            r"""(?=[^\s"'`\\;|&<>]{4})(?P<secret>[^\s"'`\\=;|&<>]{1,512}+(?:=[^\s"'`\\;|&<>]{0,512}+)?)"""
        ),
        test=_is_unquoted,
        shape=NAME_SHAPE,
    ),
    RedactionRule(
        id="assignment",
        keywords=KEY_WORDS,
        pattern=(
            rf"""{_KEY}(?P<closing>["']?)"""
            r"""(?P<sign>[ \t]{0,16}+(?::{1,3}=|[?+]=|[:=])[ \t]{0,16}+)"""
            r"""(?P<secret>[^\s"'`\\]{4,512}+)(?=[ \t\r]{0,16}(?:$|[ \t][#;])|["'`\\])"""
        ),
        test=_is_line,
        shape=NAME_SHAPE,
    ),
)

_MARGINS: Final = frozenset(" \t+>|-")
_OPEN_ENDS: Final = frozenset(":=|>\\(+-0123456789")
_OPEN: Final = re.compile(
    rf"{_KEY}[\"']?[ \t]*[:=]{{1,2}}[ \t]*(?:[|>][+-]?\d?|\\|\()?[ \t\r\n]*\Z"
)
_OPEN_NAME: Final = re.compile(rf"(?i:\b{_NAME_OF})[\w.-]{{0,40}}{_KEY}[\"']?[ \t]*,?[ \t\r\n]*\Z")


def with_value_below(text: str, start: int, end: int) -> int:
    """Return the end of the lines that hold the value of the name at the end of a line."""
    if _is_open(text, start, end):
        for _ in range(MOST_BELOW):
            end = text.find("\n", end) + 1 or len(text)
    return end


def open_from(text: str, at: int, stop: int) -> int:
    """Find where the line begins whose value may go on after a line's end; else that end."""
    first = stop
    for _ in range(MOST_BELOW):
        if first == at:
            break
        first, end = text.rfind("\n", at, first - 1) + 1 or at, first
        if _is_open(text, first, end):
            return first
        if text[first : first + 1] not in _MARGINS or end - first > LONGEST_BELOW:
            break
    return stop


def _is_open(text: str, start: int, end: int) -> bool:
    """Tell whether a line ends with a name and a sign, and has no value."""
    first = max(start, end - 2 * LOOK_BACK)
    is_cut = text[first:end].rstrip()[-1:] in _OPEN_ENDS
    return (is_cut and _OPEN.search(text, first, end) is not None) or (
        _OPEN_NAME.search(text, first, end) is not None
    )
