"""Two entities of one table can write the same primary key, so that one overwrites the other.

The templates are compared as languages: all the texts that each can render, given the types of its fields. If they
share a text, in every part of the key, the finding shows one. Begin each template with a text of its own.

    Keys(primary=("USER#{user_id}", "{kind}"))         # kind is any text, also "PROFILE"
    Keys(primary=("USER#{user_id}", "PROFILE"))

It is a warning when it takes a value that holds a delimiter, such as a `user_id` of "a#ORDER#b": then a type that
cannot hold one (`UUID`, an enum) settles it too. In an index it is a note: equal keys overwrite nothing there, but
whoever looks for one entity finds the other (TW109 tells which patterns do).
"""

from collections.abc import Iterator
from itertools import combinations

from tablewright.checks.findings import Finding, Severity
from tablewright.checks.key_languages import delimiters, shared_text
from tablewright.checks.written_keys import WrittenKey, keys_in
from tablewright.design.designs import Design

CODE = "TW107"
TITLE = "Keys that can collide"


def check(design: Design) -> Iterator[Finding]:
    """Every two keys of a table or an index that share a text; in an index, only of different entities."""
    for table in design.tables:
        for one, other in combinations(keys_in(design, table, None), 2):
            certain = _example(one, other, plain=True)
            example = certain or _example(one, other, plain=False)
            if example is not None:
                yield _finding(one, other, example, "error" if certain else "warning")
        for index in table.indexes:
            for one, other in combinations(keys_in(design, table, index), 2):
                example = _example(one, other, plain=True)
                if example is not None and one.layout is not other.layout:
                    yield _finding(one, other, example, "info")


def _finding(one: WrittenKey, other: WrittenKey, example: str, severity: Severity) -> Finding:
    return Finding(
        CODE,
        severity,
        one.owner if one.index is None else f"{one.owner}.{one.index.name}",
        f"{one.owner} writes {one} and {other.owner} writes {other} into {one.place}: both can be {example}",
        "begin each with a text of its own"
        + (", or use types without delimiters" if severity == "warning" else ""),
        one.layout.entity,
    )


def _example(one: WrittenKey, other: WrittenKey, *, plain: bool) -> str | None:
    """A key that both can write; `plain` is by values without delimiters."""
    shared = []
    for (_, mine), (_, theirs) in zip(one.key.parts, other.key.parts, strict=True):
        without = delimiters(mine, theirs) if plain else ""
        shared.append(shared_text(one.language(mine, without), other.language(theirs, without)))
    return None if None in shared else " / ".join(f'"{text}"' for text in shared)
