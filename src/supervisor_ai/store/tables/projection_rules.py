"""What each fact does to the tables that people read, as plain SQL.

A rule's parameters are the fact's fields (those of a nested object joined by `_`), the run, the
session or the name of the stream, the sequence number, the time and the actor.
"""
# ruff: noqa: S608 - the statements are made of this module's own words

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from supervisor_ai.control.ports.knowledge import QA_FAILED, TASK_DROPPED, TASK_PASSED
from supervisor_ai.control.slices import all_slices, stream_events
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.run import events as e
from supervisor_ai.store.codec import EVENT_KINDS
from supervisor_ai.store.tables.session_rules import SESSION_RULES


class Guarded(NamedTuple):
    """A statement that most facts of its kind do not need; the parameters tell which do."""

    statement: str
    concerns: Callable[[Mapping[str, object]], bool]


Statements = tuple[str | Guarded, ...]

_OF_STEP: Final = "WHERE run = :run AND step = :step"
_OF_SLOT: Final = f"{_OF_STEP} AND visit = :visit AND slot = :slot"
_OF_ATTEMPT: Final = f"{_OF_SLOT} AND attempt = :attempt"


def _run_status(status: str) -> str:
    return f"UPDATE runs SET status = '{status}' WHERE run = :run"


def _run_ended(status: str) -> str:
    return (
        f"UPDATE runs SET status = '{status}', outcome = :outcome_kind, reason = :outcome_reason,"
        " degraded = coalesce(:degraded, degraded) WHERE run = :run"
    )


def _stopped(*, step: str, attempt: str) -> Statements:
    """Give everything that was under way the end that its run gives it."""
    return (
        f"UPDATE steps SET status = '{step}' WHERE run = :run AND status IN ('running', 'waiting')",
        f"UPDATE attempts SET status = '{attempt}', ended_at = :at"
        " WHERE run = :run AND status = 'started'",
        "UPDATE gates SET verdict = 'not_run', reason = 'The run ended before the gate did.',"
        " ended_at = :at WHERE run = :run AND ended_at IS NULL",
        *_FORGOTTEN,
    )


_FORGOTTEN: Final = (
    "UPDATE timers SET status = 'cancelled' WHERE run = :run AND status = 'set'",
    "UPDATE permits SET status = 'released', since = :at WHERE run = :run AND status = 'requested'",
)


def _step(change: str) -> str:
    return f"UPDATE steps SET {change} {_OF_STEP}"


def _attempt_ended(status: str, *more: str) -> str:
    changes = ", ".join((f"status = {status}", "ended_at = :at", *more))
    return f"UPDATE attempts SET {changes} {_OF_ATTEMPT}"


_CONSUMED: Final = (
    "transcript = :transcript",
    "snapshot = :snapshot_commit",
    "redactions = redactions + :redactions",
    "tokens_in = :usage_tokens_in",
    "tokens_out = :usage_tokens_out",
    "cost = :usage_cost",
    "estimated = :usage_estimated",
)


def _gate_ended(verdict: str, reason: str, *more: str) -> str:
    changes = ", ".join((f"verdict = {verdict}", f"reason = {reason}", "ended_at = :at", *more))
    return f"UPDATE gates SET {changes} {_OF_SLOT} AND ended_at IS NULL"


def _answered(answer: str, *, is_approved: int, more: str = "") -> str:
    return (
        f"UPDATE approvals SET is_approved = {is_approved}, answer = '{answer}',"
        f" answered_at = :at{more} {_OF_SLOT} AND answered_at IS NULL"
    )


_BY_PERSON: Final = ", answered_by = coalesce(nullif(:person, ''), :actor)"
_WITH_NOTE: Final = f"{_BY_PERSON}, note = :note"


def _timer(status: str) -> str:
    return f"UPDATE timers SET status = '{status}' WHERE run = :run AND timer = :timer"


