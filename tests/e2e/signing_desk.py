"""A user whose config knows two people, of whom one is elsewhere and has an SSH key."""

import getpass
import json
from pathlib import Path

from tests.e2e.command import Json, User
from tests.support.ssh_keys import KeyRing

ME = getpass.getuser()


class Desk:
    """A user whose config knows two people, and the other one's machine."""

    def __init__(self, user: User, place: Path) -> None:
        self.user = user
        self.ring = KeyRing(place)
        self.bob = self.ring.key("bob@example.com")
        self.ring.allow("bob@example.com", self.bob)
        config = user.home / "config" / "config.yaml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(
            f"people:\n  leads: [{{name: me, user: {ME}}}, {{name: bob, ssh: bob@example.com}}]\n"
            f"allowed_signers: {self.ring.signers}\n"
        )
        self.file = place / "decision.txt"

    def wait(self) -> str:
        said = self.user.run("--workflow", "careful")
        assert said.code == 5, said.out + said.err
        run: str = said.run["id"]
        return run

    def export(self, run: str, verb: str = "approve", *more: str) -> Json:
        self.file.unlink(missing_ok=True)
        said = self.user.call(verb, run, "--export", str(self.file), "--json", *more)
        assert said.code == 0, said.out + said.err
        return said.json

    def bring(self, verb: str = "approve", *more: str) -> tuple[int, Json]:
        said = self.user.call(verb, "--import", str(self.file), "--json", *more)
        assert "Traceback" not in said.err
        found: Json = json.loads(said.out)
        return said.code, found.get("error", found)

    def fact(self, run: str, kind: str) -> Json:
        [found] = [it for it in self.user.events(run) if it["type"] == kind]
        return found
