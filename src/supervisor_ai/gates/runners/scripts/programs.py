"""Programs by name: runners of tests, those that only start others, those that do nothing."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final

Words = tuple[str, ...]

_RUNNERS: Final = {
    **dict.fromkeys(("pytest", "py.test"), "pytest"),
    **dict.fromkeys(("unittest", "unit2", "nose2", "trial"), "unittest"),
    **dict.fromkeys(("jest", "react-scripts"), "jest"),
    **dict.fromkeys(("mocha", "_mocha"), "mocha"),
    **dict.fromkeys(("tape", "tap", "bats"), "tap"),
    **{name: name for name in ("vitest", "ava", "ctest")},
    "gotestsum": "go test",
    "cargo-nextest": "cargo nextest",
}
_PHASES: Final = frozenset({"test", "check", "build", "verify", "package", "install"})
_QUIET: Final = frozenset({"-q", "--quiet"})
_VERSION: Final = re.compile(r"\d+(?:\.\d+)*$")
_SUFFIXES: Final = (".exe", ".cmd", ".js", ".mjs", ".cjs")
IDLE: Final = frozenset({"true", ":", "echo", "printf", "exit", "cd", "set", "export", "sleep"})
STARTERS: Final = frozenset(
    {
        *("env", "sudo", "nice", "nohup", "timeout", "xvfb-run", "stdbuf", "unbuffer", "time"),
        *("npx", "bunx", "c8", "nyc", "cross-env", "cross-env-shell", "dotenv", "tsx", "ts-node"),
        *("coverage", "poetry", "uv", "uvx", "pdm", "rye", "pipenv", "conda", "mamba", "pixi"),
        *("hatch", "pnpm", "yarn", "corepack", "bundle", "doppler", "cross"),
    }
)
"""They start the program that stands among their own words."""
_VALUED: Final = frozenset(
    {
        *("--with", "--python", "--extra", "--group", "--package"),
        *("-p", "-n", "-s", "-k", "-e", "-r", "--rcfile", "--source", "--signal", "--env"),
    }
)
"""Options of starters whose value is no program."""


_MOVING: Final = frozenset({"-C", "--chdir", "--directory", "--project", "--cwd"})
_MOVING_TO: Final = tuple(f"{it}=" for it in sorted(_MOVING) if it.startswith("--"))
"""Options of starters that lead to another folder."""
_CHOOSING: Final = frozenset({"-w", "--workspace", "--filter", "-F"})
_FOR_MEMBERS: Final = _CHOOSING | {"-ws", "--workspaces", "-r", "--recursive", "-wr"}
_PREFIXES: Final = frozenset({"--prefix", "-C", "--dir", "--cwd"})


def program(word: str) -> str:
    """Return the name of a program, without its place, version and suffix."""
    name = word
    if word.startswith("$"):
        inner = word.lstrip("$").strip("{}")
        name = inner.partition(":-")[2] or inner.lower()
    name = PurePosixPath(name).name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return "python" if re.fullmatch(r"(?:python|pypy)[\d.]*", name) else name


def runner(words: Words) -> str | None:
    """Name the runner that a simple command is, by its own words."""
    name = program(words[0])
    if name in _RUNNERS:
        is_other = name == "react-scripts" and "test" not in words
        return None if is_other else _RUNNERS[name]
    known = _BY_WORDS.get(name)
    return None if known is None else known(words[1:])


def _go(words: Words) -> str | None:
    return "go test" if words[:1] == ("test",) else None


def _cargo(words: Words) -> str | None:
    verb = next((word for word in words if not word.startswith(("-", "+"))), "")
    if verb == "llvm-cov":
        return "cargo nextest" if "nextest" in words else "cargo test"
    return {"test": "cargo test", "t": "cargo test", "nextest": "cargo nextest"}.get(verb)


def _node(words: Words) -> str | None:
    """Node's own runner, or another one by the file that it is."""
    for word in words:
        if word == "--test":
            return "node --test"
        if not word.startswith("-"):
            inner = word.rpartition("node_modules/")[2] if "node_modules/" in word else ""
            return _RUNNERS.get(program(word)) if inner else None
    return None


def _python(words: Words) -> str | None:
    if "manage.py" in {PurePosixPath(word).name for word in words} and "test" in words:
        return "unittest"
    module = module_of(words)
    return _RUNNERS.get(module) if module else None


def module_of(words: Words) -> str | None:
    """Return what Python is told to run with -m."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "-m":
            return rest[0] if rest else None
        rest = rest[1:] if word in {"-W", "-X"} else rest
    return None


def _maven(words: Words) -> str | None:
    return "maven" if _PHASES & set(words) and not _QUIET & set(words) else None


def _gradle(words: Words) -> str | None:
    tasks = {word.rpartition(":")[2] for word in words}
    return "gradle" if tasks & {"test", "check", "build"} and not _QUIET & tasks else None


_BY_WORDS: Final[Mapping[str, Callable[[Words], str | None]]] = {
    "go": _go,
    "cargo": _cargo,
    "node": _node,
    "python": _python,
    **dict.fromkeys(("mvn", "mvnw"), _maven),
    **dict.fromkeys(("gradle", "gradlew"), _gradle),
}


def after_starter(words: Words) -> tuple[str, Words]:
    """Return what follows the own words of a program that starts another, and where it starts."""
    rest, place = list(words[1:]), ""
    while rest:
        word = rest[0]
        if word in _MOVING and len(rest) > 1:
            place, rest = rest[1], rest[2:]
        elif word.startswith(_MOVING_TO):
            place = rest.pop(0).partition("=")[2]
        elif word in _VALUED:
            rest = rest[2:]
        elif word.startswith("-") or "=" in word or _VERSION.match(word) or word in {"run", "exec"}:
            if word == "-m":
                return place, ("python", *rest)
            rest.pop(0)
        else:
            break
    return place, tuple(rest)


def is_for_members(words: Words) -> bool:
    """Tell whether a packager runs a script of the packages below, and not of its own."""
    return any(word.partition("=")[0] in _FOR_MEMBERS for word in words)


def package_place(words: Words) -> tuple[str, Words]:
    """Return in which folder a packager works, and its words without that and without members."""
    rest, place, plain = list(words[1:]), "", []
    while rest:
        word = rest.pop(0)
        name, sign, value = word.partition("=")
        if name in _PREFIXES:
            place = value if sign else rest.pop(0) if rest else ""
        elif name in _CHOOSING and not sign:
            rest = rest[1:]
        else:
            plain.append(word)
    return place, tuple(plain)
