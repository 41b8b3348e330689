"""People who change a kanban's files in the middle of an iteration, or while a Manager waits."""

from tests.support.kanban_scene import (
    SECOND,
    Scene,
    Told,
    log_text,
    says,
    task_text,
)

from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

BROKEN = "---\nrole: Implementor\nstate: sleeping\n---\n"


def test_files_that_a_person_breaks_while_an_agent_works_are_put_before_a_person() -> None:
    def work(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        if scene.branch in scene.kernel.fakes.workspaces.branches:
            scene.edit(**{"1-look": BROKEN})
        return scene.work(request, told)

    scene = Scene(implementor=work)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == UNREADABLE
    scene.edit(**{"1-look": task_text("Architect", state="done", log=log_text())})
    assert scene.approve() is RunStatus.COMPLETED


def test_a_manager_that_a_person_has_helped_sees_what_the_person_changed() -> None:
    def stuck(scene: Scene, request: WorkerRequest, told: Told) -> FakeReply:
        if "Helped." in scene.read(request, SECOND):
            return scene.manage(request, told)
        return FakeReply(output=says("blocked", next_task=told["done_task"], tasks=told["tasks"]))

    scene = Scene(manager=stuck)
    assert scene.drive() is RunStatus.WAITING
    assert scene.asking.reason == ApprovalReason.BLOCKED
    scene.edit(**{"2-build": task_text(log="Helped.\n")})
    assert scene.approve() is RunStatus.COMPLETED
