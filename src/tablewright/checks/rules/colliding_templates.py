"""Two entities of one table can write the same primary key, so that one overwrites the other.

The templates are compared as languages: all the texts that each can render, given the types of its fields. If they
share a text, in every part of the key, the finding shows one. Begin each template with a text of its own.

    Keys(primary=("USER#{user_id}", "{kind}"))         # kind is any text, also "PROFILE"
    Keys(primary=("USER#{user_id}", "PROFILE"))

It is a warning when it takes a value that holds a delimiter, such as a `user_id` of "a#ORDER#b": then a type that
cannot hold one (`UUID`, an enum) settles it too. In an index equal keys overwrite nothing; there it matters what a
pattern catches, which is TW109.
"""

from collections.abc import Iterator
from itertools import combinations

from tablewright.checks.findings import Finding
from tablewright.checks.languages import delimiters, shared_text
from tablewright.checks.written_keys import WrittenKey, keys_in
from tablewright.design.designs import Design

CODE = "TW107"
TITLE = "Keys that can collide"


def check(design: Design) -> Iterator[Finding]:
    """Every two keys of a table that share a text."""
    for table in design.tables:
        for one, other in combinations(keys_in(design, table, None), 2):
            certain = _example(one, other, plain=True)
            example = certain or _example(one, other, plain=False)
            if example is not None:
                yield Finding(
                    CODE,
                    "error" if certain else "warning",
                    one.owner,
                    f"{one.owner} writes {one} and {other.owner} writes {other} into {table.name}: "
                    f"both can be {example}",
                    "begin each with a text of its own"
                    + ("" if certain else ", or use types without delimiters"),
                    one.layout.entity,
                )


def _example(one: WrittenKey, other: WrittenKey, *, plain: bool) -> str | None:
    """A key that both can write; `plain` is by values without delimiters."""
    shared = []
    for (_, mine), (_, theirs) in zip(one.key.parts, other.key.parts, strict=True):
        without = delimiters(mine, theirs) if plain else ""
        shared.append(shared_text(one.language(mine, without), other.language(theirs, without)))
    return None if None in shared else " / ".join(f'"{text}"' for text in shared)
