"""Grafts settings: files that set up tests besides saying what the product is and needs."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.gates.evidence.toml_graft import NoGraft, graft_toml
from supervisor_ai.tools.json_value import JsonObject, mapping, parse_object
from supervisor_ai.tools.toml import read_toml

GraftText = Callable[[str, str], str]
"""Makes the head's text with the harness of the base; raises NoGraft where that fails."""

_PRODUCT_TOOLS: Final = frozenset(
    {"poetry", "pdm", "hatch", "setuptools", "setuptools_scm", "setuptools-scm", "flit", "uv"}
    | {"maturin", "scikit-build", "meson-python", "cibuildwheel", "distutils", "versioneer"}
    | {"setuptools-git-versioning", "poetry-dynamic-versioning", "pixi", "rye", "briefcase"}
    | {"bumpversion", "commitizen", "towncrier", "semantic_release", "conda-lock", "dunamai"}
)
"""Tools that build the product, or fetch what it needs; all others of a pyproject judge."""
_JUDGING: Final = (
    *(("tool", "hatch", "envs"), ("tool", "pdm", "scripts"), ("tool", "poetry", "plugins")),
    ("project", "entry-points", "pytest11"),
)
_TEST_SOURCE: Final = re.compile(
    r"py(?:test)?$|pytest[-_].*|pluggy|hypothesis|coverage|mock|tox|nox"
)
_CARGO: Final = (
    *(("test",), ("profile",), ("lints",), ("workspace", "lints"), ("patch",), ("replace",)),
    *(("lib", "test"), ("lib", "doctest"), ("lib", "harness"), ("package", "autotests")),
)
_CARGO_FEATURES: Final = (*_CARGO, ("features", "default"))
_PRODUCT_SECTIONS: Final = re.compile(
    r"metadata|options(?:\..*)?|bdist.*|sdist|build.*|egg_info|install.*|files|entry_points"
    r"|global|backwards_compat|bumpversion.*|versioneer|upload.*|compile_catalog|extract_messages"
)
_SECTION: Final = re.compile(r"(?m)^[ \t]*\[([^\]\n]+)\][ \t]*(?:[#;][^\n]*)?$")
_PACKAGE_KEYS: Final = (
    *("scripts", "config", "jest", "vitest", "mocha", "ava", "nyc", "c8", "tap", "babel", "xo"),
    *("eslintConfig", "eslintIgnore", "prettier", "standard", "stylelint", "wireit", "nx"),
    *("lint-staged", "husky", "commitlint", "cypress", "testcafe", "jasmine"),
)
_COMPOSER_KEYS: Final = ("scripts", "autoload-dev", "config", "scripts-descriptions")
_DENO_KEYS: Final = ("tasks", "test", "bench", "lint", "fmt", "compilerOptions")
_DEPENDENCIES: Final = (
    *("dependencies", "devDependencies", "optionalDependencies", "overrides", "resolutions"),
)
_LOCAL_PACKAGE: Final = re.compile(r"(?:file|link|portal|git[\w+]*|https?|github):|\.{0,2}/")
_REPLACEMENT: Final = re.compile(
    r"(?m)^[ \t]*replace[ \t]*\([^)]*\)[^\n]*\n?|^[ \t]*replace[ \t]+[^(\n][^\n]*\n?"
)
_REPLACED: Final = re.compile(
    r"(?m)^[ \t]*(?:replace[ \t]+)?([\w./~-]+)(?:[ \t]+v\S+)?[ \t]*=>[^\n]*"
)
_REQUIRED: Final = re.compile(r"(?m)^[ \t]*(?:require[ \t]+)?([\w./~-]+)[ \t]+v[\w.+-]+")


def settings_graft(path: str) -> GraftText | None:
    """Return how the halves of a file are told apart; None where it is no such file."""
    return _BY_NAME.get(PurePosixPath(path).name)


def _is_of_pyproject(key: tuple[str, ...], _text: str) -> bool:
    if any(key[: len(judging)] == judging for judging in _JUDGING):
        return True
    if key[:3] == ("tool", "uv", "sources"):
        return len(key) > len(("tool", "uv", "sources")) and bool(_TEST_SOURCE.fullmatch(key[3]))
    return key[:1] == ("tool",) and len(key) > 1 and key[1] not in _PRODUCT_TOOLS


def _graft_cargo(before: str, after: str) -> str:
    """Graft cargo's settings.

    A crate of tests that the head puts into place is the base's, and so are the default features
    where the head has lost one: tests may need it.
    """
    local = _local_crates(after) - _local_crates(before)
    judging = _CARGO if _default_features(before) <= _default_features(after) else _CARGO_FEATURES

    def is_harness(key: tuple[str, ...], _text: str) -> bool:
        is_swapped = key[:1] == ("dev-dependencies",) and key[1:2] != () and key[1] in local
        return is_swapped or any(key[: len(each)] == each for each in judging)

    return graft_toml(before, after, is_harness)


