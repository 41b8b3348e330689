"""Pairs of Python: what breaks who imports a module, and what does not."""

import pytest
from tests.unit.gates.public_api import seen_breaks
from tests.unit.gates.public_api.seen_breaks import Files

from supervisor_ai.gates.public_api.api_breaks import ApiReading

MANIFEST = {"pyproject.toml": "[project]\nname = 'shop'\n"}
PACKAGE = {"src/shop/__init__.py": ""}
CART = "src/shop/cart.py"


def seen(before: Files, after: Files) -> ApiReading:
    """Compare what others can install."""
    return seen_breaks.seen({**MANIFEST, **before}, {**MANIFEST, **after})


def told(before: Files, after: Files) -> list[str]:
    return seen_breaks.told({**MANIFEST, **before}, {**MANIFEST, **after})


def pair(before: str, after: str) -> list[str]:
    return told({**PACKAGE, CART: before}, {**PACKAGE, CART: after})


def in_class(before: str, after: str) -> list[str]:
    return pair(f"class Cart:\n    {before}\n", f"class Cart:\n    {after}\n")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("def total(a): ...\n", "", "removed shop.cart.total: the function is gone"),
        ("def total(a): ...\n", "def _total(a): ...\n", "removed shop.cart.total"),
        ("def total(a, b): ...\n", "def total(a): ...\n", "the parameter 'b' is gone"),
        ("def total(a): ...\n", "def total(b): ...\n", "the parameter 'a' was where the parameter"),
        ("def total(a): ...\n", "def total(a, b): ...\n", "the parameter 'b' is new and required"),
        ("def total(a, b=1): ...\n", "def total(a, b): ...\n", "the parameter 'b' became required"),
        (
            "def total(a, b=1): ...\n",
            "def total(a, *, b=1): ...\n",
            "the parameter 'b' can no longer be given by position",
        ),
        (
            "def total(a): ...\n",
            "def total(a, /): ...\n",
            "the parameter 'a' can no longer be given by name",
        ),
        ("def total(a): ...\n", "def total(__a): ...\n", "can no longer be given by name"),
        ("def total(a, b=1): ...\n", "def total(b=1, a=2): ...\n", "was where"),
        ("def total(*a): ...\n", "def total(): ...\n", "no longer takes any number of arguments"),
        ("def total(**a): ...\n", "def total(): ...\n", "no longer takes any named argument"),
        ("def total(): ...\n", "def total(*, a): ...\n", "the parameter 'a' is new and required"),
        (
            "def total(a: int | str): ...\n",
            "def total(a: int): ...\n",
            "the parameter 'a' was int | str and is int",
        ),
        (
            "def total(a: Optional[int]): ...\n",
            "def total(a: int): ...\n",
            "was Optional[int] and is int",
        ),
        (
            "def total() -> int: ...\n",
            "def total() -> int | None: ...\n",
            "it returned int and returns int | None",
        ),
        ("def total(): ...\n", "async def total(): ...\n", "it became async"),
        ("class Cart: ...\n", "", "removed shop.cart.Cart: the class is gone"),
        ("class Cart(Base): ...\n", "class Cart: ...\n", "it is no longer a Base"),
        ("class Cart: ...\n", "def Cart(): ...\n", "it was a class and is a function"),
        ("LIMIT = 3\n", "", "removed shop.cart.LIMIT: the value is gone"),
        ("LIMIT: int = 3\n", "LIMIT: str = '3'\n", "its type was int and is str"),
        (
            "@dataclass\nclass Cart:\n    a: int\n",
            "@dataclass\nclass Cart:\n    a: int\n    b: int\n",
            "narrowed shop.cart.Cart: the parameter 'b' is new and required",
        ),
        (
            "class Cart(NamedTuple):\n    a: int\n    b: int = 1\n",
            "class Cart(NamedTuple):\n    b: int = 1\n    a: int = 2\n",
            "narrowed shop.cart.Cart",
        ),
        (
            "class Kind(Enum):\n    A = 1\n    B = 2\n",
            "class Kind(Enum):\n    A = 1\n",
            "removed shop.cart.Kind.B: the attribute is gone",
        ),
        (
            "try:\n    import x\nexcept ImportError:\n    def total(): ...\n",
            "",
            "removed shop.cart.total",
        ),
        (
            "def __getattr__(name):\n    if name == 'Old':\n        return 1\n    raise E\n",
            "",
            "removed shop.cart.Old: the name is gone",
        ),
    ],
)
def test_a_module_breaks(before: str, after: str, expected: str) -> None:
    found = pair(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("def add(self, a): ...", "def other(self): ...", "removed shop.cart.Cart.add: the method"),
        ("def add(self, a): ...", "def add(self): ...", "Cart.add: the parameter 'a' is gone"),
        ("def __init__(self, a=1): ...", "def __init__(self, a): ...", "Cart: the parameter 'a'"),
        (
            "def __init__(self, a): ...",
            "x = 1",
            "narrowed shop.cart.Cart: the parameter 'a' is gone",
        ),
        ("size = 1", "other = 1", "removed shop.cart.Cart.size: the attribute is gone"),
        (
            "def __init__(self):\n        self.size = 1",
            "def __init__(self):\n        self._size = 1",
            "removed shop.cart.Cart.size: the attribute is gone",
        ),
        (
            "@property\n    def size(self): ...",
            "def size(self): ...",
            "it was an attribute and is a method",
        ),
        ("@staticmethod\n    def make(a): ...", "def make(self, a): ...", "no longer staticmethod"),
        ("def __len__(self): ...", "x = 1", "removed shop.cart.Cart.__len__"),
        ("async def add(self): ...", "def add(self): ...", "it is no longer async"),
    ],
)
def test_a_member_breaks(before: str, after: str, expected: str) -> None:
    found = in_class(before, after)
    assert any(expected in it for it in found), found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def total(a): ...\n", "def total(a, b=1): ...\n"),
        ("def total(a): ...\n", "def total(a, *more, **named): ...\n"),
        ("def total(a): ...\n", "def total(a=1): ...\n"),
        ("def total(a, /): ...\n", "def total(b, /): ...\n"),
        ("def total(*, a): ...\n", "def total(a): ...\n"),
        ("def total(a): ...\n", "def total(a: int) -> str: ...\n"),
        ("def total(a: int): ...\n", "def total(a: int | str): ...\n"),
        ("def total(a: int): ...\n", "def total(a: Any): ...\n"),
        ("def total(a: int): ...\n", "def total(a: float): ...\n"),
        ("def total(a: List[int]): ...\n", "def total(a: list[int]): ...\n"),
        ("def total(a: List[int]): ...\n", "def total(a: Sequence[int]): ...\n"),
        ("def total(a: Optional[int]): ...\n", "def total(a: 'int | None'): ...\n"),
        ("def total(a: typing.Dict[str, t.Any]): ...\n", "def total(a: dict[str, Any]): ...\n"),
        ("def total(a: int = None): ...\n", "def total(a: int | None = None): ...\n"),
        ("def total(a: Literal['x']): ...\n", "def total(a: str): ...\n"),
        ("def total() -> int | None: ...\n", "def total() -> int: ...\n"),
        ("def total() -> Iterable[int]: ...\n", "def total() -> list[int]: ...\n"),
        ("def _total(a): ...\n", ""),
        ("def total(a): ...\n", "def total(a): ...\ndef more(): ...\n"),
        ("def total(a): ...\n", "total = cached(other)\n"),
        ("def total(a): ...\n", "def plus(a): ...\ntotal = plus\n"),
        ("def total(a): ...\n", "@cache\ndef total(a): ...\n"),
        ("import os\nfrom x import y\n", ""),
        ("class Cart: ...\n", "class Cart(Base): ...\n"),
        ("class Cart(object): ...\n", "class Cart: ...\n"),
        ("class Cart(Base[T]): ...\n", "class Cart(Base): ...\n"),
        ("class _Cart:\n    def add(self): ...\n", ""),
        (
            "class Cart:\n    def add(self): ...\n",
            "class _Base:\n    def add(self): ...\nclass Cart(_Base): ...\n",
        ),
        (
            "@dataclass\nclass Cart:\n    a: int\n",
            "@dataclass\nclass Cart:\n    a: int\n    b: int = 1\n    c: ClassVar[int] = 2\n",
        ),
        (
            "class Cart:\n    @property\n    def a(self): ...\n",
            "class Cart:\n    @property\n    def a(self): ...\n"
            "    @a.setter\n    def a(self, b): ...\n",
        ),
        ("class Cart:\n    a = 1\n", "class Cart:\n    @property\n    def a(self): ...\n"),
        ("class Cart:\n    def __repr__(self): ...\n", "class Cart: ...\n"),
        (
            "def total(a): ...\n",
            "@overload\ndef total(a: int): ...\n@overload\ndef total(a: str): ...\n"
            "def total(a): ...\n",
        ),
        ("__version__ = '1'\n", "__version__ = '2'\n"),
    ],
)
def test_a_module_does_not_break(before: str, after: str) -> None:
    assert pair(before, after) == []


