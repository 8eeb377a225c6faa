"""What the bodies of requests and replies have in common."""

from typing import Annotated, Any, Generic, TypeVar

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

T = TypeVar("T")

Id = Annotated[str, Path(max_length=128)]


class Body(BaseModel):
    """What a client sends: in camelCase, and nothing that nobody reads."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    def given(self) -> dict[str, Any]:
        """What the client sent, without what it left out."""
        return self.model_dump(exclude_unset=True)


class Kinded(BaseModel, Generic[T]):
    """One of several kinds of things, and which."""

    kind: str
    entry: T


def kinded(entry: T) -> Kinded[T]:
    """Something, under the name of its kind."""
    return Kinded(kind=type(entry).__name__, entry=entry)


def left_out() -> Any:
    """A default for what may be left out, and may not be null."""
    return Field(default_factory=lambda: None)
