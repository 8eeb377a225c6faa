"""Rows: the result of a pattern with `fields`. A row holds a part of an entity and is not an entity."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.decoding import Decoder, unknown_item
from tablewright.access.items.value_codec import from_attribute
from tablewright.design.fields.masking import masked_values
from tablewright.design.layouts.layouts import StoredModel
from tablewright.dynamodb.values.attributes import Item


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
