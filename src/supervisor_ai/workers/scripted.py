"""The `scripted` adapter: an agent that plays a script, for demos, tests and trials.

It is a real process in the real sandbox. The script is `{"replies": [reply, …]}`; the first reply
that fits the attempt is played. Each key of a reply is optional:

- `step`, `role`, `visit`, `attempt`: what the reply fits; all attempts if none is given
- `say`: lines to print, with `pause` seconds between them; `stderr`: text for that channel
- `write`, `append`: texts by path in the workspace; `delete`: paths to remove
- `answer`: printed at the end as a fenced `json` block, with the nonce of the attempt;
  `raw`: text printed instead, with the nonce in place of `{{nonce}}`
- `output_bytes`: so many characters of noise; `hang`: never end; `daemon`: leave a process behind
- `exit`: the exit code, 0 if none is given

A script that says anything else ends with exit code 2, a script without a fitting reply with 3.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount, OutputSink, Sandbox
from supervisor_ai.engine.ports.workers import Worker, WorkerReport, WorkerRequest
from supervisor_ai.workers.command import run_agent

_AGENT: Final = Path(__file__).with_name("scripted_agent.py")


class ScriptedWorker:
    """Plays a script in the sandbox, once per attempt."""

    def __init__(self, sandbox: Sandbox, environment: Mapping[str, str]) -> None:
        self._sandbox = sandbox
        self._environment = environment

    async def run(self, request: WorkerRequest, on_output: OutputSink) -> WorkerReport:
        """Start the agent with its script and wait for its end."""
        if request.cli.script is None:
            raise InvalidInput(
                f"The CLI {request.cli.name!r} has no script.",
                hint="Name one: clis.NAME.script: path/to/script.yaml",
            )
        # An argument may have 128 KiB at most, a script more; canonical JSON is one line.
        told = replace(request, prompt=f"{request.cli.script}\n{request.prompt}")
        return await run_agent(
            self._sandbox,
            told,
            on_output,
            argv=(_interpreter(), "-I", str(_AGENT)),
            mounts=(Mount(source=_AGENT, target=_AGENT),),
            user=self._environment,
        )


def _interpreter() -> str:
    """Name the interpreter that runs us: a sandbox always shows it, its PATH may have none."""
    return os.path.realpath(sys.executable)


def scripted_worker(sandbox: Sandbox, environment: Mapping[str, str]) -> Worker:
    """Make a worker that plays scripts."""
    return ScriptedWorker(sandbox, environment)
