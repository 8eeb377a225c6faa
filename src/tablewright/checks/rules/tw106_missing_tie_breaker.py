"""A sort key ends with a time, so two items of the same time have the same key.

In the primary key that is an error: the second item overwrites the first. In an index both items exist, in undefined
order, and a page may end between them. End the key with the id of the entity.

    Keys(primary=("ROOM#{room_id}", "MSG#{sent_at}#{message_id}"))

A primary key that ends with a day, a month or a year is a warning: there may be one item for each day on purpose, such
as a count of visits. Then suppress the finding: `suppress: ClassVar = {"TW106": "one item for each day"}`.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.layouts.field_values import is_identity, is_time_field
from tablewright.design.layouts.layouts import FieldLayout

CODE = "TW106"
TITLE = "Missing tie-breaker"


def check(design: Design) -> Iterator[Finding]:
    """Keys that end with a time and do not identify the entity; one finding for each field."""
    tied: dict[tuple[str, bool], list[WrittenKey]] = defaultdict(list)
    for written in written_keys(design):
        sort = written.fields_in(written.sort)
        if sort and is_time_field(sort[-1]) and not _is_unique(written):
            tied[f"{written.owner}.{sort[-1].name}", written.index is None].append(written)
    for (where, primary), keys in tied.items():
        shown = " and ".join(f"in {key.place} by {key}" for key in keys)
        time = _granularity(keys[0].fields_in(keys[0].sort)[-1])
        effect = f"a second item of the same {time} overwrites the first" if primary else "ties have no order"
        intended = f', or suppress={{"TW106": "one item for each {time}"}} if that is intended'
        yield Finding(
            CODE,
            "error" if primary and time == "time" else "warning",
            where,
            f"{keys[0].owner} is sorted {shown}, which ends with a {time}: {effect}",
            "end the key with the id of the entity" + (intended if primary else ""),
            keys[0].layout.entity,
        )


def _granularity(field: FieldLayout) -> str:
    """Whether a field holds days, months, years or times: by its type, or by its name if it is a text or a number."""
    if issubclass(field.annotation, datetime | date):
        return "time" if issubclass(field.annotation, datetime) else "day"
    word = field.name.split("_")[-1].lower()
    return word if word in ("day", "month", "year") else "time"


def _is_unique(written: WrittenKey) -> bool:
    """Whether the key identifies the entity: by its id, or by all fields of its primary key."""
    fields = written.whole_fields_in(written.key.parts)
    if any(is_identity(field, written.layout) for field in fields):
        return True
    primary = set(written.layout.primary.names)
    return written.index is not None and primary <= {field.name for field in fields}
