"""Loops whose roles, models, sandboxes and processes do as chance has it, over the real books."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Final

from msgspec import Struct, field
from tests.integration.loop.cast import wild
from tests.support.loop_scene import (
    Act,
    Scene,
    answers_all,
    asks,
    assess,
    directive,
    judge,
    loop_definition,
    plan,
    wonders,
    work,
)
from tests.support.mortal_log import MortalLog

from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.documents.knowledge.books import MarkdownBooks
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import ENDED, FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.driver import LoopDriver
from supervisor_ai.drivers.loop.kinds import RESEARCHER, SUMMARIZER
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Backlog
from supervisor_ai.drivers.quality.ports import KnowledgeBooks
from supervisor_ai.drivers.quality.supervisors import STORE
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import PLAIN, Workspace, WorkspacePlan
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import FakeReply, answering
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces

RULES: Final = LoopRules(
    max_tasks=9, max_attempts=2, review_interval=3, polish_tasks=3, backlog=Backlog(cap=3, age=4)
)
READER: Final = KnowledgeReader(RuleRedactor())
BOOKS: Final = MarkdownBooks(READER)
DRIVER: Final = LoopDriver()
MINDED: Final = '{"description": "Mind it"}'
"""What a person wants."""
MEDDLED: Final = "meddled.py"
MEDDLING: Final = "I wrote elsewhere."
"""What a supervisor says that wrote what is not its own."""
LACKING: Final = "No agent is set up for it."
_FOLDERS: Final = {it.role: it.owns[0] for it in BUILTIN}
_TROUBLES: Final = (
    (FailureCategory.CLI_ERROR, Action.ESCALATE),
    (FailureCategory.NETWORK, Action.RETRY_SAME),
    (FailureCategory.AUTH, Action.FAIL_OVER),
    (FailureCategory.LIMIT, Action.PARK),
)
_PATIENCE: Final = 4
"""How often a person who is asked says yes."""
_KEY: Final = "AKIA" + "Z7Q4M2X9K1P8R5T3"


class Fate(Struct, frozen=True, kw_only=True):
    """What chance has in store for a loop."""

    numbers: list[int] = field(default_factory=list)
    """How each answer turns out; those after the last are as they should be."""
    deaths: list[int] = field(default_factory=list)
    """At which of its writes each process dies; the one after the last lives."""
    lacking: frozenset[int] = frozenset()
    """The supervisors for whom there is no agent from the first, by their places."""
    pauses: bool = False
    is_leaky: bool = False
    """Whether the sandbox lets a worker write wherever it likes."""


class Chance:
    """Numbers that were drawn, then nothing but zeros."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = list(numbers)

    def __call__(self) -> int:
        return self._numbers.pop(0) if self._numbers else 0


