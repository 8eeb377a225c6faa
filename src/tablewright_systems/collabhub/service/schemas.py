"""Schemas of requests, and of replies that are not entities. Names are camelCase, as in the store."""

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


class Input(BaseModel):
    """A request body."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

    never_null: ClassVar[tuple[str, ...]] = ()
    """Fields that may be left out, but not be null."""

    @model_validator(mode="after")
    def _require_not_null(self) -> Self:
        for name in self.never_null:
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"{to_camel(name)} must not be null")
        return self

    @property
    def given(self) -> dict[str, Any]:
        """The fields that the client sent, including those sent as null."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class View(BaseModel):
    """A reply body, built from the attributes of an object."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, from_attributes=True, frozen=True
    )
