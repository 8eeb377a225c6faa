"""Rules for types: which can be stored."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional
from uuid import UUID

import pytest
from pydantic import AfterValidator, AliasChoices, AliasPath, BaseModel, ConfigDict, Field, HttpUrl, SecretStr

from tablewright import Keys, Table
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table("main", key="id")


class Color(Enum):
    RED = "red"


class Size(StrEnum):
    LARGE = "L"


class Span(BaseModel):
    length: timedelta


class Tree(BaseModel):
    children: "list[Tree]" = []


def define(annotation: Any) -> None:
    define_entity(main, {"id": str, "value": annotation}, keys=Keys(primary="{id}"))


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        Any,
        bytes,
        Decimal,
        datetime,
        date,
        UUID,
        Color,
        Literal["a", 1],
        list[dict[str, int]],
        dict[Size, int],
        dict[Any, int],
        dict[str, Any],
        set[date],
        tuple[int, ...],
        Tree,
        Optional[float],  # noqa: UP045
        Annotated[timedelta, AfterValidator(lambda span: span.total_seconds())],
        list[Annotated[timedelta, AfterValidator(lambda span: span.total_seconds())]],
    ],
)
def test_types_that_can_be_stored(annotation: Any) -> None:
    define(annotation)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            timedelta,
            "Thing.value has the type timedelta, which DynamoDB cannot store; store a number of seconds as an int",
        ),
        (time | None, "has the type time, .*; store a str"),
        (list[complex], "has the type complex, .*; store a list of two numbers"),
        (HttpUrl, "has the type HttpUrl, .*; store a str with a validator"),
        (SecretStr, "has the type SecretStr, .*; store a str with the marker"),
        (Path, "has the type Path, .*; store a str"),
        (Span, "has the type timedelta"),
        (dict[str, list[Span]], "has the type timedelta"),
        (dict[int, str], "is a map whose keys have the type int, and DynamoDB needs text; use str"),
        (Mapping[Color, str], "whose keys have the type Color, .*; use a StrEnum"),
        (set[bool], "is a set of bool, which DynamoDB cannot store; use a list"),
    ],
)
def test_types_that_cannot_be_stored_are_rejected(annotation: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define(annotation)


class Renamed(BaseModel):
    length: int = Field(validation_alias="size")


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            Annotated[str, Field(validation_alias="title")],
            'Thing.value is stored as value, but read as title; .*"title"',
        ),
        (
            Annotated[str, Field(validation_alias=AliasChoices("a", "b"))],
            "Thing.value is stored as value, but read as a;",
        ),
        (
            Annotated[str, Field(validation_alias=AliasPath("a", 0))],
            "Thing.value is stored as value, but read as a path;",
        ),
        (
            Renamed,
            "Thing.value has the type Renamed, whose field length is stored as length, but read as size;",
        ),
        (list[Renamed], "whose field length is stored as length, but read as size;"),
    ],
)
def test_a_field_that_is_read_under_another_name_is_rejected(annotation: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define(annotation)


@pytest.mark.parametrize(
    "alias",
    [Field(alias="v"), Field(serialization_alias="w"), Field(validation_alias=AliasChoices("old", "value"))],
)
def test_a_field_that_is_read_under_its_stored_name_is_accepted(alias: Any) -> None:
    define(Annotated[str, alias])


def test_an_entity_that_allows_extra_values_is_rejected() -> None:
    with pytest.raises(
        DesignError, match='Thing has extra="allow", but an entity stores only its fields; declare'
    ):
        define_entity(main, {"id": str}, model_config=ConfigDict(extra="allow"))
