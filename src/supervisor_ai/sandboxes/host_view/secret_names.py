"""Names of files and directories that hold keys, whatever the tool and however deep."""

import os
import re
import stat
from typing import Final

KEY_PLACES: Final = frozenset({
    ".aws", ".azure", ".docker", ".git-credentials", ".gnupg", ".kube", ".netrc", ".oci",
    ".password-store", ".ssh", ".terraform.d", "gcloud", "keyrings", "kwalletd",
})  # fmt: skip
"""Where a user's keys live; neither they nor what holds them is ever shown."""
KEY_FILES: Final = frozenset({
    ".condarc", ".credentials.json", ".env", ".envrc", ".npmrc", ".pypirc", "_netrc",
    "auth.json", "credentials", "credentials.json", "credentials.toml", "id_ecdsa",
    "id_ed25519", "id_rsa", "npmrc", "oauth_creds.json", ".gradle/gradle.properties",
    ".m2/settings.xml", ".m2/settings-security.xml",
})  # fmt: skip
"""Files that tools keep beside their programs; directories of these names are other things."""
# In a tool, some of the names mean something else: a package of Python, a program of Google's.
_DIRECTORIES: Final = KEY_PLACES - {"gcloud", "keyrings", "kwalletd"} | {
    *(".config/gcloud", ".config/gh", "share/keyrings", "share/kwalletd"),
}
_FILES: Final = KEY_FILES | {
    *(".boto", ".bunfig.toml", ".dockercfg", ".dockerconfigjson", ".git-credentials", ".netrc"),
    *(".gitcookies", ".htpasswd", ".my.cnf", ".mylogin.cnf", ".pgpass", ".s3cfg", ".secrets"),
    *(".terraformrc", ".vault-token", ".yarnrc", ".yarnrc.yml", "auth.toml", "bunfig.toml"),
    *("application_default_credentials.json", "condarc", "gradle.properties", "id_dsa"),
    *("id_ecdsa_sk", "id_ed25519_sk", "kubeconfig", "netrc", "nuget.config", "pgpass.conf"),
    *("pip.conf", "pip.ini", "secrets.toml", "secrets.yaml", "secrets.yml", "uv.toml"),
    *("settings-security.xml", "wasmer.toml", "gh/hosts.yml", "pnpm/rc", "pnpm/auth.ini"),
}
_ENDINGS: Final = (".jks", ".kdbx", ".keystore", ".kubeconfig", ".p12", ".pfx", ".ppk")
_DOUBTFUL: Final = re.compile(
    r"id_[^.]+|config\.json|settings\.xml|.*_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|priv|asc)"
    r"|.*(credential|service.?account|client.?secret|adminsdk|keyfile).*\.json"
    r"|.*(-[0-9a-f]{12}|[-_.]key)\.json"
)
"""Names of harmless files, too: whether they hold a key is seen in them."""
_TELLING: Final = re.compile(
    rb"PRIVATE KEY|\"(private_key|client_secret|refresh_token|auths?)\"\s*:"
    rb"|<(password|passphrase|privateKey)>"
)
_SIGNS: Final = (
    *(b"PRIVATE KEY", b'"private_key', b'"client_secret', b'"refresh_token', b'"auth'),
    *(b"<password", b"<passphrase", b"<privateKey"),
)
"""What the pattern cannot match without; to look for these alone is much faster."""
_LARGEST: Final = 4 << 20

EDITION: Final = repr((sorted(_DIRECTORIES), sorted(_FILES), _ENDINGS, _DOUBTFUL.pattern))
"""Changes whenever another name counts."""


def is_for_keys(name: str, above: str, *, is_directory: bool) -> bool:
    """Tell whether what has that name, in a directory called `above`, is for keys by its name."""
    name = name.lower()
    if is_directory:
        return name in _DIRECTORIES or f"{above.lower()}/{name}" in _DIRECTORIES
    is_listed = name in _FILES or f"{above.lower()}/{name}" in _FILES
    return is_listed or name.startswith(".env.") or name.endswith(_ENDINGS)


def is_doubtful(name: str) -> bool:
    """Tell whether only the content of a file says if it holds a key."""
    return _DOUBTFUL.fullmatch(name.lower()) is not None


def holds_key(path: str) -> bool:
    """Tell whether a file holds a key; what is too large to be looked at counts as one."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return True
        content = opened.read(_LARGEST + 1)
    may_tell = any(sign in content for sign in _SIGNS)
    return len(content) > _LARGEST or (may_tell and _TELLING.search(content) is not None)