def _permit(status: str) -> str:
    return (
        f"INSERT INTO permits (permit, run, status, since) VALUES (:permit, :run, '{status}', :at)"
        f" ON CONFLICT DO UPDATE SET status = '{status}', since = :at"
    )


_WORST_VERDICT: Final = """
    SELECT verdict FROM (
        SELECT verdict, ended_at, max(seq) FROM gates
        WHERE run = :run AND step = :step AND visit = :visit GROUP BY slot
    )
    WHERE ended_at IS NOT NULL
    ORDER BY CASE verdict WHEN 'failed' THEN 0 WHEN 'not_run' THEN 1 WHEN 'warned' THEN 2 ELSE 3 END
    LIMIT 1
"""

_OF_THE_RUN: Final[Mapping[type[Event], Statements]] = {
    e.RunSubmitted: (
        """
        INSERT OR REPLACE INTO runs
            (seq, run, task, driver, workflow, definition, sandbox, status, parent, root,
            base_ref, base_sha, base_tree, branch, created_at)
        VALUES (:seq, :run, :task, :driver, :workflow, :definition, :sandbox, 'queued', :parent,
            :root, :base_ref, :base_sha, :base_tree, :branch, :at)
        """,
    ),
    e.RunStarted: (_run_status("running"),),
    e.RunOwned: (),
    e.RunWaiting: (_run_status("waiting"),),
    e.RunContinued: (_run_status("running"),),
    e.RunCompleted: (_run_ended("completed"), *_FORGOTTEN, TASK_PASSED),
    e.RunFailed: (
        _run_ended("failed"),
        *_stopped(step="failed", attempt="lost"),
        TASK_DROPPED,
    ),
    e.RunCancelled: (
        _run_ended("cancelled"),
        *_stopped(step="cancelled", attempt="cancelled"),
        TASK_DROPPED,
    ),
    e.CancelRequested: (),
    e.CommandRefused: (),
    e.SignalReceived: (),
    e.DefinitionMigrated: ("UPDATE runs SET definition = :definition WHERE run = :run",),
}

_OF_STEPS: Final[Mapping[type[Event], Statements]] = {
    e.StepEntered: (
        """
        INSERT INTO steps (run, step, seq, status, visits)
        VALUES (:run, :step, :seq, 'running', :visit)
        ON CONFLICT DO UPDATE SET status = 'running', visits = :visit
        """,
    ),
    e.StepPassed: (_step("status = 'passed'"),),
    e.StepFailed: (_step("status = 'failed'"),),
    e.StepSkipped: (_step("status = 'skipped', last_verdict = 'skipped'"),),
    e.LaunchRefused: (_step("last_verdict = :kind"),),
    e.AttemptStarted: (
        """
        INSERT OR REPLACE INTO attempts
            (run, step, visit, slot, attempt, seq, role, cli, status, started_at)
        VALUES (:run, :step, :visit, :slot, :attempt, :seq, :role, :cli, 'started', :at)
        """,
        _step("role = :role, attempts = attempts + 1"),
    ),
    e.KnowledgeInjected: (
        """
        INSERT OR IGNORE INTO knowledge_uses (run, seq, path, fingerprint, status)
        SELECT :run, :seq, value ->> 'path', value ->> 'fingerprint', 'open'
        FROM json_each(:documents)
        WHERE NOT EXISTS (
            SELECT 1 FROM knowledge_uses AS open
            WHERE open.run = :run AND open.status = 'open' AND open.path = value ->> 'path'
        )
        """,
    ),
    e.PromptSent: (
        "UPDATE attempts SET prompt = :prompt, redactions = redactions + :redactions "
        + _OF_ATTEMPT,
    ),
    e.AttemptSucceeded: (
        _attempt_ended(
            "iif(:meaning = 'fail', 'failed', 'succeeded')",
            "category = iif(:meaning = 'fail', 'logic', NULL)",
            "said = :said",
            "answer = :answer",
            *_CONSUMED,
        ),
        _step("last_verdict = :said"),
        Guarded(f"{QA_FAILED} AND :meaning = 'reject'", lambda it: it["meaning"] == "reject"),
    ),
    e.AttemptFailed: (
        _attempt_ended(
            "'failed'",
            "category = :category",
            "reason = :reason",
            "exit_code = :exit_code",
            *_CONSUMED,
        ),
        _step("last_verdict = :category"),
    ),
    e.AttemptCancelled: (_attempt_ended("'cancelled'"),),
    e.AttemptLost: (_attempt_ended("'lost'", "kept = :kept"),),
}

