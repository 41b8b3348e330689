"""Sentences about the events of a run and of a project that every driver has."""

from typing import Final

from supervisor_ai.control.phrases import listed, short
from supervisor_ai.control.registered_kinds import asks
from supervisor_ai.control.sentence_table import SentenceTable, on
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.spending.budgets import in_words
from supervisor_ai.domain.session import events as s
from supervisor_ai.tools.text import counted


def _submitted(event: e.RunSubmitted) -> str:
    words = [f"workflow {event.workflow}"]
    if event.base is not None:
        words.append(f"from {event.base.ref} at {short(event.base.sha)}")
    if event.fork is not None:
        note = "" if event.fork.note is None else ", with a person's words"
        words.append(f"as a fork of {event.fork.run} at version {event.fork.version}{note}")
    if event.sandbox == "none":
        words.append("WITHOUT A SANDBOX")
    if event.is_fresh:
        words.append("without what is known from before")
    return " ".join(words)


def _entered(event: e.StepEntered) -> str:
    sources = ", ".join(f"{told.kind.value} {told.source}" for told in event.feedback)
    return f"visit {event.visit}" + (f" with feedback from {sources}" if sources else "")


def _started(event: e.AttemptStarted) -> str:
    words = [f"{event.role} works with {event.cli}"]
    if event.level is not Level.PRIMARY:
        words.append(f"in the {event.level.value} way")
    if event.turn:
        words.append(f"and goes on from its own answers ({event.turn})")
    return " ".join(words)


def _by(event: e.AttemptSucceeded | e.AttemptFailed, deed: str) -> str:
    """Name whose attempt it was, where that was recorded."""
    return f"{event.role} {deed}" if event.role else deed


def _gate_ended(event: e.GateEnded) -> str:
    """Say what a gate said, how many tests ran, and whether that was known from before."""
    remarks = [event.verdict.value.replace("_", " ")]
    # A runner's count is part of the reason where a command was judged by it.
    if event.tests is not None and counted(event.tests, "test") not in event.reason:
        remarks.append(counted(event.tests, "test"))
    if event.findings:
        remarks.append(counted(event.findings, "finding"))
    if event.is_reused:
        remarks.append("known from before")
    return f"gate {event.gate} {', '.join(remarks)}: {event.reason}"


def _claims_refuted(event: e.ClaimsRefuted) -> str:
    """Say what a worker reported that is not so."""
    amounts = ((event.files, "file"), (event.tests, "test"), (event.commits, "commit"))
    parts = [counted(number, noun) for number, noun in amounts if number]
    told = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    return f"{event.role} with {event.cli} reported {told or 'things'} that git does not bear out"


def _egress_refused(event: e.EgressRefused) -> str:
    port = f":{event.port}" if event.port else ""
    reason, _, part = event.reason.partition(": ")
    if part:
        return f"may not ask {event.host}{port} for {part} ({reason})"
    return f"may not reach {event.host}{port} ({event.reason})"


def _left_out(event: e.FilesLeftOut) -> str:
    if not event.paths:
        return event.reason
    more = event.count - len(event.paths)
    return f"not kept: {listed(event.paths)}{f' and {more} more' * (more > 0)}: {event.reason}"


def _opened(event: e.PullRequestOpened) -> str:
    return f"pull request {event.url}" + (" was there already" if event.is_found else " opened")


def _delivered(event: p.NoticeDelivered) -> str:
    missed = f"; not {listed(event.failed)}: {event.reason}" if event.failed else ""
    return f"{listed(event.channels)} heard of {event.run}{missed}"


def _notified(event: e.NotificationDelivered) -> str:
    missed = f"; not {listed(event.failed)}" if event.failed else ""
    return f"told through {listed(event.channels)}{missed}"


def _who(person: str) -> str:
    return f" by {person}" if person else ""


def _assessed(event: e.ChangeAssessed) -> str:
    found = event.assessment
    return f"{found.level.value}: {found.action.value} ({'; '.join(found.because)})"


def _seen(event: e.PullRequestSeen) -> str:
    amounts = ((event.passed, "passed"), (event.failed, "failed"), (event.pending, "under way"))
    checks = ", ".join(f"{number} {word}" for number, word in amounts if number)
    parts = [f"checks: {checks}" if checks else "no checks"]
    if event.remarks:
        parts.append(f"{counted(len(event.remarks), 'comment')} to deal with")
    if event.noted:
        parts.append(f"{counted(event.noted, 'comment')} of others only noted")
    return f"the pull request is {event.standing.value} ({'; '.join(parts)})"


