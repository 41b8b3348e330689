"""What each agent is told, in one file each.

`python -m tests.unit.workers.installation.goldens` writes them anew.
"""

from itertools import product
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.agent_installation import InstallationScope
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.workers.installation.notations import with_entry
from supervisor_ai.workers.installation.recipe import RECIPES, Order, WantedEntry, find_recipe

PLACE: Final = Path(__file__).parents[3] / "fixtures" / "installed_agents"
ROLES: Final = (MemberRole.COORDINATOR, MemberRole.WORKER, MemberRole.OBSERVER)
CASES: Final = list(product(RECIPES, ROLES, InstallationScope))


def golden(agent: str, role: MemberRole, scope: InstallationScope) -> str:
    """Write all files of an installation, and what is offered, one after the other."""
    session = "sprint-1" if scope is InstallationScope.PROJECT else None
    order = Order(scope=scope, role=role, session=session, program=("supervisor",))
    recipe = find_recipe(agent)
    parts = []
    for wanted in recipe.wanted(order):
        if isinstance(wanted, WantedEntry):
            text = with_entry(wanted.notation, wanted.path, None, wanted.keys, wanted.value)
        else:
            text = wanted.text
        parts.append(f"=== {wanted.path}\n{text}")
    parts += [f"=== {offer.why}\n{offer.text}\n" for offer in recipe.offers(order)]
    parts += [f"=== {offer.why}\n{offer.text}\n" for offer in recipe.farewell(scope)]
    return "".join(parts)


def path(agent: str, role: MemberRole, scope: InstallationScope) -> Path:
    return PLACE / f"{agent}-{role.value}-{scope.value}.txt"


if __name__ == "__main__":
    PLACE.mkdir(exist_ok=True)
    for case in CASES:
        path(*case).write_text(golden(*case))
