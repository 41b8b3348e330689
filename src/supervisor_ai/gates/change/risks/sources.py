"""Code without its comments, by the kind of file; one pass over the text, whatever stands in it."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

_SUFFIXES: Final[Mapping[str, str]] = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), "script"),
    **dict.fromkeys((".vue", ".svelte", ".astro"), "script"),
    ".go": "go",
    ".rs": "rust",
    **dict.fromkeys((".java", ".kt", ".kts", ".scala", ".groovy", ".gradle"), "java"),
    **dict.fromkeys((".cs", ".php", ".swift", ".c", ".h", ".cc", ".cpp", ".hpp", ".m"), "other"),
    **dict.fromkeys((".rb", ".rake", ".ex", ".exs", ".pl", ".pm", ".r"), "ruby"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".mk", ".ps1", ".fish"), "shell"),
    **dict.fromkeys((".sql", ".psql", ".ddl"), "sql"),
    **dict.fromkeys((".yml", ".yaml"), "yaml"),
    **dict.fromkeys((".tf", ".tfvars", ".hcl", ".bicep"), "terraform"),
    ".dockerfile": "docker",
    ".json": "json",
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf", ".properties", ".env"), "settings"),
    **dict.fromkeys((".html", ".htm", ".xml", ".erb", ".j2", ".jinja", ".ejs", ".hbs"), "markup"),
}
_NAMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("makefile", "gnumakefile", "justfile", "jenkinsfile", "procfile"), "shell"),
    **dict.fromkeys(("rakefile", "gemfile", "vagrantfile"), "ruby"),
    **dict.fromkeys((".env", ".npmrc", ".gitconfig", "nginx.conf", "sudoers"), "settings"),
}
_DOCKER: Final = re.compile(r"(?:docker|container)file(?:\..*)?", re.IGNORECASE)

# Each takes what has no end up to the end of the text, so that nothing is read twice.
_LINE_HASH: Final = r"(?P<c1>(?:(?<=\s)|(?<![^\n]))#[^\n]*)"
_LINE_SLASH: Final = r"(?P<c1>//[^\n]*)"
_BLOCK: Final = r"(?P<c2>/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"
_MARKUP: Final = r"(?P<c1><!--(?:[^-]|-(?!->))*(?:-->|\Z))"
_SQL_LINE: Final = r"(?P<c1>--[^\n]*)"
_DOUBLE: Final = r'"(?:\\.|[^"\\\n])*"?'
_SINGLE: Final = r"'(?:\\.|[^'\\\n])*'?"
_TICKS: Final = r"`(?:\\.|[^`\\])*`?"
_LONG: Final = '"""(?:\\\\.|[^"\\\\]|"(?!""))*(?:"""|\\Z)'
_LONG_SINGLE: Final = "'''(?:\\\\.|[^'\\\\]|'(?!''))*(?:'''|\\Z)"
_DOCSTRING: Final = (
    rf"(?P<c2>(?<![^\n])[ \t]*(?:[rRuU]?(?:{_LONG}|{_LONG_SINGLE}))(?=[ \t]*(?:\n|\Z)))"
)
_FORMATTED: Final = rf"(?P<f>(?<!\w)[rR]?[fF][rR]?(?:{_LONG}|{_LONG_SINGLE}|{_DOUBLE}|{_SINGLE}))"
_CHARACTER: Final = r"'(?:\\[^\n]{1,8}?|[^'\\\n])'"


def _scanner(*parts: str, strings: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join((*parts, f"(?P<s>{'|'.join(strings)})")), re.DOTALL)


_OF_C: Final = (_LINE_SLASH, _BLOCK)
_SCANNERS: Final[Mapping[str, re.Pattern[str]]] = {
    "python": _scanner(
        _DOCSTRING, r"(?P<c1>#[^\n]*)", _FORMATTED, strings=(_LONG, _LONG_SINGLE, _DOUBLE, _SINGLE)
    ),
    "script": _scanner(*_OF_C, strings=(_DOUBLE, _SINGLE, _TICKS)),
    "go": _scanner(*_OF_C, strings=(_DOUBLE, r"`[^`]*`?", _CHARACTER)),
    "rust": _scanner(*_OF_C, strings=(r'"(?:\\.|[^"\\])*"?', _CHARACTER)),
    "java": _scanner(*_OF_C, strings=(_LONG, _DOUBLE, _SINGLE)),
    "other": _scanner(*_OF_C, strings=(_DOUBLE, _SINGLE)),
    "sql": _scanner(_SQL_LINE, _BLOCK, strings=(_SINGLE, _DOUBLE)),
    "terraform": _scanner(_LINE_HASH, r"(?P<c3>//[^\n]*)", _BLOCK, strings=(_DOUBLE,)),
    "markup": _scanner(_MARKUP, strings=(_DOUBLE, _SINGLE)),
    "json": _scanner(strings=(_DOUBLE,)),
    **{
        name: _scanner(_LINE_HASH, strings=(_DOUBLE, _SINGLE))
        for name in ("ruby", "shell", "yaml", "docker", "settings")
    },
}


class RiskSource(Struct, frozen=True, kw_only=True):
    """A file as a reader of its language sees it; both have the same number of lines."""

    family: str
    text: str
    """Without comments."""
    code: str
    """Without the contents of strings as well."""


def family_of(path: str) -> str | None:
    """Name the kind of a file by its name; None for what holds no code."""
    pure = PurePosixPath(path)
    if _DOCKER.fullmatch(pure.name):
        return "docker"
    name, suffix = pure.name.lower(), pure.suffix.lower()
    return _NAMES.get(name) or _SUFFIXES.get(suffix)


def read_source(family: str, text: str) -> RiskSource:
    """Take comments, and then strings, out of a text; every line stays where it is."""
    scanner = _SCANNERS[family]

    def bare(match: re.Match[str]) -> str:
        found, kind = match.group(), match.lastgroup
        if kind is not None and kind.startswith("c"):
            return "\n" * found.count("\n")
        return found

    def blank(match: re.Match[str]) -> str:
        found = bare(match)
        if match.lastgroup != "s":
            return found
        return found[0] + "\n" * found.count("\n") + found[0]

    return RiskSource(family=family, text=scanner.sub(bare, text), code=scanner.sub(blank, text))
