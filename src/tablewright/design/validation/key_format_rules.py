"""Rules for the key formats of access patterns: a pattern reads a key in the format in which the entity writes it.

Text in another format is never equal, begins differently and sorts elsewhere: `"20"` is not `"000020"`, and is greater
than `"000100"`. So the rule holds for `=`, `begins_with` and every range.

A number key is compared with numbers:

    key = "game = {game} AND points >= {least}"         # least: int, float or Decimal
    key = "game = {game} AND points > 0"
    key = "room = {room} AND sentAt < {at:epoch_ms}"    # where the entity writes {sent_at:epoch_ms}
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from tablewright.design.indexes import Index
from tablewright.design.keys.key_formats import Descending, KeyFormat, key_shape
from tablewright.design.keys.number_formats import Width, is_number
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.text_formats import Case, Shard
from tablewright.design.keys.time_formats import Calendar, Epoch, natural_text
from tablewright.design.layouts.field_values import allowed_values, type_name
from tablewright.design.layouts.layouts import KeyLayout, Layout, LockLayout
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.parameter_parts import paired_fields
from tablewright.design.plans.plans import copy_keys, may_match
from tablewright.design.validation.subjects import PatternSubject

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
        fix = _number_fix(subject, read, written)
        if fix:
            yield f"reads {clause}, but {clause.attribute} is a number", fix


def _number_fix(subject: PatternSubject, read: Template, written: Template) -> str:
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


class _Side(NamedTuple):
    """A template field with the type of its values: of a parameter, or of the entity's field."""

    part: TemplateField
    kind: Any

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit; empty where texts have no common shape."""
        return key_shape(self.part.key_format, self.kind)

    @property
    def time_text(self) -> str:
        """The format of a date or a time; empty for other values."""
        return natural_text(self.kind) if self.ascending is None else self.part.time_text

    @property
    def ascending(self) -> KeyFormat | None:
        """Its key format without `desc`."""
        key_format = self.part.key_format
        return key_format.base if isinstance(key_format, Descending) else key_format

    @property
    def is_descending(self) -> bool:
        """Whether its order is reversed."""
        return isinstance(self.part.key_format, Descending)


def check_key_formats(
    subject: PatternSubject, layout: Layout, index: Index | None, clauses: tuple[KeyClause, ...]
) -> None:
    """Report clauses whose parameters have another format than in each key of the entity that could match."""
    main = layout.key_for(index)
    keys = [key for key in (main, *copy_keys(layout, index)) if key and may_match(key, clauses)]
    problems = [list(_problems(subject, layout, key, clauses)) for key in keys]
    if all(problems):
        for why, fix in dict.fromkeys(problems[0] if problems else ()):
            subject.report("TW006", why, fix)


def check_lock_formats(
    subject: PatternSubject, layout: Layout, lock: LockLayout, clauses: tuple[KeyClause, ...]
) -> None:
    """Report clauses whose parameters have another format than in the key of a lock."""
    for why, fix in dict.fromkeys(_problems(subject, layout, lock.key, clauses)):
        subject.report("TW006", why, fix)


def _problems(
    subject: PatternSubject, layout: Layout, key: KeyLayout, clauses: tuple[KeyClause, ...]
) -> Iterator[tuple[str, str]]:
    """What is wrong with the clauses for one key, and the fix."""
    written = dict(key.parts)
    for clause in clauses:
        theirs = written[clause.attribute]
        if subject.table.type_of(clause.attribute) == "N":
            yield from number_problems(subject, clause, theirs)
            continue
        for read in clause.templates:
            for mine, their in paired_fields(read, theirs):
                one = _Side(mine, subject.type_of(mine.name))
                field = layout.field(their.name)
                other = _Side(their, field.annotation if field else str)
                if mine.name in subject.parameters and not _agree(one, other, _may_end(clause, read, mine)):
                    yield (
                        f'reads {clause}, but {layout.entity.__name__} writes {clause.attribute} = "{theirs.text}", '
                        f"where {mine} has another format",
                        f"{_consequence(clause, their)}: {_fix(one, other)}",
                    )


def _may_end(clause: KeyClause, read: Template, part: TemplateField) -> bool:
    """Whether the text may be the beginning of what is written: a month, where the key has a day."""
    if clause.operator == "begins_with":
        return part is read.parts[-1]
    return clause.operator != "=" and part is read.fields[-1]


def _agree(mine: _Side, theirs: _Side, may_end: bool) -> bool:
    """Whether texts of the parameter are such as the entity writes."""
    own, written = mine.ascending, theirs.ascending
    is_text = mine.part.key_format is None and not is_number(mine.kind) and not mine.time_text
    if mine.is_descending != theirs.is_descending:
        return is_text  # of a text, the caller gives what the key contains
    if isinstance(written, Case):
        return own == written or (own is None and _is_unchanged(written, mine.kind))
    if isinstance(own, Case):
        return written is None and (allowed_values(theirs.kind) is None or _is_unchanged(own, theirs.kind))
    if type(own) is type(written) and isinstance(own, Shard | Width | Epoch):
        return own == written
    if isinstance(written, Epoch) or isinstance(own, Epoch):
        return is_text
    if mine.time_text and theirs.time_text:
        same = mine.time_text == theirs.time_text
        return same or (may_end and theirs.time_text.startswith(mine.time_text))
    if written is None and is_number(theirs.kind):
        return own is None and not mine.time_text
    return _has_shape(mine, theirs, may_end)


def _has_shape(mine: _Side, theirs: _Side, may_end: bool) -> bool:
    shape = theirs.shape
    if not shape or mine.shape == shape:
        return True
    if mine.shape:
        is_whole = isinstance(theirs.ascending, Width | Shard)
        return may_end and not is_whole and shape.startswith(mine.shape)
    return not is_number(mine.kind) or shape == "0"


def _is_unchanged(case: Case, kind: Any) -> bool:
    """Whether all values have the same text with the format and without it."""
    known = allowed_values(kind)
    return is_number(kind) if known is None else all(case.render("value", value) == value for value in known)


def _consequence(clause: KeyClause, written: TemplateField) -> str:
    if clause.operator not in ("=", "begins_with"):
        return "the range misses items"
    return "this misses items" if isinstance(written.key_format, Case) else "this never matches"


def _fix(mine: _Side, theirs: _Side) -> str:
    name, written = mine.part.name, theirs.part.key_format
    if written is None:
        if mine.part.key_format is not None:
            return f"write {{{name}}}"
        if theirs.time_text:
            return f"make {name} a {'Timestamp' if issubclass(theirs.kind, datetime) else 'date'}"
        return f"make {name} an int"
    is_digits = theirs.shape.isdigit() and not isinstance(mine.part.key_format, Shard)
    if is_digits and (isinstance(written, Shard) or (isinstance(written, Calendar) and is_number(mine.kind))):
        return f"write {{{name}:0{len(theirs.shape)}}}"
    if isinstance(theirs.ascending, Width | Epoch) and theirs.ascending.fix(name, mine.kind):
        kind = "a Timestamp" if isinstance(theirs.ascending, Epoch) else "an int"
        return f"make {name} {kind}, and write {{{name}:{written.text}}}"
    return f"write {{{name}:{written.text}}}"
