"""Two entities of one table can write the same primary key, so that one overwrites the other.

The templates are compared as languages: all the texts that each can render, given the types of its fields. If they
share a text, in every part of the key, the finding shows one. Begin each template with a text of its own.

    Keys(primary=("USER#{user_id}", "{kind}"))         # kind is any text, also "PROFILE"
    Keys(primary=("USER#{user_id}", "PROFILE"))

In an index equal keys overwrite nothing; there it matters what a pattern catches, which is TW109.
"""

from collections.abc import Iterator
from itertools import combinations

from tablewright.checks.findings import Finding
from tablewright.checks.languages import shared_text
from tablewright.checks.written_keys import WrittenKey, keys_in
from tablewright.design.designs import Design

CODE = "TW107"
TITLE = "Keys that can collide"


def check(design: Design) -> Iterator[Finding]:
    """Every two keys of a table that share a text."""
    for table in design.tables:
        for one, other in combinations(keys_in(design, table, None), 2):
            example = _example(one, other)
            if example is not None:
                yield Finding(
                    CODE,
                    "error",
                    one.owner,
                    f"{one.owner} writes {one} and {other.owner} writes {other} into {table.name}: "
                    f"both can be {example}",
                    "begin each with a text of its own",
                    one.layout.entity,
                )


def _example(one: WrittenKey, other: WrittenKey) -> str | None:
    shared = [
        shared_text(one.language(mine), other.language(theirs))
        for (_, mine), (_, theirs) in zip(one.key.parts, other.key.parts, strict=True)
    ]
    return None if None in shared else " / ".join(f'"{text}"' for text in shared)