RUN_SENTENCES: Final[SentenceTable] = (
    on(e.RunSubmitted, _submitted, is_routine=True),
    on(e.RunStarted, lambda it: f"driver {it.driver}", is_routine=True),
    on(e.RunOwned, lambda it: f"driven by {it.owner}", is_routine=True),
    on(e.RunWaiting, lambda it: f"waits for {it.reason}"),
    on(e.RunContinued, lambda _: "goes on"),
    on(e.RunCompleted, lambda it: it.outcome.reason),
    on(e.RunFailed, lambda it: f"{it.outcome.kind.value}: {it.outcome.reason}"),
    on(e.RunCancelled, lambda it: it.outcome.reason),
    on(e.CancelRequested, lambda _: "somebody wants the run to stop"),
    on(e.CommandRefused, lambda it: it.reason),
    on(e.DefinitionMigrated, lambda it: f"goes on under definition {short(it.definition)}"),
    on(e.TimerSet, lambda it: f"{it.timer} due {it.due:%Y-%m-%d %H:%M:%S} UTC"),
    on(e.TimerFired, lambda it: f"the time of {it.timer} has come"),
    on(e.TimerCancelled, lambda it: f"{it.timer} does not matter any more", is_routine=True),
    on(e.PermitRequested, lambda it: f"asks for {it.permit}, one of {it.limit}"),
    on(e.PermitGranted, lambda it: f"has {it.permit}"),
    on(e.PermitReleased, lambda it: f"gave {it.permit} back"),
    on(e.ChildStarted, lambda it: f"started the run {it.child}"),
    on(e.ChildCancelRequested, lambda it: f"asks the run {it.child} to stop"),
    on(e.ChildEnded, lambda it: f"run {it.child} {it.status.value}: {it.outcome.reason}"),
    on(e.StepEntered, _entered),
    on(e.StepPassed, lambda _: "passed", is_routine=True),
    on(e.StepFailed, lambda it: it.reason, is_routine=True),
    on(e.StepSkipped, lambda it: f"skipped: {it.reason}", mark="skipped"),
    on(
        e.StepQuarantined,
        lambda it: f"rests until a person decides: {it.reason}",
        mark="gets nowhere",
    ),
    on(e.LaunchRequested, lambda it: f"{it.role} asks to work with {it.cli}", is_routine=True),
    on(
        e.LaunchAllowed,
        lambda it: f"may start and spend {in_words(it.amount)}",
        is_routine=True,
    ),
    on(e.LaunchRefused, lambda it: it.reason, mark=lambda it: it.kind.value),
    on(e.LaunchWithdrawn, lambda _: "is asked for no more: the definition has changed"),
    on(e.AttemptStarted, _started),
    on(
        e.ContextPacked,
        lambda it: f"{it.strategy}: {it.tokens:,} of {it.budget:,} tokens of context",
        is_routine=True,
    ),
    on(
        e.KnowledgeInjected,
        lambda it: f"told of {counted(len(it.documents), 'document')} of the knowledge store",
        is_routine=True,
    ),
    on(e.PromptSent, lambda it: f"prompt {short(it.prompt)}", is_routine=True),
    on(e.AttemptSucceeded, lambda it: _by(it, f"answered {it.said}")),
    on(e.AttemptFailed, lambda it: _by(it, f"failed ({it.category.value}): {it.reason}")),
    on(e.AttemptCancelled, lambda _: "was stopped"),
    on(
        e.AttemptLost,
        lambda it: f"was lost with its owner; kept: {it.kept or 'nothing'}",
        mark="lost",
    ),
    on(
        e.SetupEnded,
        lambda it: "workspace set up from the cache" if it.is_cached else f"set-up: {it.reason}",
    ),
    on(e.EgressRefused, _egress_refused),
    on(e.WriteRefused, lambda it: f"may not write {listed(it.paths)}", mark="a write was refused"),
    on(e.FilesLeftOut, _left_out, mark="files left out"),
    on(e.GateStarted, lambda it: f"gate {it.gate} looks at {short(it.snapshot)}"),
    on(e.GateEnded, _gate_ended),
    on(e.BaselineStarted, lambda it: f"gate {it.gate} looks at the base", is_routine=True),
    on(
        e.BaselineEnded,
        lambda it: f"gate {it.gate} is {it.health.value} on the base: {it.reason}",
    ),
    on(e.BaselineLost, lambda it: f"the baseline of gate {it.gate} was lost with its owner"),
    on(e.GateLost, lambda it: f"gate {it.gate} was lost with its owner"),
    on(e.GateCancelled, lambda it: f"gate {it.gate} was stopped"),
    on(e.ClaimsRefuted, _claims_refuted),
    on(
        e.ApprovalRequested,
        lambda it: f"{asks(it.reason)} about tree {short(it.tree)}",
        mark="waits for a person",
    ),
    on(
        e.AssessmentStarted,
        lambda it: f"what does tree {short(it.tree)} need before it lands?",
        is_routine=True,
    ),
    on(e.ChangeAssessed, _assessed),
    on(e.AssessmentLost, lambda _: "the assessment was lost with its owner"),
    on(e.ApprovalCounted, lambda it: f"{it.person} agrees to tree {short(it.tree)}"),
    on(
        e.ApprovalGiven,
        lambda it: f"tree {short(it.tree)} approved{_who(it.person)}",
        mark="approved",
    ),
    on(
        e.ApprovalLapsed,
        lambda it: f"nobody objected to tree {short(it.tree)}",
        mark="nobody objected",
    ),
    on(
        e.ApprovalRefused,
        lambda it: f"tree {short(it.tree)} rejected{_who(it.person)}",
        mark="rejected",
    ),
    on(
        e.CommentMade,
        lambda it: f"comment {it.number} on {shown_name(str(it.at))}{_who(it.person)}",
    ),
    on(
        e.ChangeEdited,
        lambda it: f"the files were changed by hand{_who(it.person)}: tree {short(it.tree)}",
        mark="edited",
    ),
    on(
        e.IntegrationStarted,
        lambda it: f"{short(it.snapshot)} is to land on {it.branch}",
        is_routine=True,
    ),
    on(e.IntegrationLanded, lambda it: f"committed as {short(it.commit)}"),
    on(e.IntegrationRefused, lambda it: it.reason, mark="could not be put there"),
    on(e.IntegrationLost, lambda _: "had not landed when its owner died"),
    on(
        e.PullRequestStarted,
        lambda it: f"a pull request for {it.branch} at {short(it.commit)} is to be opened",
        is_routine=True,
    ),
    on(e.PullRequestOpened, _opened, mark="pull request"),
    on(e.PullRequestRefused, lambda it: it.reason, mark="no pull request"),
    on(
        e.PullRequestLost,
        lambda _: "nobody knows whether the pull request was opened; its owner died",
    ),
    on(e.NotificationStarted, lambda it: f"{listed(it.channels)} to be told", is_routine=True),
    on(e.NotificationDelivered, _notified, mark="told"),
    on(e.NotificationFailed, lambda it: it.reason, mark="nobody was told"),
    on(
        e.NotificationLost,
        lambda _: "nobody knows whether anybody was told; its owner died",
    ),
    on(
        e.PullRequestLookStarted,
        lambda it: f"looks at the pull request for {short(it.commit)}",
        is_routine=True,
    ),
    on(e.PullRequestSeen, _seen),
    on(e.PullRequestUnseen, lambda it: it.reason, mark="not seen"),
    on(
        e.PullRequestLookLost,
        lambda _: "the look at the pull request was lost with its owner",
        is_routine=True,
    ),
)

