"""The profile for macOS, read back by a parser of its language."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.sandbox import Mount, Profile
from supervisor_ai.sandboxes.seatbelt import (
    IS_EXPERIMENTAL,
    LIMITS,
    NOT_ENFORCED,
    SYSTEM_FILES,
    SYSTEM_PATHS,
    SeatbeltView,
    quoted,
    seatbelt_command,
    seatbelt_profile,
)

TOKEN = re.compile(r'\s*(?:([()])|"((?:[^"\\]|\\.)*)"|([^\s()"]+))', re.DOTALL)
ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
WORK = Path("/Users/me/state/workspace")
TOOL = Path("/Users/me/.cargo/bin")
TEMPORARY = Path("/private/var/folders/ab/T/supervisor")

Form = str | list["Form"]


class Text(str):
    """A string of the language, as opposed to a symbol."""

    __slots__ = ()


def parse(text: str) -> list[Form]:
    """Read all forms; whatever is no form is an error."""
    stack: list[list[Form]] = [[]]
    at = 0
    while text[at:].strip():
        token = TOKEN.match(text, at)
        assert token, text[at : at + 40]
        at = token.end()
        bracket, string, symbol = token.groups()
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            form = stack.pop()
            stack[-1].append(form)
        else:
            stack[-1].append(Text(unescape(string)) if string is not None else symbol)
    assert len(stack) == 1
    return stack[0]


def unescape(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code, other = found.groups()
        return chr(int(code, 16)) if code else str(other)

    return ESCAPE.sub(character, text)


def strings(form: Form) -> Iterator[str]:
    if isinstance(form, Text):
        yield str(form)
    elif isinstance(form, list):
        for part in form:
            yield from strings(part)


def rules(view: SeatbeltView, *head: str) -> list[list[Form]]:
    """Return the rules that begin so."""
    forms = [form for form in parse(seatbelt_profile(view)) if isinstance(form, list)]
    return [form for form in forms if form[: len(head)] == list(head)]


def make_view(
    *mounts: Mount, profile: Profile = Profile.EXECUTOR, port: int | None = None
) -> SeatbeltView:
    return SeatbeltView(
        profile=profile, mounts=mounts, tools=(TOOL,), temporary=TEMPORARY, port=port
    )


def shown(path: Path, *, is_writable: bool = False) -> Mount:
    return Mount(source=path, target=path, is_writable=is_writable)


WORKSPACE = shown(WORK, is_writable=True)
POINTER = shown(WORK / ".git")


def test_everything_is_denied_before_anything_is_allowed() -> None:
    forms = parse(seatbelt_profile(make_view(WORKSPACE, POINTER)))
    assert forms[:2] == [["version", "1"], ["deny", "default"]]
    assert all(isinstance(form, list) and form[0] in ("allow", "deny") for form in forms[1:])


def test_nothing_but_what_was_given_is_allowed() -> None:
    view = make_view(WORKSPACE, POINTER)
    given_paths = {*map(str, SYSTEM_PATHS), str(TOOL), str(WORK), str(TEMPORARY)}
    given_paths |= {str(WORK / ".git"), *map(str, SYSTEM_FILES)}
    for operation in ("file-read*", "file-write*", "process-exec", "file-write-data"):
        for rule in rules(view, "allow", operation):
            assert set(strings(rule)) <= given_paths, operation
    (metadata,) = rules(view, "allow", "file-read-metadata")
    above = {str(parent) for path in given_paths for parent in Path(path).parents}
    assert set(strings(metadata)) <= above
    assert "subpath" not in str(metadata)


def test_no_rule_allows_without_naming_what() -> None:
    harmless = {"process-fork", "sysctl-read", "ipc-posix-sem"}
    for rule in rules(make_view(WORKSPACE), "allow"):
        assert len(rule) > 2 or rule[1] in harmless


def test_only_the_workspace_and_temporary_files_are_writable() -> None:
    view = make_view(shown(Path("/opt/read")), WORKSPACE)
    written = [set(strings(rule)) for rule in rules(view, "allow", "file-write*")]
    assert written == [{str(TEMPORARY)}, {str(WORK)}]


def test_what_is_read_only_inside_the_workspace_stays_so() -> None:
    deep = shown(WORK / "sub/module/.git")
    profile = seatbelt_profile(make_view(WORKSPACE, POINTER, deep))
    denied = rules(make_view(WORKSPACE, POINTER, deep), "deny", "file-write*")
    assert [list(strings(rule)) for rule in denied] == [[str(WORK / ".git")], [str(deep.source)]]
    # The later rule counts.
    assert profile.rindex("(allow file-write*") < profile.index("(deny file-write*")
    (way,) = rules(make_view(WORKSPACE, POINTER, deep), "deny", "file-write-unlink")
    assert set(strings(way)) == {str(WORK / "sub"), str(WORK / "sub/module")}


def test_a_gate_has_no_network_and_a_worker_one_port() -> None:
    gate = make_view(WORKSPACE, port=3128)
    assert not any("network" in str(form) for form in parse(seatbelt_profile(gate))[2:])
    lonely = make_view(WORKSPACE, profile=Profile.WORKER)
    assert "network" not in seatbelt_profile(lonely)
    worker = make_view(WORKSPACE, profile=Profile.WORKER, port=3128)
    allowed = [form for form in parse(seatbelt_profile(worker)) if "network" in str(form)]
    assert allowed == [["allow", "network-outbound", ["remote", "ip", "localhost:3128"]]]


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_port_that_is_none_is_refused(port: int) -> None:
    with pytest.raises(InvalidInput):
        seatbelt_profile(make_view(profile=Profile.WORKER, port=port))


@pytest.mark.parametrize("path", ["relative", "/", "/a/../etc", "/nul\0", "/\udcff"])
def test_a_path_that_is_not_definite_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput):
        seatbelt_profile(make_view(shown(Path(path))))


def test_nothing_is_shown_at_another_place() -> None:
    with pytest.raises(InvalidInput, match="its own place only"):
        seatbelt_profile(make_view(Mount(source=WORK, target=Path("/work"))))


def test_the_links_of_macos_are_followed() -> None:
    (written,) = rules(
        make_view(shown(Path("/tmp/work"), is_writable=True)), "allow", "file-write*"
    )[1:]
    assert list(strings(written)) == ["/private/tmp/work"]


def test_the_command_comes_after_the_profile() -> None:
    view = make_view(WORKSPACE)
    words = seatbelt_command(view, ["-p", "x"])
    assert words == ("/usr/bin/sandbox-exec", "-p", seatbelt_profile(view), "--", "-p", "x")


def test_it_says_what_it_cannot_do() -> None:
    assert IS_EXPERIMENTAL
    assert not any(finding.holds for finding in NOT_ENFORCED)
    soft = {limit.name for limit in LIMITS if limit.hardness is Hardness.SOFT}
    assert soft == {"memory", "processes", "cpus", "disk", "disk_files"}


hostile = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    | st.sampled_from(list('"\\()\n\r\t; ')),
    min_size=1,
)


@given(text=hostile)
def test_a_quoted_text_is_read_back_unchanged(text: str) -> None:
    assert parse(quoted(text)) == [text]
    assert "\n" not in quoted(text)


@given(name=hostile.filter(lambda name: "/" not in name and name not in (".", "..")))
def test_a_hostile_name_adds_no_rule(name: str) -> None:
    plain, evil = (
        make_view(shown(WORK, is_writable=True)),
        make_view(shown(WORK / name, is_writable=True)),
    )
    heads = [[form[:2] for form in parse(seatbelt_profile(view))] for view in (plain, evil)]
    assert heads[0] == heads[1]
    written = rules(evil, "allow", "file-write*")[1]
    assert list(strings(written)) == [str(WORK / name)]
