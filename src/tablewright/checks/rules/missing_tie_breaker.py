"""A sort key is a moment, and two items of one moment cannot be told apart by it.

In the primary key that is an error: the second overwrites the first. In an index both are there, in no certain order,
and a page may end between them. End the key with the entity's own id.

    Keys(primary=("ROOM#{room_id}", "MSG#{sent_at}#{message_id}"))
"""

from collections.abc import Iterator

from tablewright.checks.choices import is_identity, is_moment
from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.layouts import FieldLayout

CODE = "TW106"
TITLE = "Missing tie-breaker"


def check(design: Design) -> Iterator[Finding]:
    """Keys that end with a moment, and lack what makes the entity one of its kind."""
    for written in written_keys(design):
        last = _last(written)
        if last is not None and is_moment(last) and not _is_unique(written):
            primary = written.index is None
            effect = "the second of a moment overwrites the first" if primary else "ties are in no order"
            yield Finding(
                CODE,
                "error" if primary else "warning",
                f"{written.owner}.{last.name}",
                f"{written.owner} is sorted in {written.place} by {written}, which ends with a moment: {effect}",
                "end the key with the entity's own id",
                written.layout.entity,
            )


def _last(written: WrittenKey) -> FieldLayout | None:
    """The field that the sort key ends with."""
    names = [name for _, template in written.sort for name in template.names]
    return written.fields.get(names[-1]) if names else None


def _is_unique(written: WrittenKey) -> bool:
    """Whether the key tells the entity: by an id of its own, or by all that its primary key is made of."""
    fields = written.fields_in(written.key.parts)
    if any(is_identity(field, written.layout) for field in fields):
        return True
    primary = set(written.layout.primary.names)
    return written.index is not None and primary <= {field.name for field in fields}
