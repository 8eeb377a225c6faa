"""Subjects: missing fields are reported with the closest name."""

import pytest

from tablewright import Table
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.problems import Problems
from tablewright.design.validation.subjects import Subject

FIELDS = {name: FieldLayout(name, name, str, False) for name in ("email", "nickname")}


@pytest.mark.parametrize(
    ("name", "fix"), [("nick_name", "did you mean nickname?"), ("zip", "its fields are: email, nickname")]
)
def test_a_missing_field_is_reported_with_a_hint(name: str, fix: str) -> None:
    subject = Subject("User", Table("main", key="id"), None, FIELDS, Problems(literal=True))
    assert subject.require_field(name, "the copy twin") is None
    (problem,) = subject.problems.recorded
    assert (problem.code, problem.where, problem.fix) == ("TW003", f"User.{name}", fix)
    assert problem.why == f"User has no field {name}, which the copy twin needs"


def test_an_existing_field_is_returned() -> None:
    subject = Subject("User", Table("main", key="id"), None, FIELDS, Problems(literal=False))
    assert subject.require_field("email", "a key") is FIELDS["email"]