_VERDICT: Final = Guarded(
    "INSERT OR REPLACE INTO verdicts (key, seq) SELECT :key, :seq"
    " WHERE :key IS NOT NULL AND NOT :is_reused",
    lambda it: it["key"] is not None and not it["is_reused"],
)

_OF_GATES_AND_PEOPLE: Final[Mapping[type[Event], Statements]] = {
    e.GateStarted: (
        """
        INSERT INTO gates (run, seq, step, visit, slot, gate, snapshot, started_at)
        VALUES (:run, :seq, :step, :visit, :slot, :gate, :snapshot, :at)
        """,
    ),
    e.GateEnded: (
        _gate_ended(
            ":verdict",
            ":reason",
            "output = :output",
            "exit_code = :exit_code",
            "tests = :tests",
            "findings = :findings",
            "report = :report",
            "feedback = :feedback",
            "is_reused = :is_reused",
        ),
        _step(f"last_verdict = ({_WORST_VERDICT})"),
        _VERDICT,
        Guarded(f"{QA_FAILED} AND :verdict = 'failed'", lambda it: it["verdict"] == "failed"),
    ),
    e.BaselineEnded: (_VERDICT,),
    e.ClaimsRefuted: (
        """
        INSERT OR REPLACE INTO claims
            (run, step, visit, attempt, role, cli, files, tests, commits)
        VALUES (:run, :step, :visit, :attempt, :role, :cli, :files, :tests, :commits)
        """,
    ),
    e.GateLost: (_gate_ended("'not_run'", "'Its owner died before the gate ended.'"),),
    e.GateCancelled: (_gate_ended("'not_run'", "'The gate was stopped because its run ended.'"),),
    e.ApprovalRequested: (
        """
        INSERT INTO approvals
            (run, seq, step, visit, slot, reason, tree, snapshot, question, asked_at,
                level, action, needs, approvers, because)
        VALUES (:run, :seq, :step, :visit, :slot, :reason, :tree, :commit, :question, :at,
            :assessment_level, :assessment_action, coalesce(:assessment_needs, 1),
            coalesce(:assessment_approvers, '[]'), coalesce(:assessment_because, '[]'))
        """,
        _step("status = 'waiting'"),
    ),
    e.ApprovalGiven: (
        _answered("approved", is_approved=1, more=_WITH_NOTE),
        _step("status = 'running', last_verdict = 'approved'"),
    ),
    e.ApprovalLapsed: (
        _answered("nobody_objected", is_approved=1),
        _step("status = 'running', last_verdict = 'approved'"),
    ),
    e.ApprovalRefused: (
        _answered("rejected", is_approved=0, more=_WITH_NOTE),
        _step("status = 'running', last_verdict = 'rejected'"),
    ),
    e.ChangeEdited: (
        _answered("edited", is_approved=0, more=_BY_PERSON),
        _step("status = 'running', last_verdict = 'edited'"),
    ),
    e.ApprovalCounted: (
        """
        INSERT INTO votes (run, seq, step, visit, slot, tree, person, note, voted_at)
        VALUES (:run, :seq, :step, :visit, :slot, :tree, :person, :note, :at)
        """,
    ),
    e.CommentMade: (
        """
        INSERT INTO comments
            (run, number, seq, step, visit, tree, file, line, text, person, made_at, side, quote)
        VALUES (:run, :number, :seq, :step, :visit, :tree, :file, :line, :text, :person, :at,
            :side, :quote)
        """,
    ),
}


