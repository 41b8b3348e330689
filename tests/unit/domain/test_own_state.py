import pytest

from supervisor_ai.domain.git_flow.own_state import is_own_state


@pytest.mark.parametrize(
    "path",
    [
        *(".supervisor", ".supervisor/state.db", ".supervisor/state.db-wal"),
        *(".supervisor/state.db-journal", ".supervisor/artifacts", ".supervisor/artifacts/00/x"),
        *(
            ".supervisor/locks/x",
            ".supervisor/logs/r-retries.md",
            ".supervisor/sessions/S1/team-session.json",
            ".SUPERVISOR/State.DB",
            ".Supervisor",
            ".super\u200dvisor/state.db",
            ".\uff53upervisor/locks",
        ),
    ],
)
def test_state_is_state_however_it_is_written(path: str) -> None:
    assert is_own_state(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".supervisor/config.yaml", ".supervisor/roles/state.db", ".supervisor/.gitignore"),
        *(
            "state.db",
            "src/.supervisor/state.db",
            ".supervisors/state.db",
            ".supervisor/lock",
            ".supervisor/log",
        ),
    ],
)
def test_definitions_and_the_users_files_are_none(path: str) -> None:
    assert not is_own_state(path)
