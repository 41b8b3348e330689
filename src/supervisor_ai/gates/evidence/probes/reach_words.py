"""Words without which no code leaves its module: for its runner, its caller, or another process.

Many honest changes have one, and pass: it is a reason to ask, and no finding.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from supervisor_ai.gates.change.risks.changes import compare_sources
from supervisor_ai.gates.change.risks.sources import family_of, read_source
from supervisor_ai.gates.change.risks.units import Unit
from supervisor_ai.gates.integrity.change_sides import FileSides


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_RUNNERS: Final[Mapping[str, re.Pattern[str]]] = {
    "python": _any_of(
        # Modules of Python know others under names with a line before them: `random._os`.
        r"\b_*(?:sys|gc|inspect|ctypes|cffi|builtins|importlib|atexit|unittest|_?pytest|signal"
        r"|threading|weakref|types|traceback|faulthandler|globals|locals|vars|setattr|getattr|eval"
        r"|exec|compile|settrace|setprofile|monitoring|excepthook|attrgetter|methodcaller|f_back"
        r"|\w+_frame)\b",
        r"\b_*(?:os|subprocess|multiprocessing|pickle|marshal|shelve|copyreg|runpy|timeit|bdb|pdb"
        r"|doctest|pydoc|pkgutil|zipimport|posix|mmap|pty|logging|warnings|tracemalloc"
        r"|c?[pP]rofile|asyncio|Formatter|get_type_hints|dictConfig|fileConfig|open|write_text|write_bytes|(?:import|locate|resolve)_\w+|__import__)\b",
        r"\b(?:import|from) (?:code|codeop|site|trace|cmd|dis|ast|test|rlcompleter|cgitb|distutils"
        r"|_\w+)\b",
        r"\b__(?!init|name|doc|all|version|future|post_init|new|enter|exit|str|repr|hash|len|iter"
        r"|next|contains|call|file|slots|aenter|aexit|await|add|sub|mul|lt|le|gt|ge)\w+__\b",
    ),
    "script": _any_of(
        r"\b(?:process|require|global|globalThis|Reflect|Proxy|prototype|__proto__|constructor|eval"
        r"|Function|module|getBuiltinModule|createRequire|defineProperty|defineProperties"
        r"|setPrototypeOf|getPrototypeOf|assign|import|queueMicrotask|setImmediate|self|window"
        r"|callee|caller|prepareStackTrace|captureStackTrace|fs|vm)\b",
        r"\[[^\]\d]*\+[^\]\d]*\]",
    ),
    "go": _any_of(
        r"\b(?:os|syscall|unsafe|runtime|reflect|flag|testing|plugin|exec|signal|log|debug|elf|init"
        r"|recover|Goexit|Print|Println|Printf|unix|cgo)\b"
    ),
    "rust": _any_of(
        r"\b(?:unsafe|extern|process|panic|thread|env|fs|io|os|libc|link_section|no_mangle|used"
        r"|ctor|dtor|set_hook|take_hook|catch_unwind|resume_unwind|asm|global_asm|abort|exit|print"
        r"|println|eprint|eprintln|Drop|static|include)\b"
    ),
}
_CALLERS: Final[Mapping[str, re.Pattern[str]]] = {
    "python": _any_of(
        r"\b(?:_getframe|inspect|traceback|linecache|gc|f_code|f_back|f_locals|co_\w+|__eq__|__ne__"
        r"|__bool__|__instancecheck__|__subclasshook__|total_ordering)\b"
    ),
    "script": _any_of(
        r"\b(?:stack|prepareStackTrace|captureStackTrace|caller|callee|valueOf|toPrimitive|toJSON"
        r"|hasInstance|isPrototypeOf)\b"
    ),
    "go": _any_of(r"\b(?:Callers?|CallersFrames|FuncForPC|Equal|Is|Compare)\b"),
    "rust": _any_of(
        r"\b(?:Backtrace|Location|track_caller|PartialEq|PartialOrd|eq|ne|partial_cmp)\b"
    ),
}
_PLACES: Final[Mapping[str, re.Pattern[str]]] = {
    "python": _any_of(r"\b(?:Path|pathlib|cwd|platform|socket|RecursionError|recursion\w*|glob)\b"),
    "script": _any_of(r"\b(?:stack|cwd|env|argv|execArgv|os|path)\b"),
}


def may_know_surroundings(file: FileSides) -> bool:
    """Tell whether a change could ask where it is, and so whether it is with its tests."""
    return any(_has(words, file) for words in (_RUNNERS, _CALLERS, _PLACES))


def may_reach_runner(file: FileSides) -> bool:
    """Tell whether a change to a file could have its hands in the process that judges it."""
    return _has(_RUNNERS, file)


def may_know_caller(file: FileSides) -> bool:
    """Tell whether a change asks who called it, or says itself what its answers are equal to."""
    return _has(_CALLERS, file)


def added_units(file: FileSides) -> Iterable[Unit]:
    """Return the statements that a file has since the change."""
    family = family_of(file.path) or ""
    before, after = (read_source(family, _text(side)) for side in (file.before, file.after))
    return compare_sources(family, [before], [after]).added


def _has(words: Mapping[str, re.Pattern[str]], file: FileSides) -> bool:
    pattern = words.get(family_of(file.path) or "")
    if pattern is None or not file.after:
        return False
    return any(pattern.search(unit.code) for unit in added_units(file))


def _text(side: bytes | None) -> str:
    return (side or b"").decode(errors="replace")
