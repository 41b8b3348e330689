"""The gates that are found in workspaces of packages run the tests of all members."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.support.processes import PATIENCE
from tests.unit.definitions.detection.layouts import layout, survey

CARGO: Final = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
    **{
        f"crates/{name}/Cargo.toml": f'[package]\nname = "{name}"\nversion = "0.1.0"\n'
        for name in ("cart", "price")
    },
    **{
        f"crates/{name}/src/lib.rs": (
            "pub fn one() -> u8 {\n    1\n}\n\n"
            "#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n"
        )
        for name in ("cart", "price")
    },
}
PROJECTS: Final = {
    "npm": (layout("npm-workspaces"), "packages/price/price.js", ("it + 1", "it + 2")),
    "uv": (
        layout("uv-workspace"),
        "packages/price/src/shop_price/__init__.py",
        ("return 1", "return 2"),
    ),
    "cargo": (CARGO, "crates/price/src/lib.rs", ("    1\n", "    2\n")),
}
NEEDS: Final = {"npm": "npm", "uv": sys.executable, "cargo": "cargo"}


def run(root: Path, command: tuple[str, ...], environment: dict[str, str]) -> int:
    words = [sys.executable if word == "python3" else word for word in command]
    text = {name: value.replace("{workspace}", str(root)) for name, value in environment.items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    own = {**kept, **text, "npm_config_update_notifier": "false", "CARGO_NET_OFFLINE": "true"}
    script = [word.replace("python3", sys.executable) for word in words[2:]]
    done = subprocess.run(
        [*words[:2], *script],
        cwd=root,
        env=own,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode


@pytest.mark.parametrize("name", PROJECTS)
def test_a_fault_in_any_member_is_noticed(name: str, tmp_path: Path) -> None:
    if shutil.which(NEEDS[name]) is None:
        pytest.skip(f"there is no {NEEDS[name]} here")
    files, broken, (before, after) = PROJECTS[name]
    gates = {gate.name: gate for gate in survey(tmp_path, files).gates}
    test = gates["test"]
    others = test.others if name == "uv" else ()
    ways = [(it.command, it.environment) for it in others]
    ways.append((test.command, test.environment))
    assert [run(tmp_path, *way) for way in ways] == [0] * len(ways)
    place = tmp_path / broken
    place.write_text(place.read_text().replace(before, after))
    assert 0 not in [run(tmp_path, *way) for way in ways]
