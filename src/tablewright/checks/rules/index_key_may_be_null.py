"""An index key is made of a field that may be None.

DynamoDB refuses a NULL in an index key, and with it the whole write. This library leaves the attribute out, so that the
item is not in the index: nobody finds it there, which is right for some designs and a surprise in others. Say that it
is meant, with `Sparse`, or make the field required.

    keys = Keys(primary="{account_id}", parents=Sparse("{parent_id}", when="parent_id"))

In a table declared with `literal=True`, which others write, it is an error.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import written_keys
from tablewright.design.designs import Design

CODE = "TW104"
TITLE = "Index key that may be NULL"


def check(design: Design) -> Iterator[Finding]:
    """Optional fields in the keys of indexes, unless `Sparse` speaks of them."""
    for written in written_keys(design):
        meant = written.key.sparse.names if written.key.sparse else ()
        for field in written.fields_in(written.key.parts) if written.index else ():
            if field.optional and field.name not in meant and written.index is not None:
                index = written.index.name
                yield Finding(
                    CODE,
                    "error" if written.layout.table.literal else "warning",
                    f"{written.owner}.{field.name}",
                    f"{written.owner} makes its key in {index} of {field.name}, which may be None: NULL is refused "
                    "there, and an item without it is not in the index",
                    f'say that it is meant: {index}=Sparse(..., when="{field.name}"); or make it required',
                    written.layout.entity,
                )
