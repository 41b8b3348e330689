"""`supervisor demo loop`: a remit, three tasks and a supervisor, by a scripted agent."""

from typing import Final

from supervisor_ai.cli.demos.project import open_demo
from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.output import say, write
from supervisor_ai.control.commands.run_start import submit
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.loop.commands.start import LoopRequest, prepare_loop
from supervisor_ai.drivers.loop.queries.view import report_of

_REMIT: Final = "Say more than hello"


def show_loop(*, verbose: bool, as_json: bool) -> int:
    """Work on a remit: QA refuses a task once, a supervisor writes a rule and wants a cleanup."""
    demo = open_demo("supervisor_ai.definitions.loop", verbose=verbose, as_json=as_json)
    say(f"A small project with a scripted agent that plays every role: {demo.here.directory}")
    say(f"Remit: {_REMIT}. Nobody has said which functions that takes.")
    say("A planner plans task by task; QA refuses the second one once. After each task the code")
    say("style supervisor looks: first it writes down a rule, which the next tasks are told of;")
    say("then it wants a cleanup, which is planned, and done when the remit is complete.\n")
    prepared = prepare_loop(demo.here.preflight(), LoopRequest(remit=_REMIT))
    run = run_interruptibly(submit(demo.project, prepared, queued=False))
    code = demo.attendance.attend(run)
    if not as_json:
        write(f"\n{plain(report_of(demo.project.records, run))}".rstrip("\n"))
    demo.leave("loop show")
    return code
