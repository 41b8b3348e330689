"""Kill a run on a kanban at boundaries, resume, and compare: branch, files, story.

One boundary of each class in `make test`, all of them in `make test-long`.
"""

import pytest
from tests.e2e.crash_drill import Drill, Rehearsal
from tests.e2e.kanban_project import FILE, kanban_files
from tests.e2e.kill_points import classes, representatives
from tests.support.preloaded import Preloaded

SHARDS = 4
AGENT = """\
cat > /dev/null
task=$(ls */1-*.md)
[ "$SUPERVISOR_ROLE" = implementor ] && echo built > app.txt
cat >> "$task" <<END

### [2030-01-01T00:00:00Z] What was done

**Facts:** It was looked at.

**Analysis:** It had to be so.

**Conclusion:** ok
END
printf '```json\\n{"status": "ok", "message": "It is so."}\\n```\\n'
"""
CONFIG = """\
cli: agent
clis:
  agent: {adapter: command, command: [sh, tools/agent.sh]}
gates:
  test: {command: [test, -f, app.txt]}
baseline: note
kanban:
  manager: builtin
  gates: [test]
"""
PROJECT = {"tools/agent.sh": AGENT, ".supervisor/config.yaml": CONFIG}


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory, preloaded: Preloaded) -> Drill:
    """Rehearse a kanban on the run's branch."""
    files = {**PROJECT, **kanban_files({"build": "Implementor"})}
    rehearsal = Rehearsal(files=files, kanban=FILE, landings=2)
    return Drill(tmp_path_factory.mktemp("kanban"), rehearsal, preloaded)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, preloaded: Preloaded) -> Drill:
    """Rehearse a kanban in a plain directory, which no commit knows of."""
    kanban = kanban_files({"build": "Implementor"}, folder="plans")
    files = {**PROJECT, ".gitignore": "plans/\n", **kanban}
    rehearsal = Rehearsal(
        files=files,
        kanban="plans/0-kanban-demo.md",
        kanban_directory="plans",
        landings=1,
        plain=tuple(kanban),
    )
    return Drill(tmp_path_factory.mktemp("plain"), rehearsal, preloaded)


def test_the_uncrashed_run_lands_the_task_and_the_kanban(drill: Drill) -> None:
    types = drill.uncrashed.types()
    assert types.count("KanbanRead") == 2
    assert types.count("IntegrationLanded") == 2
    assert drill.uncrashed.status == "completed"
    assert len(drill.points) > 40, drill.boundaries
    assert len(drill.representatives) > 15, drill.boundaries


def test_the_kills_cover_every_class_of_boundaries(drill: Drill) -> None:
    covered = classes(drill.boundaries, drill.representatives)
    assert covered.keys() == classes(drill.boundaries, drill.points).keys()


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_kanban_survives_a_kill_at_a_boundary_of_every_class(drill: Drill, shard: int) -> None:
    for number in drill.representatives[shard::SHARDS]:
        drill.kill(number)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_kanban_survives_a_kill_at_every_boundary(drill: Drill, shard: int) -> None:
    for number in drill.points[shard::SHARDS]:
        drill.kill(number)


def test_a_plain_directory_survives_a_kill_of_every_class_where_it_is_read_or_written(
    plain: Drill,
) -> None:
    assert plain.uncrashed.types().count("KanbanSaved") == 2
    own = of_plain_directory(plain)
    assert len(own) > 6, plain.boundaries
    for number in representatives(plain.boundaries, own):
        plain.kill(number)


@pytest.mark.long
def test_a_plain_directory_survives_a_kill_wherever_it_is_read_or_written(plain: Drill) -> None:
    for number in of_plain_directory(plain):
        plain.kill(number)


def of_plain_directory(plain: Drill) -> list[int]:
    words = ("Kanban", "take", "save", "land")
    return [
        number
        for number in plain.points
        if any(word in plain.boundaries[number - 1] for word in words)
    ]
