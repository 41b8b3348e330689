"""The trail from a command through the scripts of a commit to the runners that it starts.

Only in the reader's process: the scripts are hostile. Nothing is run, so what a script works out
for itself is not known; a runner that is not found is nobody's promise.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.runners.scripts.makefile import Makefile
from supervisor_ai.gates.runners.scripts.programs import (
    IDLE,
    STARTERS,
    Words,
    after_starter,
    is_for_members,
    module_of,
    package_place,
    program,
    runner,
)
from supervisor_ai.gates.runners.scripts.shell_words import HIDDEN, simple_commands
from supervisor_ai.tools.json_value import parse_object

ReadText = Callable[[str], str | None]
"""Returns the text of a file of the commit, by its path; None where there is none."""

_REPORTS: Final = "pytest"
_VENDORED: Final = "node_modules/"
_DEPTH: Final = 8
_STEPS: Final = 500
_INCLUDES: Final = 10
_SILENT: Final = frozenset({"-p", "--parallel", "p", "run-parallel"})
"""Words by which tox keeps the output of what it runs to itself."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_PACKAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_SHEBANG: Final = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?(?P<name>[\w.]+)")
_SESSION: Final = re.compile(r"session\.run(?:_always)?\(([^()]{0,1000})")
_COMMANDS: Final = re.compile(r"^commands\w*\s*=(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_QUOTED: Final = re.compile(r"[\"']([^\"'\n]{1,200})[\"']")
_IN_SOURCE: Final = (
    (re.compile(r"\bpytest\.main\("), "pytest"),
    (re.compile(r"\bunittest\.(?:main|TextTestRunner)\("), "unittest"),
    (re.compile(r"(?:require\(|from\s+)[\"']tape[\"']"), "tap"),
    (re.compile(r"(?:require\(|from\s+)[\"']node:test[\"']"), "node --test"),
)


class ScriptTrail:
    """Follows one command; `runners` has what it leads to, `words` all that is started."""

    def __init__(self, read: ReadText, paths: Callable[[], Iterable[str]] = tuple) -> None:
        self._read, self._list = read, paths
        self._steps = 0
        self._seen: set[tuple[str, ...]] = set()
        self.runners: dict[str, None] = {}
        self.words: list[Words] = []
        self.has_scripts = False
        self.is_busy = False
        """Whether anything but saying something is done."""

    @property
    def is_idle(self) -> bool:
        """Tell whether there are scripts, and nothing in them does anything."""
        return self.has_scripts and not self.is_busy and not self.runners

    def follow(self, words: Words, folder: str = "", depth: int = 0) -> None:
        """Follow a simple command, started in a folder of the commit."""
        self._steps += 1
        mark = (folder, *words)
        if not words or depth > _DEPTH or self._steps > _STEPS or mark in self._seen:
            return
        self._seen.add(mark)
        self.words.append(words)
        if words[0] == HIDDEN:
            # Only a report tells of a runner whose output goes elsewhere.
            self.is_busy = True
            self.runners.update({_REPORTS: None} if runner(words[1:]) == _REPORTS else {})
            return
        found = runner(words)
        if found is not None:
            self.runners[found] = None
            return
        inner = list(self._inner(words, folder, depth))
        self.is_busy = self.is_busy or not (inner or program(words[0]) in IDLE)
        for there, further in inner:
            self.follow(further, there, depth + 1)

    def _inner(self, words: Words, folder: str, depth: int) -> Iterator[tuple[str, Words]]:
        """Yield what a simple command starts, and where; nothing where it is no script."""
        name = program(words[0])
        if name in _SHELLS:
            yield from self._shell(words, folder)
        elif name in {"make", "gmake"}:
            yield from self._make(words, folder)
        elif name in _PACKAGERS and (found := [*self._packages(words, folder)]):
            for place, script in found:
                yield from self._script(script, place)
        elif name == "python" and (module := module_of(words[1:])) is not None:
            yield folder, words[words.index(module) :]
        elif name in {"tox", "nox"} and not _SILENT.intersection(words):
            yield from self._sessions(name, folder)
        elif name in STARTERS:
            place, rest = after_starter(words)
            yield from ((_joined(folder, place) or folder, each) for each in (rest,) if each)
        elif depth < _DEPTH:
            yield from self._file(words, folder)

    def _text(self, text: str, folder: str) -> Iterator[tuple[str, Words]]:
        """Yield the simple commands of a script; `cd` leads to another folder."""
        here = folder
        for words in simple_commands(text):
            if words[0] in {"cd", "pushd"} and len(words) > 1:
                here = _joined(folder, words[1]) or folder
            yield here, words
        if not text.strip():
            yield folder, (":",)

    def _script(self, text: str, folder: str) -> Iterator[tuple[str, Words]]:
        self.has_scripts = True
        yield from self._text(text, folder)

    def _shell(self, words: Words, folder: str) -> Iterator[tuple[str, Words]]:
        for place, word in enumerate(words[1:], 1):
            if word.startswith("-"):
                if not word.startswith("--") and word.endswith("c") and place + 1 < len(words):
                    yield from self._text(words[place + 1], folder)
                    return
                continue
            yield from self._file(words[place:], folder)
            return

    def _file(self, words: Words, folder: str) -> Iterator[tuple[str, Words]]:
        """Follow a file of the commit: a shell script, or a program that starts a runner."""
        file = next((it for it in words if "." in it or "/" in it), words[0])
        path = _joined(folder, file)
        text = None if path is None else self._read(path)
        if text is None:
            return
        shebang = _SHEBANG.match(text)
        if file.endswith((".sh", ".bash")) or (shebang and shebang["name"] in _SHELLS):
            yield from self._script(text, folder)
        elif shebang or file.endswith((".py", ".js", ".mjs", ".cjs", ".ts")):
            self.runners.update((name, None) for found, name in _IN_SOURCE if found.search(text))

    def _make(self, words: Words, folder: str) -> Iterator[tuple[str, Words]]:
        here, named, targets, given = folder, None, [], {}
        rest = list(words[1:])
        while rest:
            word = rest.pop(0)
            if word[:2] in {"-C", "-f"}:
                value = word[2:] or (rest.pop(0) if rest else "")
                here = _joined(folder, value) or folder if word[:2] == "-C" else here
                named = value if word[:2] == "-f" else named
            elif "=" in word:
                name, _, value = word.partition("=")
                given[name] = value
            elif not word.startswith("-"):
                targets.append(word)
        makefile = self._makefile(here, (named,) if named else _MAKEFILES)
        wanted = targets or ([makefile.first] if makefile and makefile.first else [])
        if makefile is None or not all(makefile.has(target) for target in wanted):
            return
        yield from self._script("\n".join(makefile.recipe(wanted, given)), here)

    def _makefile(self, folder: str, names: tuple[str, ...]) -> Makefile | None:
        makefile, waits, has_any = Makefile(), list(names), False
        for _ in range(_INCLUDES):
            if not waits:
                break
            path = _joined(folder, waits.pop(0))
            text = None if path is None else self._read(path)
            if text is not None:
                waits = [] if not has_any else waits
                has_any = True
                makefile.take_in(text)
                waits, makefile.includes = [*waits, *makefile.includes], []
        return makefile if has_any else None

    def _packages(self, words: Words, folder: str) -> Iterator[tuple[str, str]]:
        """Yield the scripts of packages that are run, each with where that is."""
        place, plain = package_place(words)
        here = _joined(folder, place) or folder
        folders = self._members(here) if is_for_members(words) else (here,)
        for each in folders:
            script = self._script_of(plain, each)
            if script is not None:
                yield each, script

    def _members(self, folder: str) -> Iterator[str]:
        """Name the packages below a folder; the packager knows which of them are members."""
        above = f"{folder}/" if folder else ""
        for path in self._list():
            if path.startswith(above) and path.endswith("/package.json") and _VENDORED not in path:
                yield path.removesuffix("/package.json")

    def _script_of(self, words: Words, folder: str) -> str | None:
        """Return the script of a package that is run; None where another program is meant."""
        rest = [word for word in words if not word.startswith("-")]
        name = rest[1] if rest[:1] in (["run"], ["run-script"]) and len(rest) > 1 else rest[0:1]
        wanted = name if isinstance(name, str) else "".join(name)
        wanted = "test" if wanted in {"t", "tst"} else wanted
        manifest = self._read(_joined(folder, "package.json") or "package.json")
        scripts = (parse_object(manifest) or {}).get("scripts") if manifest else None
        if not isinstance(scripts, dict) or not isinstance(scripts.get(wanted), str):
            return None
        parts = (scripts.get(f"{way}{wanted}") for way in ("pre", "", "post"))
        return "\n".join(part for part in parts if isinstance(part, str))

    def _sessions(self, name: str, folder: str) -> Iterator[tuple[str, Words]]:
        if name == "nox":
            text = self._read(_joined(folder, "noxfile.py") or "") or ""
            for found in _SESSION.finditer(text):
                yield folder, tuple(_QUOTED.findall(found[1])) or (":",)
            return
        text = self._read(_joined(folder, "tox.ini") or "") or ""
        for block in _COMMANDS.finditer(text):
            yield from self._script(block[1], folder)


def _joined(folder: str, path: str) -> str | None:
    """Return a path of the commit; None where it leads out of it."""
    parts: list[str] = []
    for part in PurePosixPath(folder, path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != "/":
            parts.append(part)
    return None if path.startswith("/") else "/".join(parts)
