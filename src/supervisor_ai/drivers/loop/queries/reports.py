"""The report of a loop, as it was written at its end or as it would be now."""

from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.drivers.loop.events import WorkReportWritten
from supervisor_ai.drivers.loop.queries.view import state_of
from supervisor_ai.drivers.loop.report import write_report


def report_of(records: Records, run: RunId) -> str:
    """Return the report that was written; of a loop at work, what it would say now."""
    for envelope in records.log.read(run_stream(run)):
        if isinstance(envelope.event, WorkReportWritten):
            return records.text(envelope.event.report)
    return write_report(state_of(records, run).book, records.text)
