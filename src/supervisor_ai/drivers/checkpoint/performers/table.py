"""The performers of the driver's effects, each with the port that it needs."""

from collections.abc import Mapping
from functools import partial
from typing import cast

from supervisor_ai.control.ports.session_files import SessionFiles
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint.performers import checks, loads, records, residence, verdicts
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.world import Performers


def checkpoint_performers(files: SessionFiles) -> Performers:
    """Register who performs each effect of a supervisor."""
    return {
        **performer(d.ReadSession, partial(residence.read_session, files=files)),
        **performer(d.TellReady, partial(residence.tell_ready, files=files)),
        **performer(d.ReadBus, partial(residence.read_bus, files=files)),
        **performer(d.TellError, partial(residence.tell_error, files=files)),
        **performer(d.AnswerShutdown, partial(residence.answer_shutdown, files=files)),
        **performer(d.ClaimCheckpoint, partial(verdicts.claim, files=files)),
        **performer(d.LoadContext, partial(loads.load_context, files=files)),
        **performer(d.LoadRecord, records.load_record),
        **performer(d.RunChecks, checks.make_checks),
        **performer(d.WeighJudgement, checks.weigh_judgement),
        **performer(d.WriteReport, partial(checks.write_report, files=files)),
        **performer(d.CompleteCheckpoint, partial(verdicts.complete, files=files)),
        **performer(d.PublishState, partial(verdicts.publish, files=files)),
        **performer(d.Accumulate, partial(verdicts.keep_in_mind, files=files)),
        **performer(d.TellCoordinator, partial(verdicts.tell_coordinator, files=files)),
        **performer(d.SettleBlock, partial(verdicts.settle, files=files)),
    }


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the driver's effects with the adapters of its ports."""
    return checkpoint_performers(cast("SessionFiles", ports["files"]))
