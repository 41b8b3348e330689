import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.sandboxes.egress.address import is_public, private_addresses
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.target import Target, parse_allowed, parse_target


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("api.example.com:443", "api.example.com"),
        ("API.Example.COM:443", "api.example.com"),
        ("api.example.com.:443", "api.example.com"),
        ("localhost:443", "localhost"),
        ("x0x7f.example:443", "x0x7f.example"),
    ],
)
def test_a_name_has_one_spelling(text: str, host: str) -> None:
    assert parse_target(text) == Target(host=host, port=443)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("127.0.0.1:443", "ip-literal"),
        ("2130706433:443", "ip-literal"),
        ("0x7f000001:443", "ip-literal"),
        ("0x7f.1:443", "ip-literal"),
        ("0177.0.0.1:443", "ip-literal"),
        ("127.1:443", "ip-literal"),
        ("127.0.0.1.:443", "ip-literal"),
        ("example.0x7f:443", "ip-literal"),
        ("[::1]:443", "ip-literal"),
        ("[::ffff:127.0.0.1]:443", "ip-literal"),
        ("[v1.x]:443", "ip-literal"),
        ("::1:443", "ip-literal"),
        ("fe80::1", "ip-literal"),
        ("api.example.com", "bad-target"),
        ("api.example.com:", "bad-target"),
        ("api.example.com:0", "bad-target"),
        ("api.example.com:0443", "bad-target"),
        ("api.example.com:65536", "bad-target"),
        ("api.example.com:443x", "bad-target"),
        ("api.example.com:\uff14\uff14\uff13", "bad-target"),
        ("api.example.com..:443", "bad-target"),
        ("a..example:443", "bad-target"),
        (":443", "bad-target"),
        (".:443", "bad-target"),
        ("api.example.com:443@evil.example:443", "bad-target"),
        ("user@api.example.com:443", "bad-target"),
        ("api.example.com/x:443", "bad-target"),
        ("api.example.com#:443", "bad-target"),
        ("api.exa\tmple.com:443", "bad-target"),
        ("api.exa\x00mple.com:443", "bad-target"),
        ("api.exämple.com:443", "bad-target"),
        ("-api.example.com:443", "bad-target"),
        ("a_b.example.com:443", "bad-target"),
        (f"{'a' * 64}.example:443", "bad-target"),
        (".".join(["a" * 60] * 5) + ":443", "bad-target"),
        ("api.example.com:443\n", "bad-target"),
    ],
)
def test_what_is_no_name_and_port_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_target(text)
    assert caught.value.reason == reason


def outcome(text: str) -> Target | str:
    try:
        return parse_target(text)
    except Refused as refused:
        return refused.reason


@given(st.text(max_size=80))
@example("a:1")
def test_whatever_is_asked_for_is_canonical_or_refused(text: str) -> None:
    found = outcome(text)
    if isinstance(found, Target):
        assert parse_target(f"{found.host}:{found.port}") == found
        assert found.host.isascii()
        assert found.host == found.host.lower().rstrip(".")
    else:
        assert found in ("bad-target", "ip-literal")


def test_the_entries_of_a_list_are_read_once_and_exactly() -> None:
    assert parse_allowed(["A.example:443", "a.example.:443"]) == {
        Target(host="a.example", port=443)
    }


@pytest.mark.parametrize("entry", ["a.example", "*.example:443", "1.2.3.4:443", "[::1]:443", ""])
def test_a_bad_entry_is_an_error_that_names_it(entry: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be on the list") as caught:
        parse_allowed(["good.example:443", entry])
    assert repr(entry) in caught.value.message


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"],
)
def test_a_public_address(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0"),  # noqa: S104
        *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::10.0.0.1"),
        *("2002:7f00:1::", "2002:a00:1::1", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
        *("64:ff9b:1::5db8:d822", "2001:0:7f00:1::", "2001:0:5db8:d822:0:0:f5ff:fffe", "4000::1"),
        *("not an address", "", "127.0.0.1:80"),
    ],
)
def test_an_address_that_is_not_public_however_it_is_wrapped(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("host", "found", "kept"),
    [
        ("registry.example", ["10.1.2.3", "203.0.113.80"], ["10.1.2.3", "203.0.113.80"]),
        ("registry.example", ["fd00::1", "127.0.0.1", "8.8.8.8"], ["fd00::1", "8.8.8.8"]),
        ("registry.example", ["127.0.0.1", "::1", "::ffff:10.0.0.1"], []),
        ("registry.example", ["169.254.169.254", "0.0.0.0", "fe80::1", "240.0.0.1"], []),  # noqa: S104 - refused
        ("localhost", ["::1", "127.0.0.1", "169.254.1.1"], ["::1", "127.0.0.1"]),
    ],
)
def test_a_registry_may_be_near_but_on_this_machine_only_by_its_name(
    host: str, found: list[str], kept: list[str]
) -> None:
    async def resolve(_: str, __: int) -> list[str]:
        return found

    looked = private_addresses(Target(host=host, port=443), resolve)
    if kept:
        assert asyncio.run(looked) == kept
        return
    with pytest.raises(Refused) as refused:
        asyncio.run(looked)
    assert refused.value.reason == "private-address"
