import io
import tarfile
from pathlib import Path

from supervisor_ai.sandboxes.containers import init_process
from supervisor_ai.sandboxes.containers.image import KEEPER, build_image, own_directories


def members() -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(build_image().archive)) as archive:
        return {member.name: member for member in archive.getmembers()}


def test_the_image_is_the_same_every_time_and_named_after_its_content() -> None:
    first, second = build_image(), build_image()
    assert first == second
    repository, _, tag = first.tag.partition(":")
    assert repository == "localhost/supervisor-hostroot"
    assert len(tag) == 20


def test_the_image_holds_empty_places_and_one_program() -> None:
    found = members()
    files = [name for name, member in found.items() if member.isfile()]
    assert files == [KEEPER.lstrip("/")]
    assert found[files[0]].size == Path(init_process.__file__).stat().st_size
    assert {name for name, member in found.items() if member.isdir()} >= {"usr", "etc", "proc"}
    assert not any(member.uid or member.gid for member in found.values())


def test_whoever_works_inside_may_write_where_memory_will_be_mounted() -> None:
    found = members()
    assert found["tmp"].mode == found["home/agent"].mode == 0o1777
    assert found["etc"].mode == 0o755


def test_links_of_the_host_are_links_inside_and_directories_are_shown() -> None:
    found = members()
    for name in ("bin", "lib"):
        place = Path("/", name)
        if place.is_symlink():
            assert found[name].linkname == str(place.readlink())
            assert place not in own_directories()
        else:
            assert place in own_directories()
    assert own_directories()[0] == Path("/usr")
