"""Kernels on the memory ledger and on the real one."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest
from tests.support.kernel import Kernel

from supervisor_ai.testing.fake_sandbox import Script
from supervisor_ai.testing.fake_worker import FakeScript
from supervisor_ai.testing.world import agrees, passes


class OpenKernel(Protocol):
    """Begins with an empty ledger."""

    def __call__(self, agent: FakeScript = agrees, gates: Script = passes) -> Kernel: ...


@pytest.fixture(params=["memory", "sqlite"])
def open_kernel(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenKernel]:
    opened: list[Kernel] = []
    numbers = count()

    def begin(agent: FakeScript = agrees, gates: Script = passes) -> Kernel:
        is_real = request.param == "sqlite"
        directory = tmp_path / str(next(numbers)) if is_real else None
        opened.append(Kernel(directory, agent, gates))
        return opened[-1]

    yield begin
    for kernel in opened:
        kernel.close()
