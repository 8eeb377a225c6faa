"""Masking: secret values are replaced by `***` wherever they would be shown."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

MASK = "***"


def masked(
    secrets: frozenset[str], arguments: Iterable[tuple[str | None, Any]]
) -> list[tuple[str | None, Any]]:
    """The arguments of a repr, with the value of every secret masked."""
    return [(name, MASK if name in secrets and value is not None else value) for name, value in arguments]


def masked_values(secrets: frozenset[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name, with the value of every secret masked.

    >>> masked_values(frozenset({"token"}), {"token": "abc", "user_id": "u1"})
    {'token': '***', 'user_id': 'u1'}
    """
    return dict(masked(secrets, values.items()))  # type: ignore[arg-type]


def hide_input(model: type[BaseModel]) -> None:
    """Keep rejected values out of the validation errors of a model."""
    model.model_config["hide_input_in_errors"] = True
    model.model_rebuild(force=True)
