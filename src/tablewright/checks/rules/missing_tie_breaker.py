"""A sort key is a moment, and two items of one moment cannot be told apart by it.

In the primary key that is an error: the second overwrites the first. In an index both are there, in no certain order,
and a page may end between them. End the key with the entity's own id.

    Keys(primary=("ROOM#{room_id}", "MSG#{sent_at}#{message_id}"))
"""

from collections import defaultdict
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.layouts.field_values import is_identity, is_time_field

CODE = "TW106"
TITLE = "Missing tie-breaker"


def check(design: Design) -> Iterator[Finding]:
    """Keys that end with a moment, and lack what makes the entity one of its kind; those of one field together."""
    tied: dict[tuple[str, bool], list[WrittenKey]] = defaultdict(list)
    for written in written_keys(design):
        sort = written.fields_in(written.sort)
        if sort and is_time_field(sort[-1]) and not _is_unique(written):
            tied[f"{written.owner}.{sort[-1].name}", written.index is None].append(written)
    for (where, primary), keys in tied.items():
        shown = " and ".join(f"in {key.place} by {key}" for key in keys)
        effect = "the second of a moment overwrites the first" if primary else "ties are in no order"
        yield Finding(
            CODE,
            "error" if primary else "warning",
            where,
            f"{keys[0].owner} is sorted {shown}, which ends with a moment: {effect}",
            "end the key with the entity's own id",
            keys[0].layout.entity,
        )


def _is_unique(written: WrittenKey) -> bool:
    """Whether the key tells the entity: by an id of its own, or by all that its primary key is made of."""
    fields = written.told_by(written.key.parts)
    if any(is_identity(field, written.layout) for field in fields):
        return True
    primary = set(written.layout.primary.names)
    return written.index is not None and primary <= {field.name for field in fields}
