"""Entities: Pydantic models that know how they are stored.

    class User(Entity, table=main, type="USER"):
        user_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("{email}",))

Attributes are stored under camelCase names unless a field has an alias of its own. A class that cannot work raises
`DesignError` when it is defined. A class without a table is an abstract base (see `base_entities`).

Class arguments: `class User(Entity, table=main)`. A misspelt argument is rejected; pydantic would ignore it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from tablewright.design.argument_errors import define_bases, suggestion
from tablewright.design.entities.base_entities import (
    allow_redefinition,
    check_bases,
    inherited_copies,
    inherited_keys,
    make_abstract,
)
from tablewright.design.entities.layout_builder import build_layout
from tablewright.design.fields.masking import hide_input, masked
from tablewright.design.fields.rates import Expect
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.layouts.layouts import EntityType, StoredModel, Upcast
from tablewright.design.tables.tables import Table
from tablewright.design.validation.field_rules import annotated_fields, check_names
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


# The metaclass is named again for type checkers: subclasses of a class that names it may be frozen or not.
class Entity(StoredModel, metaclass=EntityType):
    """The base class of every entity. Give `table`, and `type` if the table holds several entities.

    A class without `table` is an abstract base, from which entities inherit fields:

    >>> from tablewright import fields
    >>> class Timestamped(Entity):
    ...     created_at: fields.Timestamp = fields.now()
    >>> class Note(Timestamped, table=Table("notes", key="id")):
    ...     id: str
    >>> list(Note.model_fields)
    ['created_at', 'id']
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        ignored_types=(Keys, Copy),
        ser_json_bytes="base64",
    )

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Check the field names; pydantic passes the arguments on to the method below."""
        super().__init_subclass__()
        names = tuple(annotated_fields(cls))
        check_names(cls.__name__, {name: to_camel(name) for name in names})
        allow_redefinition(cls, names)

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: Table | None = None,
        type: str | None = None,  # noqa: A002 - the word of the documents
        schema_version: int | None = None,
        upcasts: Mapping[int, Upcast] | None = None,
        expect: Expect | None = None,
        writes: Collection[str] | None = None,
        **extra: Any,
    ) -> None:
        """Build the layout, or raise `DesignError`."""
        super().__pydantic_init_subclass__(**extra)
        given = {
            "type": type,
            "schema_version": schema_version,
            "upcasts": upcasts,
            "expect": expect,
            "writes": writes,
        }
        check_class_arguments(cls, Entity, ("table", *given), extra)
        check_bases(cls, table, given)
        if table is None:
            make_abstract(cls)
            return
        cls.layout = build_layout(
            cls,
            table,
            type,
            inherited_keys(cls),
            inherited_copies(cls),
            schema_version,
            expect or Expect(),
            upcasts or {},
            writes,
        )
        if cls.layout.secrets:
            hide_input(cls)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """The arguments that `repr` shows; secrets are masked."""
        return masked(self.layout.secrets, super().__repr_args__())


define_bases(StoredModel, Entity)
