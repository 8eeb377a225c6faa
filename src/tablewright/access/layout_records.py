"""Layout records: which index keys, copies and locks all stored items of a table have.

A class may get a `Unique`, a `Copy` or the key of an index when items of it are stored already. These items lack it, so
that a duplicate would be accepted, and a list would not have them. The record of a table says which of these parts are
complete. It is in tags of the table: it costs no item, is created with the table, and is read once for each connection.

- A table that is created is empty, so everything that its design declares is complete.
- A part that the record lacks is complete if no item of its class is stored, and otherwise after a deployment.
- A part that the design lacks leaves the record: items that are written meanwhile do not have it.
- Without a record nothing is known, and nothing is refused: other tools have created the table.
"""

import hashlib
import re
from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from tablewright.access.procedures import Call, Procedure, with_retries
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.tables import Table
from tablewright.errors import LayoutIncomplete, ResourceInUse, ServiceError

_LETTERS = 8
_IN_A_TAG = 28
"""How many parts of 8 letters, with a space, a tag has: AWS allows 256 characters."""
_MOST_SCANNED = 1000
PREFIX = "tablewright:"
"""The beginning of the names of all tags of records."""

Tags = dict[str, str]


@dataclass(frozen=True, slots=True)
class LayoutPart:
    """An index key, a copy or a lock of a class, with all that its items are made by."""

    entity: type[Entity]
    kind: str
    """index, copy or lock."""
    name: str
    content: str

    @property
    def digest(self) -> str:
        """Its name in the record."""
        layout = self.entity.layout
        text = "|".join((layout.type_name or self.entity.__name__, self.kind, self.name, self.content))
        return b32encode(hashlib.sha256(text.encode()).digest())[:_LETTERS].decode().lower()

    def __str__(self) -> str:
        of = {"index": "the key in index", "copy": "the copy", "lock": "the lock of the unique field"}
        return f"{of[self.kind]} {self.name} of {self.entity.__name__}"


def layout_parts(design: Design, table: Table) -> list[LayoutPart]:
    """Return the parts of all entities of a table."""
    return [part for entity in design.entities_of(table) for part in _parts(entity, entity.layout)]


def _parts(entity: type[Entity], layout: Layout) -> Iterator[LayoutPart]:
    for key in layout.indexes:
        if key.index is not None and not layout.permanent_attributes.issuperset(key.index.key):
            yield LayoutPart(entity, "index", key.index.name, _key_text(key))
    for copy in layout.copies:
        fields = "*" if copy.copy.fields is None else ",".join(sorted(copy.copy.fields))
        keys = ";".join(map(_key_text, copy.keys))
        yield LayoutPart(entity, "copy", copy.name, f"{keys};{copy.copy.type};{copy.copy.each};{fields}")
    for field, unique in layout.marked(Unique):
        normalised = getattr(unique.normalise, "__qualname__", "")
        content = (
            f"{unique.within};{normalised};{unique.key};{unique.type};{sorted(unique.attributes.items())}"
        )
        yield LayoutPart(entity, "lock", field.name, content)


def _key_text(key: KeyLayout) -> str:
    parts = ",".join(f"{attribute}={template.text}" for attribute, template in key.parts)
    return parts if key.sparse is None else f"{parts} when {key.sparse.when!r}"


def record_tags(design: Design, parts: Iterable[LayoutPart]) -> Tags:
    """Return the tags of a table that has these parts, and no others of the design."""
    digests = sorted({part.digest for part in parts})
    values = [" ".join(digests[start : start + _IN_A_TAG]) for start in range(0, len(digests), _IN_A_TAG)]
    return {_tag(design, number): value for number, value in enumerate(values or [""])}


def _tag(design: Design, number: int) -> str:
    name = re.sub(r"[^a-zA-Z0-9_.-]+", "-", design.name)[:90]
    return f"{PREFIX}{name}:{number}"


def tag_members(tags: Tags) -> list[dict[str, str]]:
    """Return tags as a member of a request."""
    return [{"Key": name, "Value": value} for name, value in tags.items()]


def create_recorded(definition: Mapping[str, Any]) -> Procedure[None]:
    """Create a table with its record; without it where tags are not possible."""
    try:
        yield from with_retries(Call("CreateTable", dict(definition)))
    except ResourceInUse:
        raise
    except ServiceError:  # no permission, an endpoint without tags, or too many tags
        own = [tag for tag in definition.get("Tags", ()) if not tag["Key"].startswith(PREFIX)]
        if len(own) == len(definition.get("Tags", ())):
            raise
        plain = {member: value for member, value in definition.items() if member != "Tags"}
        yield from with_retries(Call("CreateTable", plain | ({"Tags": own} if own else {})))


