"""No process stays behind, whatever came of the worker, and the search for one can find one."""

import asyncio
from datetime import timedelta
from pathlib import Path

from tests.clis.strays import registered, strays
from tests.e2e.command import until

from supervisor_ai.engine.ports.sandbox import Mount, Profile, SandboxSpec
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox


async def _look_while_it_runs(ground: Path) -> None:
    tree = ground / "tree"
    tree.mkdir()
    sandbox = BubblewrapSandbox(state=ground / "state", environment={"PATH": "/usr/bin:/bin"})
    spec = SandboxSpec(
        label="strays/x",
        profile=Profile.WORKER,
        argv=("sh", "-c", "(cd /; exec env -i setsid --fork sleep 601); sleep 602"),
        cwd=tree,
        mounts=(Mount(source=tree, target=tree, is_writable=True),),
        timeout=timedelta(minutes=1),
        output_bytes=1000,
    )
    task = asyncio.create_task(sandbox.run(spec, lambda *_: None))

    def is_found() -> bool:
        inside = {it.command for it in strays(ground) if it.is_inside}
        return {"sleep 601", "sleep 602"} <= inside

    await asyncio.to_thread(until, is_found, "Both processes")
    found = strays(ground)
    assert any("bwrap" in it.command for it in found)
    assert len(registered(ground)) == 1
    task.cancel()
    await asyncio.wait({task})


def test_the_search_finds_even_who_hides_as_long_as_it_lives(tmp_path: Path) -> None:
    asyncio.run(_look_while_it_runs(tmp_path))
    assert strays(tmp_path) == []
    assert registered(tmp_path) == []
