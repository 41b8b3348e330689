"""All locks say the same, so that pip and uv make the same environment."""

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
LOCKS: Final = {"requirements.lock": True, "requirements-runtime.lock": False}
"""Whether each is for developers."""
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize("name", LOCKS)
def test_a_requirements_lock_has_the_packages_of_uv_lock(name: str) -> None:
    text = (ROOT / name).read_text()
    exported = set(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", text, re.MULTILINE))
    wanted = needed(is_for_development=LOCKS[name])
    assert exported == wanted, f"Refresh {name} with `make lock`."


def needed(*, is_for_development: bool) -> set[tuple[str, str]]:
    """Name what uv.lock has for users or developers; the group `prices` is installed nowhere."""
    found = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    packages = {package["name"]: package for package in found}
    ours = packages.pop(PROJECT["project"]["name"])
    extras = list(chain.from_iterable(ours["optional-dependencies"].values()))
    groups = ours["dev-dependencies"]
    more = [*groups["dev"], *extras] if is_for_development else groups["build"]
    wanted, seen = [*ours["dependencies"], *more], set[tuple[str, str]]()
    while wanted:
        asked = wanted.pop()
        package = packages[asked["name"]]
        for part in ("", *asked.get("extra", ())):
            if (asked["name"], part) not in seen:
                seen.add((asked["name"], part))
                optional = package.get("optional-dependencies", {})
                wanted += optional.get(part, ()) if part else package.get("dependencies", ())
    return {(name, packages[name]["version"]) for name, _ in seen}


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_by_hash_and_none_by_host(name: str) -> None:
    text = (ROOT / name).read_text()
    entries = re.split(r"\n(?=\S)", text.strip())
    pins = [entry for entry in entries if not entry.startswith("#")]
    assert pins
    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []
    assert "://" not in text
    assert "--index" not in text


def test_the_build_backend_is_locked_because_set_up_builds_without_isolation() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= set(PROJECT["dependency-groups"]["build"])
