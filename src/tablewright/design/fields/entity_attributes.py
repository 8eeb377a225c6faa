"""Attributes: the fields of an entity as `User.name` returns them, and the conditions that are made of them.

    User.address.city == "Berlin"        User.addresses["home"].exists()        User.history[0].size() > 3

A type checker sees `User.name` as the type of the field, `str`. `fields.of(User.name)` is the same object, typed as
`Attribute[str]`, with typed methods. A nested field whose name is a method of `Attribute` is written with brackets:
`User.box["size"]`. For that reason an attribute has no public data: `path_of(attribute)` returns it.
"""

from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

from tablewright.design.fields.annotations import NotNested, Part, is_model, member
from tablewright.design.fields.conditions import (
    Between,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Function,
    Hidden,
    OneOf,
    Operator,
    Predicate,
    Size,
)
from tablewright.design.fields.field_changes import Changeable

T = TypeVar("T")
E = TypeVar("E")
V = TypeVar("V")


_ELSEWHERE = {
    "startswith": "begins_with(...)",
    "in_": "one_of(...)",
    "is_in": "one_of(...)",
    "isin": "one_of(...)",
    "is_null": "is_absent()",
    "is_none": "is_absent()",
    "not_exists": "is_absent()",
    "is_type": "exists()",
    "increment": "add(...)",
    "extend": "append(*elements)",
    "insert": "prepend(...)",
    "pop": "remove(), of an element",
}
"""Methods of other libraries, and the method that does the same."""


class NeverEqual:
    """What a type checker sees for a field compared with a value of another type; `when=` does not accept it."""


