"""Base model of request bodies, cleaned as the document specifies (878-905).

Blank text counts as null, and null removes the field. False and zero are values.
"""

from typing import Any

from pydantic import model_validator

from tablewright_systems.service.schemas import Body


class CleanBody(Body):
    """A request body; unknown fields are rejected, blank text counts as null."""

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, data: Any) -> Any:
        return {name: _cleaned(value) for name, value in data.items()} if isinstance(data, dict) else data


def _cleaned(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value