INIT = "src/shop/__init__.py"
INNER = "src/shop/_inner.py"


def test_what_moves_and_is_re_exported_is_still_there() -> None:
    before = {INIT: "def total(a): ...\n"}
    after = {INIT: "from ._inner import total\n", INNER: "def total(a): ...\n"}
    assert told(before, after) == []
    assert told(before, {**after, INIT: "from shop._inner import *\n"}) == []
    renamed = {INIT: "from ._inner import plus as total\n", INNER: "def plus(a): ...\n"}
    assert told(before, renamed) == []


def test_a_module_may_become_a_package() -> None:
    before = {"shop.py": "def total(a): ...\n"}
    after = {
        "src/shop/__init__.py": "from .a import total\n",
        "src/shop/a.py": "def total(a): ...\n",
    }
    assert told(before, after) == []


def test_a_private_module_is_public_where_it_is_re_exported() -> None:
    files = {INIT: "from ._inner import total\n"}
    before, after = {**files, INNER: "def total(a): ...\n"}, {**files, INNER: "def total(b): ...\n"}
    assert [it.symbol for it in seen(before, after).breaks] == ["shop.total"]
    private = {INIT: "", INNER: "def total(a): ...\n"}
    assert told(private, {**private, INNER: ""}) == []


def test_a_re_export_that_is_gone_is_a_break() -> None:
    files = {"src/shop/cart.py": "def total(a): ...\n"}
    assert told({**files, INIT: "from shop.cart import total\n"}, {**files, INIT: ""}) == [
        "removed shop.total: the function is gone"
    ]


