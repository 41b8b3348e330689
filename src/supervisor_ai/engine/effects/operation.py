"""What every effect knows while it is performed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from supervisor_ai.domain.ids import ArtifactHash, EffectKey, StepName
from supervisor_ai.domain.live_output import LiveOutput
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.run import Run
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.engine.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A deed under way: its name, its owner's epoch, and the time of its intent."""

    world: World
    run: Run
    key: EffectKey
    epoch: int
    intended_at: datetime
    record: Callable[[RunEvent], None]

    def keep(self, text: str) -> tuple[ArtifactHash, int]:
        """Keep a text without its secrets; return its name and how many there were."""
        redacted = self.world.redactor.redact(text)
        return self.world.artifacts.put(redacted.text), redacted.count

    def show(self, step: StepName, attempt: int | None, text: str) -> None:
        """Let whoever watches see a text."""
        output = LiveOutput(run=self.run.id, step=step, attempt=attempt, text=text)
        self.world.monitor.output(output)

    def transcript(self, step: StepName, attempt: int | None) -> Transcript:
        """Begin to keep and show what a command prints."""
        show = partial(self.show, step, attempt)
        return Transcript(self.world.artifacts, self.world.redactor, show)
