"""An index key is made of a field that may be None.

DynamoDB refuses a NULL in an index key, and with it the whole write. This library leaves the attribute out, so that the
item is not in the index: nobody finds it there, which is right for some designs and a surprise in others. Say that it
is meant, with `Sparse`, or make the field required.

    keys = Keys(primary="{account_id}", parents=Sparse("{parent_id}", when="parent_id"))

In a table declared with `literal=True`, which others write, it is an error.
"""

from collections import defaultdict
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design

CODE = "TW104"
TITLE = "Index key that may be NULL"


def check(design: Design) -> Iterator[Finding]:
    """Optional fields in the keys of indexes, unless `Sparse` speaks of them; those of one field together."""
    found: dict[str, list[WrittenKey]] = defaultdict(list)
    for written in written_keys(design):
        meant = written.key.sparse.names if written.key.sparse else ()
        for field in written.fields_in(written.key.parts) if written.index else ():
            if field.optional and field.name not in meant:
                found[f"{written.owner}.{field.name}"].append(written)
    for where, keys in found.items():
        name = where.rpartition(".")[2]
        indexes = " and ".join(key.index.name for key in keys if key.index)
        yield Finding(
            CODE,
            "error" if keys[0].layout.table.literal else "warning",
            where,
            f"{keys[0].owner} makes its key in {indexes} of {name}, which may be None: NULL is refused there, and an "
            "item without it is not in the index",
            f'say that it is meant, Sparse(..., when="{name}"), or make it required',
            keys[0].layout.entity,
        )
