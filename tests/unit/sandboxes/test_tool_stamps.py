"""A change of whatever a command can reach on the machine is noticed."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Semaphore
from time import time_ns

import pytest

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.runners.table import edition
from supervisor_ai.sandboxes.host_view.package_caches import find_caches
from supervisor_ai.sandboxes.toolchains.tool_stamps import ToolStamp, ToolStamps, stamp_tools
from supervisor_ai.sandboxes.toolchains.toolchain import find_toolchain


class Tools:
    """A home with an environment of Python, a package manager and programs of its own."""

    def __init__(self, home: Path) -> None:
        home.chmod(0o755)
        self.home = home
        self.venv = home / "venv"
        self.packages = self.venv / "lib" / "python3.11" / "site-packages"
        self.programs = self.venv / "bin"
        self.node = home / "node"
        self.cache = home / ".cargo" / "registry" / "cache"
        self.elsewhere = home / "opt" / "bin"
        self.shallow = home / "shallow"
        self._fill()

    def _fill(self) -> None:
        module = self.node / "lib" / "node_modules" / "lint" / "index.js"
        for place in (self.packages / "tool", self.cache, self.elsewhere, module.parent):
            place.mkdir(parents=True)
        for place in (self.programs, self.node / "bin"):
            place.mkdir()
        (self.venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
        (self.packages / "tool" / "check.py").write_text("print('one')\n")
        module.write_text("one")
        (self.cache / "crate").write_text("one")
        for place in (self.programs, self.elsewhere, self.node / "bin"):
            self.program(place / "tool", "one")
        (self.programs / "linked").symlink_to(self.elsewhere / "tool")

    @staticmethod
    def program(path: Path, says: str) -> None:
        path.write_text(f"#!/bin/sh\necho {says}\n")
        path.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        path = ":".join(map(str, (self.programs, self.node / "bin")))
        return {"PATH": path, "VIRTUAL_ENV": str(self.venv)}

    def stamp(self, *, most: int = 10_000, **environment: str) -> str | None:
        given = self.environment | environment
        found = find_toolchain(given, self.home)
        # Those of the machine that the test runs on are many, and the same for every case.
        own = tuple(root for root in found.roots if self.home in root.parents)
        caches = find_caches(("cargo",), given, self.home)
        shown = replace(found, roots=own)
        stamp = stamp_tools(shown, caches, besides=(self.shallow,), most=most)
        return stamp.name if stamp else None


def keeping_times(path: Path, change: Callable[[], object]) -> None:
    """Change a file and give it its old time back, as an installer may."""
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def moved_in(path: Path) -> None:
    """Put another file with the same length in the place of one."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    keeping_times(path, lambda: other.replace(path))


def relinked(link: Path, target: Path) -> None:
    link.unlink()
    link.symlink_to(target)


