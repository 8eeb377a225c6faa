"""Entities: Pydantic models that know how they are stored.

    class User(Entity, table=main, type="USER"):
        user_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("{email}",))

Attributes are stored under camelCase names unless a field has an alias of its own. A class that cannot work raises
`DesignError` when it is defined.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from tablewright.design.entities.layout_builder import build_layout
from tablewright.design.fields.masking import hide_input, masked
from tablewright.design.fields.rates import Expect
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.layouts.layouts import StoredModel
from tablewright.design.layouts.upcasts import Upcast
from tablewright.design.tables.tables import Table
from tablewright.design.validation.field_rules import check_names
from tablewright.design.validation.shadowed_names import annotated_fields
from tablewright.errors import DesignError


class Entity(StoredModel):
    """The base class of every entity. Give `table`, and `type` if the table holds several entities."""

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
        check_names(cls.__name__, {name: to_camel(name) for name in annotated_fields(cls)})

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: Table | None = None,
        type: str | None = None,  # noqa: A002 - the word of the documents
        schema_version: int | None = None,
        upcasts: Mapping[int, Upcast] | None = None,
        expect: Expect | None = None,
        **extra: Any,
    ) -> None:
        """Build the layout, or raise `DesignError`."""
        super().__pydantic_init_subclass__(**extra)
        if table is None:
            raise DesignError(f"{cls.__name__} has no table: class {cls.__name__}(Entity, table=...)")
        keys = cls.__dict__.get("keys")
        copies = {name: member for name, member in cls.__dict__.items() if isinstance(member, Copy)}
        cls.layout = build_layout(
            cls, table, type, keys or Keys(), copies, schema_version, expect or Expect(), upcasts or {}
        )
        if cls.layout.secrets:
            hide_input(cls)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """The arguments that `repr` shows; secrets are masked."""
        return masked(self.layout.secrets, super().__repr_args__())
