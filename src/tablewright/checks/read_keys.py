"""Read keys: the texts that the key condition of a pattern matches."""

from typing import Any

from tablewright.checks.key_languages import ANYTHING, Language, language
from tablewright.design.keys.templates import Template
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.pattern_parameters import parameter_type
from tablewright.design.plans.plans import Plan


def clause_on(plan: Plan, attribute: str) -> KeyClause | None:
    """The clause of a plan on a key attribute, or None."""
    return next((clause for clause in plan.clauses if clause.attribute == attribute), None)


def read_language(plan: Plan, attribute: str, without: str = "") -> Language:
    """The texts of a key attribute that a plan matches; for a range, those with the common prefix of its ends."""
    clause = clause_on(plan, attribute)
    if clause is None:
        return ANYTHING

    def type_of(name: str) -> Any:
        return parameter_type(plan.pattern, plan.kind, name)

    match clause.operator:
        case "=":
            return language(clause.templates[0], type_of, without=without)
        case "begins_with":
            return language(clause.templates[0], type_of, prefix=True, without=without)
        case "BETWEEN":
            starts = {template.prefix for template in clause.templates}
            start = starts.pop() if len(starts) == 1 else ""
            return language(Template(start), type_of, prefix=True) if start else ANYTHING
        case _:
            return ANYTHING
