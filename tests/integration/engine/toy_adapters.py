"""What the toy slice has in the rows above it: an adapter, a section of the config, a verb."""

from collections.abc import Callable
from typing import Final, cast

import click
from tests.integration.engine.toy_slice import BakerDriver, Oven, Recipe

from supervisor_ai.cli.interrupts import run_interruptibly
from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import write
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.commands.run_start import append_birth
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.slice_names import SliceGate, SliceName, SliceStep, SliceVerb
from supervisor_ai.control.slices import SliceProject
from supervisor_ai.definitions.config.merged import ConfigSection, MergedConfig
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.events import RunSubmitted


def open_oven(project: Callable[[], SliceProject]) -> Oven:
    """Light the oven of a project that has a place for it."""
    assert project().state.is_absolute()
    return Oven()


class BakeryShape(FileShape):
    """`bakery`: what is baked."""

    flour: str | None = None


def _flour(config: MergedConfig) -> str:
    return config.section("bakery", BakeryShape).flour or "wheat"


BAKERY: Final = ConfigSection(key="bakery", shape=BakeryShape, build=_flour)


@click.group(help="Bake bread")
def baker() -> None:
    """Bake bread."""


@verb(example="supervisor toy-baker bake --loaves 2", group=baker)
@click.option("--loaves", type=int, default=1, help="How many.")
@click.pass_obj
def bake(invocation: Invocation, loaves: int) -> int:
    """Bake loaves of the configured flour."""
    project = invocation.project()
    run = _submit(project, loaves)
    run_interruptibly(drive_family(project, run))
    write(run)
    return DONE


def _submit(project: OpenProject, loaves: int) -> RunId:
    base = project.repository.resolve(None)
    flour = cast("str", project.preflight.catalog.section(base.sha, "bakery"))
    run = project.world.ids.run_id()
    birth = RunSubmitted(
        task=project.keep("Bread"),
        driver=BakerDriver.name,
        workflow="bread",
        definition=project.world.documents.save(Recipe(flour=flour, loaves=loaves)),
        base=base,
        branch=f"ai/{run}",
        identity=project.repository.identity(),
        parent=None,
        root=run,
    )
    append_birth(project, run, birth, queued=False)
    return run


BAKER: Final = SliceName(
    BakerDriver.name,
    "tests.integration.engine.toy_slice",
    ports={"oven": f"{__name__}:open_oven"},
    section=f"{__name__}:BAKERY",
    verb=SliceVerb(place=f"{__name__}:baker", help="Bake bread"),
    gates=(
        SliceGate(
            "price_list",
            # The reader's process can import nothing but the product.
            look="supervisor_ai.gates.change.changelog:look_at_changelog",
            description="What is sold is on the list of prices",
        ),
    ),
    steps=(
        SliceStep(
            "bake",
            phrases="tests.integration.engine.toy_slice:BAKE_PHRASES",
            decider="tests.integration.engine.toy_slice:decide_bake",
            keys=("human_approval",),
        ),
    ),
)
