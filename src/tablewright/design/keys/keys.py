"""Keys: the key templates of an entity, in its table, in indexes and in its copies.

keys = Keys(primary=("USER#{user_id}", "PROFILE"),
            GSI1=("ROLE#{role}", "USER#{user_id}"),
            GSI2=Sparse("OPEN", "{created_at}#{user_id}", when="is_open"))
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from tablewright.design.keys.templates import Template
from tablewright.errors import DesignError

Templates = str | Sequence[str]
Condition = str | Sequence[str] | Mapping[str, Any]


class Sparse:
    """Index keys that an item has only under a condition: a field is true, all of several are, or have given values.

    A value of an enum field is a member or its value; None means that the field is absent.

    >>> Sparse("DUE", "{due_at}", when=("is_open", "due_at")).holds({"is_open": True, "due_at": None})
    False
    >>> Sparse("OPEN", "{created_at}", when={"status": "open"}).holds({"status": "closed"})
    False
    """

    def __init__(self, *templates: str, when: Condition) -> None:
        if not isinstance(when, str | Sequence | Mapping):
            raise DesignError(
                "Sparse(when=...) takes the name of a field that must be true, a tuple of names, or values: "
                'when="is_open", when=("is_open", "due_at"), when={"status": "open"}'
            )
        self.templates = tuple(map(Template, templates))
        self.when = when
        self._values = (
            {name: _stored(value) for name, value in when.items()} if isinstance(when, Mapping) else None
        )

    def __repr__(self) -> str:
        return f"Sparse({', '.join(repr(template.text) for template in self.templates)}, when={self.when!r})"

    @property
    def names(self) -> tuple[str, ...]:
        """The fields in the condition."""
        return (self.when,) if isinstance(self.when, str) else tuple(self.when)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether an entity with these values is in the index."""
        if self._values is not None:
            return all(_stored(values.get(name)) == value for name, value in self._values.items())
        return all(values.get(name) for name in self.names)

    def goes_with(self, name: str) -> bool:
        """Whether an item without this field is never in the index."""
        return name in self.names and not isinstance(self.when, Mapping)


class Keys:
    """The key templates of an entity. Index names that are not valid Python names go into `indexes`.

    >>> Keys(primary=("USER#{user_id}", "PROFILE"), indexes={"email-index": "{email}"}).primary
    (Template('USER#{user_id}'), Template('PROFILE'))
    """

    def __init__(
        self,
        primary: Templates | None = None,
        indexes: Mapping[str, Templates | Sparse] | None = None,
        **named: Templates | Sparse,
    ) -> None:
        self.primary = None if primary is None else _templates(primary)
        self.indexes = {name: _sparse(templates) for name, templates in {**(indexes or {}), **named}.items()}

    def __repr__(self) -> str:
        return f"Keys(primary={self.primary!r}, indexes={self.indexes!r})"


class Copy:
    """A denormalised copy of an entity, maintained by the library: one, or one for `each` element of a list.

        participants = Copy(each="participant_ids", name="user_id",
                            primary=("CONVERSATION#{conversation_id}", "PARTICIPANT#{user_id}"),
                            GSI1=("PARTICIPANT#{user_id}", "CONVERSATION#{last_message_at}"))

    `name` is the name of the element in templates. `fields` are the fields stored besides the keys; None is all fields.
    """

    def __init__(
        self,
        *,
        primary: Templates,
        each: str | None = None,
        name: str | None = None,
        type: str | None = None,  # noqa: A002 - the word users know from Entity
        fields: Sequence[str] | None = None,
        indexes: Mapping[str, Templates | Sparse] | None = None,
        **named: Templates | Sparse,
    ) -> None:
        if (each is None) != (name is None):
            raise DesignError(
                'a Copy needs each and name together: Copy(each="member_ids", name="member_id", ...)'
            )
        self.keys = Keys(primary, indexes, **named)
        self.each = each
        self.name = name
        self.type = type
        self.fields = None if fields is None else tuple(fields)

    def __repr__(self) -> str:
        return f"Copy(each={self.each!r}, keys={self.keys!r})"


def _stored(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _templates(templates: Templates) -> tuple[Template, ...]:
    return (Template(templates),) if isinstance(templates, str) else tuple(map(Template, templates))


def _sparse(templates: Templates | Sparse) -> tuple[Template, ...] | Sparse:
    return templates if isinstance(templates, Sparse) else _templates(templates)
