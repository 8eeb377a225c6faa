"""Base models for request and response bodies."""

from typing import Annotated, Any, Generic, TypeVar

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

T = TypeVar("T")

Id = Annotated[str, Path(max_length=128)]


class Body(BaseModel):
    """A request body in camelCase; unknown fields are rejected."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    def given(self) -> dict[str, Any]:
        """Return the fields that the client sent."""
        return self.model_dump(exclude_unset=True)


class MixedEntry(BaseModel, Generic[T]):
    """An entry of a mixed list, with the name of its kind."""

    kind: str
    entry: T


def with_kind(entry: T) -> MixedEntry[T]:
    """Wrap an entry with the name of its kind."""
    return MixedEntry(kind=type(entry).__name__, entry=entry)


def omittable() -> Any:
    """Default of a field that can be omitted but not be null."""
    return Field(default_factory=lambda: None)
