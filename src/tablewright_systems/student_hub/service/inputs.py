"""Input: what callers send, cleaned the way the document cleans it (878-905).

A text of nothing but spaces is no text, and what is no text counts as null: to send it is to remove the field. False
and zero are values.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


class Input(BaseModel):
    """The base of what callers send; unknown fields are refused by name."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, data: Any) -> Any:
        return {name: _cleaned(value) for name, value in data.items()} if isinstance(data, dict) else data

    @property
    def given(self) -> dict[str, Any]:
        """What was sent, by field; None is to be removed."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set
        }


def _cleaned(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value
