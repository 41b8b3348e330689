"""Both locks say the same, so that pip and uv make the same environment."""

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
REQUIREMENTS: Final = (ROOT / "requirements.lock").read_text()
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_requirements_lock_has_the_packages_of_uv_lock() -> None:
    exported = set(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", REQUIREMENTS, re.MULTILINE))
    assert exported == needed(), "Refresh requirements.lock with `make lock`."


def needed() -> set[tuple[str, str]]:
    """Name what uv.lock has for users and developers; the group `prices` is installed nowhere."""
    found = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    packages = {package["name"]: package for package in found}
    ours = packages.pop(PROJECT["project"]["name"])
    extras = chain.from_iterable(ours["optional-dependencies"].values())
    named = (*ours["dependencies"], *ours["dev-dependencies"]["dev"], *extras)
    wanted, names = [it["name"] for it in named], set[str]()
    while wanted:
        if (name := wanted.pop()) not in names:
            names.add(name)
            wanted += [it["name"] for it in packages[name].get("dependencies", ())]
    return {(name, packages[name]["version"]) for name in names}


def test_every_package_is_pinned_by_hash_and_none_by_host() -> None:
    entries = re.split(r"\n(?=\S)", REQUIREMENTS.strip())
    pins = [entry for entry in entries if not entry.startswith("#")]
    assert pins
    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []
    assert "://" not in REQUIREMENTS
    assert "--index" not in REQUIREMENTS


def test_the_build_backend_is_locked_because_set_up_builds_without_isolation() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= set(PROJECT["dependency-groups"]["dev"])
