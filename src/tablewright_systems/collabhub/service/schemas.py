"""Shapes: what clients give, and what they are shown where that is no entity. Names are camelCase, as in the store."""

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


class Input(BaseModel):
    """What a client gives."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

    never_null: ClassVar[tuple[str, ...]] = ()
    """Fields that may be left out, and cannot be taken away."""

    @model_validator(mode="after")
    def _require_not_null(self) -> Self:
        for name in self.never_null:
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"{to_camel(name)} cannot be taken away")
        return self

    @property
    def given(self) -> dict[str, Any]:
        """The fields that were given, also those that were given as None."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class View(BaseModel):
    """What a client is shown, taken from the attributes of something."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, from_attributes=True, frozen=True
    )
