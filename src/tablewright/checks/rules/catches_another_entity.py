"""A pattern for one entity also catches items of another.

They share the partition, and the sort condition does not tell them apart: they are read, paid for, fill the page, and
come back as unknown items. Narrow the condition (`begins_with(SK, ORDER#)`), or return both: `Query[User | Order]`.

The texts that the pattern asks for are compared, as languages, with those that each entity writes; values are taken to
hold no delimiters.
"""

from collections.abc import Iterator

from tablewright.checks.asked_keys import asked_language
from tablewright.checks.findings import Finding
from tablewright.checks.key_languages import delimiters, shared_text
from tablewright.checks.written_keys import WrittenKey, keys_in
from tablewright.design.designs import Design
from tablewright.design.plans.plans import Plan

CODE = "TW109"
TITLE = "Pattern that also catches another entity"


def check(design: Design) -> Iterator[Finding]:
    """Queries whose key is also a key of what they do not return."""
    for plan in design.plans:
        if plan.kind in ("query", "find") and not plan.problems:
            strangers = [
                key for key in keys_in(design, plan.table, plan.index) if key.layout not in plan.layouts
            ]
            caught = [key for key in strangers if _catches(plan, key)]
            if caught:
                yield _finding(plan, caught)


def _catches(plan: Plan, written: WrittenKey) -> bool:
    for attribute, template in written.key.parts:
        clauses = [clause for clause in plan.clauses if clause.attribute == attribute]
        asked = [one for clause in clauses for one in clause.templates]
        without = delimiters(template, *asked)
        if shared_text(asked_language(plan, attribute, without), written.language(template, without)) is None:
            return False
    return True


def _finding(plan: Plan, caught: list[WrittenKey]) -> Finding:
    shown = "; ".join(f"{key.owner} writes {key}" for key in caught)
    asked = " AND ".join(map(str, plan.clauses))
    names = " | ".join(dict.fromkeys(key.layout.entity.__name__ for key in caught))
    return Finding(
        CODE,
        "warning",
        plan.name,
        f"{plan.name} asks for {asked}, and also catches what it does not return: {shown}",
        f"narrow its sort condition, or return {names} too",
        plan.pattern,
    )
