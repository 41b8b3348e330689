"""The contract of a team's events as the page about its files shows it."""

from supervisor_ai.drivers.team.decisions.bridge import BRIDGE, BridgeRow
from supervisor_ai.drivers.team.staffing.roles import TeamRole

HEAD = (
    "| event | producer | consumer | route | writes | next step | needs |\n"
    "|---|---|---|---|---|---|---|"
)


def contract_table() -> str:
    """Write the contract as a table."""
    return "\n".join([HEAD, *map(_row, BRIDGE.values())])


def _row(row: BridgeRow) -> str:
    everybody = {role.value for role in TeamRole}
    producers = {role.value for role in row.producers}
    members = everybody - {"lead", "supervisor"}
    names = {frozenset(everybody): "anybody", frozenset(members): "any member"}
    shown = names.get(frozenset(producers), ", ".join(role.value for role in row.producers))
    needs = ", ".join(row.needs) or "-"
    cells = (
        f"`{row.event}`",
        shown,
        ", ".join(row.consumers),
        row.route,
        row.write_owner.value,
        row.next_step,
        needs,
    )
    return f"| {' | '.join(cells)} |"
