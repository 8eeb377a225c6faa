"""Rules for patterns that read number keys: a number key is compared with numbers.

key = "game = {game} AND points >= {least}"         # least: int, float or Decimal
key = "game = {game} AND points > 0"
key = "room = {room} AND sentAt < {at:epoch_ms}"    # where the entity writes {sent_at:epoch_ms}
"""

import re
from collections.abc import Iterator

from tablewright.design.keys.number_formats import is_number
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.layouts.field_values import type_name
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.validation.pattern_subjects import PatternSubject

_NUMERAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def number_problems(
    subject: PatternSubject, clause: KeyClause, written: Template
) -> Iterator[tuple[str, str]]:
    """What is wrong with a clause on a number key, and the fix."""
    if clause.operator == "begins_with":
        yield (
            f"reads {clause}, but {clause.attribute} is a number",
            f"a number has no beginning: write {clause.attribute} >= ... or {clause.attribute} BETWEEN ... AND ...",
        )
        return
    for read in clause.templates:
        fix = _fix(subject, read, written)
        if fix:
            yield f"reads {clause}, but {clause.attribute} is a number", fix


def _fix(subject: PatternSubject, read: Template, written: Template) -> str:
    """How to compare with a number; empty if the template is one."""
    if read.is_constant and _NUMERAL.fullmatch(read.text):
        return ""
    if len(read.parts) != 1 or not isinstance(read.parts[0], TemplateField):
        return (
            f"{read.text} is text: compare with one number, such as 100 or {{{(*written.names, 'least')[0]}}}"
        )
    part = read.parts[0]
    if part.name not in subject.parameters:
        return ""  # reported as a missing parameter
    theirs = written.fields[0].key_format if written.fields else None
    if part.key_format is not None:
        if part.key_format == theirs:
            return ""
        return f"write {{{part.name}:{theirs.text}}}" if theirs else f"write {{{part.name}}}"
    kind = subject.type_of(part.name)
    if is_number(kind):
        return ""
    if theirs is not None:
        unsuitable = theirs.fix(part.name, kind)
        return f"{unsuitable}, and write {{{part.name}:{theirs.text}}}".removeprefix(", and ")
    return f"{part.name} is a {type_name(kind)}: make it an int, a float or a Decimal"
