"""A misspelt class argument of an entity is rejected; one that another base class takes is accepted."""

from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from tablewright import Entity, Table
from tablewright.errors import DesignError

main = Table("books", key="bookId")


def test_a_misspelt_argument_is_rejected_with_the_nearest() -> None:
    with pytest.raises(DesignError, match=r"Book has no class argument tabel; did you mean table\?"):

        class Book(Entity, tabel=main):
            book_id: str


def test_an_unknown_argument_is_rejected_with_the_known_ones() -> None:
    known = (
        "Book has no class argument audit; the arguments are: table, type, schema_version, upcasts, expect"
    )
    with pytest.raises(DesignError, match=known):

        class Book(Entity, table=main, audit=True):
            book_id: str


def test_settings_of_pydantic_are_accepted() -> None:
    class Book(Entity, table=main, str_max_length=3):
        book_id: str

    assert Book.model_config["str_max_length"] == 3


class Audited(BaseModel):
    audited: ClassVar[bool] = False

    @classmethod
    def __pydantic_init_subclass__(cls, *, audit: bool = False, **extra: Any) -> None:
        super().__pydantic_init_subclass__(**extra)
        cls.audited = audit


def test_an_argument_of_a_mixin_is_accepted() -> None:
    class Before(Audited, Entity, table=main, audit=True):
        book_id: str

    class After(Entity, Audited, table=main, audit=True):
        book_id: str

    assert Before.audited
    assert After.audited
    with pytest.raises(DesignError, match=r"Wrong has no class argument tabel; did you mean table\?"):

        class Wrong(Audited, Entity, tabel=main, audit=True):
            book_id: str