CHANGES: dict[str, Callable[[Tools], object]] = {
    "a program is written again": lambda it: it.program(it.programs / "tool", "two"),
    "so quietly that its time stays": lambda it: keeping_times(
        it.programs / "tool", lambda: it.program(it.programs / "tool", "two")
    ),
    "a program is written again and as it was": lambda it: (
        it.program(it.programs / "tool", "two"),
        it.program(it.programs / "tool", "one"),
    ),
    "a program is replaced": lambda it: moved_in(it.programs / "tool"),
    "a program comes": lambda it: it.program(it.programs / "new", "new"),
    "a program goes": lambda it: (it.programs / "tool").unlink(),
    "a program may not run any more": lambda it: (it.programs / "tool").chmod(0o644),
    "what a link leads to is written again": lambda it: it.program(it.elsewhere / "tool", "two"),
    "a link leads elsewhere": lambda it: relinked(it.programs / "linked", it.programs / "tool"),
    "a module of a package is written again": lambda it: (
        it.packages / "tool" / "check.py"
    ).write_text("print('two')\n"),
    "a package comes": lambda it: (it.packages / "more").mkdir(),
    "a package of node is written again": lambda it: (
        it.node / "lib" / "node_modules" / "lint" / "index.js"
    ).write_text("two"),
    "a package cache is filled": lambda it: (it.cache / "more").write_text("two"),
    "a package cache is written again": lambda it: (it.cache / "crate").write_text("two"),
    "a setting of the environment": lambda it: (it.venv / "pyvenv.cfg").write_text("home = /bin\n"),
    "the history becomes longer": lambda it: it.shallow.write_text("a" * 40),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_makes_another_stamp(
    tmp_path: Path, change: Callable[[Tools], object]
) -> None:
    tools = Tools(tmp_path)
    before = tools.stamp()
    assert before is not None
    assert tools.stamp() == before
    change(tools)
    assert tools.stamp() != before


def test_another_order_of_programs_makes_another_stamp(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    other = ":".join(reversed(tools.environment["PATH"].split(":")))
    assert tools.stamp(VIRTUAL_ENV="") != tools.stamp(VIRTUAL_ENV="", PATH=other)


def test_what_programs_write_beside_their_files_is_no_change(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    before = tools.stamp()
    compiled = tools.packages / "tool" / "__pycache__"
    compiled.mkdir()
    (compiled / "check.pyc").write_bytes(b"code")
    manual = tools.venv / "share" / "man"
    manual.mkdir(parents=True)
    with_share = tools.stamp()
    (manual / "tool.1").write_text("how to")
    assert tools.stamp() == with_share
    assert with_share != before


def test_what_is_too_much_to_look_at_has_no_stamp(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    assert tools.stamp(most=3) is None


def test_what_cannot_be_looked_at_is_no_error(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    before = tools.stamp()
    (tools.programs / "dangling").symlink_to(tmp_path / "nowhere")
    assert tools.stamp() not in {None, before}


def later() -> int:
    """Ask long after what a test has just written."""
    return time_ns() + 1_000_000_000


def test_what_changed_since_somebody_asked_has_no_stamp(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    asked = [later()]
    stamps = ToolStamps(tools.environment, tmp_path, calendar=lambda: asked[0])
    assert asyncio.run(stamps.now(())) is not None
    asked[0] = (tools.programs / "tool").stat().st_ctime_ns
    assert asyncio.run(stamps.now(())) is None


def test_what_went_away_since_somebody_asked_leaves_no_stamp(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    (tools.packages / "tool" / "check.py").unlink()
    asked = (tools.packages / "tool").stat().st_ctime_ns
    stamps = ToolStamps(tools.environment, tmp_path, calendar=lambda: asked)
    assert asyncio.run(stamps.now(())) is None


def test_nobody_looks_for_what_is_done_again_sooner(tmp_path: Path) -> None:
    class Unlooked(ToolStamps):
        worth = 600.0

        def _stamp(  # type: ignore[explicit-override]
            self, caches: tuple[str, ...]
        ) -> ToolStamp | None:
            raise AssertionError(caches)

    async def ask() -> str | None:
        ended = asyncio.Event()
        asked = asyncio.create_task(Unlooked({}, tmp_path, calendar=later).now((), ended))
        await asyncio.sleep(0)
        ended.set()
        return await asked

    assert asyncio.run(ask()) is None


def test_what_takes_longer_than_a_look_gets_the_stamp_of_its_beginning(tmp_path: Path) -> None:
    class Patient(ToolStamps):
        worth = 0.0

    async def ask(stamps: ToolStamps) -> str | None:
        return await stamps.now((), asyncio.Event())

    tools = Tools(tmp_path)
    found = asyncio.run(ask(Patient(tools.environment, tmp_path, calendar=later)))
    assert found == asyncio.run(ToolStamps(tools.environment, tmp_path, calendar=later).now(()))
    began = (tools.programs / "tool").stat().st_ctime_ns
    stamps = Patient(tools.environment, tmp_path, calendar=lambda: began)
    assert asyncio.run(ask(stamps)) is None


def test_gates_that_begin_together_share_a_look(tmp_path: Path) -> None:
    tools, now = Tools(tmp_path), [0.0]
    stamps = ToolStamps(tools.environment, tmp_path, clock=lambda: now[0], calendar=later)
    first = asyncio.run(stamps.now(()))
    tools.program(tools.programs / "tool", "two")
    assert asyncio.run(stamps.now(())) == first
    now[0] = 11.0
    assert asyncio.run(stamps.now(())) not in {None, first}


def test_whoever_waits_for_a_look_shares_one_that_began_meanwhile(tmp_path: Path) -> None:
    tools, looks = Tools(tmp_path), 0
    in_look, go_on = Event(), Event()

    class SlowStamps(ToolStamps):
        def _stamp(  # type: ignore[explicit-override]
            self, caches: tuple[str, ...]
        ) -> ToolStamp | None:
            del caches
            nonlocal looks
            looks += 1
            in_look.set()
            assert go_on.wait(60)
            now[0] += 60.0
            return ToolStamp(name=str(looks), newest=0)

    now = [0.0]
    asking = Semaphore(0)

    def clock() -> float:
        asking.release()
        return now[0]

    stamps = SlowStamps(tools.environment, tmp_path, clock=clock)

    def ask() -> str | None:
        return asyncio.run(stamps.now(()))

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(ask)
        assert in_look.wait(60)
        now[0] = 10.0
        others = [pool.submit(ask) for _ in range(3)]
        for _ in range(5):  # Twice by the first, once by each of those who wait now.
            assert asking.acquire(timeout=60)
        go_on.set()
        said = [first.result(), *(it.result() for it in others)]
    assert said == ["1", "2", "2", "2"]


def test_the_table_of_runners_has_a_name() -> None:
    assert len(edition()) == 64
