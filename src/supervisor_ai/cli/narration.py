"""Facts in a person's words."""

from dataclasses import fields
from typing import Final

from supervisor_ai.cli.gate_words import asks, claims_refuted, gate_ended
from supervisor_ai.cli.kanban_facts import kanban_fact, listed
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.budgets import in_words
from supervisor_ai.domain.run.degradation import Level
from supervisor_ai.domain.terminal import plain

_SHORT: Final = 12


def describe(event: Event) -> str:
    """Say in one line what happened."""
    tellers = (
        *(_of_run, _of_attempt, _of_launch, _of_project),
        *(_of_surroundings, _of_gate, _of_person, _of_landing, kanban_fact),
    )
    words = next(filter(None, (tell(event) for tell in tellers)), None)
    return one_line(words or _fields(event))


def place(event: Event) -> str:
    """Say where in the run it happened."""
    if not isinstance(event, e.PlacedEvent):
        return ""
    attempt = getattr(event, "attempt", None)
    return f"{event.step} {event.visit}" + (f".{attempt}" if attempt is not None else "")


def one_line(text: str) -> str:
    """Make a text from outside harmless and put it on one line."""
    return " ".join(plain(text).split())


def short(name: str) -> str:
    """Shorten a hash to what people compare."""
    return name[:_SHORT]


def _of_run(event: Event) -> str | None:  # noqa: C901 - one case per fact
    match event:
        case e.RunSubmitted():
            return _submitted(event)
        case e.RunStarted(driver=driver):
            return f"driver {driver}"
        case e.RunOwned(owner=owner):
            return f"driven by {owner}"
        case e.RunWaiting(reason=reason):
            return f"waits for {reason}"
        case e.RunContinued():
            return "goes on"
        case e.RunCompleted(outcome=outcome) | e.RunCancelled(outcome=outcome):
            return outcome.reason
        case e.RunFailed(outcome=outcome):
            return f"{outcome.kind.value}: {outcome.reason}"
        case e.CancelRequested():
            return "somebody wants the run to stop"
        case e.CommandRefused(reason=reason):
            return reason
        case e.TimerSet(timer=timer, due=due):
            return f"{timer} due {due:%Y-%m-%d %H:%M:%S} UTC"
        case _:
            return None


def _of_attempt(event: Event) -> str | None:  # noqa: C901 - one case per fact
    match event:
        case e.StepEntered():
            return _entered(event)
        case e.StepPassed():
            return "passed"
        case e.StepFailed(reason=reason):
            return reason
        case e.StepSkipped(reason=reason):
            return f"skipped: {reason}"
        case e.AttemptStarted():
            return _started(event)
        case e.ContextPacked(strategy=strategy, tokens=tokens, budget=budget):
            return f"{strategy}: {tokens:,} of {budget:,} tokens of context"
        case e.PromptSent(prompt=prompt):
            return f"prompt {short(prompt)}"
        case e.AttemptSucceeded(said=said):
            return _by(event, f"answered {said}")
        case e.AttemptFailed(category=category, reason=reason):
            return _by(event, f"failed ({category.value}): {reason}")
        case e.AttemptCancelled():
            return "was stopped"
        case e.AttemptLost(kept=kept):
            return f"was lost with its owner; kept: {kept or 'nothing'}"
        case _:
            return None


def _of_launch(event: Event) -> str | None:
    match event:
        case e.LaunchRequested(role=role, cli=cli):
            return f"{role} asks to work with {cli}"
        case e.LaunchAllowed(amount=amount):
            return f"may start and spend {in_words(amount)}"
        case e.LaunchRefused(reason=reason):
            return reason
        case _:
            return None


