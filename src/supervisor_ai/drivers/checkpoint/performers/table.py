"""The performers of the driver's effects, each with the port that it needs."""

from collections.abc import Mapping
from functools import partial
from typing import cast

from supervisor_ai.control.ports.session_files import SessionFiles
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint.performers import checks, loads, records, residence, verdicts
from supervisor_ai.drivers.checkpoint.performers.door import SessionDoors
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.world import Performers


def checkpoint_performers(files: SessionFiles) -> Performers:
    """Register who performs each effect of a supervisor."""
    doors = SessionDoors(files)
    return {
        **performer(d.ReadSession, partial(residence.read_session, doors=doors)),
        **performer(d.TellReady, partial(residence.tell_ready, doors=doors)),
        **performer(d.ReadBus, partial(residence.read_bus, doors=doors)),
        **performer(d.PostponeRequest, partial(residence.postpone, doors=doors)),
        **performer(d.TellError, partial(residence.tell_error, doors=doors)),
        **performer(d.AnswerShutdown, partial(residence.answer_shutdown, doors=doors)),
        **performer(d.ClaimCheckpoint, partial(verdicts.claim, doors=doors)),
        **performer(d.LoadContext, partial(loads.load_context, doors=doors)),
        **performer(d.LoadRecord, records.load_record),
        **performer(d.RunChecks, checks.make_checks),
        **performer(d.WeighJudgement, checks.weigh_judgement),
        **performer(d.WriteReport, partial(checks.write_report, doors=doors)),
        **performer(d.CompleteCheckpoint, partial(verdicts.complete, doors=doors)),
        **performer(d.PublishState, partial(verdicts.publish, doors=doors)),
        **performer(d.Accumulate, partial(verdicts.keep_in_mind, doors=doors)),
        **performer(d.TellCoordinator, partial(verdicts.tell_coordinator, doors=doors)),
        **performer(d.SettleBlock, partial(verdicts.settle, doors=doors)),
    }


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the driver's effects with the adapters of its ports."""
    return checkpoint_performers(cast("SessionFiles", ports["files"]))
