"""Performing an attempt: prompt, workspace, agent, answer, snapshot."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import HostFailure, InvalidInput, Unavailable
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import (
    AttemptFailed,
    AttemptSucceeded,
    PromptSent,
)
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.spending.prices import cost
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Snapshot, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.effect_workspace import FailedSetup, Site, set_up, worker_plan
from supervisor_ai.engine.effects.knowledge import standing_directives, take_replies
from supervisor_ai.engine.effects.prompt import write_prompt
from supervisor_ai.engine.effects.refused_writes import RefusedWrites, report_refused
from supervisor_ai.engine.effects.remains import keep_work
from supervisor_ai.engine.effects.worker_watch import wait_for_leave, watched
from supervisor_ai.engine.ports.knowledge import StandingDirective
from supervisor_ai.engine.ports.members import Newcomer
from supervisor_ai.engine.ports.sandbox import (
    END_ACTIONS,
    UNSANDBOXED,
    Channel,
    SandboxEnd,
    SandboxResult,
)
from supervisor_ai.engine.ports.workers import (
    Answer,
    AnswerProblem,
    MemberDoor,
    Observation,
    ObservationSink,
    WorkerReport,
    WorkerRequest,
)
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.engine.worker_observation import describe
from supervisor_ai.engine.world import Operation


class _Ended(Struct, frozen=True, kw_only=True):
    """An attempt whose agent is gone: what it printed and what it left."""

    report: WorkerReport
    kept: Snapshot | AnswerProblem

    @property
    def snapshot(self) -> Snapshot | None:
        """Return its work as a commit, if that could be made."""
        return self.kept if isinstance(self.kept, Snapshot) else None


class Work(Struct, frozen=True, kw_only=True):
    """A valid answer, and the files that came with it."""

    answer: Answer
    snapshot: Snapshot


class Settle(Protocol):
    """Looks at a valid answer and its files for whoever has more to ask of a worker."""

    async def __call__(self, work: Work, /) -> Snapshot | AnswerProblem:
        """Return what is kept of the work, or why the answer does not count."""
        ...


async def keep_all(work: Work) -> Snapshot | AnswerProblem:
    """Keep the work as it is."""
    return work.snapshot


async def perform_worker(
    effect: RunWorker, operation: Operation, settle: Settle = keep_all
) -> AttemptSucceeded | AttemptFailed:
    """Start the agent in a fresh workspace and judge what came of it."""
    wanted = standing_directives(effect, operation)
    try:
        prompt = await write_prompt(effect, operation, wanted)
    except HostFailure:
        raise
    except (InvalidInput, Unavailable) as error:
        return _not_started(effect, operation, error)
    artifact, redactions = operation.keep(prompt)
    operation.record(
        PromptSent(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            prompt=artifact,
            redactions=redactions,
        )
    )
    transcript = operation.transcript(effect.step, effect.attempt)
    try:
        await wait_for_leave(effect, operation)
        async with _door(effect, operation) as door:
            ended = await _attempt(effect, operation, prompt, transcript, door)
        owing = _owing(effect, operation, wanted, settle)
        return await _judge(effect, operation, ended, transcript, owing)
    except InvalidInput as error:
        return _not_started(effect, operation, error)
    finally:
        transcript.abandon()


def _owing(
    effect: RunWorker,
    operation: Operation,
    wanted: Sequence[StandingDirective],
    settle: Settle,
) -> Settle:
    """Let an answer count only where it says what becomes of the directives that were shown."""

    async def owed(work: Work) -> Snapshot | AnswerProblem:
        settled = await settle(work)
        if isinstance(settled, AnswerProblem):
            return settled
        return take_replies(effect, operation, wanted, work.answer) or settled

    return owed


def _door(
    effect: RunWorker, operation: Operation
) -> AbstractAsyncContextManager[MemberDoor | None]:
    """Let the worker take part in the run's session, if there is one, while it works."""
    if effect.session is None:
        return nullcontext()
    newcomer = Newcomer(
        session=effect.session,
        run=operation.run,
        role=effect.role.name,
        slot=effect.slot,
        attempt=effect.attempt,
    )
    return operation.world.doors.open(newcomer)


