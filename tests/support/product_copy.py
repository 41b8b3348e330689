"""A copy of the product for an interpreter that has nothing of our environment."""

import shutil
import sys
from pathlib import Path
from typing import Final

import msgspec

import supervisor_ai

SAME_VERSION: Final = f"sys.version_info[:2] == {sys.version_info[:2]}"
"""What must hold for such an interpreter: compiled parts are for one version only."""


def copy_product(target: Path) -> None:
    """Copy what sandboxes and workspaces import; a clone in root's home is out of others' reach."""
    # What is compiled comes along: for each copy to compile it again takes seconds.
    ignored = shutil.ignore_patterns("*.pyc.*")
    for package in (supervisor_ai, msgspec):
        shutil.copytree(package.__path__[0], target / package.__name__, ignore=ignored)