PROJECT_SENTENCES: Final[SentenceTable] = (
    on(p.NoticeOwed, lambda it: f"{listed(it.channels)} to hear of {it.run}", is_routine=True),
    on(p.NoticeTaken, lambda it: f"about to tell people of {it.run}", is_routine=True),
    on(p.NoticeDelivered, _delivered, is_routine=True),
    on(p.NoticeFailed, lambda it: f"nobody was told of {it.run}: {it.reason}"),
    on(
        p.NoticeDropped,
        lambda it: f"nobody was told of {it.run}: it is not so any more",
        is_routine=True,
    ),
    on(p.PermitTaken, lambda it: f"{it.run} has {it.permit} for itself", is_routine=True),
    on(p.PermitFreed, lambda it: f"{it.run} has given {it.permit} back", is_routine=True),
    on(p.FailureCounted, lambda it: f"a failure of {it.breaker} is remembered", is_routine=True),
    on(p.TrialStarted, lambda it: f"{it.breaker} is tried once more"),
    on(p.BreakerClosed, lambda it: f"{it.breaker} works again"),
    on(
        p.BudgetReserved,
        lambda it: f"{in_words(it.amount)} set aside for {it.key}",
        is_routine=True,
    ),
    on(p.BudgetSettled, lambda it: f"{in_words(it.used)} spent by {it.key}", is_routine=True),
    on(p.AccountsClosed, lambda it: f"nobody asks any more what {it.run} spent"),
    on(p.TaskNumbered, lambda it: f"{it.run} is task {it.number}", is_routine=True),
    on(s.SessionOpened, lambda it: f"team {it.team} begins, pipeline {it.pipeline}"),
    on(s.SessionClosed, lambda _: "nothing is added any more"),
    on(s.MemberAdded, lambda it: f"{it.member} takes part as {it.role.value}"),
    on(s.TokenDelivered, lambda it: f"{it.member} has its token", is_routine=True),
    on(s.MemberRemoved, lambda it: f"{it.member} takes part no longer"),
    on(s.MessageLogged, lambda it: f"MSG-{it.number:03} {it.sender} to {it.to}: {it.kind}"),
    on(s.TaskAdded, lambda it: f"task {it.task} for {it.owner or 'anybody'}"),
    on(s.TaskMoved, lambda it: f"task {it.task} is {it.status.value}, says {it.by or 'nobody'}"),
    on(s.FileImported, lambda it: f"{shown_name(it.path)} is read", is_routine=True),
    on(s.FileSynced, lambda it: f"{shown_name(it.path)} is as the ledger says", is_routine=True),
    on(s.CallRefused, lambda it: f"{it.member} may not {it.call}: {it.reason}"),
    on(s.ResidentStarted, lambda it: f"{it.run} listens as the supervisor"),
    on(s.ResidentStopped, lambda it: f"{it.run} listens no more"),
    on(e.SignalReceived, lambda it: f"hears of a {it.signal}", is_routine=True),
    on(e.SignalAwaited, lambda it: f"waits for a {it.signal}", is_routine=True),
    on(e.SignalHeard, lambda _: "goes on", is_routine=True),
    on(p.ArtifactErased, lambda it: f"the text {it.artifact} was removed for ever"),
)
