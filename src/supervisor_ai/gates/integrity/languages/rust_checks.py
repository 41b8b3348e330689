"""Finds what a Rust test checks."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.placing import COMPARISONS, Check, negated
from supervisor_ai.gates.integrity.languages.rust_code import (
    STYLE,
    arguments,
    called,
    is_constant,
    operator,
    owner,
    parts,
    truth,
)
from supervisor_ai.gates.integrity.languages.rust_values import (
    falls_back_to,
    plain_value,
    unwrapped,
)
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of
from supervisor_ai.gates.integrity.languages.tolerance import of_distance, within
from supervisor_ai.gates.integrity.languages.wording import (
    Names,
    aliases,
    bare,
    is_told,
    wording,
)
from supervisor_ai.gates.integrity.model import Strength

if TYPE_CHECKING:
    from tree_sitter import Node

_PREDICATES: Final = {
    **dict.fromkeys(("is_ok", "is_some", "is_ok_and", "is_some_and"), Strength.WEAK),
    **dict.fromkeys(("is_err", "contains", "starts_with", "ends_with"), Strength.PARTIAL),
    **dict.fromkeys(("is_match", "contains_key", "any", "all"), Strength.PARTIAL),
}
"""Methods that answer yes for many values; other methods are plain answers."""
_ASSERTED: Final = {  # of `cargo run` and the like: `command.assert().success()`
    **dict.fromkeys(("success", "failure"), Strength.WEAK),
    **dict.fromkeys(("stdout", "stderr", "code"), Strength.PARTIAL),
}
_EQUALITIES: Final = frozenset({"assert_eq", "assert_ne"})
_CLOSE: Final = frozenset({"assert_relative_eq", "assert_abs_diff_eq", "assert_approx_eq"})
_PLACEHOLDERS: Final = frozenset({"_", ".."})
_MAX_PARTS: Final = 50


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Finds checks where these names are known."""

    names: Names

    def of(self, node: "Node") -> Check | None:
        """Return what a call or a macro checks, or None if it checks nothing."""
        if node.type == "macro_invocation":
            return self._macro(node)
        found = self._called(node)
        is_optional = found is not None and called(node).startswith("debug_")
        if found is None or not is_optional or found.strength < Strength.EXACT:
            return found
        # A release build leaves it out.
        return replace(found, strength=Strength.PARTIAL)

    def _called(self, node: "Node") -> Check | None:
        name = called(node)
        plain = name.removeprefix("debug_").removeprefix("prop_")
        given = arguments(node)
        is_function = (field(node, "function") or node).type != "field_expression"
        if plain == "assert" and is_function and given:
            return self.condition(given[0], holds=True)
        if plain in _EQUALITIES | _CLOSE and len(given) > 1:
            return self._compared(plain, given)
        if name in _ASSERTED and "assert" in source_of(owner(node)):
            subject = wording(owner(node), STYLE, self.names)
            text = wording(node, STYLE, self.names)
            return Check(text=text, subject=subject, strength=_ASSERTED[name])
        return None

    def condition(self, node: "Node", *, holds: bool) -> Check:
        """Return what is checked by failing unless a condition holds, or does not hold."""
        node, holds = _without_not(node, holds=holds)
        sign = "" if holds else "!"
        return Check(
            text=f"assert({sign}{wording(node, STYLE, self.names)})",
            subject=self._subject(node),
            strength=self._strength(node, holds=holds),
        )

    def _compared(self, name: str, given: list["Node"]) -> Check:
        left, right = given[:2]
        is_swapped = self._is_plain(left) and not self._is_plain(right)
        is_swapped = is_swapped or source_of(left).startswith(("expected", "want"))
        subject, wanted = (right, left) if is_swapped else (left, right)
        asked, is_error = unwrapped(wording(_borrowed(subject), STYLE, self.names))
        value = plain_value(wording(_borrowed(wanted), STYLE, self.names))
        value = f"Err({value})" if is_error else value
        options = [self._worded(each) for each in given[2:] if name in _CLOSE]
        return Check(
            text=f"{name}({', '.join((asked, value, *options))})",
            subject=asked,
            strength=self._near(wanted, given[2:])
            if name in _CLOSE
            else self._equality(name, subject, wanted),
        )

    def _near(self, wanted: "Node", options: list["Node"]) -> Strength:
        """Weigh a comparison with a tolerance; what libraries take without one is small."""
        found = [within(source_of(each), source_of(wanted)) for each in options]
        return min((each for each in found if each is not None), default=Strength.EXACT)

    def _equality(self, name: str, subject: "Node", wanted: "Node") -> Strength:
        if self._is_same(subject, wanted) or self._is_constant(subject):
            return Strength.NONE
        kind = source_of(bare(wanted, STYLE))
        if kind in ("true", "false"):
            return self._strength(subject, holds=(kind == "true") is (name == "assert_eq"))
        if name == "assert_ne":
            return Strength.WEAK
        asked, value = self._worded(subject), self._worded(wanted)
        is_hidden = falls_back_to(asked, value)
        return Strength.WEAK if is_told(asked, value) or is_hidden else Strength.EXACT

    def _strength(self, node: "Node", *, holds: bool) -> Strength:
        """Weigh the parts of a condition; who must hold together count as the strongest."""
        waiting, kinds = [(node, holds)], []
        weighed: list[Strength] = []
        while waiting and len(weighed) < _MAX_PARTS:
            part, wanted = waiting.pop()
            part, wanted = _without_not(part, holds=wanted)
            if truth(part, self._scalars) is not None:
                return Strength.NONE
            if part.type == "binary_expression" and operator(part) in ("&&", "||"):
                kinds.append((operator(part) == "&&") is wanted)
                sides = (field(part, "left"), field(part, "right"))
                waiting.extend((side, wanted) for side in sides if side is not None)
            else:
                weighed.append(self._part(self._resolved(part), holds=wanted))
        if not weighed:
            return Strength.NONE
        # Where one of several is enough, not even the best of them is pinned down.
        return max(weighed) if all(kinds) else min([*weighed, Strength.PARTIAL])

    def _part(self, node: "Node", *, holds: bool) -> Strength:
        if node.type == "macro_invocation":
            found = self._macro(node)
            strength = Strength.EXACT if found is None else found.strength
            return strength if holds else negated(strength)
        if node.type == "call_expression":
            return self._answered(node, holds=holds)
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None or operator(node) not in COMPARISONS:
            return Strength.WEAK
        if self._is_same(left, right) or (self._is_constant(left) and self._is_constant(right)):
            return Strength.NONE
        strength = COMPARISONS[operator(node)][0 if holds else 1]
        if strength is Strength.PARTIAL:
            return of_distance(self._worded(left), self._worded(right)) or strength
        if strength is Strength.EXACT and is_told(self._worded(left), self._worded(right)):
            return Strength.WEAK
        return strength

    def _worded(self, node: "Node") -> str:
        return wording(node, STYLE, self.names)

    def _answered(self, node: "Node", *, holds: bool) -> Strength:
        name, value = called(node), owner(node)
        if value is not None and self._is_constant(value):
            return Strength.NONE
        maker = source_of(field(self._resolved(value), "function")) if value is not None else ""
        if maker in ("Ok", "Some", "Err") and name in _PREDICATES:
            return Strength.NONE
        if name in ("is_ok", "is_err"):
            # Not to be an error is to be fine, and the other way round.
            is_fine = (name == "is_ok") is holds
            return Strength.WEAK if is_fine else Strength.PARTIAL
        strength = _PREDICATES.get(name, Strength.EXACT)
        return strength if holds or name not in _PREDICATES else negated(strength)

    def _macro(self, node: "Node") -> Check | None:
        """Read `matches!(value, pattern)` and assertions that are no calls."""
        name = called(node)
        is_matching = name == "matches" or "matches" in name
        if not (is_matching or name.startswith(("assert", "prop_assert", "debug_assert"))):
            return None
        given = parts(node.named_children[-1])
        subject = "".join(wording(each, STYLE, self.names) for each in given[0]) if given else ""
        words = [source_of(each) for part in given[1:] for each in part]
        strength = _of_pattern(given[1:]) if is_matching else Strength.PARTIAL
        return Check(
            text=f"{name}({subject}, {' '.join(words)})", subject=subject, strength=strength
        )

    @cached_property
    def _known(self) -> Names:
        """The names that stand for something that does not change."""
        return {**aliases(self.names, STYLE), **self._scalars}

    @cached_property
    def _scalars(self) -> Names:
        return {name: value for name, value in self.names.items() if is_constant(value)}

    def _is_constant(self, node: "Node") -> bool:
        return is_constant(node, self._scalars)

    def _is_plain(self, node: "Node") -> bool:
        return is_constant(node, self.names)

    def _is_same(self, left: "Node", right: "Node") -> bool:
        whole = [wording(_borrowed(side), STYLE, self.names) for side in (left, right)]
        if whole[0].removesuffix(".clone()") != whole[1].removesuffix(".clone()"):
            return False
        sides = [wording(_borrowed(side), STYLE, self._known) for side in (left, right)]
        return sides[0].removesuffix(".clone()") == sides[1].removesuffix(".clone()")

    def _resolved(self, node: "Node") -> "Node":
        node = bare(node, STYLE)
        known = node.type == "identifier"
        return bare(self.names.get(source_of(node), node), STYLE) if known else node

    def _subject(self, node: "Node") -> str:
        """Return what a condition is about."""
        for _ in range(_MAX_PARTS):
            node, _holds = _without_not(node, holds=True)
            inner = self._resolved(node)
            left, right = field(inner, "left"), field(inner, "right")
            if inner.type == "binary_expression" and left is not None and right is not None:
                is_swapped = self._is_plain(left) and not self._is_plain(right)
                node = right if is_swapped else left
            elif inner.type == "call_expression" and called(inner) in {*_PREDICATES, "is_none"}:
                node = owner(inner) or inner
                break
            else:
                break
        found = self._macro(node) if node.type == "macro_invocation" else None
        return found.subject if found else unwrapped(wording(_borrowed(node), STYLE, self.names))[0]


def _of_pattern(given: list[list["Node"]]) -> Strength:
    pattern = [source_of(each) for part in given for each in part]
    if not pattern or pattern == ["_"]:
        return Strength.NONE
    text = "".join(pattern)
    if text in ("Ok(_)", "Some(_)", "Ok(..)", "Some(..)"):
        return Strength.WEAK
    words = {word for each in pattern for word in each.replace("(", " ").replace(")", " ").split()}
    has_gaps = bool(words & _PLACEHOLDERS) or "_" in text.replace("(", ",").split(",")
    return Strength.PARTIAL if has_gaps or ".." in text or "_)" in text else Strength.EXACT


def _borrowed(node: "Node | None") -> "Node | None":
    while node is not None and node.type == "reference_expression":
        node = field(node, "value")
    return node


def _without_not(node: "Node", *, holds: bool) -> tuple["Node", bool]:
    node = bare(node, STYLE)
    while node.type == "unary_expression" and operator(node) == "!" and items(node):
        node, holds = bare(items(node)[0], STYLE), not holds
    return node, holds
