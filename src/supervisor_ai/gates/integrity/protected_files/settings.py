"""The settings in a file that decide what is tested; the rest of the file is nobody's business."""

import configparser
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.gates import Area
from supervisor_ai.gates.integrity.protected_files.tables import SCRIPT_KEYS, SCRIPTED, TEST_WORD
from supervisor_ai.tools.toml import read_toml

Settings = Mapping[str, str]
_TARGET: Final = re.compile(r"^([A-Za-z0-9_.@][\w./ -]{0,200})[^:\n]{0,200}::?(?!=)(.*)$")
_VARIABLE: Final = re.compile(r"^([A-Za-z_]\w*)[ \t]*[:?+]{0,2}=[ \t]*(.*)$")
_USED: Final = re.compile(r"\$[({](\w+)[)}]|\{\{[ \t]*(\w+)[ \t]*\}\}")
_COMMENT: Final = re.compile(r"(?m)^[ \t]*(?://|#).*$|(?<=[\s,])//[^\n]*$")
_WORD_END: Final = re.compile(r"[\"']?[ \t]*:")
_LONGEST: Final = 20_000
_PYTEST: Final = ("pytest", "tool:pytest")


class SettingsSource(Struct, frozen=True):
    """A way to find the settings of a kind of file."""

    area: Area
    read: Callable[[str], Settings]


def sources_of(path: str) -> tuple[SettingsSource, ...]:
    """Return the ways in which a file decides what is tested; nothing where it does not."""
    name = PurePosixPath(path).name
    if name in _BY_NAME:
        return _BY_NAME[name]
    if path.endswith((".cargo/config.toml", ".cargo/config")):
        return (SettingsSource(Area.GATES, _of_cargo_config),)
    if SCRIPTED.fullmatch(path):
        return (SettingsSource(Area.COVERAGE, _of_script),)
    if name.lower() in ("makefile", "gnumakefile", "justfile", ".justfile") or name.endswith(".mk"):
        return (SettingsSource(Area.GATES, _of_recipes),)
    return ()


def _of_pyproject(text: str) -> Settings:
    tool = table_in(read_toml(text).get("tool"))
    pytest = table_in(table_in(tool.get("pytest")).get("ini_options")) | _plain_pytest(tool)
    coverage = flat(table_in(tool.get("coverage")), "coverage")
    return {f"pytest.{key}": _written(value) for key, value in pytest.items()} | dict(coverage)


