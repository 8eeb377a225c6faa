"""Shadowed names: annotated fields of a class, without class variables."""

from typing import ClassVar

from tablewright.design.validation.shadowed_names import annotated_fields


class Declared:
    name: str
    count: "int" = 0
    setting: ClassVar[str] = "x"
    quoted: "ClassVar[str]" = "y"
    bare: ClassVar = 3
    not_annotated = 1


class Inherited(Declared):
    other: str


def test_class_variables_and_plain_attributes_are_no_fields() -> None:
    assert list(annotated_fields(Declared)) == ["name", "count"]


def test_inherited_fields_do_not_count() -> None:
    assert list(annotated_fields(Inherited)) == ["other"]
