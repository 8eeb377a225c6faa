"""Base model of request bodies, cleaned as the document specifies (878-905).

Blank text counts as null, and null removes the field. False and zero are values.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


class Input(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, data: Any) -> Any:
        return {name: _cleaned(value) for name, value in data.items()} if isinstance(data, dict) else data

    @property
    def given(self) -> dict[str, Any]:
        """Return the fields that were sent; None removes a field."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set
        }


def _cleaned(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value
