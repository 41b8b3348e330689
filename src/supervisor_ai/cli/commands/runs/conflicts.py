"""`supervisor conflicts`."""

from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, optional_run_argument
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE

if TYPE_CHECKING:
    from supervisor_ai.control.queries.conflicts import ConflictView, Prediction

_SHOWN: Final = 5


class _Options(TypedDict):
    run: str | None
    as_json: bool


@verb(example="supervisor conflicts last --json")
@optional_run_argument
@json_option
@click.pass_obj
def conflicts(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Predict which runs will conflict when they are merged.

    The newest work of every run that is under way, and of every ended run whose branch is not
    merged yet, is merged on trial into the branch that the run started from and with each other
    run's work. A conflict is something that you will have to settle, an overlap a clean merge of
    two changes of the same file. Nothing is changed. The newest 20 such runs are compared.
    """
    prediction = _predict(invocation, options["run"])
    if options["as_json"]:
        more = {"truncated": True} if prediction.is_truncated else {}
        write_json({"conflicts": [_entry(it) for it in prediction.conflicts], **more})
    else:
        _show(prediction)
    return DONE


def _predict(invocation: Invocation, run: str | None) -> "Prediction":
    from supervisor_ai.bootstrap.projects import open_merges
    from supervisor_ai.control.queries.conflicts import Prediction, predict_conflicts

    records = invocation.records() if run is None else invocation.require_records()
    if records is None:
        return Prediction(conflicts=(), is_truncated=False)
    with open_merges(invocation.directory, invocation.settings) as merges:
        return predict_conflicts(records, merges, run)


def _entry(view: "ConflictView") -> dict[str, object]:
    return {"run": view.run, "with": view.other, "status": view.status, "files": view.files}


def _show(prediction: "Prediction") -> None:
    from supervisor_ai.cli.tables import fitted

    if not prediction.conflicts:
        say("There is nothing to merge.")
        return
    rows = [("RUN", "WITH", "STATUS", "FILES"), *map(_row, prediction.conflicts)]
    write("\n".join(fitted(rows)))
    if prediction.is_truncated:
        say("There are more runs; only the newest ones were compared.")


def _row(view: "ConflictView") -> tuple[str, ...]:
    from supervisor_ai.control.phrases import one_line
    from supervisor_ai.domain.file_names import shown_name
    from supervisor_ai.domain.redaction.redactor import RuleRedactor

    named = "\n".join(map(shown_name, view.files[:_SHOWN]))
    files = ", ".join(RuleRedactor().redact(named).text.splitlines())
    more = len(view.files) - _SHOWN
    return (
        view.run,
        one_line(view.other),
        view.status.value,
        f"{files} and {more} more" if more > 0 else files,
    )
