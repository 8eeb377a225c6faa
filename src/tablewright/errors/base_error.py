"""The base class of all errors that Tablewright raises on purpose."""

from collections.abc import Mapping
from typing import Any


class TablewrightError(Exception):
    """Base class: catch it to catch every error that Tablewright raises on purpose."""


def format_key(key: Mapping[str, Any]) -> str:
    """A primary key as messages show it.

    >>> format_key({"artist": "Nina Simone", "year": 1965})
    "artist='Nina Simone', year=1965"
    """
    return ", ".join(f"{name}={value!r}" for name, value in key.items())
