"""Every attempt is stopped, for root and for an ordinary user, and each would work without that."""

import platform
from typing import Final

import pytest
from tests.attacks.attempt import Attempt
from tests.attacks.conftest import Fields
from tests.attacks.table import ATTEMPTS

USERS: Final = ("root", "user")
NAMES: Final = {number: f"{number:03} {attempt.what}" for number, attempt in ATTEMPTS.items()}
LAYERED: Final = [
    pytest.param(number, layer, id=f"{NAMES[number]}: {attempt.layers[layer].name}")
    for number, attempt in ATTEMPTS.items()
    if len(attempt.layers) > 1
    for layer in range(len(attempt.layers))
]


def fitting(number: int) -> Attempt:
    attempt = ATTEMPTS[number]
    if attempt.machine not in ("", platform.machine()):
        pytest.skip(f"there is no such thing on {platform.machine()}")
    return attempt


def succeeds(answer: dict[str, str]) -> bool:
    assert "error" not in answer, answer["error"]
    return bool(answer["succeeded"])


@pytest.mark.parametrize("number", ATTEMPTS, ids=NAMES.get)
@pytest.mark.parametrize("user", USERS)
def test_attempt_is_stopped(fields: Fields, user: str, number: int) -> None:
    fitting(number)
    answer = fields.of(user).attempt(number)
    assert not succeeds(answer), answer["detail"]


@pytest.mark.parametrize("number", ATTEMPTS, ids=NAMES.get)
def test_attempt_works_without_its_protection(fields: Fields, number: int) -> None:
    attempt = fitting(number)
    if reason := attempt.kernel_refuses():
        pytest.skip(reason)
    field = fields.of("root" if attempt.needs_root else "user")
    answer = field.attempt(number, frozenset(range(len(attempt.layers))))
    assert succeeds(answer), answer["detail"]


@pytest.mark.parametrize(("number", "layer"), LAYERED)
def test_the_other_layers_suffice_without_one(fields: Fields, number: int, layer: int) -> None:
    attempt = fitting(number)
    field = fields.of("root" if attempt.needs_root else "user")
    answer = field.attempt(number, frozenset([layer]))
    assert not succeeds(answer), answer["detail"]
