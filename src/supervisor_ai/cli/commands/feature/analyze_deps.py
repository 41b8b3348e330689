"""`supervisor analyze-deps`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, cast

import click

from supervisor_ai.cli.commands.feature.office import open_office
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, yes_option
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.drivers.feature.commands.dependencies import (
    Edge,
    code_of,
    with_edges,
    with_external,
)
from supervisor_ai.drivers.feature.commands.plans import KeptPlan, find_plan, keep_plan
from supervisor_ai.drivers.feature.commands.start import known_component
from supervisor_ai.drivers.feature.plan.detection import (
    DetectedDependencies,
    UnconfirmedImport,
    package_of,
)
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature
from supervisor_ai.drivers.feature.queries.dependencies import detected

if TYPE_CHECKING:
    from supervisor_ai.drivers.feature.ports import ImportReader

_ANSWERS: Final = ("component", "external", "skip")
_ACCEPT: Final = ("Y", "n", "edit")
_SHOWN: Final = 50


class _Options(TypedDict):
    feature: str
    yes: bool
    as_json: bool


@verb(example="supervisor analyze-deps P1T5", name="analyze-deps")
@click.argument("feature", metavar="FEATURE")
@yes_option
@json_option
@click.pass_obj
def analyze_deps(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Find in the code which components need which.

    The files of components are read on the feature's branch, or where your checkout stands
    (Python, TypeScript, Go, Rust, Java). What you accept is added to the kept plan; of an import
    that nobody knows you are asked whether it is a component's. --yes accepts what was detected
    and skips the rest; --json only tells.
    """
    office = open_office(invocation)
    plan = find_plan(office, options["feature"])
    reader = cast("ImportReader", invocation.port("feature", "imports"))
    found = detected(reader, plan.feature, code_of(office, plan.feature.id))
    if options["as_json"] and not options["yes"]:
        write_json({"dependencies": found, "added": ()})
        return DONE
    if not options["as_json"]:
        write("\n".join(_told(plan.feature, found)))
    if not options["yes"] and not can_ask():
        if found.unplanned:
            say(f"Accept them: {invocation.command} analyze-deps {options['feature']} --yes")
        return DONE
    edges, external = _accepted(plan, found, is_asked=not options["yes"])
    if external:
        plan = with_external(office, plan, external)
        say(f"Remembered in {keep_plan(office, plan)}: {', '.join(map(one_line, external))}.")
    if edges:
        changed = with_edges(office, plan, edges)
        kept = keep_plan(office, changed)
        say(f"Added {len(edges)} to {kept}.")
    elif not options["as_json"]:
        say("Nothing was added to the plan.")
    if options["as_json"]:
        write_json({"dependencies": found, "added": edges})
    return DONE


def _names(feature: Feature) -> dict[ComponentId, str]:
    """Call each component as its phase does, where no other phase has one of that name."""
    used = Counter(it.name for it in feature.components)
    whole = feature.short_names()
    return {it.id: it.name if used[it.name] == 1 else whole[it.id] for it in feature.components}


def _told(feature: Feature, found: DetectedDependencies) -> Iterator[str]:
    names = _names(feature)
    if not found.edges:
        yield "Detected no dependencies."
    else:
        yield "Detected dependencies:"
    for it in found.edges[:_SHOWN]:
        planned = "" if it.is_planned else "  [not in the plan]"
        yield (
            f'  {names[it.component]} → {names[it.needs]} (from: "{one_line(it.statement)}")'
            f"{planned}"
        )
    if len(found.edges) > _SHOWN:
        yield f"  and {len(found.edges) - _SHOWN} more"
    if found.unconfirmed:
        yield ""
        yield "  [!] Unconfirmed:"
    for unknown in found.unconfirmed[:_SHOWN]:
        yield (
            f"  {names[unknown.component]} → {one_line(unknown.name)}"
            f' (from: "{one_line(unknown.statement)}")'
        )
    if len(found.unconfirmed) > _SHOWN:
        yield f"  and {len(found.unconfirmed) - _SHOWN} more"


def _accepted(
    plan: KeptPlan, found: DetectedDependencies, *, is_asked: bool
) -> tuple[tuple[Edge, ...], tuple[str, ...]]:
    """Ask what is taken into the plan, and what is a package; --yes takes what was detected."""
    edges: list[Edge] = [(it.component, it.needs) for it in found.unplanned]
    external: dict[str, None] = {}
    for unknown in found.unconfirmed[:_SHOWN] if is_asked else ():
        name = package_of(unknown.name)
        if name in external:
            continue
        answer, needs = _confirmed(plan.feature, unknown)
        edges += [(unknown.component, it) for it in needs]
        external |= {name: None} if answer == "external" else {}
    if not edges or not is_asked:
        return tuple(edges), tuple(external)
    match _ask("Accept detected dependencies?", _ACCEPT, default="Y").lower():
        case "n":
            edges = []
        case "edit":
            edges = list(_chosen(plan.feature, edges))
        case _:
            pass
    return tuple(dict.fromkeys(edges)), tuple(external)


def _ask(question: str, answers: Sequence[str], *, default: str) -> str:
    """Ask in the words of the seed; the enter key is the default."""
    answer: str = click.prompt(
        f"{question} [{'/'.join(answers)}]",
        type=click.Choice(answers, case_sensitive=False),
        default=default,
        show_choices=False,
        show_default=False,
        prompt_suffix=" ",
        err=True,
    )
    return answer


def _confirmed(feature: Feature, unknown: UnconfirmedImport) -> tuple[str, list[ComponentId]]:
    """Ask what an import is; return the answer, and the component where it is one's."""
    name = one_line(unknown.name)
    question = f"→ Is {name} a component or external package?"
    answer = _ask(question, _ANSWERS, default="skip")
    while answer == "component":
        word = click.prompt("Which component?", prompt_suffix=" ", err=True)
        needs = known_component(feature, word)
        # A plan may call all interfaces by one name, which is no component that one can need.
        if needs in feature.short_names() and needs != unknown.component:
            return answer, [needs]
        say(f"The feature {feature.id} has no other component {word!r}.")
    return answer, []


def _chosen(feature: Feature, edges: Sequence[Edge]) -> Iterator[Edge]:
    names = _names(feature)
    for component, needs in dict.fromkeys(edges):
        if click.confirm(f"{names[component]} → {names[needs]}?", default=True, err=True):
            yield component, needs
