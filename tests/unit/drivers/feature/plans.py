"""Plans of features for tests."""

from collections.abc import Sequence

from supervisor_ai.drivers.feature.plan.model import (
    Component,
    ComponentId,
    Feature,
    FeaturePhase,
    StartWhen,
    component_id,
    phase_id,
)

FEATURE = "P1T5"


def cid(phase: int, number: int) -> ComponentId:
    return component_id(phase_id(FEATURE, phase), number)


def component(
    phase: int,
    number: int,
    *,
    files: Sequence[str] = (),
    needs: Sequence[ComponentId] = (),
    cli: str | None = None,
    estimate: float | None = None,
) -> Component:
    return Component(
        id=cid(phase, number),
        name=f"part{number}",
        phase=phase_id(FEATURE, phase),
        files=tuple(files) or (f"src/{phase}/{number}.py",),
        depends_on=tuple(needs),
        cli=cli,
        estimate=estimate,
    )


def feature(*phases: Sequence[Component], start_when: StartWhen | None = None) -> Feature:
    return Feature(
        id=FEATURE,
        title="User Authentication System",
        phases=tuple(
            FeaturePhase(
                id=phase_id(FEATURE, number),
                name=f"phase{number}",
                sequence=number,
                components=tuple(components),
                start_when=start_when or StartWhen.PHASES_COMPLETED,
            )
            for number, components in enumerate(phases, 1)
        ),
    )
