"""Plans of features: read bounded and strictly, every mistake at once with its file and line."""

from collections.abc import Callable, Mapping, Sequence

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.definitions.feature.interface_forms import form_problem
from supervisor_ai.definitions.feature.shapes import ComponentShape, FeatureShape, PlanShape
from supervisor_ai.definitions.overlay.layers import fit
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath, unknown
from supervisor_ai.definitions.sources.yaml_document import Document, Value, read_yaml
from supervisor_ai.drivers.feature.plan.flaws import MOST_COMPONENTS, flaws_of
from supervisor_ai.drivers.feature.plan.model import (
    Component,
    ComponentId,
    Feature,
    FeaturePhase,
    Interface,
    PhaseId,
    component_id,
    phase_id,
)

_Names = Mapping[str, ComponentId]


class YamlPlans:
    """Reads plans in the format of their files."""

    def read(self, file: str, text: str) -> Feature:
        """Read a plan; raises InvalidInput with every mistake, each with its line."""
        mistakes = FileMistakes()
        document = read_yaml(file, text, mistakes)
        if document is None:
            raise mistakes.error()
        fitted = fit(document.value, PlanShape, document, mistakes)
        if fitted is None or _is_cut(document.value, fitted.shape):
            raise mistakes.error()
        feature = _Reading(document, mistakes).feature(fitted.shape.feature)
        if mistakes:
            raise mistakes.error()
        return feature


def open_plan_reader(project: Callable[[], SliceProject]) -> YamlPlans:
    """Make the reader, which needs nothing of the project."""
    del project
    return YamlPlans()


class _Reading:
    """Puts one plan together, and notes what does not fit."""

    def __init__(self, document: Document, mistakes: FileMistakes) -> None:
        self._document = document
        self._mistakes = mistakes
        self._paths: dict[ComponentId, KeyPath] = {}

    def feature(self, shape: FeatureShape) -> Feature:
        order = sorted(range(len(shape.phases)), key=lambda at: (_sequence(shape, at), at))
        ids = {at: phase_id(shape.id, number) for number, at in enumerate(order, 1)}
        self._refuse_twins(shape)
        names = self._names(shape, ids)
        feature = Feature(
            id=shape.id,
            title=shape.title or shape.id,
            description=shape.description,
            overlaps=shape.overlaps,
            phases=tuple(self._phase(shape, at, ids[at], names) for at in order),
        )
        self._refuse_flaws(feature)
        self._refuse_forms(feature, order)
        return feature

    def _refuse_twins(self, shape: FeatureShape) -> None:
        """Refuse ids and interfaces that are there twice, and more than can be built."""
        self._refuse_same([(it.id, ("phases", at)) for at, it in enumerate(shape.phases)], "phase")
        interfaces: list[tuple[str, KeyPath]] = []
        count = 0
        for at, phase in enumerate(shape.phases):
            parts = [
                (it.id, ("phases", at, "components", n)) for n, it in enumerate(phase.components)
            ]
            self._refuse_same(parts, "component")
            interfaces += [
                (it.name, ("phases", at, "interfaces", n)) for n, it in enumerate(phase.interfaces)
            ]
            count += len(parts)
        self._refuse_same(interfaces, "interface")
        if count > MOST_COMPONENTS:
            self._note((), f"has {count} components, at most {MOST_COMPONENTS}")

    def _refuse_same(self, named: Sequence[tuple[str, KeyPath]], noun: str) -> None:
        first: dict[str, KeyPath] = {}
        for name, path in named:
            known = first.setdefault(name, path)
            if known is not path:
                line = self._document.place("feature", *known).line
                self._note(path, f"the {noun} {name!r} is there twice, first in line {line}")

    def _names(self, shape: FeatureShape, ids: Mapping[int, PhaseId]) -> _Names:
        """Know each component as `phase.component`, and by its full id."""
        names: dict[str, ComponentId] = {}
        for at, phase in enumerate(shape.phases):
            for number, it in enumerate(phase.components, 1):
                full = component_id(ids[at], number)
                self._paths[full] = ("phases", at, "components", number - 1)
                names |= {f"{phase.id}.{it.id}": full, full: full}
        return names

    def _phase(self, shape: FeatureShape, at: int, id_: PhaseId, names: _Names) -> FeaturePhase:
        phase = shape.phases[at]
        return FeaturePhase(
            id=id_,
            name=phase.id,
            sequence=_sequence(shape, at),
            title=phase.title or phase.id,
            start_when=phase.start_when,
            components=tuple(
                self._component(it, component_id(id_, number), id_, phase.id, names)
                for number, it in enumerate(phase.components, 1)
            ),
            interfaces=tuple(
                Interface(name=it.name, kind=it.type, definition=it.definition)
                for it in phase.interfaces
            ),
        )

    def _component(
        self, it: ComponentShape, id_: ComponentId, phase: PhaseId, within: str, names: _Names
    ) -> Component:
        found = {
            word: names.get(f"{within}.{word}") or names.get(word)
            for word in dict.fromkeys(it.depends_on)
        }
        for word, known in found.items():
            if known is None:
                self._unknown(id_, it.depends_on.index(word), word, within, names)
        return Component(
            id=id_,
            name=it.id,
            phase=phase,
            title=it.title or it.id,
            description=it.description,
            files=tuple(dict.fromkeys(it.files)),
            depends_on=tuple(known for known in found.values() if known is not None),
            role=it.role,
            workflow=it.workflow,
            cli=it.cli,
            estimate=it.estimate,
        )

    def _unknown(self, id_: ComponentId, index: int, word: str, within: str, names: _Names) -> None:
        elsewhere = [name for name in names if name.endswith(f".{word}")]
        known = elsewhere or [
            name.removeprefix(f"{within}.")
            for name in names
            if not name.startswith(id_.split("-")[0])
        ]
        if elsewhere:
            problem = f"unknown component {word!r} in this phase; did you mean {elsewhere[0]!r}?"
        else:
            problem = unknown("component", word, known)
        self._note((*self._paths[id_], "depends_on", index), problem)

    def _refuse_flaws(self, feature: Feature) -> None:
        for flaw in flaws_of(feature):
            self._note((*self._paths[flaw.component], flaw.key), flaw.problem)

    def _refuse_forms(self, feature: Feature, order: Sequence[int]) -> None:
        """Refuse interfaces that are not written in their own language."""
        for at, phase in zip(order, feature.phases, strict=True):
            for number, interface in enumerate(phase.interfaces):
                problem = form_problem(interface)
                if problem is not None:
                    self._note(("phases", at, "interfaces", number, "definition"), problem)

    def _note(self, path: KeyPath, problem: str) -> None:
        self._mistakes.add(self._document.place("feature", *path), problem)


def _is_cut(value: Value, shape: PlanShape) -> bool:
    """Tell whether components were left out for their mistakes, so that names would be missed."""
    match value:
        case {"feature": {"phases": list(phases)}}:
            written = [
                it["components"] for it in phases if isinstance(it, dict) and "components" in it
            ]
        case _:
            return True
    kept = [it.components for it in shape.feature.phases]
    counted = [len(it) for it in written if isinstance(it, list)]
    return len(phases) != len(kept) or counted != [len(it) for it in kept]


def _sequence(shape: FeatureShape, at: int) -> int:
    """Read the sequence of a phase; where it has none, its place in the file counts."""
    given = shape.phases[at].sequence
    return at + 1 if given is None else given
