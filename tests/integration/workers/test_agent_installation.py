"""What agents are told, in real files: shown, written, taken out again; nothing else is touched."""

import json
import os
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Final

import pytest

from supervisor_ai.control.ports.agent_installation import (
    AgentInstaller,
    AgentWish,
    FileStanding,
    InstallationScope,
)
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.workers.installation.confined_folder import LARGEST
from supervisor_ai.workers.installation.installer import FileAgentInstaller, UserSurroundings
from supervisor_ai.workers.installation.receipts import Receipts
from supervisor_ai.workers.installation.recipe import RECIPES

Tree = dict[str, bytes]
SETTINGS: Final = {
    "claude": (".mcp.json", '{"mcpServers": {"mine": {"command": "x"}}, "a": 1}'),
    "codex": (".codex/config.toml", '# Mine.\nmodel = "m"\n\n[mcp_servers.mine]\ncommand = "x"\n'),
    "gemini": (".gemini/settings.json", '{\n  // Mine.\n  "theme": "dark",\n}\n'),
}
OURS: Final = {
    "claude": ".claude/skills/supervisor/SKILL.md",
    "codex": ".codex/skills/supervisor/SKILL.md",
    "gemini": ".gemini/skills/supervisor/SKILL.md",
}


class Desk:
    """A user with a project, a home and agents."""

    def __init__(self, ground: Path) -> None:
        self.ground = ground
        self.project, self.home, self.own = (ground / it for it in ("project", "home", "own"))
        self.project.mkdir()
        self.home.mkdir()
        self.environment: dict[str, str] = {}

    @property
    def installer(self) -> AgentInstaller:
        around = UserSurroundings(
            home=self.home,
            environment=self.environment,
            project=lambda: self.project,
            program=("supervisor",),
        )
        return FileAgentInstaller(around, Receipts(self.own))

    def wish(self, agent: str, **changes: object) -> AgentWish:
        usual: dict[str, object] = {
            "agent": agent,
            "scope": InstallationScope.PROJECT,
            "role": MemberRole.COORDINATOR,
            "session": "s1",
        }
        return AgentWish(**{**usual, **changes})  # type: ignore[arg-type]

    def install(self, agent: str, **changes: object) -> None:
        self.installer.plan_install(self.wish(agent, **changes)).apply()

    def uninstall(self, agent: str, scope: InstallationScope = InstallationScope.PROJECT) -> None:
        self.installer.plan_uninstall(agent, scope).apply()

    def tree(self) -> Tree:
        return dict(_files(self.project)) | dict(_files(self.home))


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(root.rglob("*")):
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        yield str(path), content


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def write(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


@pytest.mark.parametrize("scope", InstallationScope)
@pytest.mark.parametrize("agent", RECIPES)
@pytest.mark.parametrize("has_settings", [False, True])
def test_all_is_exactly_as_it_was(
    desk: Desk, agent: str, scope: InstallationScope, *, has_settings: bool
) -> None:
    root = desk.project if scope is InstallationScope.PROJECT else desk.home
    if has_settings:
        name, text = SETTINGS[agent]
        place = write(root / name, text)
        place.chmod(0o600)
        write(root / OURS[agent], "my own skill\n")
    before = desk.tree()
    desk.install(agent, scope=scope)
    assert desk.tree() != before
    changed = {it for it, text in desk.tree().items() if before.get(it) != text}
    assert all(it.startswith(str(root)) for it in changed)
    desk.uninstall(agent, scope)
    assert desk.tree() == before
    if has_settings:
        assert stat.S_IMODE((root / SETTINGS[agent][0]).stat().st_mode) == 0o600
    assert desk.installer.list() == ()
    assert not list((desk.own / "agents").rglob("*.json"))
    assert not list((desk.own / "agents" / "kept").glob("*"))


@pytest.mark.parametrize("agent", RECIPES)
def test_what_is_planned_is_what_is_written_and_a_plan_writes_nothing(
    desk: Desk, agent: str
) -> None:
    write(desk.project / SETTINGS[agent][0], SETTINGS[agent][1])
    before = desk.tree()
    plan = desk.installer.plan_install(desk.wish(agent))
    assert desk.tree() == before
    assert not desk.own.exists()
    plan.apply()
    for change in plan.changes:
        assert (desk.project / change.path).read_text() == change.after
    new = {it.path for it in plan.changes}
    files = {str(Path(it).relative_to(desk.project)) for it in desk.tree() if Path(it).is_file()}
    assert files == new


@pytest.mark.parametrize("agent", RECIPES)
def test_twice_is_once_and_another_session_takes_the_place_of_the_first(
    desk: Desk, agent: str
) -> None:
    write(desk.project / SETTINGS[agent][0], SETTINGS[agent][1])
    before = desk.tree()
    desk.install(agent)
    once = desk.tree()
    assert desk.installer.plan_install(desk.wish(agent)).changes == ()
    desk.install(agent)
    assert desk.tree() == once
    desk.install(agent, session="s2")
    settings = (desk.project / SETTINGS[agent][0]).read_text()
    assert '"s2"' in settings
    assert '"s1"' not in settings
    desk.uninstall(agent)
    assert desk.tree() == before


@pytest.mark.parametrize("agent", RECIPES)
def test_another_role_takes_its_pages_away(desk: Desk, agent: str) -> None:
    before = desk.tree()
    desk.install(agent)
    desk.install(agent, role=MemberRole.WORKER)
    assert not any("team-supervisor" in it for it in desk.tree())
    assert not any(it.endswith("/agents") for it in desk.tree())
    (found,) = desk.installer.list()
    assert found.role is MemberRole.WORKER
    desk.uninstall(agent)
    assert desk.tree() == before


@pytest.mark.parametrize("agent", RECIPES)
def test_entries_of_others_that_came_since_stay(desk: Desk, agent: str) -> None:
    name, text = SETTINGS[agent]
    place = write(desk.project / name, text)
    desk.install(agent)
    if name.endswith(".toml"):
        place.write_text(place.read_text() + "\n# Theirs.\n[theirs]\na = 1\n")
    else:
        place.write_text(place.read_text().replace("{", '{"theirs": 1,', 1))
    assert {it.standing for it in desk.installer.list()[0].files} == {FileStanding.AS_WRITTEN}
    desk.install(agent, session="s2")
    desk.uninstall(agent)
    left = place.read_text()
    assert "theirs" in left
    assert "supervisor" not in left
    assert {"mine", "Mine"} & set(re.findall(r"\w+", left))


def test_an_entry_of_the_same_name_comes_back_though_the_file_has_changed(desk: Desk) -> None:
    place = write(desk.project / ".mcp.json", '{"mcpServers": {"supervisor": {"command": "old"}}}')
    desk.install("claude")
    place.write_text(json.dumps({**json.loads(place.read_text()), "more": 1}))
    desk.uninstall("claude")
    assert json.loads(place.read_text()) == {
        "mcpServers": {"supervisor": {"command": "old"}},
        "more": 1,
    }


def test_a_file_that_was_ours_alone_goes_though_it_was_written_in_another_way(desk: Desk) -> None:
    desk.install("claude")
    place = desk.project / ".mcp.json"
    place.write_text(json.dumps(json.loads(place.read_text())))
    desk.uninstall("claude")
    assert not place.exists()


@pytest.mark.parametrize("agent", RECIPES)
def test_what_the_user_has_changed_is_never_touched(desk: Desk, agent: str) -> None:
    desk.install(agent)
    place = desk.project / OURS[agent]
    ours = place.read_text()
    place.write_text("mine now\n")
    changed = desk.tree()
    for act in (desk.uninstall, desk.install):
        with pytest.raises(Conflict) as caught:
            act(agent)
        assert OURS[agent] in caught.value.message
        assert "Move your version away" in str(caught.value.hint)
        assert desk.tree() == changed
    states = {it.path: it.standing for it in desk.installer.list()[0].files}
    assert states[OURS[agent]] is FileStanding.CHANGED
    place.unlink()
    assert FileStanding.GONE in {it.standing for it in desk.installer.list()[0].files}
    desk.uninstall(agent)
    assert list(_files(desk.project)) == []
    assert ours


@pytest.mark.parametrize("agent", RECIPES)
def test_an_entry_that_the_user_has_changed_is_never_touched(desk: Desk, agent: str) -> None:
    name, text = SETTINGS[agent]
    place = write(desk.project / name, text)
    desk.install(agent)
    place.write_text(place.read_text().replace('"s1"', '"mine"'))
    with pytest.raises(Conflict) as caught:
        desk.uninstall(agent)
    assert "Our entry" in caught.value.message
    assert "What was there before is in" in str(caught.value.hint)
    assert '"mine"' in place.read_text()
    assert desk.installer.list()[0].files
    place.write_text(text)
    desk.uninstall(agent)
    assert place.read_text() == text


def test_what_changes_between_the_look_and_the_deed_is_not_written_over(desk: Desk) -> None:
    plan = desk.installer.plan_install(desk.wish("claude"))
    place = write(desk.project / OURS["claude"], "meanwhile\n")
    with pytest.raises(Conflict):
        plan.apply()
    assert place.read_text() == "meanwhile\n"


def test_whoever_comes_after_a_crash_finds_what_was_there(desk: Desk) -> None:
    """The receipt is there first; only some of the files were written."""
    write(desk.project / ".mcp.json", SETTINGS["claude"][1])
    before = desk.tree()
    plan = desk.installer.plan_install(desk.wish("claude"))
    (desk.project / ".claude").symlink_to("/nowhere")
    with pytest.raises(Denied):
        plan.apply()
    (desk.project / ".claude").unlink()
    desk.uninstall("claude")
    assert desk.tree() == before
    desk.install("claude")
    half = desk.installer.plan_install(desk.wish("claude", session="s2"))
    (desk.project / ".mcp.json").rename(desk.ground / "away")
    (desk.project / ".mcp.json").mkdir()
    with pytest.raises(Denied):
        half.apply()
    (desk.project / ".mcp.json").rmdir()
    (desk.ground / "away").rename(desk.project / ".mcp.json")
    desk.uninstall("claude")
    assert desk.tree() == before


@pytest.mark.parametrize("link", [".claude", ".claude/skills", OURS["claude"], ".mcp.json"])
def test_no_link_is_followed(desk: Desk, link: str) -> None:
    outside = desk.ground / "outside"
    outside.mkdir()
    target = write(outside / "file", "secret\n") if link.endswith(("json", "md")) else outside
    place = desk.project / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    with pytest.raises(Denied) as caught:
        desk.install("claude")
    assert "remove the link" in str(caught.value.hint)
    assert [it.name for it in outside.rglob("*")] in ([], ["file"])
    assert not desk.own.exists()


def test_what_is_no_file_or_too_large_or_no_text_is_refused(desk: Desk) -> None:
    place = desk.project / ".mcp.json"
    os.mkfifo(place)
    with pytest.raises(Denied):
        desk.install("claude")
    place.unlink()
    place.write_bytes(b"{" + b" " * LARGEST + b"}")
    with pytest.raises(InvalidInput, match="larger than"):
        desk.install("claude")
    place.write_bytes(b'{"\xff": 1}')
    with pytest.raises(InvalidInput, match="UTF-8"):
        desk.install("claude")


def test_what_was_not_put_in_cannot_be_taken_out(desk: Desk) -> None:
    with pytest.raises(NotFound) as caught:
        desk.uninstall("gemini")
    assert "agents list" in str(caught.value.hint)


def test_a_directory_of_the_users_choice_is_where_the_files_go(desk: Desk) -> None:
    chosen = desk.ground / "codex-home"
    desk.environment["CODEX_HOME"] = str(chosen)
    with pytest.raises(NotFound, match="codex-home"):
        desk.install("codex", scope=InstallationScope.USER)
    chosen.mkdir()
    desk.install("codex", scope=InstallationScope.USER)
    assert (chosen / "config.toml").exists()
    assert (chosen / "skills/supervisor/SKILL.md").exists()
    desk.uninstall("codex", InstallationScope.USER)
    assert list(chosen.iterdir()) == []


def test_what_was_there_is_kept_for_the_user_alone(desk: Desk) -> None:
    write(desk.project / ".mcp.json", SETTINGS["claude"][1])
    desk.install("claude")
    (kept,) = (desk.own / "agents" / "kept").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    kept.unlink()
    with pytest.raises(Unavailable, match="not in"):
        desk.uninstall("claude")


def test_a_receipt_that_cannot_be_read_is_told(desk: Desk) -> None:
    desk.install("claude")
    (receipt,) = (desk.own / "agents").glob("*.json")
    receipt.write_text("{")
    with pytest.raises(InvalidInput) as caught:
        desk.installer.list()
    assert str(receipt) in caught.value.message


def test_a_plan_that_another_one_has_overtaken_touches_nothing(desk: Desk) -> None:
    before = desk.tree()
    slow = desk.installer.plan_install(desk.wish("claude", session="slow"))
    desk.install("claude", session="fast")
    after = desk.tree()
    with pytest.raises(Conflict, match="Nothing was touched"):
        slow.apply()
    assert desk.tree() == after
    departing = desk.installer.plan_uninstall("claude", InstallationScope.PROJECT)
    desk.install("claude", session="newer")
    with pytest.raises(Conflict, match="Nothing was touched"):
        departing.apply()
    desk.uninstall("claude")
    assert desk.tree() == before


def test_of_installations_at_once_one_is_put_in_and_can_be_taken_out(desk: Desk) -> None:
    before, at_once = desk.tree(), Barrier(4)

    def install(number: int) -> bool:
        plan = desk.installer.plan_install(desk.wish("claude", session=f"s{number}"))
        at_once.wait()
        try:
            plan.apply()
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(install, range(4))) == 1
    [installed] = desk.installer.list()
    assert {it.standing for it in installed.files} == {FileStanding.AS_WRITTEN}
    desk.uninstall("claude")
    assert desk.tree() == before