def test_what_a_module_lists_counts_where_it_is_imported() -> None:
    files = {**PACKAGE, INNER: "def total(a): ...\n"}
    before = {**files, CART: "from ._inner import total\n__all__ = ['total']\n"}
    assert told(before, {**files, CART: "from ._inner import total\n"}) == [
        "removed shop.cart.total: the function is gone"
    ]


def test_what_is_listed_and_nowhere_defined_is_not_there() -> None:
    before = {INIT: "__all__ = ['A']\nA = 1\n"}
    assert told(before, {INIT: "__all__ = ['A']\n"}) == ["removed shop.A: the value is gone"]
    lazy = "__all__ = ['A']\ndef __getattr__(name):\n    return load(name)\n"
    assert told(before, {INIT: lazy}) == []


def test_a_module_that_is_gone_is_one_break() -> None:
    assert told({**PACKAGE, CART: "def a(): ...\ndef b(): ...\n"}, PACKAGE) == [
        "removed shop.cart: the module is gone"
    ]


def test_members_of_a_base_class_in_another_module_count() -> None:
    base = {**PACKAGE, "src/shop/_base.py": "class Base:\n    def add(self, a): ...\n"}
    before = {**base, CART: "from ._base import Base\nclass Cart(Base): ...\n"}
    after = {**before, "src/shop/_base.py": "class Base:\n    def add(self): ...\n"}
    assert told(before, after) == ["narrowed shop.cart.Cart.add: the parameter 'a' is gone"]


def test_a_stub_may_go_and_is_compared_while_it_is_there() -> None:
    stub = "src/shop/cart.pyi"
    files = {**PACKAGE, "src/shop/__init__.pyi": "", CART: "def total(a): ...\n"}
    before = {**files, stub: "def total(a: int | str) -> int: ...\n"}
    assert told(before, files) == []
    assert told(before, {**files, stub: "def total(a: int) -> int: ...\n"}) == [
        "narrowed shop.cart.total: the parameter 'a' was int | str and is int"
    ]


@pytest.mark.parametrize(
    "path",
    [
        "tests/shop/cart.py",
        "docs/conf.py",
        "examples/cart.py",
        "setup.py",
        "scripts/cart.py",
        "src/shop/_vendor/cart.py",
        "src/shop/migrations/one.py",
        "src/shop/cart_pb2.py",
        "src/shop/test_cart.py",
        "some/folder/cart.py",
    ],
)
def test_what_is_no_api_is_not_compared(path: str) -> None:
    assert told({**PACKAGE, path: "def total(a): ...\n"}, PACKAGE) == []


def test_what_a_file_with_a_mistake_lacks_is_unknown_and_what_it_has_is_compared() -> None:
    before = {**PACKAGE, CART: "def total(a): ...\ndef other(): ...\n"}
    found = seen(before, {**PACKAGE, CART: "def total(): ...\n\ndef (:\n"})
    assert [it[0] for it in found.unread] == [CART]
    assert [it.symbol for it in found.breaks] == ["shop.cart.total"]
