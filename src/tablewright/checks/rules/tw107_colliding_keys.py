"""Two entities of one table can write the same primary key, so one overwrites the other.

The check compares all texts that the templates can render, given the types of their fields. If the templates share a
text in every part of the key, the finding shows an example. Begin each template with its own text.

    Keys(primary=("USER#{user_id}", "{kind}"))         # kind is any text, also "PROFILE"
    Keys(primary=("USER#{user_id}", "PROFILE"))

It is a warning if the collision needs a value that contains a delimiter, such as a `user_id` of "a#ORDER#b": a type
without delimiters (`UUID`, an enum) solves it too. In an index it is a note: equal keys overwrite nothing there, but a
query for one entity also returns the other (TW109 reports the patterns that do).
"""

from collections.abc import Iterator
from itertools import combinations

from tablewright.checks.findings import Finding, Severity
from tablewright.checks.key_languages import delimiters, shared_text
from tablewright.checks.written_keys import WrittenKey, keys_in, locks_in
from tablewright.design.designs import Design

CODE = "TW107"
TITLE = "Keys that can collide"


def check(design: Design) -> Iterator[Finding]:
    """Pairs of keys in a table or an index that share a text; in an index, only those of different entities.

    In a table, the keys of locks that the design chooses count too.
    """
    for table in design.tables:
        for one, other in combinations([*keys_in(design, table, None), *locks_in(design, table)], 2):
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
        "begin each template with its own text"
        + (", or use types without delimiters" if severity == "warning" else ""),
        one.layout.entity,
    )


def _example(one: WrittenKey, other: WrittenKey, *, plain: bool) -> str | None:
    """A key that both can write; `plain` allows only values without delimiters."""
    shared = []
    for (_, mine), (_, theirs) in zip(one.key.parts, other.key.parts, strict=True):
        without = delimiters(mine, theirs) if plain else ""
        shared.append(shared_text(one.language(mine, without), other.language(theirs, without)))
    return None if None in shared else " / ".join(f'"{text}"' for text in shared)
