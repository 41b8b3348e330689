"""The recipes that a target of a Makefile leads to; no function is called, no shell is asked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_RULE: Final = re.compile(r"(?P<targets>[^\s#:=][^#:=]{0,500}?)\s*::?(?!=)(?P<rest>[^=].*|)$")
_SET: Final = re.compile(
    r"(?:(?:override|export) )*\s*(?P<name>[\w.-]+)\s*(?P<how>[:?+]{0,3}=)\s*(?P<value>.*)$"
)
_INCLUDE: Final = re.compile(r"-?s?include\s+(?P<files>.+)$")
_USE: Final = re.compile(r"\$[({]([\w.-]+)[)}]")
_PREFIX: Final = "@-+ \t"
_DEPTH: Final = 6
_TARGETS: Final = 200
_LONGEST: Final = 4_000


@dataclass(slots=True)
class _Rule:
    needs: list[str] = field(default_factory=list)
    recipe: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Makefile:
    """What a Makefile says, as far as it can be told."""

    variables: dict[str, str] = field(default_factory=dict)
    includes: list[str] = field(default_factory=list)
    first: str | None = None
    _rules: dict[str, _Rule] = field(default_factory=dict)

    def take_in(self, text: str) -> None:
        """Read one file."""
        rules: list[_Rule] = []
        for line in text.replace("\\\n", " ").splitlines():
            if line.startswith("\t"):
                for rule in rules:
                    rule.recipe.append(line.lstrip(_PREFIX))
            elif line.strip() and not line.lstrip().startswith("#"):
                rules = self._line(line[:_LONGEST], rules)

    def _line(self, line: str, rules: list[_Rule]) -> list[_Rule]:
        if found := _SET.match(line):
            self._set(found["name"], found["how"], found["value"].partition(" #")[0].strip())
            return rules
        if found := _INCLUDE.match(line):
            self.includes += self.expanded(found["files"]).split()
            return []
        found = _RULE.match(line)
        return [] if found is None else list(self._rule(found["targets"], found["rest"]))

    def _set(self, name: str, how: str, value: str) -> None:
        if how == "+=":
            value = f"{self.variables.get(name, '')} {value}".strip()
        if how != "?=" or name not in self.variables:
            self.variables[name] = value

    def _rule(self, targets: str, rest: str) -> Iterator[_Rule]:
        needs, _, inline = rest.partition(";")
        for target in self.expanded(targets).split()[:_TARGETS]:
            if self.first is None and not target.startswith("."):
                self.first = target
            rule = self._rules.setdefault(target, _Rule())
            rule.needs += self.expanded(needs).replace("|", " ").split()
            rule.recipe += [inline.lstrip(_PREFIX)] if inline.strip() else []
            yield rule

    def expanded(self, text: str, given: Mapping[str, str] | None = None) -> str:
        """Put in the values of variables; one that is not known is taken by its name: `python`."""
        values = {"MAKE": "make", "SHELL": "sh", **self.variables, **(given or {})}
        for _ in range(_DEPTH):
            put_in = _USE.sub(lambda use: values.get(use[1], use[1].lower()), text)[:_LONGEST]
            if put_in == text:
                break
            text = put_in
        return text.replace("$$", "$")

    def has(self, target: str) -> bool:
        """Tell whether a rule says how to make a target."""
        return target in self._rules

    def recipe(self, targets: list[str], given: Mapping[str, str]) -> Iterator[str]:
        """Yield the lines that making the targets runs, those of what they need first."""
        seen: set[str] = set()
        waits = [*reversed(targets)]
        while waits and len(seen) < _TARGETS:
            target = waits.pop()
            rule = self._rules.get(target)
            if rule is None or target in seen:
                continue
            seen.add(target)
            waits += reversed(rule.needs)
            yield from (self.expanded(line, given) for line in rule.recipe)