async def _attempt(
    effect: RunWorker,
    operation: Operation,
    prompt: str,
    transcript: Transcript,
    door: MemberDoor | None,
) -> _Ended:
    world, run = operation.world, operation.run
    program = await world.workspaces.program(run, effect.base, hides=effect.role.hides)
    plan = worker_plan(effect, is_confined=world.sandbox.name != UNSANDBOXED)
    workspace = await world.workspaces.open(
        run, operation.key, fence=operation.epoch, start=effect.start, plan=plan
    )
    site = Site(operation=operation, effect=effect, workspace=workspace, attempt=effect.attempt)
    request = replace(
        _request(effect, site, prompt, program),
        on_observation=_watching(transcript),
        door=door,
    )
    failure = await set_up(site)
    if failure is not None:
        transcript.write(Channel.STDOUT, failure.text.encode())
        report = _unfurnished(failure)
    else:
        report = await _run(effect, site, request, transcript)
    if report.prompt_tokens is not None:
        model = effect.cli.known_models[0] or effect.cli.adapter
        world.packer.learn(model, prompt, report.prompt_tokens)
    return _Ended(report=report, kept=await keep_work(effect, operation, workspace))


async def _run(
    effect: RunWorker, site: Site, request: WorkerRequest, transcript: Transcript
) -> WorkerReport:
    """Run the agent; one that lacks something of the user's is passed over, not the run's end."""
    watch = _refusals(effect, site)
    heard = watch.watching(transcript.write) if watch else transcript.write
    try:
        worker = site.operation.world.workers(effect.cli.adapter)
        async with watched(effect, site, heard) as sink:
            report = await worker.run(request, sink)
    except InvalidInput as error:
        return _lacking(error)
    if watch is not None and watch.paths:
        report_refused(effect, site.operation, watch.paths)
    return report


def _unfurnished(failure: FailedSetup) -> WorkerReport:
    """Say that nobody could work there; a sandbox that did not start may do so the next time."""
    if failure.result.end is not SandboxEnd.SETUP_FAILED:
        return WorkerReport(result=failure.result, output="")
    diagnosis = Diagnosis(
        message=failure.told, category=FailureCategory.SETUP, action=Action.ESCALATE
    )
    return WorkerReport(result=failure.result, output="", diagnosis=diagnosis)


def _lacking(error: InvalidInput) -> WorkerReport:
    said = f"{error.message} {error.hint or ''}".strip()
    diagnosis = Diagnosis(message=said, category=FailureCategory.CLI_ERROR, action=Action.FAIL_OVER)
    result = SandboxResult(end=SandboxEnd.SANDBOX_FAILED, exit_code=None, reason=said)
    return WorkerReport(result=result, output="", diagnosis=diagnosis)


def _refusals(effect: RunWorker, site: Site) -> RefusedWrites | None:
    if effect.writable is None:
        return None
    return RefusedWrites(site.workspace.path, effect.writable)


def _request(effect: RunWorker, site: Site, prompt: str, program: Path) -> WorkerRequest:
    operation, role = site.operation, effect.role
    return WorkerRequest(
        run=operation.run,
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        attempt=effect.attempt,
        role=role.name,
        cli=effect.cli,
        prompt=prompt,
        workspace=site.workspace,
        program=program,
        label=operation.key,
        fence=operation.epoch,
        timeout=effect.timeout,
        output_bytes=effect.output_bytes,
        sandbox=effect.sandbox,
        egress=(*effect.cli.egress, *(role.egress if role.can_browse else ())),
        on_refusal=site.refused,
        tokens=effect.tokens,
        cost_cap=effect.cost_cap,
        allowed_tools=role.allowed_tools,
        system_prompt=role.system_prompt,
        mcp_servers=role.mcp_servers,
        max_turns=role.max_turns,
        flags=role.flags_of(effect.cli.adapter),
        nonce=effect.nonce,
    )


def _watching(transcript: Transcript) -> ObservationSink:
    """Show what was seen in words, and no longer the records in which an agent says it."""

    def show(observation: Observation) -> None:
        transcript.mute()
        transcript.remark(describe(observation))

    return show


