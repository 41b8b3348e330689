import json
from pathlib import Path

from supervisor_ai.sandboxes.toolchains.installed_copies import installed_copies
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain


def install(site: Path, name: str, *files: str, editable: str | None = None) -> None:
    for file in files:
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).touch()
    metadata = site / f"{name}-2.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "RECORD").write_text("".join(f"{file},sha256=a,1\n" for file in files))
    if editable:
        url = {"url": f"file://{editable}", "dir_info": {"editable": True}}
        (metadata / "direct_url.json").write_text(json.dumps(url))


def test_of_a_copy_its_own_packages_and_modules_are_named(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    own = ("my_shop/__init__.py", "my_shop/cart.py", "lonely.py", "../../bin/shop", "/etc/passwd")
    install(site, "My_Shop", *own, "shared/mine/__init__.py", "shared/mine/a.py")
    install(site, "another", "another/__init__.py", "shared/theirs/__init__.py")
    tools = Toolchain(roots=(tmp_path / "lib",), programs=())
    [copy] = installed_copies(tools, {"my-shop"})
    assert (copy.version, copy.target) == ("2.1", None)
    assert set(copy.covered) == {site / it for it in ("my_shop", "lonely.py", "shared/mine")}
    assert installed_copies(tools, ()) == ()


def test_an_editable_install_says_where_it_leads(tmp_path: Path) -> None:
    site = tmp_path / "env/lib/python3.12/site-packages"
    install(site, "shop", "__editable__.shop.pth", editable="/home/me/elsewhere")
    [copy] = installed_copies(Toolchain(roots=(tmp_path / "env",), programs=()), {"shop"})
    assert (copy.covered, copy.target) == ((), "/home/me/elsewhere")
