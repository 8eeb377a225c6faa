"""Pages: the result of a read of many items.

Rows: the result of a pattern with `fields`. A row holds a part of an entity and is not an entity.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar, overload

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.decoding import Decoder, unknown_item
from tablewright.access.items.item_values import describe_key, from_attribute
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.masking import masked_values
from tablewright.design.layouts.layouts import StoredModel
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UnknownItem

T = TypeVar("T")
U = TypeVar("U")
Unknown = Literal["raise", "skip"]
"""What an iteration does with items that are not what the pattern returns."""


@dataclass(frozen=True, slots=True)
class Page(Sequence[T], Generic[T]):
    """Entities in their order, and a cursor for the next page.

    >>> page = Page(("a", "b"), cursor=None)
    >>> list(page), page[0], len(page)
    (['a', 'b'], 'a', 2)
    """

    items: tuple[T, ...]
    cursor: str | None = None
    """Pass it to the next run of the same pattern with the same parameters; None on the last page."""
    unknown: tuple[UnknownItem, ...] = ()
    """Items that the read found and that are not what the pattern returns."""
    consumed: float = 0.0
    """Consumed capacity units."""
    searched_bytes: float = 0.0
    """What a `Nearest` consumed: AWS meters searches in bytes, not in capacity units."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self.items[place]

    def map(self, convert: Callable[[T], U]) -> "Page[U]":
        """Return the page with each entity converted: `page.map(UserView.of)`.

        >>> Page((1, 2), cursor="next").map(str)
        Page(items=('1', '2'), cursor='next', unknown=(), consumed=0.0, searched_bytes=0.0)
        """
        items = tuple(convert(item) for item in self.items)
        return Page(items, self.cursor, self.unknown, self.consumed, self.searched_bytes)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


@dataclass(slots=True)
class PageBuilder:
    """A page under construction."""

    items: list[Any] = field(default_factory=list)
    unknown: list[UnknownItem] = field(default_factory=list)
    consumed: float = 0.0
    searched_bytes: float = 0.0

    def page(self, cursor: str | None = None) -> Page[Any]:
        """Return the page; items that it leaves out are logged, but for those of other types in a shared table."""
        strange = [error for error in self.unknown if not error.is_of_other_type] if self.unknown else ()
        if strange:
            _log_unknown(strange)
        return Page(tuple(self.items), cursor, tuple(self.unknown), self.consumed, self.searched_bytes)


def _log_unknown(unknown: Sequence[UnknownItem]) -> None:
    """Log that a page leaves items out: how many, and the first with its key and its problem."""
    import logging  # loaded when there is something to log

    first = unknown[0]
    members = {"table": first.table, "unknown": len(unknown), "key": describe_key(first.key)}
    logging.getLogger("tablewright.reads").warning(
        "a page leaves out %d unknown item(s); the first: %s", len(unknown), first, extra=members
    )


def known_items(page: Page[T], unknown: Unknown) -> tuple[T, ...]:
    """Return the entities of a page; raise the first unknown item unless unknown items are skipped."""
    if page.unknown and unknown == "raise":
        raise page.unknown[0]
    return page.items


def page_of(result: Page[T] | T | None) -> Page[T]:
    """Return the result of any read as a page: a single entity is a page of one, None is an empty page."""
    if isinstance(result, Page):
        return result
    return Page(() if result is None else (result,))


class Row(Mapping[str, Any]):
    """Some fields of an entity, by their Python names, each of its declared type.

    >>> row = Row(StoredModel, {"email": "ada@example.org"})
    >>> row["email"], row.get("name")
    ('ada@example.org', None)
    """

    __slots__ = ("_values", "entity")

    def __init__(self, entity: type[StoredModel], values: Mapping[str, Any]) -> None:
        self.entity = entity
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        shown = masked_values(self.entity.layout.secrets, self._values)
        return f"Row({', '.join([self.entity.__name__, *(f'{name}={value!r}' for name, value in shown.items())])})"


class RowMaker:
    """Makes rows of one entity from items; it validates the values and leaves out absent ones."""

    def __init__(self, decoder: Decoder, fields: Sequence[str] = ()) -> None:
        self.types = decoder.types
        self.layout = decoder.layout
        self._decoder = decoder
        declared = self.layout.entity.model_fields
        # A read returns more than the requested fields: keys, the expiry, the context of encrypted fields.
        selected = fields or self.layout.fields
        self._adapters = {
            field.stored: (name, TypeAdapter(declared[name].rebuild_annotation()))
            for name, field in self.layout.fields.items()
            if name in selected
        }

    def make(self, item: Item) -> Row:
        """Return the row of an item."""
        values = {}
        for stored, value in self._decoder.decrypted(item).items():
            name, adapter = self._adapters.get(stored, (None, None))
            if name is None or adapter is None:
                continue
            try:
                values[name] = adapter.validate_python(from_attribute(value))
            except ValidationError:
                reason = f"has no valid {name} of {self.layout.entity.__name__}"
                raise unknown_item(self.layout.table, item, reason) from None
        return Row(self.layout.entity, values)
