"""Making the checks: what the text decides, what a worker said, and the report of both."""

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, run_stream
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator, accumulate
from supervisor_ai.drivers.checkpoint.checks.judgement import read_answers, weigh
from supervisor_ai.drivers.checkpoint.checks.model import CheckResult
from supervisor_ai.drivers.checkpoint.checks.rounds import CheckRound, run_checks
from supervisor_ai.drivers.checkpoint.performers.brief import write_brief
from supervisor_ai.drivers.checkpoint.performers.context import LoadedContext, count_tokens
from supervisor_ai.drivers.checkpoint.performers.door import SessionDoors
from supervisor_ai.drivers.checkpoint.performers.verdicts import kept_report
from supervisor_ai.drivers.checkpoint.protocol.words import report_file
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, by_group, render
from supervisor_ai.drivers.checkpoint.score import CheckVerdict, QualityTrend
from supervisor_ai.drivers.checkpoint.wisdom import RISKS_FILE, risk_entries
from supervisor_ai.engine.world import Operation


class AllResults(Struct, frozen=True, kw_only=True):
    """What every check of a checkpoint says."""

    results: tuple[CheckResult, ...]


async def make_checks(effect: d.RunChecks, operation: Operation) -> k.ChecksJudged:
    """Make the checks that need no judgement, and write down what a worker is to be asked."""
    documents = operation.world.documents
    context = documents.load(effect.context, LoadedContext)
    made = run_checks(context.material, effect.checks)
    brief = write_brief(context.material, made.questions) if made.questions else None
    said = [it.verdict for it in made.results]
    return k.ChecksJudged(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        results=documents.save(made),
        questions=len(made.questions),
        brief=None if brief is None else operation.keep(brief)[0],
        brief_tokens=count_tokens(brief or ""),
        passed=said.count(CheckVerdict.PASS),
        warned=said.count(CheckVerdict.WARN),
        failed=said.count(CheckVerdict.FAIL),
        undecided=said.count(CheckVerdict.UNDECIDED),
        context=effect.context,
    )


async def weigh_judgement(effect: d.WeighJudgement, operation: Operation) -> k.JudgementsWeighed:
    """Believe of what a worker answered what the files bear out."""
    documents = operation.world.documents
    made = documents.load(effect.round, CheckRound)
    texts = _texts(operation, documents.load(effect.context, LoadedContext))
    answers = None if effect.answer is None else read_answers(operation.text_of(effect.answer))
    weighed = weigh(made.questions, answers, texts, effect.reason)
    results = AllResults(results=by_group((*made.results, *weighed.results)))
    return k.JudgementsWeighed(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        results=documents.save(results),
        refuted=weighed.refuted,
        context=effect.context,
    )


def _texts(operation: Operation, context: LoadedContext) -> dict[str, str]:
    """Return every text that a worker may cite."""
    older = {
        path: operation.text_of(ArtifactHash(it))
        for path, it in context.hashes.items()
        if path not in context.material.artifacts
    }
    new = {path: it.text for path, it in context.material.artifacts.items()}
    return {**context.material.wisdom, **older, **new}


def _known(effect: d.WriteReport, operation: Operation) -> Accumulator:
    """Return what is remembered; a step of a workflow has the reports of its earlier visits."""
    if effect.accumulator is not None:
        return operation.world.documents.load(effect.accumulator, Accumulator)
    known = Accumulator()
    for it in operation.world.log.read(run_stream(operation.run)):
        if isinstance(it.event, k.ReportWritten) and it.event.step == effect.step:
            report = kept_report(operation, it.event.report)
            known = accumulate(known, report, {}, session=operation.run)
    return known


async def write_report(
    effect: d.WriteReport, operation: Operation, doors: SessionDoors
) -> k.ReportWritten:
    """Write the report, and its risks into the wisdom; the same report is written once."""
    documents = operation.world.documents
    context = documents.load(effect.context, LoadedContext)
    results = documents.load(effect.results, AllResults).results
    known = _known(effect, operation)
    report = CheckpointReport(
        task=effect.task,
        number=known.next_number,
        scope=context.material.scope,
        results=results,
        trend=QualityTrend.STABLE,
        progress=effect.progress,
        artifacts=context.read,
    )
    report = replace(report, trend=known.trend_of(effect.task, report.score))
    if effect.session is None:
        kept, _ = operation.keep(render(report))
    else:
        door = doors.open(operation, effect.session)
        kept = door.write_report(effect.task, render(report))
        if entries := risk_entries(report):
            door.add_wisdom(RISKS_FILE, entries)
    return k.ReportWritten(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        report=kept,
        path=report_file(effect.task),
        verdict=report.verdict,
        score=report.score.text,
        trend=report.trend,
        risks=len(report.risks),
        blocks=report.blocks,
        decided=report.decided,
        checks=report.checks,
    )