class LeakyWorkspaces(MemoryWorkspaces):
    """The same workspaces, in which everything can be written."""

    async def open(  # type: ignore[explicit-override]
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        bare = replace(plan, writable=None)
        return await super().open(run, key, fence=fence, start=start, plan=bare)


def says(output: str) -> Act:
    return lambda scene, request: FakeReply(output=output)


def unavailable(category: FailureCategory, action: Action) -> Act:
    trouble = Diagnosis(message="Not now.", category=category, action=action)
    return lambda scene, request: FakeReply(diagnosis=trouble, exit_code=1)


def chooses(action: str) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del scene
        told = plan(
            action,
            "Write other.py",
            carry_forward=[f"Thought {len(request.prompt)} {number}" for number in range(4)],
            directives=answers_all(request, "addressed"),
        )
        return FakeReply(output=told)

    return act


def _answer(request: WorkerRequest, *wanted: dict[str, object], summary: str = "I looked.") -> str:
    found: dict[str, dict[str, object]] = {
        "code_style_supervisor": {"conventions_updated": [], "directives": wanted},
        "design_supervisor": {"design_updates": [], "directives": wanted},
        "internaliser": {"knowledge_items": []},
    }
    return answering({**found[request.role], "summary": summary})


def wants(*kinds: tuple[str, str]) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        number = len(scene.asked)
        wanted = [directive(f"{kind} {number}", kind, urgency) for kind, urgency in kinds]
        return FakeReply(output=_answer(request, *wanted))

    return act


def writes(name: str, text: str) -> Act:
    """Write into the folder of whoever looks, every time something else."""

    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        number = len(scene.asked)
        path = f"{STORE}/{_FOLDERS[request.role]}/{name}"
        wanted = directive(f"Look at {number}")
        return FakeReply(
            output=_answer(request, wanted), files={path: text.replace("NUMBER", str(number))}
        )

    return act


def meddles(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Write into the folder of another, over the index, and beside the store."""
    own = _FOLDERS[request.role]
    other = "design" if own != "design" else "conventions"
    stderr = []
    for path in (f"{STORE}/{other}/m.md", f"{STORE}/_index.md", MEDDLED):
        try:
            scene.kernel.fakes.workspaces.write(request.workspace, path, _DOCUMENT)
        except OSError as error:
            stderr.append(f"{error}\n")
    return FakeReply(output=_answer(request, summary=MEDDLING), stderr="".join(stderr))


def removes(scene: Scene, request: WorkerRequest) -> FakeReply:
    """Remove whatever the store has in the folder of whoever looks."""
    workspaces = scene.kernel.fakes.workspaces
    own = f"{STORE}/{_FOLDERS[request.role]}/"
    for path in workspaces.files(request.workspace.start):
        if path.startswith(own):
            workspaces.write(request.workspace, path, None)
    return FakeReply(output=_answer(request))


def learns(*contents: str) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del request
        number = str(len(scene.asked))
        items = [
            {
                "category": ("lesson", "domain")[at % 2],
                "content": content.replace("NUMBER", number),
                "needs_user_review": at == 1,
            }
            for at, content in enumerate(contents)
        ]
        return FakeReply(output=answering({"knowledge_items": items}))

    return act


_DOCUMENT: Final = "# Names\n\n_Status: established_\n\n## Rules\n\n1. Say NUMBER.\n"
_DEPRECATED: Final = "# Names\n\n_Status: deprecated_\n\n## Rules\n\n1. Say it.\n"
_WRITINGS: Final = (
    *(writes("a.md", _DOCUMENT), writes("a.md", _DEPRECATED), writes("b.md", _DOCUMENT)),
    writes("a.md", "# Nothing\n"),
    writes("a.md", f"# Long\n\n## Rules\n\n{'x' * 501}\n"),
    writes("b.md", "# Odd\n\n_Status: sure_\n\n## Rules\n\nNUMBER\n"),
    writes("c.md", f"# Key\n\n## Rules\n\nUse {_KEY}\n"),
    writes("c.md", "# Red\n\n## Rules\n\n\x1b[31mNUMBER\n"),
    writes("A B.md", _DOCUMENT),
    writes("deep/a.md", _DOCUMENT),
    writes("note.txt", "NUMBER"),
    writes("_index.md", "NUMBER"),
    *(meddles, meddles, removes),
)
_GONE: Final = tuple(unavailable(*it) for it in _TROUBLES)
_LOST: Final = _GONE[:2]
OTHERWISE: Final[dict[str, Sequence[Act]]] = {
    "scope_agent": [says(wonders("Part 1", "Part 2")), *_LOST],
    "task_planner": [
        *(chooses(action) for action in ("implement", "skip", "abort", "milestone_done")),
        says(plan("implement", "Write other.py")),
        says(asks("Why?", "How?")),
        says("I do not know."),
        *_LOST,
    ],
    "loop_implementor": [
        *(says(work("FAILED")), says(work("BLOCKED")), says(work(created=["gone"]))),
        *_LOST,
    ],
    "loop_qa": [says(judge("fail", "No.")), *_LOST],
    RESEARCHER: [says("Hm."), *_GONE],
    SUMMARIZER: [says("Hm."), *_GONE],
    "assessor": [
        says(assess(verdict, "Turn."))
        for verdict in ("aligned", "minor_drift", "major_divergence", "milestone_complete")
    ],
    "code_style_supervisor": [
        *(says("All well."), wants(("cleanup", "low"), ("cleanup", "low"))),
        *(wants(("functional", "normal")), *_GONE, *_WRITINGS),
    ],
    "design_supervisor": [
        *(says("?"), wants(("functional", "critical")), *_GONE, *_WRITINGS),
    ],
    "internaliser": [
        *(says("?"), learns("Files come one by one", "NUMBER is a number")),
        *(learns("x" * 600, f"Key {_KEY} NUMBER"), learns("# Title\n## Rules\n_Status: sure_")),
        *(*_GONE, *_WRITINGS),
    ],
}


def played(fate: Fate, books: KnowledgeBooks = BOOKS, driver: LoopDriver = DRIVER) -> Scene:
    """Play a loop to where it stands when nobody but a person can move it."""
    supervisors = [
        replace(it, every=it.every and 2, lacks=LACKING if at in fate.lacking else "")
        for at, it in enumerate(BUILTIN)
    ]
    acts = wild(OTHERWISE, Chance(fate.numbers))
    pinned = loop_definition(RULES, supervisors=supervisors, aides=(RESEARCHER, SUMMARIZER))
    scene = Scene(pinned, **acts)  # type: ignore[arg-type]
    kernel = scene.kernel
    kernel.quality = replace(kernel.quality, books=books)
    kernel.kill(1)
    kernel.world = _process(scene, fate, driver)
    if fate.pauses:
        scene.signal(f"directive-add cleanup low {scene.keep(MINDED)}")
        scene.signal("directive-drop 2")
        scene.signal("pause")
    for process, dies_at in enumerate(fate.deaths, 2):
        log = MortalLog(kernel.world.log, dies_at, is_late=bool(dies_at % 2))
        try:
            kernel.drive(scene.run, world=replace(kernel.world, log=log))
            break
        except KeyboardInterrupt:
            kernel.kill(process)
            kernel.world = _process(scene, fate, driver)
    _settle(scene)
    if fate.pauses:
        scene.signal("resume")
        _settle(scene)
    return scene


def _settle(scene: Scene) -> None:
    """Drive a loop as far as it goes; a person who is asked says yes, a few times."""
    kernel, run = scene.kernel, scene.run
    still = {*ENDED, RunStatus.WAITING}
    scene.drive()
    kernel.serve(until=lambda: kernel.status(run) in still)
    for _ in range(_PATIENCE):
        if kernel.play(run).run.approval is None:
            return
        scene.approve()
        kernel.serve(until=lambda: kernel.status(run) in still)


def _process(scene: Scene, fate: Fate, driver: LoopDriver) -> World:
    """Start a process of a world with the sandbox and the driver that there are."""
    world, inner = scene.kernel.process(), scene.kernel.fakes.workspaces
    world = replace(world, drivers={**world.drivers, driver.name: opener(driver)})
    if not fate.is_leaky:
        return world
    shared = {it.name: getattr(inner, it.name) for it in fields(inner)}
    return replace(world, workspaces=LeakyWorkspaces(**shared))
