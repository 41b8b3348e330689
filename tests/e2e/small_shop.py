"""A small project of somebody's: a src layout, tests, and a Makefile that does nothing."""

from typing import Final

SHOP: Final = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "src/shop/__init__.py": "def price(n):\n    return 3 * n\n",
    "tests/test_price.py": "import unittest\n\nimport shop\n\n\n"
    "class Price(unittest.TestCase):\n    def test_price(self):\n"
    "        self.assertEqual(shop.price(2), 6)\n",
    "Makefile": "test:\n\t@echo Nothing to be done\n",
}