def _plain_pytest(tool: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that stand directly below `[tool.pytest]`."""
    return {
        key: value for key, value in table_in(tool.get("pytest")).items() if key != "ini_options"
    }


def _of_pyproject_tasks(text: str) -> Settings:
    tool = table_in(read_toml(text).get("tool"))
    tasks = {
        "tox": tool.get("tox"),
        "poe": table_in(tool.get("poe")).get("tasks"),
        "pdm": table_in(tool.get("pdm")).get("scripts"),
        "taskipy": table_in(tool.get("taskipy")).get("tasks"),
        "hatch": table_in(tool.get("hatch")).get("envs"),
        "supervisor": tool.get("supervisor"),
    }
    found = dict(pair for key, value in tasks.items() for pair in flat(value, key))
    return {key: value for key, value in found.items() if TEST_WORD.search(key)}


def _of_cargo(text: str) -> Settings:
    """Return which targets are tested, with what features, and what a test build checks."""
    cargo = read_toml(text)
    package, library = table_in(cargo.get("package")), table_in(cargo.get("lib"))
    named = {"package.autotests": package.get("autotests")}
    named |= {f"lib.{key}": library.get(key) for key in ("test", "doctest", "harness")}
    named |= {kind: _untested(cargo.get(kind)) for kind in ("test", "bin", "example")}
    features = table_in(cargo.get("features"))
    known = [each for each in _list(features.get("default")) if each in features]
    named["features.default"] = known or None
    named["package.own-features"] = _own_features(cargo)
    named |= _of_profiles(table_in(cargo.get("profile")))
    return {key: _written(value) for key, value in named.items() if value is not None}


def _untested(targets: object) -> object:
    """Return the targets that are not tested as usual: others are nobody's business."""
    keys = ("test", "harness", "required-features", "path")
    listed = targets if isinstance(targets, list) else []
    chosen = [
        {key: it[key] for key in ("name", *keys) if key in it} for it in map(table_in, listed)
    ]
    return [it for it in chosen if it.keys() & set(keys)] or None


def _own_features(cargo: Mapping[str, object]) -> object:
    """Return the features that tests switch on in the very package that they test."""
    name = table_in(cargo.get("package")).get("name")
    found = table_in(cargo.get("dev-dependencies"))
    own = (table_in(it) for key, it in found.items() if key == name)
    return next((it.get("features") for it in own), None)


def _of_profiles(profiles: Mapping[str, object]) -> dict[str, object]:
    """Return what debug and test builds are told not to check."""
    checks = ("overflow-checks", "debug-assertions", "panic")
    return {
        f"profile.{name}.{key}": table_in(profiles.get(name)).get(key)
        for name in ("test", "dev")
        for key in checks
    }


def _of_cargo_config(text: str) -> Settings:
    """Return what decides how test programs are built and started."""
    config = read_toml(text)
    found = [*flat(config.get("target"), "target"), *flat(config.get("build"), "build")]
    found += [*flat(config.get("env"), "env"), *flat(config.get("alias"), "alias")]
    return {
        key: value for key, value in found if key.endswith((".runner", "flags")) or key[0] in "ea"
    }


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _of_package(text: str) -> Settings:
    package = table_in(json.loads(text))
    keys = ("jest", "vitest", "nyc", "c8", "mocha", "ava", "tap")
    return dict(pair for key in keys for pair in flat(package.get(key), key))


def _of_package_scripts(text: str) -> Settings:
    scripts = table_in(table_in(json.loads(text)).get("scripts"))
    return {
        f"scripts.{key}": _written(value) for key, value in scripts.items() if TEST_WORD.search(key)
    }


def _of_jest_json(text: str) -> Settings:
    return dict(flat(json.loads(text), "jest"))


def _of_ini(text: str) -> Settings:
    """Return what pytest and coverage are told in an INI file."""
    found: dict[str, str] = {}
    for section, key, value in entries(text):
        if section in _PYTEST:
            found[f"pytest.{key}"] = value
        elif section.startswith("coverage:"):
            found[f"{section.replace(':', '.')}.{key}"] = value
    return found


def _of_coveragerc(text: str) -> Settings:
    return {f"coverage.{section}.{key}": value for section, key, value in entries(text)}


def _of_pytest_ini(text: str) -> Settings:
    return {f"pytest.{key}": value for _, key, value in entries(text)}


def _of_tox(text: str) -> Settings:
    return {
        f"{section}.{key}": value
        for section, key, value in entries(text)
        if section.startswith(("testenv", "tox"))
        and key.startswith(("commands", "envlist", "ignore"))
    }


def entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, key and value of an INI file."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    for section in parser.sections():
        for key, value in parser.items(section):
            yield section, key, " ".join((value or "").split())


def _of_recipes(text: str) -> Settings:
    """Return the recipes of the targets that judge, with the variables that they use."""
    recipes: dict[str, list[str]] = {}
    variables: dict[str, str] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line[:1] in ("\t", " ") and line.strip():
            current.append(line.strip())
            continue
        variable, target = _VARIABLE.match(line), _TARGET.match(line)
        if variable:
            variables[variable[1]] = variable[2].strip()
        elif target and not line.startswith("#"):
            current = recipes.setdefault(target[1].strip(), [])
            current.append(target[2].strip())
    return {
        f"target {name}": _resolved("\n".join(lines), variables)
        for name, lines in recipes.items()
        if TEST_WORD.search(name)
    }


def _resolved(recipe: str, variables: Mapping[str, str]) -> str:
    used = sorted({first or second for first, second in _USED.findall(recipe)})
    return "\n".join([recipe, *(f"{name}={variables.get(name, '')}" for name in used)])


def _of_script(text: str) -> Settings:
    """Return what stands after the words that matter, in settings that are code."""
    plain = _COMMENT.sub("", text)
    found: dict[str, str] = {}
    for key in SCRIPT_KEYS:
        for place in re.finditer(rf"\b{key}\b", plain):
            end = _WORD_END.match(plain, place.end())
            if end:
                name = key if key not in found else f"{key} {place.start()}"
                found[name] = _value_at(plain, end.end())
    return found


def _value_at(text: str, start: int) -> str:
    """Return a value up to its end: the comma, or the bracket that closes around it."""
    depth = 0
    for at in range(start, min(len(text), start + _LONGEST)):
        letter = text[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and letter in ",;"):
            return "".join(text[start:at].split())
    return "".join(text[start : start + _LONGEST].split())


def table_in(value: object) -> dict[str, object]:
    """Return a table, or an empty one where there is none."""
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def flat(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Name every value in nested tables by the way to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from flat(item, f"{name}.{key}")
    elif value is not None:
        yield name, _written(value)


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


_BY_NAME: Final = {
    "pyproject.toml": (
        SettingsSource(Area.COVERAGE, _of_pyproject),
        SettingsSource(Area.GATES, _of_pyproject_tasks),
    ),
    "setup.cfg": (SettingsSource(Area.COVERAGE, _of_ini),),
    "tox.ini": (SettingsSource(Area.COVERAGE, _of_ini), SettingsSource(Area.GATES, _of_tox)),
    "pytest.ini": (SettingsSource(Area.COVERAGE, _of_pytest_ini),),
    ".pytest.ini": (SettingsSource(Area.COVERAGE, _of_pytest_ini),),
    ".coveragerc": (SettingsSource(Area.COVERAGE, _of_coveragerc),),
    "Cargo.toml": (SettingsSource(Area.COVERAGE, _of_cargo),),
    "jest.config.json": (SettingsSource(Area.COVERAGE, _of_jest_json),),
    "package.json": (
        SettingsSource(Area.COVERAGE, _of_package),
        SettingsSource(Area.GATES, _of_package_scripts),
    ),
}
