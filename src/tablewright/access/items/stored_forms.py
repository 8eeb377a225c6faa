"""Stored forms: values that another program wrote in another form than ours.

    "2026-05-01T12:00:00Z"      a time, which we write as "2026-05-01T12:00:00.000Z"
    {"S": "5"}                  a number as text

They are read as the values that they mean, but DynamoDB compares what is stored. So an entity remembers the stored form
of what it was read with, and conditions on the entity compare it. Most items have no such value: a cheap test of each
attribute comes first, and an entity in our form remembers nothing.

Values inside of lists and maps are not remembered; an integrity check finds them too (`other_forms`).
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, get_origin
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from tablewright.access.items.item_values import differs, from_attribute, to_attribute
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import MARKERS
from tablewright.design.layouts.compared_values import allowed, element_type
from tablewright.design.layouts.layouts import FieldLayout, OtherForm, StoredForms, StoredModel
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import ValueNotStorable

_KINDS: dict[type, str] = {int: "N", Decimal: "N", bool: "BOOL", bytes: "B"}
_SET_KINDS: dict[Any, str] = {str: "SS", int: "NS", bytes: "BS"}
_TEXTS: dict[type, re.Pattern[str]] = {
    datetime: re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}\.[0-9]{3}Z"),
    date: re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]"),
    UUID: re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
}
"""The texts that we write for values of a type."""
_TEXT_SETTINGS = ("str_strip_whitespace", "str_to_lower", "str_to_upper", "coerce_numbers_to_str")


class FormTests:
    """Finds the attributes of the items of one class that are in another form than ours."""

    def __init__(self, entity: type[StoredModel]) -> None:
        self.fields: list[tuple[str, str]] = []
        """The fields that are compared, each with its attribute."""
        self._kinds: list[tuple[str, str]] = []
        self._texts: list[tuple[str, re.Pattern[str]]] = []
        self._choices: list[tuple[str, frozenset[str]]] = []
        self._others: list[tuple[str, str]] = []
        for name, field in entity.layout.fields.items():
            if not field.is_secret:
                self._add(entity, name, field)

    def _add(self, entity: type[StoredModel], name: str, field: FieldLayout) -> None:
        """Choose the test of a field. Text without a validator, lists and maps have none."""
        info = entity.model_fields[name]
        plain, within = plain_type(info.annotation)
        attribute, choices = field.stored, allowed(plain)
        test: list[Any] = self._others
        entry: Any = (name, attribute)
        if _is_converted(entity, name, plain, (*info.metadata, *within)):
            pass
        elif plain is str or get_origin(plain) is Literal:
            return
        elif plain in _KINDS:
            test, entry = self._kinds, (attribute, _KINDS[plain])
        elif plain in _TEXTS:
            test, entry = self._texts, (attribute, _TEXTS[plain])
        elif choices and all(type(choice) is str for choice in choices):
            test, entry = self._choices, (attribute, frozenset(choices))
        elif get_origin(plain) in (set, frozenset) and element_type(plain) in _SET_KINDS:
            test, entry = self._kinds, (attribute, _SET_KINDS[element_type(plain)])
        elif not (plain is float or _is_a(plain, Enum)):
            return
        self.fields.append((name, attribute))
        test.append(entry)

    def forms(self, item: Item, values: Mapping[str, Any]) -> StoredForms | None:
        """Return the stored forms that differ from ours, by attribute; None for an item in our form.

        `item` is as it is stored, `values` are the fields that it was read as.
        """
        if not self._may_differ(item, values):
            return None
        forms = {}
        for name, attribute in self.fields:
            stored = item.get(attribute)
            form = None if stored is None else _form(stored, values.get(name))
            if form is not None:
                forms[attribute] = form
        return forms or None

    def _may_differ(self, item: Item, values: Mapping[str, Any]) -> bool:
        for attribute, kind in self._kinds:
            if attribute in item and kind not in item[attribute]:
                return True
        for attribute, pattern in self._texts:
            if attribute in item and not pattern.fullmatch(item[attribute].get("S", "")):
                return True
        for attribute, choices in self._choices:
            if attribute in item and item[attribute].get("S") not in choices:
                return True
        for name, attribute in self._others:
            if attribute in item:
                value, stored = values.get(name), from_attribute(item[attribute])
                if type(value) is not type(stored) or value != stored:
                    return True
        return False


def item_forms(entity: type[StoredModel], item: Item) -> StoredForms:
    """Return the stored forms of an item that differ from ours, without reading it as an entity."""
    tests = form_tests(entity)
    values = {}
    for name, attribute in tests.fields:
        if attribute in item:
            with suppress(ValidationError):
                values[name] = _adapter(entity, name).validate_python(from_attribute(item[attribute]))
    return tests.forms(item, values) or {}


def has_more_forms(entity: type[StoredModel], item: Item, known: StoredForms) -> bool:
    """Return whether an item has values in another form than ours that are not known yet."""
    return any(known.get(attribute) != form for attribute, form in item_forms(entity, item).items())


@cache
def _adapter(entity: type[StoredModel], name: str) -> TypeAdapter[Any]:
    info = entity.model_fields[name]
    annotation: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    return TypeAdapter(annotation)


@cache
def form_tests(entity: type[StoredModel]) -> FormTests:
    """Return the tests of a class."""
    return FormTests(entity)


def stored_version(stored: AttributeValue | None) -> int | None:
    """Return a version that another program may have stored as text; None if it is absent, or no whole number.

    >>> stored_version({"N": "3"}), stored_version({"S": "3"}), stored_version({"S": "v3"})
    (3, 3, None)
    """
    numeral = str((stored or {}).get("N", (stored or {}).get("S", "")))
    return int(numeral) if numeral.isdecimal() else None


def other_forms(stored: AttributeValue, ours: AttributeValue) -> Iterator[str]:
    """Describe the values in an attribute that are in another form than ours, at any depth.

    What only one of two maps has is no other form: absence means the default there.

    >>> list(other_forms({"L": [{"S": "5"}, {"N": "6"}]}, {"L": [{"N": "5"}, {"N": "6.0"}]}))
    ['a number as text']
    """
    if "M" in stored and "M" in ours:
        for name in stored["M"].keys() & ours["M"].keys():
            yield from other_forms(stored["M"][name], ours["M"][name])
    elif "L" in stored and "L" in ours:
        for element, our_element in zip(stored["L"], ours["L"], strict=False):
            yield from other_forms(element, our_element)
    elif "NULL" not in stored and "NULL" not in ours and differs(stored, ours):
        yield describe_form(stored, ours)


_WORDS = {
    "S": "text",
    "N": "a number",
    "BOOL": "a boolean",
    "B": "binary",
    "L": "a list",
    "M": "a map",
    "SS": "a set of text",
    "NS": "a set of numbers",
    "BS": "a set of binary",
}


def describe_form(stored: AttributeValue, ours: AttributeValue) -> str:
    """Describe a form of a value: its type if that is another one, or how its text differs.

    >>> time = {"S": "2026-05-01T12:00:00.000Z"}
    >>> describe_form({"S": "2026-05-01T12:00:00Z"}, time), describe_form({"N": "1777636800"}, time)
    ('a time without milliseconds', 'text as a number')
    """
    ((kind, content),), ((our_kind, our_content),) = stored.items(), ours.items()
    if kind != our_kind:
        return f"{_WORDS[our_kind]} as {_WORDS[kind]}"
    if kind != "S":
        return f"{_WORDS[kind]} of another precision"
    if _TEXTS[datetime].fullmatch(our_content):
        return _describe_time(content)
    return "text in another case" if content.casefold() == our_content.casefold() else "another text"


def _describe_time(text: str) -> str:
    if not text.endswith(("Z", "z")):
        return "a time with an offset"
    fraction = re.search(r"[.,]([0-9]+)", text)
    if fraction is None:
        return "a time without milliseconds"
    return "a time in another notation" if len(fraction[1]) == 3 else f"a time of {len(fraction[1])} decimals"


def _form(stored: AttributeValue, value: Any) -> OtherForm | None:
    """The stored and our form of a value, if they differ; None is absent, stored as NULL or not."""
    if value is None or "NULL" in stored or (isinstance(value, set | frozenset) and not value):
        return None
    try:
        ours = to_attribute(value)
    except ValueNotStorable:
        return None
    return OtherForm(stored, ours) if differs(stored, ours) else None


def _is_converted(entity: type[StoredModel], name: str, plain: Any, metadata: tuple[Any, ...]) -> bool:
    """Whether functions or settings of the class may change a value that is read."""
    decorators = entity.__pydantic_decorators__
    validated = {field for one in decorators.field_validators.values() for field in one.info.fields}
    if decorators.model_validators or not validated.isdisjoint((name, "*")):
        return True
    if plain is str and any(entity.model_config.get(setting) for setting in _TEXT_SETTINGS):
        return True
    if plain is datetime:  # the validator of a Timestamp keeps the time
        return False
    return any(not isinstance(one, MARKERS) and type(one).__module__ != "annotated_types" for one in metadata)


def _is_a(annotation: Any, kind: type) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, kind)