def _of_project(event: Event) -> str | None:
    match event:
        case p.PermitTaken(permit=permit, run=run):
            return f"{run} has {permit} for itself"
        case p.PermitFreed(permit=permit, run=run):
            return f"{run} has given {permit} back"
        case p.FailureCounted(breaker=breaker):
            return f"a failure of {breaker} is remembered"
        case p.TrialStarted(breaker=breaker):
            return f"{breaker} is tried once more"
        case p.BreakerClosed(breaker=breaker):
            return f"{breaker} works again"
        case p.BudgetReserved(key=key, amount=amount):
            return f"{in_words(amount)} set aside for {key}"
        case p.BudgetSettled(key=key, used=used):
            return f"{in_words(used)} spent by {key}"
        case _:
            return None


def _of_surroundings(event: Event) -> str | None:
    match event:
        case e.SetupEnded(is_cached=is_cached, reason=reason):
            return "workspace set up from the cache" if is_cached else f"set-up: {reason}"
        case e.EgressRefused(host=host, port=port, reason=reason):
            return f"may not reach {host}{f':{port}' if port else ''} ({reason})"
        case e.WriteRefused(paths=paths):
            return f"may not write {listed(paths)}"
        case e.FilesLeftOut(paths=paths, count=count, reason=reason):
            named = f"{listed(paths)}{f' and {count - len(paths)} more' * (count > len(paths))}"
            return f"not kept: {named}: {reason}" if paths else reason
        case _:
            return None


def _of_gate(event: Event) -> str | None:
    match event:
        case e.GateStarted(gate=gate, snapshot=snapshot):
            return f"gate {gate} looks at {short(snapshot)}"
        case e.GateEnded():
            return gate_ended(event)
        case e.GateLost(gate=gate):
            return f"gate {gate} was lost with its owner"
        case e.GateCancelled(gate=gate):
            return f"gate {gate} was stopped"
        case e.ClaimsRefuted():
            return claims_refuted(event)
        case _:
            return None


def _of_person(event: Event) -> str | None:
    match event:
        case e.StepQuarantined(reason=reason):
            return f"rests until a person decides: {reason}"
        case e.ApprovalRequested(reason=why, tree=tree):
            return f"{asks(why)} about tree {short(tree)}"
        case e.ApprovalGiven(tree=tree):
            return f"tree {short(tree)} approved"
        case e.ApprovalRefused(tree=tree):
            return f"tree {short(tree)} rejected"
        case _:
            return None


def _of_landing(event: Event) -> str | None:
    match event:
        case e.IntegrationStarted(snapshot=snapshot, branch=branch):
            return f"{short(snapshot)} is to land on {branch}"
        case e.IntegrationLanded(commit=commit):
            return f"committed as {short(commit)}"
        case e.IntegrationRefused(reason=reason):
            return reason
        case e.IntegrationLost():
            return "had not landed when its owner died"
        case e.PullRequestStarted(branch=branch, commit=commit):
            return f"a pull request for {branch} at {short(commit)} is to be opened"
        case e.PullRequestOpened(url=url, is_found=is_found):
            return f"pull request {url}" + (" was there already" if is_found else " opened")
        case e.PullRequestRefused(reason=reason):
            return reason
        case e.PullRequestLost():
            return "nobody knows whether the pull request was opened; its owner died"
        case _:
            return None


def _submitted(event: e.RunSubmitted) -> str:
    words = [f"workflow {event.workflow}"]
    if event.base is not None:
        words.append(f"from {event.base.ref} at {short(event.base.sha)}")
    if event.fork is not None:
        words.append(f"as a fork of {event.fork.run} at version {event.fork.version}")
    if event.sandbox == "none":
        words.append("WITHOUT A SANDBOX")
    if event.is_fresh:
        words.append("without what is known from before")
    return " ".join(words)


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


def _entered(event: e.StepEntered) -> str:
    sources = ", ".join(f"{told.kind.value} {told.source}" for told in event.feedback)
    return f"visit {event.visit}" + (f" with feedback from {sources}" if sources else "")


def _fields(event: Event) -> str:
    named = ((field.name, getattr(event, field.name)) for field in fields(event))
    return ", ".join(f"{name} {value}" for name, value in named if value is not None)
