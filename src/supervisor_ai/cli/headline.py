"""How a run stands and what it is about, in one line."""

from supervisor_ai.cli.output import painted
from supervisor_ai.cli.run_details import Rows
from supervisor_ai.cli.tables import local_time, title
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.queries.run_views import RunView
from supervisor_ai.control.records import Records


def headline(run: RunView) -> str:
    """Say how a run stands; less than what was asked for is marked."""
    mark = " (degraded)" if run.degraded else ""
    return f"{painted(run.status)}{mark}  {title(run.task)}"


def wait(records: Records, run: RunView) -> Rows:
    """Say what a run waits for, and until when where a time is known."""
    row = records.queries.run(run.id)
    if row is None or row.waits_for is None:
        return
    if row.waits_until is not None:
        yield "waits", f"until {local_time(row.waits_until)}, then it goes on by itself"
    else:
        yield "waits", f"for {one_line(row.waits_for)}"


def spent(run: RunView) -> Rows:
    """Say what a run has consumed, and whether that is only estimated."""
    usage = run.usage
    if not (usage.tokens_in or usage.tokens_out or usage.cost):
        return
    tokens = f"{usage.tokens_in} tokens in, {usage.tokens_out} out"
    doubt = " (estimated)" if usage.estimated else ""
    yield "spent", f"{usage.cost:.4f} USD, {tokens}{doubt}"