class Attribute(Changeable[T], Generic[T]):
    """A field of an entity, or a nested field, in a condition or a change; the values of a secret field are masked.

    >>> Attribute("age") >= 18
    Comparison(operator='>=', operand=<age>, value=18)
    >>> (Attribute("token", secret=True) == "abc").value
    '***'
    """

    __slots__ = ("_path",)

    def __init__(self, *parts: Part, owner: type | None = None, secret: bool = False) -> None:
        self._path = FieldPath(owner, parts, secret)

    def __repr__(self) -> str:
        return path_source(self._path)

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self!r} is a field, not a value; compare it: {self!r} == ...")

    def __iter__(self) -> NoReturn:
        raise TypeError(f"{self!r} is a field and cannot be iterated over; write its elements: {self!r}[0]")

    def __contains__(self, value: object) -> NoReturn:
        raise TypeError(f"{self!r} is a field; write {self!r}.contains(...) in place of `in`")

    if not TYPE_CHECKING:  # type checkers reject these already

        def __len__(self) -> NoReturn:
            raise TypeError(f"{self!r} is a field; write {self!r}.size() in place of len()")

        def __and__(self, other: object) -> NoReturn:
            raise TypeError(
                f"& and | join conditions; write parentheses around comparisons: ({self!r} == ...) & (...)"
            )

        __rand__ = __or__ = __ror__ = __and__

    # Without the second overload a type checker would try `value == attribute` next, and find a bool.
    @overload  # type: ignore[override]
    def __eq__(self, value: "T | Attribute[T] | None") -> Condition: ...
    @overload
    def __eq__(self, value: object) -> "NeverEqual": ...
    def __eq__(self, value: Any) -> Any:
        return self._compared("=", value)

    @overload  # type: ignore[override]
    def __ne__(self, value: "T | Attribute[T] | None") -> Condition: ...
    @overload
    def __ne__(self, value: object) -> "NeverEqual": ...
    def __ne__(self, value: Any) -> Any:
        return self._compared("<>", value)

    def __lt__(self, value: "T | Attribute[T]") -> Condition:
        return self._compared("<", value)

    def __le__(self, value: "T | Attribute[T]") -> Condition:
        return self._compared("<=", value)

    def __gt__(self, value: "T | Attribute[T]") -> Condition:
        return self._compared(">", value)

    def __ge__(self, value: "T | Attribute[T]") -> Condition:
        return self._compared(">=", value)

    def between(self, low: "T | Attribute[T]", high: "T | Attribute[T]") -> Condition:
        """Whether the field is between two values, both included.

        >>> Attribute("age").between(18, 65)
        Between(operand=<age>, low=18, high=65)
        """
        return Between(self._path, self._value(low), self._value(high))

    def one_of(self, *values: T) -> Condition:
        """Whether the field has one of these values.

        >>> Attribute("status").one_of("open", "closed")
        OneOf(operand=<status>, values=('open', 'closed'))
        """
        return OneOf(self._path, tuple(map(self._value, values)))

    def exists(self) -> Condition:
        """Whether the item has the field, with a value that is not None.

        >>> Attribute("address", "city").exists()
        Function(function='attribute_exists', path=<address.city>, value=None)
        """
        return self._predicate("attribute_exists")

    def is_absent(self) -> Condition:
        """Whether the item lacks the field, or has None there.

        >>> Attribute("address", "city").is_absent()
        Function(function='attribute_not_exists', path=<address.city>, value=None)
        """
        return self._predicate("attribute_not_exists")

    @overload
    def begins_with(self: "Attribute[str]", prefix: "str | Attribute[str]") -> Condition: ...
    @overload
    def begins_with(self: "Attribute[bytes]", prefix: "bytes | Attribute[bytes]") -> Condition: ...
    def begins_with(self, prefix: Any) -> Condition:
        """Whether the text, or the bytes, begin with the prefix.

        >>> Attribute("name").begins_with("A")
        Function(function='begins_with', path=<name>, value='A')
        """
        return self._predicate("begins_with", prefix)

    @overload
    def contains(self: "Attribute[str]", value: "str | Attribute[str]") -> Condition: ...
    @overload
    def contains(self: "Attribute[bytes]", value: "bytes | Attribute[bytes]") -> Condition: ...
    @overload
    def contains(self: "Attribute[list[E]]", value: "E | Attribute[E]") -> Condition: ...
    @overload
    def contains(self: "Attribute[set[E]]", value: "E | Attribute[E]") -> Condition: ...
    @overload
    def contains(self: "Attribute[frozenset[E]]", value: "E | Attribute[E]") -> Condition: ...
    @overload
    def contains(self: "Attribute[tuple[E, ...]]", value: "E | Attribute[E]") -> Condition: ...
    def contains(self, value: Any) -> Condition:
        """Whether the text has the value in it, or the list or set has it as an element.

        >>> Attribute("tags").contains("new")
        Function(function='contains', path=<tags>, value='new')
        """
        return self._predicate("contains", value)

    def size(self) -> "AttributeSize":
        """The size, to compare with a number: bytes of a text in UTF-8, or elements of a list, set or map.

        >>> Attribute("history").size() > 3
        Comparison(operator='>', operand=Size(path=<history>), value=3)
        """
        return AttributeSize(self._path)

    @overload
    def __getitem__(self: "Attribute[list[E]]", part: int) -> "Attribute[E]": ...
    @overload
    def __getitem__(self: "Attribute[tuple[E, ...]]", part: int) -> "Attribute[E]": ...
    @overload
    def __getitem__(self: "Attribute[dict[str, V]]", part: str) -> "Attribute[V]": ...
    @overload
    def __getitem__(self, part: str) -> "Attribute[Any]": ...
    def __getitem__(self, part: Part) -> "Attribute[Any]":
        """An element of a list, an entry of a map, or a nested field whose name is a method of this class."""
        plain = part.value if isinstance(part, Enum) else part
        if isinstance(plain, bool) or not isinstance(plain, str | int):
            raise TypeError(f"{self!r}[...] takes an index or a key, not a {type(part).__name__}")
        return self._nested(plain)

    if not TYPE_CHECKING:  # a type checker knows the nested fields, and would accept every misspelt name

        def __getattr__(self, name: str) -> "Attribute[Any]":
            if name.startswith("_"):
                raise AttributeError(name)
            annotation = _annotation(self._path)
            try:
                attribute = self._nested(name)
            except AttributeError:
                if name not in _ELSEWHERE:
                    raise
                message = f"{self!r} has no method {name}; write {self!r}.{_ELSEWHERE[name]}"
                raise AttributeError(message) from None
            if not is_model(annotation):
                raise AttributeError(f'{self!r} is a map; write {self!r}["{name}"]')
            return attribute

    def _nested(self, part: Part) -> "Attribute[Any]":
        path = self._path
        try:
            member(_annotation(path), part)
        except NotNested as error:
            raise AttributeError(f"{self!r} {error}") from None
        return Attribute(*path.parts, part, owner=path.owner, secret=path.secret)

    def _compared(self, operator: Operator, value: Any) -> Condition:
        return Comparison(operator, self._path, self._value(value))

    def _predicate(self, function: Predicate, value: Any = None) -> Condition:
        return Function(function, self._path, self._value(value))

    def _value(self, value: Any) -> Any:
        value = operand_of(value)
        if not self._path.secret or value is None or isinstance(value, FieldPath | Size | FilterParameter):
            return value
        return Hidden(value)


