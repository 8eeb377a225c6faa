"""Expected errors: raised, of their class, naming their field, and counted."""

import pytest
from tablewright_systems.service.errors import Conflict, Forbidden
from tablewright_systems.verification.rejections import expect_error, recording


def taken() -> None:
    raise Conflict("the name is taken", "name")


def test_error_is_returned_and_counted() -> None:
    shown: list[str] = []
    with recording(shown):
        assert expect_error(Conflict, taken, "name").field == "name"
        with expect_error(Conflict, field="name"):
            taken()
    taken_later = expect_error(Conflict, taken)
    assert taken_later.message == "the name is taken"
    assert shown == ["Conflict", "Conflict"]


def test_missing_error_fails() -> None:
    with pytest.raises(AssertionError, match="expected Conflict, but no error was raised"):
        expect_error(Conflict, lambda: None)
    with (
        pytest.raises(AssertionError, match="expected Conflict, but no error was raised"),
        expect_error(Conflict),
    ):
        pass


def test_error_of_another_class_is_raised() -> None:
    with pytest.raises(Conflict), expect_error(Forbidden):
        taken()
    with pytest.raises(Conflict):
        expect_error(Forbidden, taken)


def test_error_that_names_another_field_fails() -> None:
    with pytest.raises(AssertionError, match="the error names the field name, not title"):
        expect_error(Conflict, taken, "title")
