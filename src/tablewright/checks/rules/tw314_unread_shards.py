"""A pattern cannot read all shards of a key.

The key distributes items over a number of shards, and the pattern's parameter allows fewer: the items in the other
shards are never found. Give the parameter the bounds of the key: for `{user_id:shard(8)}`,
`shard: Annotated[int, Field(ge=0, lt=8)]`. A pattern that names one shard in its key, as in `POSTS#0`, is reported too.

The bounds are compared with the count of `shard(n)`, and with the bounds of an integer field whose name contains
`shard` or `bucket`.
"""

import re
from collections.abc import Iterator
from typing import get_args

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.fields.annotations import integer_bounds, plain_type
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.text_formats import Shard
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.plans.parameter_parts import shard_range
from tablewright.design.plans.plans import Fit, PatternSettings, Plan, copy_keys, fit

CODE = "TW314"
TITLE = "Shards that are never read"

Range = tuple[int, int]


def check(design: Design) -> Iterator[Finding]:
    """Patterns whose parameter for a shard has narrower bounds than the shards that are written."""
    for plan in (plan for plan in design.plans if not plan.problems):
        for layout in plan.layouts:
            own = layout.key_for(plan.index)
            for key in [*([own] if own else []), *copy_keys(layout, plan.index)]:
                if fit(key, plan.clauses) >= Fit.FORM:
                    yield from _findings(plan, layout, key)
                else:
                    yield from _literal_findings(plan, layout, key)


def _findings(plan: Plan, layout: Layout, key: KeyLayout) -> Iterator[Finding]:
    written = dict(key.parts)
    for clause in plan.clauses:
        if clause.operator not in ("=", "begins_with"):
            continue
        template = written[clause.attribute]
        for mine, theirs in zip(clause.templates[0].fields, template.fields, strict=False):
            read, stored = _read(plan.pattern, mine), shard_range(layout, theirs)
            if read and stored and (read[0] > stored[0] or read[1] < stored[1]):
                yield Finding(
                    CODE,
                    "error",
                    plan.name,
                    f"{plan.name} reads the shards {read[0]} to {read[1]}, but {layout.entity.__name__} writes "
                    f'{clause.attribute} = "{template.text}" with the shards {stored[0]} to {stored[1]}',
                    f"let {mine.name} be {stored[0]} to {stored[1]}: Field(ge={stored[0]}, le={stored[1]})",
                    plan.pattern,
                )


def _literal_findings(plan: Plan, layout: Layout, key: KeyLayout) -> Iterator[Finding]:
    written = dict(key.parts)
    for clause in plan.clauses:
        template = written[clause.attribute]
        shard = _literal_shard(clause.templates[0], template) if clause.operator == "=" else None
        if shard is not None:
            count = next(
                part.key_format.count for part in template.fields if isinstance(part.key_format, Shard)
            )
            yield Finding(
                CODE,
                "error",
                plan.name,
                f"{plan.name} reads only the shard {shard}, but {layout.entity.__name__} writes "
                f'{clause.attribute} = "{template.text}" with the shards 0 to {count - 1}',
                f"make it a parameter, shard: Annotated[int, Field(ge=0, lt={count})], and read all shards",
                plan.pattern,
            )


def _literal_shard(read: Template, written: Template) -> str | None:
    """The shard that a key condition has as text where the key has a field; None if it is not written so."""
    rest, shard = list(read.parts), None
    for part in written.parts:
        ahead = rest.pop(0) if rest else None
        if isinstance(part, str):
            if not isinstance(ahead, str) or not ahead.startswith(part):
                return None
            ahead = ahead.removeprefix(part)
        elif isinstance(ahead, str):
            digits = re.match(r"\d+", ahead)
            if digits is None or not isinstance(part.key_format, Shard):
                return None
            shard, ahead = digits[0], ahead[digits.end() :]
        else:
            continue
        rest[:0] = [ahead] if ahead else []
    return None if rest else shard


def _read(pattern: type[PatternSettings], part: TemplateField) -> Range | None:
    """The shards that a parameter can name; None if it has no upper bound, or computes the shard itself."""
    info = pattern.model_fields.get(part.name)
    if info is None or isinstance(part.key_format, Shard):
        return None
    plain, within = plain_type(info.annotation)
    values = [value for value in get_args(plain) if isinstance(value, int)]  # Literal[0, 1, 2]
    if values:
        return min(values), max(values)
    if plain is not int:
        return None
    low, high = integer_bounds((*info.metadata, *within))
    return None if high is None else (low or 0, high)
