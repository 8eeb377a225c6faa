"""Suppressions of a design and of its classes."""

from typing import ClassVar

import pytest

from tablewright import Design, Entity, Keys, Scan, Table
from tablewright.checks.findings import Finding, Suppression, suppressed_by, suppressions_of


class User(Entity, table=Table("users", key="PK")):
    name: str
    keys = Keys(primary="USER#{name}")
    suppress: ClassVar = {"TW601": "known", "TW501:name": "public"}


class Users(Scan[User]):
    suppress: ClassVar = {"TW303": "few users"}


DESIGN = Design("app", entities=[User], patterns=[Users], suppress={"TW306": "soon", "TW401:User": "few"})


def test_suppressions_are_collected_with_their_place() -> None:
    assert [(one.key, one.reason, one.subject) for one in suppressions_of(DESIGN)] == [
        ("TW306", "soon", None),
        ("TW401:User", "few", None),
        ("TW601:User", "known", User),
        ("TW501:User.name", "public", User),
        ("TW303:Users", "few users", Users),
    ]


@pytest.mark.parametrize(
    ("code", "where", "expected"),
    [
        ("TW501", "", True),
        ("TW501", "User", True),
        ("TW501", "User.email", True),
        ("TW501", "User.em", False),
        ("TW501", "Use", False),
        ("TW502", "User", False),
    ],
)
def test_a_suppression_matches_its_place_and_parts_of_it(code: str, where: str, expected: bool) -> None:
    finding = Finding("TW501", "warning", "User.email", "why", "fix")
    assert Suppression(code, where, "reason").matches(finding) == expected


def test_a_suppression_without_a_reason_has_no_effect() -> None:
    finding = Finding("TW501", "warning", "User.email", "why", "fix")
    empty, full = Suppression("TW501", "User", " "), Suppression("TW501", "", "known")
    assert suppressed_by(finding, [empty]) is None
    assert suppressed_by(finding, [empty, full]) is full