class AttributeSize:
    """The size of a field, in a condition: `User.history.size() > 3`."""

    __slots__ = ("_size",)

    def __init__(self, path: FieldPath) -> None:
        self._size = Size(path)

    def __repr__(self) -> str:
        return f"{path_source(self._size.path)}.size()"

    __hash__ = object.__hash__

    def __eq__(self, value: "int | Attribute[int] | AttributeSize") -> Condition:  # type: ignore[override]
        return Comparison("=", self._size, operand_of(value))

    def __ne__(self, value: "int | Attribute[int] | AttributeSize") -> Condition:  # type: ignore[override]
        return Comparison("<>", self._size, operand_of(value))

    def __lt__(self, value: "int | Attribute[int] | AttributeSize") -> Condition:
        return Comparison("<", self._size, operand_of(value))

    def __le__(self, value: "int | Attribute[int] | AttributeSize") -> Condition:
        return Comparison("<=", self._size, operand_of(value))

    def __gt__(self, value: "int | Attribute[int] | AttributeSize") -> Condition:
        return Comparison(">", self._size, operand_of(value))

    def __ge__(self, value: "int | Attribute[int] | AttributeSize") -> Condition:
        return Comparison(">=", self._size, operand_of(value))

    def between(self, low: int, high: int) -> Condition:
        """Whether the size is between two numbers, both included."""
        return Between(self._size, operand_of(low), operand_of(high))

    def one_of(self, *values: int) -> Condition:
        """Whether the size is one of these numbers."""
        return OneOf(self._size, tuple(map(operand_of, values)))


def of(attribute: T | None) -> Attribute[T]:
    """The attribute itself, `User.name`, typed: a type checker sees `User.name` as the type of the field.

    Nested fields go inside.

    >>> from tablewright import Entity, Table, fields
    >>> class User(Entity, table=Table("users", key="id")):
    ...     id: str
    ...     history: list[dict[str, int]]
    >>> fields.of(User.id).one_of("a", "b")
    OneOf(operand=<User.id>, values=('a', 'b'))
    >>> fields.of(User.history[0]["visits"]) > 3
    Comparison(operator='>', operand=<User.history.0.visits>, value=3)
    """
    if isinstance(attribute, Attribute):
        return attribute
    raise TypeError(
        f"fields.of() takes a field of an entity class, as in fields.of(User.name), not {attribute!r}"
    )


def present(attribute: T | None) -> T:
    """The attribute itself, typed as if it were never None, to reach a nested field of an optional model.

    It does not test whether the field exists: that is `fields.of(User.address).exists()`.

    >>> from pydantic import BaseModel
    >>> from tablewright import Entity, Table, fields
    >>> class Address(BaseModel):
    ...     city: str
    >>> class User(Entity, table=Table("users", key="id")):
    ...     id: str
    ...     address: Address | None = None
    >>> fields.of(fields.present(User.address).city) == "Berlin"
    Comparison(operator='=', operand=<User.address.city>, value='Berlin')
    """
    if isinstance(attribute, Attribute):
        return attribute
    raise TypeError(
        f"fields.present() takes a field of an entity class, as in fields.present(User.address).city, not {attribute!r}"
    )


def parameter(name: str) -> Any:
    """A parameter of the pattern, in its filter.

    >>> from tablewright import Entity, Query, Table, fields
    >>> class User(Entity, table=Table("users", key="team")):
    ...     team: str
    ...     visits: int
    >>> class BusyUsers(Query[User]):
    ...     team: str
    ...     least: int
    ...     filter = User.visits > fields.parameter("least")
    >>> BusyUsers.__plan__.filter.source
    "User.visits > fields.parameter('least')"
    """
    return FilterParameter(name)


def path_of(attribute: "Attribute[Any] | AttributeSize") -> FieldPath:
    """The path of an attribute: its entity class, its field and the nested parts.

    >>> path_of(Attribute("address", "city")).parts
    ('address', 'city')
    """
    return attribute._size.path if isinstance(attribute, AttributeSize) else attribute._path


def operand_of(value: Any) -> Any:
    """The operand of a condition: an attribute or a size as data, another value as it is."""
    if isinstance(value, Attribute):
        return value._path
    return value._size if isinstance(value, AttributeSize) else value


def path_source(path: FieldPath, entity: str = "") -> str:
    """A path as it is written in Python.

    >>> path_source(FieldPath(None, ("history", 0, "size")), "User")
    "User.history[0]['size']"
    """
    owner = entity if path.owner is None else path.owner.__name__
    text = f"{owner}.{path.name}" if owner else path.name
    annotation = _annotation(FieldPath(path.owner, path.parts[:1]))
    for part in path.parts[1:]:
        dotted = isinstance(part, str) and is_model(annotation) and not hasattr(Attribute, part)
        text += f".{part}" if dotted else f"[{part!r}]"
        annotation = member(annotation, part)[1]
    return text


def _annotation(path: FieldPath) -> Any:
    """The declared type at the end of a path; `Any` if it is not known."""
    known = getattr(path.owner, "model_fields", {})
    annotation = known[path.name].annotation if path.name in known else Any
    for part in path.parts[1:]:
        annotation = member(annotation, part)[1]
    return annotation
