"""A process that drives one worker and can be killed: `python -m tests.clis.lone_worker`.

The words that follow are the CLI, the directory of its stage and the address of its model.
"""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.clis.stage import Stage


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A model that listens in another process."""

    url: str


def drive(adapter: str, ground: str, url: str) -> None:
    stage = Stage(adapter, Path(ground))
    asyncio.run(stage.worker().run(stage.request(Elsewhere(url)), stage.hear))


if __name__ == "__main__":
    drive(*sys.argv[1:])
