"""SSH keys of people, made by the real ssh-keygen, and what they sign."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from supervisor_ai.domain.run.approvals.decision_document import NAMESPACE


def keygen(*arguments: str) -> None:
    subprocess.run(["ssh-keygen", "-q", *arguments], check=True, capture_output=True)


def make_key(place: Path, name: str, kind: str = "ed25519", bits: str | None = None) -> Path:
    """Make a key without a passphrase."""
    key = place / name
    size = ("-b", bits) if bits else ()
    keygen("-t", kind, *size, "-N", "", "-C", name, "-f", str(key))
    return key


def public(key: Path) -> str:
    """Return the public half, as lists of signers have it."""
    kind, blob, *_ = Path(f"{key}.pub").read_text().split()
    return f"{kind} {blob}"


def sign_file(key: Path, file: Path, *, namespace: str = NAMESPACE) -> Path:
    """Sign as the how-to says; a signature that is there gives way."""
    signature = Path(f"{file}.sig")
    signature.unlink(missing_ok=True)
    keygen("-Y", "sign", "-n", namespace, "-f", str(key), str(file))
    return signature


@dataclass
class KeyRing:
    """Keys by their principals, in a directory of their own, and a list of them."""

    place: Path
    keys: dict[str, Path] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def key(self, principal: str, kind: str = "ed25519", bits: str | None = None) -> Path:
        """Return somebody's key; the first time it is made."""
        if principal not in self.keys:
            name = f"key{len(self.keys)}"
            self.keys[principal] = make_key(self.place, name, kind, bits)
        return self.keys[principal]

    @property
    def signers(self) -> Path:
        """Return the list of signers."""
        return self.place / "allowed_signers"

    def allow(self, principals: str, key: Path, options: str = "") -> None:
        """Add a line to the list."""
        self.lines.append(" ".join(filter(None, (principals, options, public(key)))))
        self.signers.write_text("".join(f"{line}\n" for line in self.lines))

    def forget(self) -> None:
        """Begin the list anew."""
        self.lines.clear()
        self.signers.write_text("")

    def sign(self, key: Path, document: bytes, *, namespace: str = NAMESPACE) -> bytes:
        """Sign some bytes."""
        file = self.place / "document"
        file.write_bytes(document)
        return sign_file(key, file, namespace=namespace).read_bytes()
