"""Collects what the sources of a context plan name, the most important first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Final

from supervisor_ai.context.code_reader import CodeReader
from supervisor_ai.context.contents import Contents, Form
from supervisor_ai.context.diffs import Diffs
from supervisor_ai.context.material import bounded
from supervisor_ai.context.parts import ContextPart, Make
from supervisor_ai.context.path_rules import (
    INTERFACE_FILES,
    KNOWLEDGE_FILES,
    SECRET_FILES,
    PathRules,
    is_sane,
)
from supervisor_ai.context.targets import mentioned, named, rule_files
from supervisor_ai.context.tree import folded_tree, whole_tree
from supervisor_ai.control.ports.commits import ChangedPath, CommitFile
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import STORE
from supervisor_ai.domain.run.context_plan import Detail, Source, SourceKind
from supervisor_ai.engine.ports.context import PackRequest

HUGE: Final = 1024 * 1024
"""A larger file is listed only."""
_MOST_DIFFS: Final = 1_000
_MOST_DIFFED: Final = 16 * HUGE
"""How much of both sides of all changes is looked at."""
_REACH: Final = 24
"""Bytes that are looked at for each token of the budget: more could not fit even in outline."""
_LEAST_NAME: Final = 5
"""Tokens that even the name of a file costs at the least: more names than that cannot be shown."""
_MOST_NAMES: Final = 4
"""Names in a tree that one token stands for at most, each with the end of its line."""
_NAMED_ANYWAY: Final = 200
"""So many that are not shown are recorded one by one."""
_NO_DIFF: Final = "too large, made to hold secrets, of another kind than before, or too far down"
_FOLDED: Final = 3
_PLAN_EXCERPT: Final = 4_000


class Collector:
    """One request's files and the parts that its plan makes of them."""

    def __init__(
        self, request: PackRequest, contents: Contents, code: CodeReader, rules: PathRules
    ) -> None:
        self._request = request
        self._contents = contents
        self._code = code
        self._rules_of = rules.patterns
        self._visible_of = rules.visible
        self._secret = rules.patterns(SECRET_FILES)
        self._seen: dict[Form, set[str]] = {form: set() for form in Form}
        self._hidden = rules.patterns(request.hides)
        self._excluded = rules.patterns(request.plan.exclude)

    def parts(self) -> list[ContextPart]:
        """Return the parts of all sources, the most important first."""
        found: list[ContextPart] = []
        for place, source in enumerate(self._request.plan.sources):
            found += self._of_kind[source.kind](place, source)
        return found

    @cached_property
    def _files(self) -> Mapping[str, CommitFile]:
        return self._visible(self._request.commit)

    def _names(self, paths: Sequence[str]) -> Iterable[str]:
        """Return names as they may be shown; most often none of them has to be looked at alone."""
        together = "\n".join(paths)
        is_harmless = self._contents.name(together) == together
        return paths if is_harmless else map(self._contents.name, paths)

    @cached_property
    def _files_before(self) -> Mapping[str, CommitFile]:
        return self._visible(self._request.base)

    def _visible(self, commit: CommitSha) -> Mapping[str, CommitFile]:
        files = self._contents.files.list(commit)
        return self._visible_of(files, self._hidden, self._excluded)

    def _is_visible(self, path: str) -> bool:
        return is_sane(path) and not (self._hidden.match(path) or self._excluded.match(path))

    @cached_property
    def _changes(self) -> tuple[ChangedPath, ...]:
        changes = self._contents.files.changes(self._request.base, self._request.commit)
        return tuple(change for change in changes if self._is_visible(change.path))

    @cached_property
    def _named(self) -> dict[str, tuple[str, ...]]:
        return named(self._request.targets, self._files)

    @cached_property
    def _targets(self) -> tuple[str, ...]:
        if self._request.targets:
            return tuple(dict.fromkeys(path for paths in self._named.values() for path in paths))
        return mentioned(f"{self._request.task}\n{self._request.plan_text}", self._files)

    @cached_property
    def _work(self) -> tuple[str, ...]:
        """Return the targets or, where nobody named any, what the run has changed."""
        changed = (change.path for change in self._changes if change.path in self._files)
        return self._targets or tuple(changed)

    @property
    def _of_kind(self) -> dict[SourceKind, Callable[[int, Source], list[ContextPart]]]:
        return {
            SourceKind.FILES: self._matching,
            SourceKind.TARGET: self._target,
            SourceKind.IMPORTS: self._imported,
            SourceKind.CHANGED: self._changed,
            SourceKind.DIFF: self._diff,
            SourceKind.INTERFACES: partial(self._matching, usual=INTERFACE_FILES),
            SourceKind.PUBLIC_API: self._public_api,
            SourceKind.TREE: self._tree,
            SourceKind.PLAN: self._plan,
            SourceKind.KNOWLEDGE: self._knowledge,
            SourceKind.RULES: self._rules,
        }

    def _matching(
        self, place: int, source: Source, *, usual: tuple[str, ...] = ()
    ) -> list[ContextPart]:
        paths = self._chosen(source.patterns or usual)
        return self._shown(place, source, paths, "matches a pattern")

    def _knowledge(self, place: int, source: Source) -> list[ContextPart]:
        paths = self._chosen((*KNOWLEDGE_FILES, *source.patterns))
        return self._shown(place, source, paths, "is knowledge of the project")

    def _chosen(self, patterns: tuple[str, ...]) -> list[str]:
        """Choose files by patterns; who is told of the knowledge store is chosen elsewhere."""
        paths = self._rules_of(patterns).chosen(self._files)
        is_named = any(STORE in it for it in patterns)
        return [it for it in paths if is_named or not it.startswith(f"{STORE}/")]

    def _target(self, place: int, source: Source) -> list[ContextPart]:
        how = "was named as a target" if self._request.targets else "is named in the task"
        absent = [
            ContextPart(
                source=place,
                kind=source.kind,
                name=self._contents.name(target),
                reason="was named as a target",
                most=Detail.NONE,
                limited_by="no file of the commit is called so",
            )
            for target, paths in self._named.items()
            if not paths
        ]
        return [*self._shown(place, source, self._targets, how), *absent]

    def _imported(self, place: int, source: Source) -> list[ContextPart]:
        if not self._work:
            return []
        secret = frozenset(self._secret.chosen(self._files))
        readable = {
            path: file
            for path, file in self._files.items()
            if file.size <= HUGE and path not in secret
        }
        index = self._code.imports(
            {path: partial(self._contents.text, file) for path, file in readable.items()}
        )
        reached = dict.fromkeys(self._work)
        newest = [path for path in self._work if path in readable]
        for _ in range(source.depth):
            self._contents.load([readable[path] for path in newest])
            imported = (path for importer in newest for path in index.resolve(importer))
            newest = [
                path for path in dict.fromkeys(imported) if path in readable and path not in reached
            ]
            reached |= dict.fromkeys(newest)
        paths = [path for path in reached if path not in self._work]
        return self._shown(place, source, paths, "is imported by a target")

    def _changed(self, place: int, source: Source) -> list[ContextPart]:
        paths = [change.path for change in self._changes if change.path in self._files]
        return self._shown(place, source, paths, "was changed by the run")

    def _rules(self, place: int, source: Source) -> list[ContextPart]:
        paths = rule_files(self._work, self._files, self._request.model)
        return self._shown(place, source, paths, "rules for the targets; the nearest one wins")

    def _public_api(self, place: int, source: Source) -> list[ContextPart]:
        directories = {path.rpartition("/")[0] for path in self._work}
        near = (path for path in self._files if path.rpartition("/")[0] in directories)
        paths = dict.fromkeys((*self._work, *near)) if self._work else self._files
        why = "is a target or lies beside one" if self._work else "there is no target"
        return self._shown(place, source, paths, why, form=Form.PUBLIC_API)

    def _diff(self, place: int, source: Source) -> list[ContextPart]:
        packed = list(self._within_reach(filter(self._can_differ, self._changes)))[:_MOST_DIFFS]
        diffs = Diffs(self._contents, self._request.base, self._request.commit)
        diffs.load(packed, [side for change in packed for side in self._sides(change)])
        shown = {change.path for change in packed}
        names = self._names([change.path for change in self._changes])
        return [
            ContextPart(
                source=place,
                kind=source.kind,
                name=name,
                tag="diff",
                reason="was changed by the run",
                most=source.detail if change.path in shown else Detail.NAME,
                limited_by="" if change.path in shown else _NO_DIFF,
                makers={
                    Detail.FULL: partial(diffs.whole, change.path),
                    Detail.OUTLINE: partial(diffs.headings, change.path),
                },
            )
            for change, name in zip(self._changes, names, strict=True)
        ]

    def _within_reach(self, changes: Iterable[ChangedPath]) -> Iterator[ChangedPath]:
        """Take changes as long as they are not too much to be read at all."""
        reach = _MOST_DIFFED
        for change in changes:
            reach -= sum(side.size for side in self._sides(change))
            if reach < 0:
                return
            yield change

    def _can_differ(self, change: ChangedPath) -> bool:
        sides = self._sides(change)
        return not change.is_retyped and bool(sides) and all(map(self._is_readable, sides))

    def _sides(self, change: ChangedPath) -> list[CommitFile]:
        sides = (self._files_before.get(change.path), self._files.get(change.path))
        return [side for side in sides if side]

    def _tree(self, place: int, source: Source) -> list[ContextPart]:
        patterns = self._rules_of(source.patterns)
        paths = patterns.chosen(self._files) if source.patterns else list(self._files)
        room = int(self._request.plan.token_budget * source.share)
        is_hopeless = source.detail is Detail.FULL and len(paths) > room * _MOST_NAMES
        makers: dict[Detail, Make] = {
            Detail.FULL: lambda: self._contents.shown(whole_tree(paths)),
            Detail.OUTLINE: lambda: self._contents.shown(folded_tree(paths, _FOLDED)),
            Detail.NAME: lambda: self._contents.shown(folded_tree(paths, 1)),
        }
        part = self._text(place, source, "tree", makers, "the names of the files")
        if is_hopeless:
            part.most, part.limited_by = (
                Detail.OUTLINE,
                "too many names for the share of its source",
            )
        return [part]

    def _plan(self, place: int, source: Source) -> list[ContextPart]:
        text = self._request.plan_text
        makers: dict[Detail, Make] = {
            Detail.FULL: lambda: self._contents.shown(text),
            Detail.OUTLINE: lambda: self._contents.shown(bounded(text, _PLAN_EXCERPT)),
        }
        return [self._text(place, source, "plan", makers, "the plan")] if text else []

    def _text(
        self, place: int, source: Source, tag: str, makers: dict[Detail, Make], reason: str
    ) -> ContextPart:
        return ContextPart(
            source=place,
            kind=source.kind,
            name=tag,
            tag=tag,
            reason=reason,
            most=source.detail,
            makers=makers,
        )

    def _shown(
        self,
        place: int,
        source: Source,
        paths: Iterable[str],
        reason: str,
        *,
        form: Form = Form.WHOLE,
    ) -> list[ContextPart]:
        """Make parts of files, but for those that a more important source has brought already."""
        found = self._new(paths, form)
        most = self._request.plan.token_budget // _LEAST_NAME + _NAMED_ANYWAY
        limited = list(self._limited([self._files[path] for path in found[:most]]))
        open_files = [file for file, limit in limited if not limit]
        for each in dict.fromkeys((Form.WHOLE, _form_at(source.detail, form))):
            self._contents.load(open_files, each)
        parts = [
            ContextPart(
                source=place,
                kind=source.kind,
                name=name,
                reason=reason,
                size=file.size,
                most=Detail.NAME if limit else source.detail,
                limited_by=limit,
                makers=self._makers(file, form),
            )
            for (file, limit), name in zip(limited, self._names(found[:most]), strict=True)
        ]
        if len(found) > most:
            parts[-1].more = len(found) - most
        return parts

    def _makers(self, file: CommitFile, form: Form) -> dict[Detail, Make]:
        return {
            detail: partial(self._contents.get, file, _form_at(detail, form))
            for detail in (Detail.FULL, Detail.OUTLINE)
        }

    def _new(self, paths: Iterable[str], form: Form) -> list[str]:
        """Choose what neither this form nor the whole file was taken of, and take it."""
        seen, whole = self._seen[form], self._seen[Form.WHOLE]
        found = [path for path in dict.fromkeys(paths) if path not in seen and path not in whole]
        seen.update(found)
        return found

    def _limited(self, files: list[CommitFile]) -> Iterator[tuple[CommitFile, str]]:
        """Say of each file why only its name can be shown, if so."""
        reach = self._request.plan.token_budget * _REACH
        for file in files:
            if self._secret.match(file.path):
                yield file, "files of this name hold secrets"
            elif file.size > HUGE:
                yield file, "larger than 1 MB"
            elif reach <= 0:
                yield file, "too far down the list for the budget"
            else:
                reach -= file.size
                yield file, ""

    def _is_readable(self, file: CommitFile) -> bool:
        return file.size <= HUGE and not self._secret.match(file.path)


def _form_at(detail: Detail, form: Form) -> Form:
    """Return what is shown of a file at a level of detail, where it is wanted in a form."""
    return Form.OUTLINE if detail is Detail.OUTLINE and form is Form.WHOLE else form