async def _judge(
    effect: RunWorker,
    operation: Operation,
    ended: _Ended,
    transcript: Transcript,
    settle: Settle,
) -> AttemptSucceeded | AttemptFailed:
    answer = _answer(effect, operation, ended.report)
    if isinstance(answer, AnswerProblem):
        return await _failed(effect, operation, ended, transcript, answer)
    if isinstance(ended.kept, AnswerProblem):
        return await _failed(effect, operation, ended, transcript, ended.kept)
    settled = await settle(Work(answer=answer, snapshot=ended.kept))
    if isinstance(settled, AnswerProblem):
        return await _failed(effect, operation, ended, transcript, settled)
    document, hidden = operation.keep(answer.document)
    notes, _ = operation.keep(answer.notes)
    return AttemptSucceeded(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        attempt=effect.attempt,
        meaning=answer.meaning,
        said=answer.said,
        answer=document,
        feedback=notes,
        transcript=await transcript.finish(),
        snapshot=settled,
        redactions=transcript.redactions + hidden,
        usage=_usage(effect, ended.report),
        limits=ended.report.result.limits,
        took=operation.world.clock.now() - operation.intended_at,
        concerns=answer.concerns,
        role=effect.role.name,
    )


async def _failed(
    effect: RunWorker,
    operation: Operation,
    ended: _Ended,
    transcript: Transcript,
    problem: AnswerProblem,
) -> AttemptFailed:
    redacted, now = operation.world.redactor.redact(problem.message), operation.world.clock.now()
    return AttemptFailed(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        attempt=effect.attempt,
        category=problem.category,
        reason=redacted.text.partition("\n")[0],
        feedback=operation.world.artifacts.put(redacted.text),
        transcript=await transcript.finish(),
        snapshot=ended.snapshot,
        exit_code=ended.report.result.exit_code,
        redactions=transcript.redactions,
        usage=_usage(effect, ended.report),
        limits=ended.report.result.limits,
        action=problem.action,
        reset_at=problem.reset_at,
        ended_at=now,
        took=now - operation.intended_at,
        is_cut_off=ended.report.result.end is SandboxEnd.CUT_OFF,
        role=effect.role.name,
    )


def _not_started(
    effect: RunWorker, operation: Operation, error: InvalidInput | Unavailable
) -> AttemptFailed:
    """Say why nobody could be started; only a person mends what is written wrongly."""
    world = operation.world
    is_wrong = isinstance(error, InvalidInput)
    told = world.redactor.redact(plain(f"{error.message}\n{error.hint or ''}".strip())).text
    return AttemptFailed(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        attempt=effect.attempt,
        category=FailureCategory.CLI_ERROR if is_wrong else FailureCategory.RESOURCE,
        reason=told.partition("\n")[0],
        feedback=world.artifacts.put(told),
        transcript=world.artifacts.put(""),
        action=Action.ESCALATE if is_wrong else Action.RETRY_SAME,
        ended_at=world.clock.now(),
        role=effect.role.name,
    )


def _usage(effect: RunWorker, report: WorkerReport) -> Usage:
    """Say what the attempt cost, also where its agent only knows its tokens."""
    if report.usage == NO_USAGE:
        return report.usage
    said = report.diagnosis.model if report.diagnosis else None
    model = said or effect.cli.known_models[0]
    return cost(effect.prices, report.usage, model=model, adapter=effect.cli.adapter)


def _answer(
    effect: RunWorker, operation: Operation, report: WorkerReport
) -> Answer | AnswerProblem:
    result, diagnosis = report.result, report.diagnosis
    if diagnosis is not None and diagnosis.category is not None:
        return AnswerProblem(
            category=diagnosis.category,
            message=diagnosis.message,
            action=diagnosis.action,
            reset_at=diagnosis.reset_at,
        )
    has_exited = result.end is SandboxEnd.EXITED and result.exit_code == 0
    if diagnosis is not None or has_exited:
        answers = operation.world.answers
        return answers.read(effect.role.answer, report.output, nonce=effect.nonce)
    if result.end is SandboxEnd.EXITED:
        message = f"The worker exited with code {result.exit_code}."
        return AnswerProblem(category=FailureCategory.CLI_ERROR, message=message)
    is_missing = result.end is SandboxEnd.COMMAND_MISSING
    category = FailureCategory.CLI_ERROR if is_missing else FailureCategory.RESOURCE
    return AnswerProblem(category=category, message=result.reason, action=END_ACTIONS[result.end])
