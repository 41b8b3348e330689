"""Validates interfaces: by the tool of their kind in the sandbox, else by a parser, or not."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.interfaces.checks import (
    TOOLS,
    CheckScope,
    InterfaceCheck,
    Tool,
    is_end,
    on_files,
    on_project,
    own_programs,
    repeated,
    settings_files,
    verdict_of,
)
from supervisor_ai.drivers.feature.interfaces.effects import ValidateInterfaces
from supervisor_ai.drivers.feature.interfaces.events import InterfacesValidated
from supervisor_ai.drivers.feature.plan.interfaces import (
    InterfaceForm,
    interface_file,
    interface_text,
)
from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.drivers.feature.ports import InterfaceParser
from supervisor_ai.engine.effects.gates.command import run_command
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.engine.world import Operation


def redefined(
    interfaces: Sequence[Interface], definitions: Mapping[str, ArtifactHash], operation: Operation
) -> tuple[Interface, ...]:
    """Return interfaces with the definitions that hold by now."""
    return tuple(
        replace(it, definition=operation.text_of(definitions[it.name]))
        if it.name in definitions
        else it
        for it in interfaces
    )


class Validator:
    """Looks at interfaces in a snapshot."""

    def __init__(self, ports: Mapping[str, object]) -> None:
        self._ports = ports

    async def validate(
        self, effect: ValidateInterfaces, operation: Operation
    ) -> InterfacesValidated:
        """Find out for each kind whether the interfaces hold, and who says so."""
        parser = cast("InterfaceParser", self._ports["interfaces"])
        interfaces = redefined(effect.interfaces, effect.definitions, operation)
        wanted = (*map(interface_file, interfaces), *settings_files(), *own_programs())
        texts = await parser.read(effect.snapshot, wanted)
        forms = await parser.looked(interfaces)
        look = _Look(effect=effect, operation=operation, texts=texts)
        checks: list[InterfaceCheck] = []
        for kind in dict.fromkeys(it.kind for it in interfaces):
            pairs = [pair for pair in zip(interfaces, forms, strict=True) if pair[0].kind is kind]
            checks += await look.kind(kind, pairs)
        return InterfacesValidated(
            step=effect.step, visit=effect.visit, slot=effect.slot, checks=tuple(checks)
        )


_Pairs = Sequence[tuple[Interface, InterfaceForm]]


class _Look(Struct, frozen=True, kw_only=True):
    """One look at one snapshot."""

    effect: ValidateInterfaces
    operation: Operation
    texts: Mapping[str, str | None]

    async def kind(self, kind: InterfaceKind, pairs: _Pairs) -> list[InterfaceCheck]:
        """Look at the interfaces of a kind; what a parser refuses needs no tool."""
        parsed = self._parsed(kind, pairs)
        tool = TOOLS.get(kind)
        has_warnings = any(form.warnings for _, form in pairs)
        if parsed.verdict is Verdict.FAILED or tool is None or has_warnings:
            return [parsed]
        if self.effect.known is not None:
            known = repeated(self.effect.known, kind)
            again = [self._taken(it) or await self._run(tool, it) for it in known]
            return again or [parsed]
        return await self._first(tool, parsed, [interface_file(it) for it, _ in pairs])

    def _parsed(self, kind: InterfaceKind, pairs: _Pairs) -> InterfaceCheck:
        """Hold the files against what is locked, and say what a parser found."""
        by = pairs[0][1].by
        for interface, form in pairs:
            file = interface_file(interface)
            problem = form.problem and f"The interface {interface.name!r} {form.problem}."
            if self.texts[file] != interface_text(interface):
                problem = f"The file {file} is not as the interface was locked."
            if problem:
                report, _ = self.operation.keep(problem)
                reason = f"the interface in {file} is not valid"
                return _check(kind, form.by, Verdict.FAILED, reason=reason, report=report)
        return _check(kind, by, Verdict.PASSED if by else Verdict.NOT_RUN)

    async def _first(
        self, tool: Tool, parsed: InterfaceCheck, files: Sequence[str]
    ) -> list[InterfaceCheck]:
        """Find out which tool is installed, and whether the project holds before anybody builds."""
        for program in tool.places:
            if self.texts.get(program) is not None:
                # Whoever can change the repository could say what it finds.
                continue
            found = await self._working(tool, parsed, on_files(tool, program, files))
            if found is None:
                continue
            whole = on_project(tool, program, [it for it in self.texts if self.texts[it]])
            if not whole or found.verdict is Verdict.FAILED:
                return [found]
            project = await self._run(tool, replace(found, command=whole, scope=CheckScope.PROJECT))
            return [found, _as_before(project)]
        return [parsed]

    async def _working(
        self, tool: Tool, parsed: InterfaceCheck, commands: Iterable[tuple[str, ...]]
    ) -> InterfaceCheck | None:
        """Try commands until one works; None: the tool is not there."""
        for command in commands:
            found, code = await self._ran(tool, replace(parsed, by=tool.name, command=command))
            if found.verdict is not Verdict.NOT_RUN:
                return found
            if not is_end(code):
                break
        return None

    def _taken(self, wanted: InterfaceCheck) -> InterfaceCheck | None:
        """Refuse a change that brings the tool along by which it is judged."""
        program = wanted.command[0]
        if self.texts.get(program) is None:
            return None
        reason = f"the change has a file {program}, which is the tool that checks it"
        report, _ = self.operation.keep(f"{reason[0].upper()}{reason[1:]}. Remove it.")
        return replace(wanted, verdict=Verdict.FAILED, reason=reason, report=report)

    async def _run(self, tool: Tool, wanted: InterfaceCheck) -> InterfaceCheck:
        return (await self._ran(tool, wanted))[0]

    async def _ran(self, tool: Tool, wanted: InterfaceCheck) -> tuple[InterfaceCheck, int | None]:
        frame = self.effect.frame
        gate = replace(frame.gate, name=tool.name, command=wanted.command)
        ran = await run_command(replace(frame, gate=gate), self.operation, self.effect.snapshot)
        code = ran.result.exit_code if ran.result.end is SandboxEnd.EXITED else None
        has_worked = self.effect.known is not None
        verdict = verdict_of(tool, code, ran.text, has_worked=has_worked)
        reason = "" if verdict is Verdict.PASSED else ran.result.reason
        return replace(wanted, verdict=verdict, reason=reason, report=ran.output), code


def _as_before(project: InterfaceCheck) -> InterfaceCheck:
    """Blame nobody for what does not hold before anybody builds: it is not looked at again."""
    if project.verdict is Verdict.PASSED:
        return project
    return replace(project, verdict=Verdict.WARNED, reason="it does not pass before anybody builds")


def _check(
    kind: InterfaceKind,
    by: str,
    verdict: Verdict,
    *,
    reason: str = "",
    report: ArtifactHash | None = None,
) -> InterfaceCheck:
    return InterfaceCheck(kind=kind, by=by, verdict=verdict, reason=reason, report=report)
