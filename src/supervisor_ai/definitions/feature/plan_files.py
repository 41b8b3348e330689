"""Plans of features: read bounded and strictly, every mistake at once with its file and line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.definitions.feature.interfaces.confined_parser import ConfinedInterfaceParser
from supervisor_ai.definitions.feature.plan_edits import add_external, add_need
from supervisor_ai.definitions.feature.plan_outline import outline_of
from supervisor_ai.definitions.feature.shapes import (
    MOST_PHASES,
    ComponentShape,
    FeatureShape,
    PhaseShape,
    PlanShape,
)
from supervisor_ai.definitions.overlay.layers import fit
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath, unknown
from supervisor_ai.definitions.sources.yaml_document import Document, read_yaml
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.flaws import MOST_COMPONENTS, flaws_of
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import (
    CHECKPOINT,
    Component,
    ComponentId,
    Feature,
    FeaturePhase,
    Interface,
    PhaseId,
    component_id,
    phase_id,
)
from supervisor_ai.drivers.feature.plan.projects import FeatureProject, with_needs
from supervisor_ai.drivers.feature.ports import InterfaceParser

_OUTPUT: Final = "phase_output"
_MOST_STRANGERS: Final = 100
_MOST_LOOKS: Final = 200_000
"""How often a name is held against another one to find out who was meant."""
_Names = Mapping[str, ComponentId]


class YamlPlans:
    """Reads plans in the format of their files."""

    def __init__(self, interfaces: InterfaceParser | None = None) -> None:
        self._interfaces = interfaces or ConfinedInterfaceParser()

    def read(self, file: str, text: str, projects: Sequence[FeatureProject] = ()) -> Feature:
        """Read a plan; raises InvalidInput with every mistake, each with its line."""
        mistakes = FileMistakes()
        document = read_yaml(file, text, mistakes)
        if document is None:
            raise mistakes.error()
        document = _whole(document)
        fitted = fit(document.value, PlanShape, document, mistakes)
        # What does not fit is left out as a whole; so that the rest is looked at, it is outlined.
        is_whole = fitted is not None and not mistakes
        shape = fitted.shape.feature if fitted and is_whole else outline_of(document.value)
        feature = _Reading(document, mistakes, self._interfaces, projects).feature(shape)
        if mistakes:
            raise mistakes.error()
        return feature

    def with_need(self, text: str, phase: str, component: str, word: str) -> str | None:
        """Add what a component depends on to a plan; None where its text is too unusual."""
        return add_need(text, phase, component, word)

    def with_external(self, text: str, names: Sequence[str]) -> str | None:
        """Add imports that are packages to a plan; None where its text is too unusual."""
        return add_external(text, names)

    def forms(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Say of each interface who looked at its text and what is wrong with it."""
        return self._interfaces.parse(interfaces)


def open_plan_reader(project: Callable[[], SliceProject]) -> YamlPlans:
    """Make the reader, which needs nothing of the project."""
    del project
    return YamlPlans()


def _whole(document: Document) -> Document:
    """Read what a tech lead says of one phase as the plan of a feature that its file names."""
    value = document.value
    if not isinstance(value, dict) or list(value) != [_OUTPUT]:
        return document
    name, said = PurePath(document.file).stem, value[_OUTPUT]
    phase = {"id": "phase", **said} if isinstance(said, dict) else said
    below = ("feature", "phases", 0)
    return replace(
        document,
        value={"feature": {"id": name, "title": name, "phases": [phase]}},
        lines={(*below, *path[1:]): line for path, line in document.lines.items()},
    )


