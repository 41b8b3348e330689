"""Things that look as random as real secrets, made from parts with a fixed seed."""

import base64
import random
import string
import zlib
from collections.abc import Callable

CHANCE = random.Random("a seed for canaries")  # noqa: S311 - canaries are no secrets
HEX = "0123456789abcdef"
LETTERS = string.ascii_letters + string.digits


def body(length: int, alphabet: str = LETTERS) -> str:
    """Make something that looks as random as a real secret, with a digit at least."""
    while True:
        text = "".join(CHANCE.choices(alphabet, k=length))
        if any(letter.isdigit() for letter in text):
            return text


def base64_lines(size: int, width: int = 64) -> list[str]:
    text = base64.b64encode(CHANCE.randbytes(size)).decode()
    return [text[at : at + width] for at in range(0, len(text), width)]


def github_token(prefix: str) -> str:
    """Make a token that ends in the checksum of the rest, as GitHub and npm do it."""
    random_part = body(30)
    return f"{prefix}_{random_part}{base62(zlib.crc32(random_part.encode()))}"


def base62(number: int, width: int = 6) -> str:
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    text = ""
    while number or len(text) < width:
        number, rest = divmod(number, 62)
        text = digits[rest] + text
    return text


def age_key() -> str:
    """Make a key in Bech32 with a right checksum, as age writes it."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    human = "age-secret-key-"
    values = [CHANCE.randrange(32) for _ in range(51)] + [CHANCE.choice((0, 16))]
    expanded = [ord(letter) >> 5 for letter in human] + [0] + [ord(letter) & 31 for letter in human]
    rest = _bech32([*expanded, *values, *([0] * 6)]) ^ 1
    checksum = [(rest >> 5 * (5 - at)) & 31 for at in range(6)]
    return (human + "1" + "".join(alphabet[value] for value in values + checksum)).upper()


def _bech32(values: list[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for at, generator in enumerate(
            (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
        ):
            check ^= generator if (top >> at) & 1 else 0
    return check


def base64_text(size: int, *, encode: Callable[[bytes], bytes] = base64.b64encode) -> str:
    return encode(CHANCE.randbytes(size)).decode()


def jwt() -> str:
    """Make a signed token with a header and claims that can be read."""
    header = '{"alg":"HS256","typ":"JWT"}'
    claims = f'{{"sub":"{body(12)}","iat":{CHANCE.randrange(10**9, 2 * 10**9)}}}'
    parts = [header.encode(), claims.encode(), CHANCE.randbytes(32)]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def uuid() -> str:
    text = body(32, HEX)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
