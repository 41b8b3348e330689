"""A supervisor where much was said: a wake costs what is new, not what was ever said."""

from msgspec import Struct
from tests.support.checkpoint_scene import ADA, FOLDER, CheckpointScene
from tests.support.kernel import Kernel
from tests.unit.control.sessions.counting_log import CountingArtifacts, CountingLog

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.session.events import MessageLogged
from supervisor_ai.domain.structs import replace

MANY = 10_000
FEW = 10


class Cost(Struct, frozen=True, kw_only=True):
    """What something has read."""

    events: int
    texts: int


class LongScene:
    """A session in which much was said before its supervisor began."""

    def __init__(self, messages: int) -> None:
        self.at = CheckpointScene(Kernel(None), folder=FOLDER)
        body = self.at.kernel.world.artifacts.put('{"data": {}, "summary": "on it"}')
        said = [
            MessageLogged(number=it, sender="writer", to="coordinator", kind="progress", body=body)
            for it in range(1, messages + 1)
        ]
        self.at.desk.view(self.at.session).add(lambda _: said, ADA)
        self.log = CountingLog(self.at.kernel.world.log)
        self.artifacts = CountingArtifacts(self.at.kernel.world.artifacts)
        self.at.kernel.world = replace(self.at.kernel.world, log=self.log, artifacts=self.artifacts)
        self.run: RunId = self.at.start()

    def cost_of_drive(self) -> Cost:
        """Let the supervisor do what there is to do, and count."""
        self.log.events = self.artifacts.reads = 0
        self.at.kernel.drive(self.run)
        return Cost(events=self.log.events, texts=self.artifacts.reads)

    def costs(self) -> dict[str, Cost]:
        """Count a post of the supervisor, a checkpoint, and a wake for nothing."""
        at = self.at
        at.write("DRAFT-001")
        at.ask()
        at.kernel.drive(self.run)
        at.bus().log(Post(kind="message", summary="Well?", to="supervisor"))
        post = self.cost_of_drive()
        at.write("DRAFT-003")
        at.ask("CHECKPOINT-002")
        checkpoint = self.cost_of_drive()
        return {"post": post, "checkpoint": checkpoint, "nothing": self.cost_of_drive()}


def test_what_a_wake_reads_does_not_depend_on_how_much_was_said() -> None:
    many, few = LongScene(MANY).costs(), LongScene(FEW).costs()
    assert {act: it.texts for act, it in many.items()} == {act: it.texts for act, it in few.items()}
    assert {act: it.events for act, it in many.items()} == {
        act: it.events for act, it in few.items()
    }
    assert many["post"].events < 100
