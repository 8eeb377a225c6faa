"""Entities: Pydantic models that know how they are stored.

    class User(Entity, table=main, type="USER"):
        user_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("{email}",))

Attributes are stored under camelCase names unless a field has an alias of its own. A class that cannot work raises
`DesignError` when it is defined.

Class arguments: `class User(Entity, table=main)`. A misspelt argument is rejected; pydantic would ignore it.

Inheritance:

    class Timestamped(Entity):                      # no table: an abstract base
        created_at: fields.Timestamp = fields.now()

    class Note(Timestamped, table=notes):
        id: str

A class without a table is an abstract base: it stores nothing, and cannot be used where an entity is needed. An entity
inherits from its abstract bases, and from mixins that are plain pydantic models: fields with their markers, validators,
`suppress`, `model_config`, `keys` and copies. What a class defines itself comes before what it inherits. `keys` are
inherited as a whole.

An entity cannot be the base of another: a read of `User` never returns an `Admin`, so `Admin` is no kind of `User`.
"""

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from tablewright.design.argument_errors import define_bases, suggestion
from tablewright.design.entities.layout_builder import build_layout
from tablewright.design.fields.markers import Counter, References, Ttl, Unique, Version
from tablewright.design.fields.masking import hide_input, masked
from tablewright.design.fields.rates import Expect
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.layouts.layouts import (
    EntityType,
    StoredModel,
    Upcast,
    abstract_error,
    has_marker,
    is_abstract,
    is_secret_field,
)
from tablewright.design.tables import Table
from tablewright.design.validation.field_rules import annotated_fields, check_names
from tablewright.errors import DesignError

_KEPT = (Unique, Ttl, Counter, Version, References)
"""Markers that are not for secrets, and that change what is stored, checked or deleted."""


def check_bases(entity: type[StoredModel], table: Table | None, arguments: Mapping[str, Any]) -> None:
    """Reject a subclass of an entity, a generic entity, and arguments that an abstract base does not take."""
    name = entity.__name__
    for base in _bases(entity):
        if not is_abstract(base):
            raise DesignError(
                f"{name} derives from {base.__name__}, which is an entity with a table; move the shared fields to a "
                f"class without a table, and derive both from it: class {base.__name__}Base(Entity)"
            )
    parameters = entity.__pydantic_generic_metadata__["parameters"]
    if table is not None and parameters:
        raise DesignError(
            f"{name} is generic, and the fields of an entity have one type each; remove table=... and derive an entity "
            f"for each type: class Int{name}({name}[int], table=...)"
        )
    unused = [argument for argument, value in arguments.items() if value is not None]
    if table is None and unused:
        raise DesignError(
            f"{name} has {unused[0]}=..., but no table; add table=..., or remove {unused[0]}: a class without a table "
            "is an abstract base, of which no items are stored"
        )
    _check_secrets(entity)
    _check_markers(entity)


def _check_markers(entity: type[StoredModel]) -> None:
    """Reject a field that is defined again without a marker of its base, which would be lost without a word."""
    for base in entity.__mro__[1:]:
        for name, info in base.__dict__.get("__pydantic_fields__", {}).items():
            own = entity.model_fields.get(name)
            for kind in _KEPT:
                if own is not None and has_marker(info, kind) and not has_marker(own, kind):
                    raise DesignError(
                        f"{entity.__name__}.{name} has no {kind.__name__}(), but {base.__name__}.{name} has: defining "
                        "the field again removes its marker; repeat it, or use another name"
                    )


def _check_secrets(entity: type[StoredModel]) -> None:
    """Reject a field that is a secret in a class and not in its base: either a marker is lost, or values are shown.

    `Base.token == "abc"` is a condition on all entities of the base. It masks its value if the base has the marker.
    """
    for base in entity.__mro__[1:]:
        for name, info in base.__dict__.get("__pydantic_fields__", {}).items():
            own = entity.model_fields.get(name)
            was_secret, is_secret = is_secret_field(info), own is not None and is_secret_field(own)
            if was_secret and not is_secret:
                raise DesignError(
                    f"{entity.__name__}.{name} is no secret, but {base.__name__}.{name} is: defining the field again "
                    "removes its marker; repeat Encrypted() or Hashed(), or use another name"
                )
            if is_secret and not was_secret and issubclass(base, StoredModel):
                raise DesignError(
                    f"{entity.__name__}.{name} is a secret, but {base.__name__}.{name} is not: conditions and changes "
                    f"of {base.__name__}.{name} would show its values; mark it in {base.__name__} too, or use another "
                    "name"
                )


def allow_redefinition(entity: type[StoredModel], names: Iterable[str]) -> None:
    """Let a class that is being defined declare inherited fields again.

    Pydantic warns of fields that hide an attribute of a base, and `User.name` is one: a condition.
    """
    inherited = {name for base in entity.__mro__[1:] for name in base.__dict__.get("__pydantic_fields__", ())}
    for name in inherited.intersection(names):
        shadowing = f'Field name "{name}" in "{entity.__qualname__}" shadows an attribute in parent'
        warnings.filterwarnings("ignore", message=re.escape(shadowing))


def make_abstract(entity: type[StoredModel]) -> None:
    """Make a class an abstract base: a class of which no entities can be made."""
    entity.__pydantic_validator__ = _NoInstances(entity)  # type: ignore[assignment]


def inherited_keys(entity: type[StoredModel]) -> Keys:
    """The keys of a class: its own, or those of the first base that has keys."""
    for base in entity.__mro__:
        if "keys" in base.__dict__:
            keys = base.__dict__["keys"]
            if not isinstance(keys, Keys):
                raise DesignError(f"{base.__name__}.keys must be Keys(primary=...), got {keys!r}")
            return keys
    return Keys()


def inherited_copies(entity: type[StoredModel]) -> dict[str, Copy]:
    """The copies of a class and of its bases; of two with one name, the one of the class that comes first."""
    members: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        members |= base.__dict__
    return {name: member for name, member in members.items() if isinstance(member, Copy)}


def _bases(entity: type[StoredModel]) -> Iterator[type[StoredModel]]:
    """The entities among the bases, abstract or not."""
    for base in entity.__mro__[1:]:
        if issubclass(base, StoredModel) and base is not StoredModel:
            yield base


class _NoInstances:
    """The validator of an abstract base: every use of it raises `DesignError`."""

    def __init__(self, entity: type[StoredModel]) -> None:
        self._entity = entity

    def __getattr__(self, name: str) -> NoReturn:
        raise abstract_error(self._entity)


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
        arguments = {
            "type": type,
            "schema_version": schema_version,
            "upcasts": upcasts,
            "expect": expect,
            "writes": writes,
        }
        check_class_arguments(cls, Entity, ("table", *arguments), extra)
        check_bases(cls, table, arguments)
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
