"""Of the system, whatever can be run is looked at, and the rest where nobody keeps a record."""

from pathlib import Path

import pytest

from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.host_view.package_caches import Caches
from supervisor_ai.sandboxes.toolchains.tool_stamps import ToolStamp, stamp_tools, system_places
from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain

FILES = (
    *("usr/bin/tool", "usr/local/lib/own/tool.py", "usr/lib/python3/dist-packages/tool.py"),
    *("usr/lib/node_modules/lint/index.js", "usr/lib/x86_64-linux-gnu/libtool.so.1"),
    *("var/lib/dpkg/status", "usr/include/tool.h"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    (tmp_path / "bin").symlink_to("usr/bin")
    return tmp_path


def stamp(root: Path) -> ToolStamp | None:
    system = system_places((root / "usr", root / "bin"), root)
    tools = replace(find_toolchain({"PATH": ""}, root / "home"), roots=())
    return stamp_tools(tools, Caches(), besides=system.whole, flat=system.flat)


@pytest.mark.parametrize("name", FILES[:-1])
def test_what_can_be_run_is_looked_at(root: Path, name: str) -> None:
    before = stamp(root)
    assert stamp(root) == before
    (root / name).write_text("two")
    assert stamp(root) != before


def test_the_rest_is_known_by_the_record_of_packages(root: Path) -> None:
    before = stamp(root)
    (root / FILES[-1]).write_text("two")
    assert stamp(root) == before


def test_without_a_record_everything_is_looked_at(root: Path) -> None:
    (root / "var/lib/dpkg/status").unlink()
    before = stamp(root)
    (root / FILES[-1]).write_text("two")
    assert stamp(root) != before


def test_one_real_place_is_looked_at_once(root: Path) -> None:
    assert [place.name for place in system_places((), root).whole].count("bin") == 1
