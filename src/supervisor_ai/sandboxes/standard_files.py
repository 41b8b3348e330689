"""Paths, variables and system files that every sandbox has."""

from typing import Final

HOME: Final = "/home/agent"
TEMPORARY: Final = "/tmp"  # noqa: S108 - inside, where it is the command's own
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - likewise
ENVIRONMENT: Final = {"HOME": HOME, "TMPDIR": TEMPORARY, "LANG": "C.UTF-8", "TERM": "dumb"}
STANDARD_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")

SETTINGS: Final = (
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
)
FILES: Final = {
    "/etc/passwd": b"agent:x:1000:1000:agent:/home/agent:/bin/sh\n",
    "/etc/group": b"agent:x:1000:\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "/etc/resolv.conf": b"",
}
TOP_LEVEL: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
