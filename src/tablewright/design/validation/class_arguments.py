"""Class arguments: `class User(Entity, table=main)`. A misspelt argument is rejected; pydantic would ignore it."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from tablewright.design.nearest_names import suggestion
from tablewright.errors import DesignError


def check_class_arguments(
    defined: type[BaseModel], owner: type[BaseModel], known: Iterable[str], unknown: Mapping[str, Any]
) -> None:
    """Reject arguments that neither the base class `owner` nor a class after it in the inheritance takes."""
    after = defined.__mro__[defined.__mro__.index(owner) + 1 :]
    takers = (base for base in after if base is not BaseModel)
    if not unknown or any("__pydantic_init_subclass__" in base.__dict__ for base in takers):
        return
    name = next(iter(unknown))
    raise DesignError(
        f"{defined.__name__} has no class argument {name}; {suggestion(name, known, 'the arguments are')}"
    )