class _Reading:
    """Puts one plan together, and notes what does not fit."""

    def __init__(
        self,
        document: Document,
        mistakes: FileMistakes,
        interfaces: InterfaceParser,
        projects: Sequence[FeatureProject],
    ) -> None:
        self._document = document
        self._mistakes = mistakes
        self._interfaces = interfaces
        self._projects = {it.name: it for it in projects}
        self._paths: dict[ComponentId, KeyPath] = {}
        self._strangers = 0

    def feature(self, shape: FeatureShape) -> Feature:
        order = _order(shape)
        ids = {at: phase_id(shape.id, number) for number, at in enumerate(order, 1)}
        self._refuse_twins(shape)
        names = self._names(shape, ids)
        feature = Feature(
            id=shape.id,
            title=shape.title or shape.id,
            description=shape.description,
            overlaps=shape.overlaps,
            external=tuple(shape.external),
            phases=tuple(self._phase(shape, at, ids[at], names) for at in order),
        )
        self._refuse_strangers()
        named = [it.project for it in feature.components if it.project is not None]
        feature = replace(feature, projects=with_needs(named, self._projects))
        self._refuse_flaws(feature)
        self._refuse_uses(feature)
        self._refuse_forms(feature, order)
        return feature

    def _refuse_twins(self, shape: FeatureShape) -> None:
        """Refuse ids and interfaces that are there twice, and more than can be built."""
        self._refuse_same([(it.id, ("phases", at)) for at, it in enumerate(shape.phases)], "phase")
        interfaces: list[tuple[str, KeyPath]] = []
        count = 0
        for at, phase in enumerate(shape.phases):
            parts: list[tuple[str, KeyPath]] = [
                (it.id, ("phases", at, "components", n)) for n, it in enumerate(phase.components)
            ]
            if phase.checkpoint is not None:
                parts.append((CHECKPOINT, ("phases", at, "checkpoint")))
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
            if phase.checkpoint is not None:
                full = component_id(ids[at], len(phase.components) + 1)
                self._paths[full] = ("phases", at, "checkpoint")
                names |= {f"{phase.id}.{CHECKPOINT}": full, full: full}
        return names

    def _phase(self, shape: FeatureShape, at: int, id_: PhaseId, names: _Names) -> FeaturePhase:
        phase = shape.phases[at]
        components = tuple(
            self._within(
                self._component(it, component_id(id_, number), id_, phase.id, names),
                it.project or phase.project,
            )
            for number, it in enumerate(phase.components, 1)
        )
        return FeaturePhase(
            id=id_,
            name=phase.id,
            sequence=_sequence(shape, at),
            title=phase.title or phase.id,
            start_when=phase.start_when,
            components=(*components, *_checkpoint(phase, id_, components)),
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
                self._unknown(id_, word, within, names)
        return Component(
            id=id_,
            name=it.id,
            phase=phase,
            title=it.title or it.id,
            description=it.description,
            files=tuple(dict.fromkeys(it.files)),
            depends_on=tuple(known for known in found.values() if known is not None),
            uses=None if it.uses is None else tuple(it.uses),
            role=it.role,
            workflow=it.workflow,
            cli=it.cli,
            estimate=it.estimate,
        )

    def _within(self, component: Component, name: str | None) -> Component:
        """Put a component into its project: its files lie there, and its roles build it."""
        if name is None:
            return component
        project = self._projects.get(name)
        path = self._paths[component.id]
        if project is None:
            self._note((*path, "project"), unknown("project", name, tuple(self._projects)))
            return component
        if project.roles and component.role not in {None, *project.roles}:
            roles = ", ".join(project.roles)
            problem = f"{component.role!r} is no role of the project {name!r}, which has {roles}"
            self._note((*path, "role"), problem)
        return replace(
            component,
            project=name,
            files=tuple(map(project.file, component.files)),
            role=component.role or next(iter(project.roles), None),
        )

    def _unknown(self, id_: ComponentId, word: str, within: str, names: _Names) -> None:
        self._strangers += 1
        if self._strangers > _MOST_STRANGERS:
            return
        path = self._entry((*self._paths[id_], "depends_on"), word)
        self._note(path, self._guess(id_, word, within, names))

    def _guess(self, id_: ComponentId, word: str, within: str, names: _Names) -> str:
        """Say who is not known and who was probably meant, as long as there is time to look."""
        if self._strangers * len(names) > _MOST_LOOKS:
            return f"unknown component {word!r}"
        elsewhere = next((name for name in names if name.endswith(f".{word}")), None)
        if elsewhere is not None:
            return f"unknown component {word!r} in this phase; did you mean {elsewhere!r}?"
        own = id_.split("-")[0]
        known = [it.removeprefix(f"{within}.") for it in names if not it.startswith(own)]
        return unknown("component", word, known)

    def _refuse_strangers(self) -> None:
        """Say how many more components are not known than were told."""
        if self._strangers > _MOST_STRANGERS:
            told = f"the first {_MOST_STRANGERS} are listed"
            self._note((), f"names {self._strangers} components that nobody knows; {told}")

    def _entry(self, path: KeyPath, word: str) -> KeyPath:
        """Find a word in a list of the file, in which others may be no words."""
        found = self._document.find("feature", *path)
        return (*path, found.index(word)) if isinstance(found, list) and word in found else path

    def _refuse_flaws(self, feature: Feature) -> None:
        """Refuse what would keep it from being built; of far too many phases no order."""
        if len(feature.phases) > MOST_PHASES:
            return
        for flaw in flaws_of(feature):
            self._note((*self._paths[flaw.component], flaw.key), flaw.problem)

    def _refuse_uses(self, feature: Feature) -> None:
        """Refuse components that depend on interfaces that nobody defines."""
        known = [it.name for it in feature.interfaces]
        for component in feature.components:
            for name in component.uses or ():
                if name not in known:
                    path = self._entry((*self._paths[component.id], "uses"), name)
                    self._note(path, unknown("interface", name, known))

    def _refuse_forms(self, feature: Feature, order: Sequence[int]) -> None:
        """Refuse interfaces that are not written in their own language."""
        written: dict[KeyPath, Interface] = {
            ("phases", at, "interfaces", number, "definition"): it
            for at, phase in zip(order, feature.phases, strict=True)
            for number, it in enumerate(phase.interfaces)
            if it.definition
        }
        forms = self._interfaces.parse(tuple(written.values()))
        for path, form in zip(written, forms, strict=True):
            if form.problem is not None:
                self._note(path, form.problem)

    def _note(self, path: KeyPath, problem: str) -> None:
        self._mistakes.add(self._document.place("feature", *path), problem)


def _checkpoint(
    phase: PhaseShape, id_: PhaseId, components: Sequence[Component]
) -> Iterator[Component]:
    """Let the checkpoint of a phase be its last part: it waits for all others, and writes none."""
    if phase.checkpoint is not None:
        yield Component(
            id=component_id(id_, len(components) + 1),
            name=CHECKPOINT,
            phase=id_,
            title=f"Checkpoint of {phase.title or phase.id}",
            depends_on=tuple(it.id for it in components),
            workflow=phase.checkpoint,
            is_checkpoint=True,
        )


def _order(shape: FeatureShape) -> list[int]:
    """Put phases into the order in which they are built."""
    return sorted(range(len(shape.phases)), key=lambda at: (_sequence(shape, at), at))


def _sequence(shape: FeatureShape, at: int) -> int:
    """Read the sequence of a phase; where it has none, its place in the file counts."""
    given = shape.phases[at].sequence
    return at + 1 if given is None else given
