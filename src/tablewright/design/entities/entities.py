"""Entities: Pydantic models that know where they live.

    class User(Entity, table=main, type="USER"):
        user_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("{email}",))

Attributes are stored under camelCase names unless a field has an alias of its own. A class that cannot work is refused
when it is defined.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict
from pydantic._internal._model_construction import ModelMetaclass  # pydantic has no public name for it
from pydantic.alias_generators import to_camel

from tablewright.design.fields.conditions import Attribute
from tablewright.design.fields.rates import Expect
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.upcasts import Upcast
from tablewright.design.tables.tables import Table
from tablewright.design.validation.entity_rules import check_names
from tablewright.design.validation.secret_rules import hide_input, masked
from tablewright.design.validation.shadowed_names import annotated_fields
from tablewright.errors import DesignError

# Kept where pydantic keeps private attributes, so that copies and pickles have it. A declared `PrivateAttr` would do
# the same, but costs every new entity as much as validating three fields.
_UNKNOWN = "_unknown"
_PARTIAL = "_partial"


class EntityType(ModelMetaclass):
    """Makes `User.status` an `Attribute`, so that `User.status == "ACTIVE"` is a condition."""

    def __getattr__(cls, name: str) -> Any:
        model_fields = cls.__dict__.get("__pydantic_fields__", {})
        if name in model_fields:
            layout = cls.__dict__.get("layout")
            return Attribute(name, secret=layout is not None and name in layout.secrets)
        return super().__getattr__(name)  # type: ignore[misc]  # hidden from type checkers by pydantic


class Entity(BaseModel, metaclass=EntityType):
    """The base of every entity; give `table`, and `type` where the table holds several kinds."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        ignored_types=(Keys, Copy),
        ser_json_bytes="base64",
    )

    layout: ClassVar[Layout]
    """Where its items lie: filled in when the class is defined."""

    suppress: ClassVar[Mapping[str, str]] = {}
    """Findings that are known and meant: `{"TW401": "why it is so"}`."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Look at the names; pydantic hands the arguments on, to the method below."""
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
        """Work out the layout, or say what is wrong with the class."""
        super().__pydantic_init_subclass__(**extra)
        if table is None:
            raise DesignError(f"{cls.__name__} has no table: class {cls.__name__}(Entity, table=...)")
        keys = cls.__dict__.get("keys")
        copies = {name: member for name, member in cls.__dict__.items() if isinstance(member, Copy)}
        cls.layout = Layout.of(
            cls, table, type, keys or Keys(), copies, schema_version, expect or Expect(), upcasts or {}
        )
        if cls.layout.secrets:
            hide_input(cls)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """What `repr` shows: never a secret."""
        return masked(self.layout.secrets, super().__repr_args__())

    @property
    def unknown_attributes(self) -> dict[str, Any]:
        """Attributes that the item had and the class does not declare; they are kept when it is written back."""
        unknown: dict[str, Any] = (self.__pydantic_private__ or {}).get(_UNKNOWN, {})
        return unknown

    @unknown_attributes.setter
    def unknown_attributes(self, attributes: Mapping[str, Any]) -> None:
        if attributes or self.unknown_attributes:
            self._keep(_UNKNOWN, dict(attributes))

    @property
    def is_partial(self) -> bool:
        """Whether it was read from a copy that lacks some fields; it can be updated, and not written as a whole."""
        return _PARTIAL in (self.__pydantic_private__ or ())

    def mark_partial(self) -> None:
        """Say that some of its fields are not what is stored, but defaults."""
        self._keep(_PARTIAL, True)

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, "__pydantic_private__", {**(self.__pydantic_private__ or {}), name: value})

    def changed(self, **values: Any) -> Self:
        """A copy with other values, validated; what nobody has set counts as not set, as before."""
        data = {name: getattr(self, name) for name in type(self).model_fields} | values
        copy = type(self).model_validate(data, by_name=True, by_alias=False)
        copy.model_fields_set.intersection_update(self.model_fields_set | values.keys())
        copy.unknown_attributes = self.unknown_attributes
        if self.is_partial:
            copy.mark_partial()
        return copy
