"""A range over a descending part of a key returns the opposite of what its parameter says.

A key condition compares keys as they are stored, and `desc` reverses the order: greater numbers and later times have
smaller keys. So `SK >= {least:08 desc}` returns points of `least` or less. Write the range the other way round.

    key = "PK = BOARD#{game} AND SK <= {least:08 desc}#~"                           # least or more
    key = "PK = BOARD#{game} AND SK BETWEEN {high:08 desc} AND {low:08 desc}#~"     # from low to high

The check judges by the names of parameters: `least`, `low`, `min`, `start`, `since` and the like begin a range; `most`,
`high`, `max`, `end`, `until` and the like end one.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.keys.key_formats import Descending
from tablewright.design.keys.templates import TemplateField
from tablewright.design.plans.key_conditions import KeyClause

CODE = "TW315"
TITLE = "Reversed range"

_LOW = {
    "least",
    "low",
    "lowest",
    "min",
    "minimum",
    "start",
    "from",
    "since",
    "after",
    "above",
    "begin",
    "first",
}
_HIGH = {
    "most",
    "high",
    "highest",
    "max",
    "maximum",
    "end",
    "to",
    "until",
    "before",
    "below",
    "limit",
    "last",
}


def check(design: Design) -> Iterator[Finding]:
    """Ranges whose bounds are named as in ascending order."""
    for plan in design.plans:
        for clause in plan.clauses:
            part = next(_misread(clause), None)
            if part is not None:
                yield Finding(
                    CODE,
                    "warning",
                    plan.name,
                    f"{plan.name} reads {clause}, but {part} is in descending order: greater values have smaller keys, "
                    f"so {part.name} bounds the other end of the range",
                    _fix(clause),
                    plan.pattern,
                )


def _misread(clause: KeyClause) -> Iterator[TemplateField]:
    """The parts whose parameter is named after the end of the range that it does not bound."""
    bounds = zip(clause.templates, (_LOW, _HIGH), strict=False)
    if clause.operator in ("<", "<="):
        bounds = zip(clause.templates, (_HIGH,), strict=True)
    elif clause.operator not in (">", ">=", "BETWEEN"):
        return
    for template, words in bounds:
        for part in template.fields[-1:]:
            if isinstance(part.key_format, Descending) and words & set(part.name.split("_")):
                yield part


def _fix(clause: KeyClause) -> str:
    if clause.operator == "BETWEEN":
        low, high = clause.templates
        return f"exchange the bounds: {clause.attribute} BETWEEN {high.text} AND {low.text}"
    other = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[clause.operator]
    return f"write {clause.attribute} {other} {clause.templates[0].text}"
