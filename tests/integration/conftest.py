"""Fixtures that several rooms share."""

from tests.integration.ordinary_user import home, interpreter

__all__ = ["home", "interpreter"]
