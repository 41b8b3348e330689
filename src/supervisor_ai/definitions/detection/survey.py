"""What a project is made of, and what would suit it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.project_survey import Detected, PackAdvice, ProjectSurvey
from supervisor_ai.definitions.detection.built_files import built_files
from supervisor_ai.definitions.detection.facts import Facts, ProjectFact
from supervisor_ai.definitions.detection.python_layout import python_facts
from supervisor_ai.definitions.detection.reader import BoundedReader, looked_at
from supervisor_ai.definitions.detection.scanner import count_suffixes, scan
from supervisor_ai.definitions.detection.table import (
    Conditions,
    DetectionTable,
    InstallerRule,
    PackRule,
    builtin_table,
)
from supervisor_ai.definitions.detection.ways import detect_ways
from supervisor_ai.definitions.detection.workspace_members import member_facts

_MOST_REASONS: Final = 3


def survey_project(
    root: Path,
    paths: Iterable[str],
    find_agent: Callable[[str], object],
    cautions: tuple[str, ...] = (),
    ignored: Iterable[str] = (),
) -> ProjectSurvey:
    """Read the manifests of a project; nothing of it is run."""
    table = builtin_table()
    kept, reader = looked_at(paths, table.skip), BoundedReader(root)
    facts = Facts(scan(kept, reader, table.conditions))
    facts |= Facts((*python_facts(kept, facts, reader), *member_facts(facts)))
    languages = _languages(table, facts, kept)
    frameworks = _detected(table.frameworks, facts)
    services = _detected(table.services, facts)
    concluded = (("language", languages), ("framework", frameworks), ("service", services))
    facts |= Facts(
        ProjectFact(name=f"{kind}:{it.name}", evidence=it.evidence[0])
        for kind, found in concluded
        for it in found
    )
    ways = detect_ways(table, facts, frozenset(kept), built_files(ignored, kept, reader))
    return ProjectSurvey(
        languages=languages,
        frameworks=frameworks,
        services=services,
        installers=_installers(table.installers, facts),
        gates=ways[0].gates,
        ways=ways,
        packs=tuple(_advice(name, rule, facts) for name, rule in table.packs.items()),
        agents=tuple(filter(find_agent, table.agents)),
        cautions=cautions,
        unread=tuple(reader.unread),
    )


def _detected(rules: Mapping[str, Conditions], facts: Facts) -> tuple[Detected, ...]:
    found = ((name, facts.all_evidence(conditions)) for name, conditions in rules.items())
    return tuple(Detected(name=name, evidence=evidence) for name, evidence in found if evidence)


def _languages(table: DetectionTable, facts: Facts, paths: list[str]) -> tuple[Detected, ...]:
    counted = count_suffixes(paths)
    found = [
        Detected(
            name=it.name,
            evidence=it.evidence[:1],
            files=sum(counted[suffix] for suffix in table.languages[it.name]),
        )
        for it in _detected(table.languages, facts)
    ]
    return tuple(sorted(found, key=lambda it: (-(it.files or 0), it.name)))


def _installers(rules: Mapping[str, InstallerRule], facts: Facts) -> tuple[Detected, ...]:
    found = _detected({name: rule.when for name, rule in rules.items()}, facts)
    taken = {rules[it.name].ecosystem for it in found if not rules[it.name].fallback}
    return tuple(
        it for it in found if not rules[it.name].fallback or rules[it.name].ecosystem not in taken
    )


def _advice(name: str, rule: PackRule, facts: Facts) -> PackAdvice:
    reasons = list(_reasons(rule, facts))
    return PackAdvice(
        name=name,
        title=rule.title,
        roles=rule.roles,
        is_suggested=bool(reasons),
        reason=", ".join(reasons[:_MOST_REASONS]) if reasons else rule.otherwise,
    )


def _reasons(rule: PackRule, facts: Facts) -> Iterator[str]:
    for condition in rule.when:
        evidence = facts.evidence([condition])
        if evidence is not None:
            kind, _, found = condition.partition(":")
            is_named = kind not in {"file", "suffix", "toml", "package"}
            yield f"{found} in {evidence.text}" if is_named else evidence.text