def _cargo_table(text: str, name: str) -> dict[object, object]:
    try:
        found = read_toml(text).get(name)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _local_crates(text: str) -> frozenset[str]:
    known = _cargo_table(text, "dev-dependencies").items()
    return frozenset(str(name) for name, of in known if isinstance(of, dict) and "path" in of)


def _default_features(text: str) -> frozenset[str]:
    found = _cargo_table(text, "features").get("default")
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


def _graft_ini(before: str, after: str) -> str:
    """Take the sections of each side that are its own."""
    (product, harness), (kept, other) = _section_halves(before), _section_halves(after)
    if "pytest11" in "".join(kept) and "pytest11" not in before:
        raise NoGraft("it makes the product a plugin of pytest")
    if harness == other or product == kept:
        return after if harness == other else before
    return "".join((*kept, *harness))


def _section_halves(text: str) -> tuple[list[str], list[str]]:
    product: list[str] = []
    harness: list[str] = []
    for name, found in _sections(text):
        half = product if _PRODUCT_SECTIONS.fullmatch(name) else harness
        if found:
            half.append(found if found.endswith("\n") else f"{found}\n")
    return product, harness


def _sections(text: str) -> list[tuple[str, str]]:
    places = list(_SECTION.finditer(text))
    names = ["global", *(place[1] for place in places)]
    cuts = [0, *(place.start() for place in places), len(text)]
    return [(name, text[cuts[at] : cuts[at + 1]]) for at, name in enumerate(names)]


def _graft_package(before: str, after: str) -> str:
    old, new = _object(before), _object(after)
    made = _with_keys(old, new, _PACKAGE_KEYS)
    for group in _DEPENDENCIES:
        if isinstance(new.get(group), dict):
            was = mapping(old.get(group))
            made[group] = dict(_foreign(was, mapping(new[group])))
    return _as_written(made, (before, old), (after, new))


def _foreign(was: JsonObject, now: JsonObject) -> Mapping[str, object]:
    """Leave out what a repository puts into the place of a package since the change."""
    kept = {}
    for name, value in now.items():
        is_local = isinstance(value, str) and _LOCAL_PACKAGE.match(value) is not None
        if not is_local or was.get(name) == value:
            kept[name] = value
        elif name in was:
            kept[name] = was[name]
    return kept


def _graft_deno(before: str, after: str) -> str:
    old, new = _object(before), _object(after)
    return _as_written(_with_keys(old, new, _DENO_KEYS), (before, old), (after, new))


def _graft_composer(before: str, after: str) -> str:
    old, new = _object(before), _object(after)
    return _as_written(_with_keys(old, new, _COMPOSER_KEYS), (before, old), (after, new))


def _with_keys(old: JsonObject, new: JsonObject, keys: tuple[str, ...]) -> dict[str, object]:
    kept: dict[str, object] = {key: value for key, value in new.items() if key not in keys}
    return kept | {key: old[key] for key in keys if key in old}


def _as_written(
    made: Mapping[str, object], before: tuple[str, JsonObject], after: tuple[str, JsonObject]
) -> str:
    """Write it as one of the sides does that says the same."""
    for text, said in (after, before):
        if said == made and text:
            return text
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _object(text: str) -> JsonObject:
    found = parse_object(text) if text.strip() else {}
    if found is None:
        raise NoGraft("it is no JSON object that we can read")
    return found


def _graft_go(before: str, after: str) -> str:
    """Let the head replace no module that the base takes from where everybody takes it."""
    known = frozenset(_REQUIRED.findall(_REPLACEMENT.sub("", before)))
    old, new = (_replaced(text) for text in (before, after))
    kept = {name: line for name, line in new.items() if name not in known or old.get(name) == line}
    kept |= {name: line for name, line in old.items() if name in known}
    if kept == new:
        return after
    lines = (f"replace {kept[name]}\n" for name in sorted(kept))
    return f"{_REPLACEMENT.sub('', after).rstrip()}\n\n{''.join(lines)}"


def _replaced(text: str) -> dict[str, str]:
    found = _REPLACED.finditer("\n".join(_REPLACEMENT.findall(text)))
    return {place[1]: " ".join(place[0].split()).removeprefix("replace ") for place in found}


_BY_NAME: Final[Mapping[str, GraftText]] = {
    "pyproject.toml": lambda before, after: graft_toml(before, after, _is_of_pyproject),
    "Cargo.toml": _graft_cargo,
    "setup.cfg": _graft_ini,
    "package.json": _graft_package,
    "composer.json": _graft_composer,
    "deno.json": _graft_deno,
    "go.mod": _graft_go,
}