@dataclass(frozen=True, slots=True)
class LayoutRecord:
    """The record of one table, and what the design declares."""

    arn: str
    declared: tuple[LayoutPart, ...]
    desired: Tags
    """The tags when everything is complete."""
    tags: Tags | None
    """The tags of the record; None if there is none, or nothing tells it (no permission, an endpoint without tags)."""

    @property
    def missing(self) -> tuple[LayoutPart, ...]:
        """The parts that stored items may lack."""
        return tuple(
            part for part in self.declared if self.tags is not None and part.digest not in self._digests
        )

    @property
    def has_left(self) -> bool:
        """Whether the record has a part that the design no longer declares."""
        return bool(self._digests - {part.digest for part in self.declared})

    @property
    def _digests(self) -> set[str]:
        return {digest for value in (self.tags or {}).values() for digest in value.split()}

    def requests(self, tags: Tags) -> list[tuple[str, dict[str, Any]]]:
        """Return the calls that write tags in place of those of the record."""
        calls: list[tuple[str, dict[str, Any]]] = [
            ("TagResource", {"ResourceArn": self.arn, "Tags": tag_members(tags)})
        ]
        if surplus := sorted((self.tags or {}).keys() - tags.keys()):
            calls.append(("UntagResource", {"ResourceArn": self.arn, "TagKeys": surplus}))
        return calls


def layout_record(design: Design, table: Table, name: str) -> Procedure[LayoutRecord]:
    """Read the record of a table that exists."""
    reply = yield from with_retries(Call("DescribeTable", {"TableName": name}))
    return (yield from record_at(design, table, reply["Table"].get("TableArn", "")))


def record_at(design: Design, table: Table, arn: str) -> Procedure[LayoutRecord]:
    """Read the record of a table whose ARN is known."""
    declared = tuple(layout_parts(design, table))
    tags = yield from _record_of(design, arn)
    return LayoutRecord(arn, declared, record_tags(design, declared), tags)


def _record_of(design: Design, arn: str) -> Procedure[Tags | None]:
    prefix = _tag(design, 0)[:-1]
    tags: Tags = {}
    request = {"ResourceArn": arn}
    while True:
        try:
            reply = yield Call("ListTagsOfResource", request)
        except ServiceError:  # no permission, or an endpoint without tags
            return None
        for tag in reply.get("Tags", ()):
            if tag["Key"].startswith(prefix):
                tags[tag["Key"]] = tag["Value"]
        if not reply.get("NextToken"):
            return tags or None
        request = {"ResourceArn": arn, "NextToken": reply["NextToken"]}


def incomplete_parts(design: Design, table: Table, name: str, arn: str) -> Procedure[tuple[LayoutPart, ...]]:
    """Return the parts that stored items of a table lack, and bring the record up to date.

    A part of a class of which no items are stored is complete.
    """
    record = yield from record_at(design, table, arn)
    if record.tags is None or not (record.missing or record.has_left):
        return ()
    types = yield from _stored_types(table, name) if record.missing else _nothing()
    lacking = tuple(part for part in record.missing if types is None or part.entity.layout.type_name in types)
    complete = [part for part in record.declared if part not in lacking]
    yield from _write_record(record, record_tags(design, complete))
    return lacking


def _write_record(record: LayoutRecord, tags: Tags) -> Procedure[None]:
    with suppress(ServiceError):  # no permission, or an endpoint without tags: the record stays as it is
        for operation, request in record.requests(tags):
            yield from with_retries(Call(operation, request))


def _nothing() -> Procedure[set[str | None] | None]:
    yield from ()
    return set()


def _stored_types(table: Table, name: str) -> Procedure[set[str | None] | None]:
    """The types of all items; None if there are too many items to look at."""
    request: dict[str, Any] = {"TableName": name, "Limit": _MOST_SCANNED, "ConsistentRead": True}
    reply = yield from with_retries(Call("Scan", request))
    if "LastEvaluatedKey" in reply:
        return None
    return {item.get(table.discriminator, {}).get("S") for item in reply["Items"]}


def record_complete(
    design: Design,
    table: Table,
    name: str,
    entities: Iterable[type] | None = None,
    *,
    without: Iterable[type] = (),
) -> Procedure[None]:
    """Record that all items of some classes, or of all, have what their layout declares, and those of others do not.

    A table without a record gets one only for all its classes.
    """
    record = yield from layout_record(design, table, name)
    if record.tags is None and entities is not None:
        return
    completed = [part.entity for part in record.declared] if entities is None else list(entities)
    missing = set(record.missing)
    complete = [
        part
        for part in record.declared
        if part.entity not in without and (part.entity in completed or part not in missing)
    ]
    yield from _write_record(record, record_tags(design, complete))


class IncompleteParts(dict[type, tuple[LayoutPart, ...]]):
    """The parts that stored items of a class lack, by class.

    Another program may complete them at any time, so the record is read again before a refusal.
    """

    read_record: Callable[[Table], LayoutRecord] | None = None

    def require(self, layout: Layout, what: str, needed: Iterable[tuple[str, str]]) -> None:
        """Raise `LayoutIncomplete` if a read or a write needs a part, by kind and name, that is not complete."""
        wanted = set(needed)
        lacking = [part for part in self.get(layout.entity, ()) if (part.kind, part.name) in wanted]
        if lacking and self.read_record is not None:
            missing = self.read_record(layout.table).missing
            self[layout.entity] = tuple(part for part in self[layout.entity] if part in missing)
            lacking = [part for part in lacking if part in missing]
        if lacking:
            raise LayoutIncomplete(what, str(lacking[0]))
