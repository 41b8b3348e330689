import os
import threading
from pathlib import Path

import pytest

from supervisor_ai.tools.file_lock import held, lock, open_lock_file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def is_free(file: Path, *, is_shared: bool = False) -> bool:
    with held(open_lock_file(file), is_shared=is_shared, patience=0) as is_ours:
        return is_ours


def test_one_at_a_time_has_a_lock_and_many_share_one(file: Path) -> None:
    with held(open_lock_file(file)) as is_ours:
        assert is_ours
        assert not is_free(file)
        assert not is_free(file, is_shared=True)
    with held(open_lock_file(file), is_shared=True):
        assert is_free(file, is_shared=True)
        assert not is_free(file)
    assert is_free(file)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_lock_goes_with_the_context_however_it_ends(file: Path) -> None:
    descriptor = open_lock_file(file)
    with pytest.raises(KeyError), held(descriptor):
        raise KeyError
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
    assert is_free(file)


def test_patience_ends_and_waiting_for_ever_does_not(file: Path) -> None:
    holder, waiter = open_lock_file(file), open_lock_file(file)
    assert lock(holder)
    assert not lock(waiter, patience=0.03)
    waiting = threading.Thread(target=lock, args=(waiter,), daemon=True)
    waiting.start()
    os.close(holder)
    waiting.join(30)
    assert not waiting.is_alive()
    assert not is_free(file)
    os.close(waiter)


def test_a_lock_goes_with_its_process(file: Path) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        lock(open_lock_file(file))
        os.write(writing, b".")
        threading.Event().wait(60)
        os._exit(0)
    os.read(reading, 1)
    assert not is_free(file)
    os.kill(child, 9)
    os.waitpid(child, 0)
    assert is_free(file)
    os.close(reading)
    os.close(writing)