def _notice(status: str, *more: str) -> str:
    changes = ", ".join((f"status = '{status}'", "ended_at = :at", *more))
    return f"UPDATE notices SET {changes} WHERE key = :key"


_OF_THE_REST: Final[Mapping[type[Event], Statements]] = {
    e.IntegrationLanded: ("UPDATE runs SET landed = :commit WHERE run = :run",),
    e.TimerSet: (
        """
        INSERT INTO timers (run, timer, status, due, parks)
        VALUES (:run, :timer, 'set', :due, :parks)
        ON CONFLICT DO UPDATE SET status = 'set', due = :due, parks = :parks
        """,
    ),
    e.TimerFired: (_timer("fired"),),
    e.TimerCancelled: (_timer("cancelled"),),
    e.PermitRequested: (
        """
        INSERT INTO permits (permit, run, status, places, since)
        VALUES (:permit, :run, 'requested', :limit, :at)
        ON CONFLICT DO UPDATE SET status = 'requested', places = :limit, since = :at
        """,
    ),
    e.PermitGranted: (_permit("held"),),
    e.PermitReleased: (_permit("released"),),
    e.ChildStarted: (
        """
        INSERT OR REPLACE INTO children (parent, child, seq, step, visit, slot, status)
        VALUES (:run, :child, :seq, :step, :visit, :slot, 'queued')
        """,
    ),
    e.ChildCancelRequested: (
        "UPDATE children SET cancel_requested_at = :at WHERE parent = :run AND child = :child",
    ),
    e.ChildEnded: (
        "UPDATE children SET status = :status, outcome = :outcome_kind, reason = :outcome_reason"
        " WHERE parent = :run AND child = :child",
    ),
    p.PermitTaken: (_permit("held"),),
    p.PermitFreed: (_permit("released"),),
    p.ArtifactErased: (),
    p.FailureCounted: (),
    p.TrialStarted: (),
    p.BreakerClosed: (),
    p.BudgetReserved: (),
    p.BudgetSettled: (),
    p.AccountsClosed: (),
    p.NoticeOwed: (
        """
        INSERT OR REPLACE INTO notices
            (key, seq, run, about, severity, words, status, channels, owed_at)
        VALUES (:key, :seq, :run, :about, :severity, :words, 'owed', :channels, :at)
        """,
    ),
    p.NoticeTaken: (),
    p.NoticeDelivered: (_notice("delivered", "channels = :channels, reason = :reason"),),
    p.NoticeFailed: (_notice("failed", "reason = :reason"),),
    p.NoticeDropped: (_notice("dropped"),),
    p.TaskNumbered: (),
}

_RULES: Final[Mapping[type[Event], Statements]] = {
    **_OF_THE_RUN,
    **_OF_STEPS,
    **_OF_GATES_AND_PEOPLE,
    **_OF_THE_REST,
    **SESSION_RULES,
}


def _usual(kind: type[Event]) -> Statements:
    """Let a fact that has its place in a run tell what its step has come to, if it says so."""
    if not issubclass(kind, e.PlacedEvent):
        raise InternalError(f"No rule says what {kind.__name__} does to the tables.")
    word = kind.step_verdict
    if word is None:
        return ()
    return (_step(f"last_verdict = {word if word.startswith(':') else repr(word)}"),)


RULES: Final[Mapping[type[Event], Statements]] = {
    kind: _RULES[kind] if kind in _RULES else _usual(kind) for kind in EVENT_KINDS
}
"""Every kind of fact of the kernel, also those that no table shows."""


def rule_of(kind: type[Event]) -> Statements:
    """Return what a kind of fact does to the tables; only a driver's own asks the drivers."""
    if kind in RULES:
        return RULES[kind]
    for found in all_slices():
        if kind in found.rules:
            return (*found.tables.values(), *found.rules[kind])
    return () if kind in stream_events() else _usual(kind)
