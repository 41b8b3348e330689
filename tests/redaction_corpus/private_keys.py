"""Private keys in every frame that one meets them in, with the lines of their bodies."""

from collections.abc import Sequence

from tests.redaction_corpus.chance import CHANCE, base64_lines

# Every module begins anew, so that no order of imports changes what chance makes.
CHANCE.seed("private keys")


def key_block(frame: str, lines: Sequence[str], *, newline: str = "\n") -> str:
    return newline.join([f"-----BEGIN {frame}-----", *lines, f"-----END {frame}-----", ""])


BODY_RSA = base64_lines(1190)
BODY_OPENSSH = base64_lines(350, width=70)
BODY_ED25519 = base64_lines(48)
BODY_PGP = base64_lines(900)
ENCRYPTED = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B2C", "", *BODY_RSA]

KEYS = {
    "PKCS8": (key_block("PRIVATE KEY", BODY_RSA), BODY_RSA),
    "RSA": (key_block("RSA PRIVATE KEY", BODY_RSA), BODY_RSA),
    "EC": (key_block("EC PRIVATE KEY", BODY_ED25519), BODY_ED25519),
    "encrypted": (key_block("RSA PRIVATE KEY", ENCRYPTED), BODY_RSA),
    "OpenSSH": (key_block("OPENSSH PRIVATE KEY", BODY_OPENSSH), BODY_OPENSSH),
    "PGP": (
        key_block("PGP PRIVATE KEY BLOCK", ["Version: 1", "", *BODY_PGP, "=aB3d"]),
        [*BODY_PGP, "aB3d"],
    ),
    "PuTTY": (
        "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 19\n"
        + "\n".join(BODY_RSA)
        + "\nPrivate-MAC: 00\n",
        BODY_RSA,
    ),
    "service account": (
        '{"type": "service_account", "private_key": "'
        + key_block("PRIVATE KEY", BODY_RSA, newline="\\n")
        + '", "client_email": "x@y"}\n',
        BODY_RSA,
    ),
    "indented": (
        "key: |\n"
        + "".join(f"  {line}\n" for line in key_block("PRIVATE KEY", BODY_RSA).splitlines()),
        BODY_RSA,
    ),
    "source code": (
        "KEY = (\n"
        + "".join(f'    "{line}\\n"\n' for line in key_block("PRIVATE KEY", BODY_RSA).splitlines())
        + ")\n",
        BODY_RSA,
    ),
    "diff": (
        "".join(f"+{line}\n" for line in key_block("PRIVATE KEY", BODY_RSA).splitlines()),
        BODY_RSA,
    ),
    "short": (
        key_block("RSA PRIVATE KEY", ["MIIEowIBAAKC", "canary2", "AQ=="]),
        ["MIIE", "canary2"],
    ),
    "short, on one line": (
        "KEY=" + key_block("PRIVATE KEY", ["CANARYBODY"], newline="\\n") + "\n",
        ["CANARYBODY"],
    ),
    "cut short": (key_block("PRIVATE KEY", BODY_RSA).partition("-----END")[0], BODY_RSA),
    "windows": (key_block("PRIVATE KEY", BODY_RSA, newline="\r\n"), BODY_RSA),
}
