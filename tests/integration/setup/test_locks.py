"""Both locks say the same, so that pip and uv make the same environment."""

import re
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
REQUIREMENTS: Final = (ROOT / "requirements.lock").read_text()
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_requirements_lock_has_the_packages_of_uv_lock() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    locked = {(package["name"], package["version"]) for package in packages}
    ours = (PROJECT["project"]["name"], PROJECT["project"]["version"])
    exported = set(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", REQUIREMENTS, re.MULTILINE))
    assert exported == locked - {ours}, "Refresh requirements.lock with `make lock`."


def test_every_package_is_pinned_by_hash_and_none_by_host() -> None:
    entries = re.split(r"\n(?=\S)", REQUIREMENTS.strip())
    pins = [entry for entry in entries if not entry.startswith("#")]
    assert pins
    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []
    assert "://" not in REQUIREMENTS
    assert "--index" not in REQUIREMENTS


def test_the_build_backend_is_locked_because_set_up_builds_without_isolation() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= set(PROJECT["dependency-groups"]["dev"])
