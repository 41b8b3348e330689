"""How a worker reaches the outside: hosts on its list, and its model through the broker."""

from collections.abc import Mapping

from supervisor_ai.engine.ports.sandbox import BrokerRoute, Egress
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.workers.environment import expand


def way_out(request: WorkerRequest, user: Mapping[str, str]) -> Egress | None:
    """Gather the ways out of an attempt; None where there are none at all."""
    broker = request.cli.broker
    if broker is None and not request.egress:
        return None
    return Egress(
        on_refusal=request.on_refusal,
        allow=request.egress,
        broker=_route(request, user),
        broker_variables=(broker.base_url,) if broker else (),
        tokens=request.tokens,
        cost_cap=request.cost_cap,
    )


def _route(request: WorkerRequest, user: Mapping[str, str]) -> BrokerRoute | None:
    broker = request.cli.broker
    if broker is None:
        return None
    name, _, value = broker.header.partition(": ")
    return BrokerRoute(
        upstream=broker.upstream,
        paths=broker.paths,
        header=name,
        secret=expand(request, value, user),
        is_local=broker.is_local,
    )
